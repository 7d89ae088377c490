"""The parts of a report in any form: sections of paragraphs, tables, charts and commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING = "–"
"""The text of a cell without a number."""


@dataclass(frozen=True)
class Chart:
    """A chart with the ``name`` of its file, without the ending; its ``title`` is above it and describes it. ``draw``
    draws it into an empty figure of matplotlib (``plots.py``)."""

    name: str
    title: str
    draw: Callable[[Figure], None]


@dataclass(frozen=True)
class Grid:
    """Cells of text below headings; a cell may have several lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Commands:
    """The commands that give a table, each with the labels of its rows; an empty label means all."""

    lines: tuple[tuple[str, str], ...]


Part = str | Grid | Chart | Commands
"""A string is a paragraph."""


@dataclass(frozen=True)
class Section:
    """A section of a table at ``level`` 2; at level 3, of what belongs to it."""

    title: str
    parts: tuple[Part, ...]
    level: int = 2


@dataclass(frozen=True)
class ResultsReport:
    """``errors``: (key, error) of episodes that failed unexpectedly, which are in no table; ``models``: (name,
    description); ``made``: versions, seeds, prompts and validators of all rows, as text."""

    errors: tuple[tuple[str, str], ...]
    models: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    made: str = ""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in their order."""
        return tuple(part for section in self.sections for part in section.parts if isinstance(part, Chart))
