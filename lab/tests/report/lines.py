"""Rows of results for tests, as the lines of a file and from one; the tables of a report."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from commonsense_lab.report.document import Grid, Section
from commonsense_lab.runner.rows import NAME
from commonsense_planning.support.row_file import Line

Row = dict[str, Any]


def line(row: Mapping[str, Any], number: int = 1) -> Line:
    return Line(Path("results/episodes.jsonl"), number, json.dumps(row).encode(), row)


def lines(rows: Iterable[Mapping[str, Any]]) -> list[Line]:
    return [line(row, number) for number, row in enumerate(rows, start=1)]


def records(file: Path) -> list[dict[str, Any]]:
    """The objects on the lines of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def rows_in(folder: Path) -> list[dict[str, Any]]:
    return records(folder / NAME)


def grids(*sections: Section) -> list[Grid]:
    return [part for section in sections for part in section.parts if isinstance(part, Grid)]


def cell(grid: Grid, row: str, column: str) -> str:
    """The cell below ``column`` in the first row that begins with ``row``."""
    number = grid.head.index(column)
    return next(cells[number] for cells in grid.rows if cells[0] == row)
