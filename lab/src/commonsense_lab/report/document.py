"""What a report consists of, whichever form it takes: sections of paragraphs, tables, charts and commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING = "–"
"""Stands in a cell that has no number."""


@dataclass(frozen=True)
class Chart:
    """``name`` is its file's, without an ending; ``title`` stands above it and says in words what it shows. ``draw``
    draws it into an empty figure of matplotlib (``plots.py``)."""

    name: str
    title: str
    draw: Callable[[Figure], None]


@dataclass(frozen=True)
class Grid:
    """Cells of text under headings; a cell may have several lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Commands:
    """The commands that give a table, each with the rows that it gives; empty where it gives all of them."""

    lines: tuple[tuple[str, str], ...]


Part = str | Grid | Chart | Commands
"""A string is a paragraph."""


@dataclass(frozen=True)
class Section:
    """``level`` 2 is a table's own section, 3 is what belongs to it."""

    title: str
    parts: tuple[Part, ...]
    level: int = 2


@dataclass(frozen=True)
class ResultsReport:
    """``errors`` are (key, error) of episodes that failed unexpectedly, which are in no table; ``models`` are (name,
    what it is); ``made``: versions, seeds, prompts and validators of all rows, in words."""

    errors: tuple[tuple[str, str], ...]
    models: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    made: str = ""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in their order."""
        return tuple(part for section in self.sections for part in section.parts if isinstance(part, Chart))
