"""Long multiplication against Python's own, with tables that are right and tables that are not."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.multiplication.study import DIGIT_PAIRS, drawn_pair, last_number, long_multiplication

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
    uses = [
        10 ** (i + j)
        for (i, one), (j, other) in product(enumerate(reversed(str(first))), enumerate(reversed(str(second))))
        if (one, other) == (a, b)
    ]
    assert found - first * second == error * sum(uses)


@pytest.mark.parametrize("digits", [1, 2, 12, 30])
def test_pairs_have_exactly_so_many_digits(digits: int) -> None:
    pairs = [drawn_pair(digits, seed, index) for seed in range(3) for index in range(100)]
    assert {len(str(number)) for pair in pairs for number in pair} == {digits}
    assert len(set(pairs)) > (60 if digits == 1 else 290)
    assert drawn_pair(digits, 2, 7) == pairs[207]


def test_zero_is_a_number_of_one_digit() -> None:
    assert {first for index in range(200) for first in drawn_pair(1, 0, index)} == set(range(10))


@pytest.mark.parametrize(("answer", "number"), [
    ("4140", 4140),
    ("0", 0),
    ("12 x 345 = 4,140", 4140),
    ("Answer: 4140.", 4140),
    ("**4140**", 4140),
    ("`4140`", 4140),
    ("12 times 345 is 4140, of course!", 4140),
    ("The product is 1,234,567.", 1234567),
    ("1 234 567", 1234567),
    ("1\u202f234\u202f567", 1234567),
    ("1\u00a0234", 1234),
    ("1_234", 1234),
    ("1'234'567", 1234567),
    ("1.234.567", 1234567),
    ("4.140", 4140),
    ("12,34,567", 1234567),
    ("12, 345", 345),
    ("123 4567", 4567),
    ("1 234 5678", 5678),
    ("$\\boxed{4140}$", 4140),
    ("$1{,}234{,}567$", 1234567),
    ("1\\,234", 1234),
    ("4140.00", 4140),
    ("1,234.0", 1234),
    ("4140.5", None),
    ("= -4140", -4140),
    ("= −4140", -4140),
    ("- 4140", 4140),
    ("12-345", 345),
    ("12 × 300 = 3600\n12 × 45 = 540\n3600 + 540 = 4140", 4140),
    ("fifty-six", None),
    ("I cannot calculate that.", None),
    ("", None),
])  # fmt: skip
def test_the_last_number(answer: str, number: int | None) -> None:
    assert last_number(answer) == number


@given(st.integers(min_value=0, max_value=10**40), st.sampled_from(["{}", "{:,}", "{:_}", "so it is {}."]))
def test_numbers_are_found_however_they_are_written(number: int, form: str) -> None:
    assert last_number(f"12 × 345 = {form.format(number)}") == number


@given(st.text(alphabet="0123456789,. _'-x", max_size=3000))
def test_any_text_is_survived(answer: str) -> None:
    assert last_number(answer) is None or any(character.isdigit() for character in answer)
