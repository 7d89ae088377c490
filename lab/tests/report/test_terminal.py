"""Tables for a terminal."""

from commonsense_lab.report.document import Grid
from commonsense_lab.report.terminal import terminal_rows


def test_what_fits_is_one_table() -> None:
    grid = Grid(("a", "b", "c"), (("1", "2", "3"),))
    assert list(terminal_rows(grid, 7)) == [[("a", "b", "c"), ("1", "2", "3")]]


def test_what_is_too_wide_goes_on_below_with_its_first_column() -> None:
    grid = Grid(("a", "b", "c"), (("1", "2", "3"),))
    assert list(terminal_rows(grid, 6)) == [[("a", "b"), ("1", "2")], [("a", "c"), ("1", "3")]]
    assert len(list(terminal_rows(grid, 1))) == 2  # one column at least


def test_a_cell_of_two_lines_takes_two_rows() -> None:
    grid = Grid(("a", "b"), (("1", "x\ny"), ("2", "z")))
    assert list(terminal_rows(grid, 9)) == [[("a", "b"), ("1", "x"), ("", "y"), ("2", "z")]]
