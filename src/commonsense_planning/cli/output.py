"""How commands print: lines, coloured on a terminal and never wrapped; tables, in pieces where they are too wide; a
bar; one JSON object where wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from commonsense_planning.report.document import Grid

WIDTH = 100
_GAP = 2  # spaces between columns


class Printer:
    """Prints lines of text on stdout, or on stderr where stdout is kept for JSON."""

    def __init__(self, as_json: bool = False) -> None:
        self.console = Console(stderr=as_json, highlight=False, soft_wrap=True)

    def line(self, text: str = "", style: str = "") -> None:
        """One line, as it stands: brackets are no markup, nothing is wrapped."""
        self.console.print(Text(text, style))

    def rows(
        self, rows: Iterable[tuple[str, ...]], indent: str = "", styles: Mapping[str, str] | None = None
    ) -> None:
        """Rows in aligned columns; ``styles`` colours cells by their text."""
        rows = list(rows)
        if not rows:
            return
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            line = Text(indent)
            for cell, width in zip(row, widths, strict=True):
                line.append(cell, (styles or {}).get(cell, ""))
                line.append(" " * (width - len(cell) + 2))
            line.rstrip()
            self.console.print(line)


def print_json(data: Mapping[str, Any]) -> None:
    """The one object on stdout."""
    click.echo(json.dumps(data, indent=2))


class Move(Protocol):
    """Moves a bar: so many are done, of so many, of which some may have failed."""

    def __call__(self, done: int, total: int, failed: int = 0) -> None: ...


@contextmanager
def counting_bar(printer: Printer, quiet: bool, what: str) -> Iterator[Move]:
    """Gives a function that moves a bar with the time left; without a terminal, it does nothing."""
    console = printer.console if printer.console.is_terminal else Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total, failed=0: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        row = bar.add_task(what, total=None)

        def move(done: int, total: int, failed: int = 0) -> None:
            bar.update(
                row, description=f"{what}, {failed} failed" if failed else what, completed=done, total=total
            )

        yield move


def terminal_rows(grid: Grid, width: int = WIDTH) -> Iterator[list[tuple[str, ...]]]:
    """The rows of one or more tables, each with the grid's first column and with as many of the others as fit into
    ``width``, at least one; a cell of several lines takes as many rows."""
    rows = [line for row in (grid.head, *grid.rows) for line in _lines(row)]
    widths = [max(map(len, column)) + _GAP for column in zip(*rows, strict=True)]
    first, others = widths[0], range(1, len(widths))
    chosen: list[int] = []
    for column in others:
        if chosen and first + sum(widths[i] for i in chosen) + widths[column] - _GAP > width:
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
