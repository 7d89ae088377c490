"""Tables with a line for each group of rows and columns that are functions of a group."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from commonsense_lab.report.document import NOTHING, Commands, Grid, Section
from commonsense_lab.runner.rows import Labels
from commonsense_planning.support.statistics import Mean, Paired, difference, mean, rate, with_error

R = TypeVar("R")
L = TypeVar("L", bound=Labels)

Line = tuple[tuple[str, ...], Sequence[R]]
"""The first cells of a line, and its rows."""


class TableColumn(NamedTuple):
    """``cell`` gets the rows of a line, at least one, and those of the table."""

    head: str
    cell: Callable[[Sequence[Any], Sequence[Any]], str]


def count(head: str, of: Callable[[Any], bool] = lambda row: True) -> TableColumn:
    """Returns the number of rows of a line for which ``of`` is true."""
    return TableColumn(head, lambda rows, _: str(sum(map(of, rows))))


def interval(of: Callable[[Any], bool], digits: int = 0) -> TableColumn:
    """Returns the 95 % Wilson interval, in %, of the rate of rows for which ``of`` is true."""

    def cell(rows: Sequence[Any], _: Sequence[Any]) -> str:
        found = rate(sum(map(of, rows)), len(rows))
        return f"{100 * found.low:.{digits}f} to {100 * found.high:.{digits}f}"

    return TableColumn("95 %", cell)


def average(
    head: str, of: Callable[[Any], float | None], show: Callable[[Mean], str] = lambda found: with_error(found, 1)
) -> TableColumn:
    """Returns the mean over the rows of a line in which it is known; by default with its standard error."""

    def cell(rows: Sequence[Any], _: Sequence[Any]) -> str:
        values = [value for row in rows if (value := of(row)) is not None]
        return show(mean(values)) if values else NOTHING

    return TableColumn(head, cell)


def plain(form: str = ",.1f") -> Callable[[Mean], str]:
    """Shows a mean without its error."""
    return lambda found: format(found.value, form)


def points(found: Paired) -> str:
    """Shows a paired difference of rates in points, with its interval."""
    return f"{100 * found.value:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"


def averages(*heads: str, show: Callable[[Mean], str] = plain()) -> Iterator[TableColumn]:  # noqa: B008 - a function
    """Yields the means of the fields of these names."""
    return (average(head, attrgetter(head), show) for head in heads)


def paired_difference(
    head: str,
    is_base: Callable[[Any], bool],
    same: Callable[[Any], Hashable],
    of: Callable[[Any], float],
    digits: int,
    share: float = 1.0,
) -> TableColumn:
    """Returns the mean of ``of`` less that ``share`` of it in the base's row of the ``same`` task, with its 95 %
    interval; nothing in the base's line."""

    def cell(rows: Sequence[Any], all_rows: Sequence[Any]) -> str:
        base = {same(row): share * of(row) for row in all_rows if is_base(row)}
        more = [of(row) - base[same(row)] for row in rows if not is_base(row) and same(row) in base]
        return NOTHING if len(more) < 2 else format(difference(more), f"+.{digits}f")

    return TableColumn(head, cell)


def lines_of(rows: Iterable[R], line: Callable[[R], tuple[str, ...]], place: Callable[[R], Any]) -> list[Line[R]]:
    """Groups the rows by ``line``, the first cells of their line, in the order of their ``place``."""
    groups: dict[tuple[str, ...], list[R]] = {}
    for row in sorted(rows, key=place):
        groups.setdefault(line(row), []).append(row)
    return [*groups.items()]


def grid(head: Sequence[str], lines: Iterable[Line[R]], columns: Sequence[TableColumn], rows: Sequence[R] = ()) -> Grid:
    """Returns the table of these lines; ``rows`` of the whole table for columns that need them."""
    cells = ((*first, *(column.cell(of_line, rows) for column in columns)) for first, of_line in lines)
    return Grid((*head, *(column.head for column in columns)), tuple(cells))


def commands_of(rows: Iterable[Labels]) -> Commands:
    """Returns the commands that give the rows."""
    return Commands(tuple(("", command) for command in dict.fromkeys(row.command for row in rows)))


def table_sections(
    title: str,
    legend: str,
    head: Sequence[str],
    lines: Callable[[Sequence[L]], Iterable[Line[L]]],
    columns: Sequence[TableColumn],
    more: Callable[[Sequence[L], str], Iterable[Section]] = lambda rows, name: (),
) -> Callable[[str, Sequence[L], str], Iterator[Section]]:
    """Returns the sections of a study with one such table, see ``Study``; ``more``: sections after it."""

    def sections(setup: str, rows: Sequence[L], name: str) -> Iterator[Section]:
        parts = f"Setup: {setup}. {legend}", grid(head, lines(rows), columns, rows), commands_of(rows)
        yield Section(title, parts)
        yield from more(rows, name)

    return sections


COSTS = (
    *averages("steps", "questions", "calls", "tokens", show=lambda found: with_error(found, 1)),
    average("US $", lambda row: row.usd, lambda found: with_error(found, 4)),
    average("seconds", lambda row: row.seconds),
)
"""The costs in the tables by method and by task; other studies have separate tables."""

CAPTION = "Means per episode, with their standard errors:"
