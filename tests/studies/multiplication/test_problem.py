"""Long multiplication against Python's own, with tables that are right and tables that are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.studies.multiplication.problem import (
    DIGIT_PAIRS,
    drawn_pair,
    long_multiplication,
    wrong_entries,
)

PERFECT = {(a, b): a * b for a, b in DIGIT_PAIRS}

numbers = st.integers(min_value=0, max_value=10**15) | st.integers(min_value=0, max_value=10**60)


@given(numbers, numbers)
def test_with_a_perfect_table_products_are_right(first: int, second: int) -> None:
    assert long_multiplication(first, second, PERFECT) == first * second


@given(numbers, numbers, st.sampled_from(DIGIT_PAIRS), st.integers(-200, 2000).filter(bool))
def test_a_wrong_entry_makes_those_products_wrong_that_use_it_and_no_others(
    first: int, second: int, entry: tuple[int, int], error: int
) -> None:
    a, b = map(str, entry)
    found = long_multiplication(first, second, {**PERFECT, entry: PERFECT[entry] + error})
    places = [
        i + j
        for i, one in enumerate(reversed(str(first)))
        for j, other in enumerate(reversed(str(second)))
        if (one, other) == (a, b)
    ]
    assert found - first * second == error * sum(10**place for place in places)
    assert (found != first * second) == (a in str(first) and b in str(second))


def test_an_entry_that_is_missing_is_missed_only_where_it_is_needed() -> None:
    table = {pair: entry for pair, entry in PERFECT.items() if pair != (7, 8)}
    assert long_multiplication(82, 71, table) == 5822
    with pytest.raises(KeyError):
        long_multiplication(71, 82, table)


def test_what_is_wrong_in_a_table_is_named() -> None:
    assert not wrong_entries(PERFECT)
    table = {**PERFECT, (7, 8): 54}
    del table[6, 9]
    assert wrong_entries(table) == {(6, 9): None, (7, 8): 54}


@pytest.mark.parametrize("digits", [1, 2, 12, 30])
def test_pairs_have_exactly_so_many_digits(digits: int) -> None:
    pairs = [drawn_pair(digits, seed, index) for seed in range(3) for index in range(100)]
    assert {len(str(number)) for pair in pairs for number in pair} == {digits}
    assert len(set(pairs)) > (60 if digits == 1 else 290)
    assert drawn_pair(digits, 2, 7) == pairs[207]


def test_zero_is_a_number_of_one_digit() -> None:
    assert {first for index in range(200) for first in drawn_pair(1, 0, index)} == set(range(10))
