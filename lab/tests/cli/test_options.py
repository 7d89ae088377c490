"""Options of commands that take several whole numbers."""

import pytest

from commonsense_lab.cli.options import numbers
from commonsense_planning.errors import UsageError


@pytest.mark.parametrize(
    ("text", "found"),
    [("7", (7,)), ("1-4", (1, 2, 3, 4)), ("8, 1-3,2", (1, 2, 3, 8)), ("5-5", (5,)), ("1,100", (1, 100))],
)
def test_numbers_and_ranges(text: str, found: tuple[int, ...]) -> None:
    assert numbers("--digits", text, 1, 100) == found


@pytest.mark.parametrize(("text", "message"), [
    ("", "'' is neither a number nor a range"),
    ("1,,2", "'' is neither"),
    ("x", "--digits: 'x' is neither"),
    ("1.5", "'1.5' is neither"),
    ("-3", "'-3' is neither"),
    ("0", "0 is not from 1 to 20000"),
    ("5-20001", "20001 is not from 1 to 20000"),
    ("4-2", "4-2 is not a range"),
    ("1-20000", "1-20000 is not a range of 1 to 10000 numbers"),
    ("9" * 5000, "is neither"),
])  # fmt: skip
def test_what_is_no_such_text(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        numbers("--digits", text, 1, 20_000)
