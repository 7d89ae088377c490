"""Tables on a terminal: cells of several lines, and what is too wide in pieces below each other."""

from __future__ import annotations

from collections.abc import Iterator

from commonsense_planning.report.document import Grid

WIDTH = 100
_GAP = 2  # spaces between columns


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
