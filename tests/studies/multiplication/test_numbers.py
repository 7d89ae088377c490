"""Which number an answer ends with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.studies.multiplication.numbers import last_number


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("4140", 4140),
        ("0", 0),
        ("12 × 345 = 4140", 4140),
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
        ("<think>12 × 345 = 4141?</think>4140", 4140),
        ("<think>12 × 345 = 4140, so", None),
        ("12 × 300 = 3600\n12 × 45 = 540\n3600 + 540 = 4140", 4140),
        ("fifty-six", None),
        ("I cannot calculate that.", None),
        ("", None),
        ("999999999999999999999999", 999999999999999999999999),
    ],
)
def test_the_last_number(answer: str, number: int | None) -> None:
    assert last_number(answer) == number


@given(st.integers(min_value=0, max_value=10**40), st.sampled_from(["{}", "{:,}", "{:_}", "so it is {}."]))
def test_numbers_are_found_however_they_are_written(number: int, form: str) -> None:
    assert last_number(f"12 × 345 = {form.format(number)}") == number


@given(st.text(alphabet="0123456789,. _'-x", max_size=3000))
def test_any_text_is_survived(answer: str) -> None:
    assert last_number(answer) is None or any(character.isdigit() for character in answer)
