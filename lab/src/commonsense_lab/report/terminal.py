"""Prints a report's sections on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest

from commonsense_lab.report.document import Commands, Grid, Part
from commonsense_lab.report.pages import script
from commonsense_planning.cli.output import GAP, WIDTH, Printer, width

INDENT = "  "


def print_part(part: Part, printer: Printer) -> None:
    """Prints a part of a report; charts are only in the pages."""
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
    """Yields the rows of one or more tables, each with the grid's first column and as many of the others as fit into
    ``most`` columns of the terminal, at least one; a cell of several lines becomes several rows."""
    cells = ((cell.split("\n") for cell in row) for row in (grid.head, *grid.rows))
    rows = [line for row in cells for line in zip_longest(*row, fillvalue="")]
    widths = [max(map(width, column)) + GAP for column in zip(*rows, strict=True)]
    first, others = widths[0], range(1, len(widths))
    tables: list[list[int]] = [[]]
    for column in others:
        if tables[-1] and first + sum(widths[i] for i in tables[-1]) + widths[column] - GAP > most:
            tables.append([])
        tables[-1].append(column)
    yield from ([(row[0], *(row[i] for i in chosen)) for row in rows] for chosen in tables)
