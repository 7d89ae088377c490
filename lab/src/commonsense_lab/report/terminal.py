"""A report's sections on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from commonsense_lab.report.document import Commands, Grid, Part
from commonsense_lab.report.pages import script
from commonsense_planning.cli.output import GAP, WIDTH, Printer, width

INDENT = "  "


def print_part(part: Part, printer: Printer) -> None:
    """Print what a report consists of; charts are in the pages alone."""

    match part:
        case str():
            for line in textwrap.wrap(part, WIDTH):
                printer.line(line, "dim")
        case Grid():
            for rows in terminal_rows(part, WIDTH - len(INDENT)):
                printer.rows(rows, INDENT)
        case Commands():
            for line in script(part).splitlines():
                printer.line(INDENT + line, "dim")


def terminal_rows(grid: Grid, most: int = WIDTH) -> Iterator[list[tuple[str, ...]]]:
    """The rows of one or more tables, each with the grid's first column and with as many of the others as fit into
    ``most`` columns of the terminal, at least one; a cell of several lines takes as many rows."""
    rows = [line for row in (grid.head, *grid.rows) for line in _lines(row)]
    widths = [max(map(width, column)) + GAP for column in zip(*rows, strict=True)]
    first, others = widths[0], range(1, len(widths))
    chosen: list[int] = []
    for column in others:
        if chosen and first + sum(widths[i] for i in chosen) + widths[column] - GAP > most:
            yield _columns(rows, chosen)
            chosen = []
        chosen.append(column)
    yield _columns(rows, chosen)


def _lines(row: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    cells = [cell.split("\n") for cell in row]
    for number in range(max(map(len, cells))):
        yield tuple(cell[number] if number < len(cell) else "" for cell in cells)


def _columns(rows: list[tuple[str, ...]], chosen: list[int]) -> list[tuple[str, ...]]:
    return [(row[0], *(row[i] for i in chosen)) for row in rows]
