"""Prints a report's sections on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import zip_longest

from commonsense_lab.report.document import Commands, Grid, Part
from commonsense_lab.report.pages import script
from commonsense_planning.cli.output import WIDTH, Printer, narrower

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


def terminal_rows(grid: Grid, most: int = WIDTH) -> Iterable[list[tuple[str, ...]]]:
    """The rows of one or more tables that fit into ``most`` columns of the terminal (``narrower``); a cell of several
    lines becomes several rows."""
    cells = ((cell.split("\n") for cell in row) for row in (grid.head, *grid.rows))
    return narrower([line for row in cells for line in zip_longest(*row, fillvalue="")], most)
