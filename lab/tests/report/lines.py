"""Rows of results for tests, as the lines of a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from commonsense_lab.runner.rows import Line

Row = dict[str, Any]


def line(row: Mapping[str, Any], number: int = 1) -> Line:
    """A row as the line of that number."""
    return Line(Path("results/episodes.jsonl"), number, json.dumps(row).encode(), row)


def lines(rows: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Rows as the lines of a file."""
    return [line(row, number) for number, row in enumerate(rows, start=1)]
