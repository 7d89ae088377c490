"""What a report consists of, whichever form it takes: sections of paragraphs, tables, charts and commands.

Charts are plain values; ``plots.py`` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.support.statistics import Mean

NOTHING = "–"
"""Stands in a cell that has no number."""


@dataclass(frozen=True)
class Chart:
    """``name`` is its file's, without an ending; ``title`` stands above it and says in words what it shows."""

    name: str
    title: str


@dataclass(frozen=True)
class Bar:
    """A success rate in %, its interval from ``low`` to ``high``, and the published rate; None where there is none."""

    value: float | None
    low: float
    high: float
    published: Mean | None


@dataclass(frozen=True)
class Bars(Chart):
    """Grouped bars. ``series``: (label, number of its colour). ``panels``: (title, one bar per series and group)."""

    groups: tuple[str, ...]
    series: tuple[tuple[str, int], ...]
    panels: tuple[tuple[str, tuple[tuple[Bar, ...], ...]], ...]


@dataclass(frozen=True)
class Curve:
    """A step function: from each budget in ``x`` on, the share in % at the same place of ``y``."""

    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class CurvePanel:
    """One curve per series over a budget; ``log``: its axis is logarithmic."""

    budget: str
    log: bool
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Curves(Chart):
    """Success against budgets. ``series``: (label, number of its colour)."""

    series: tuple[tuple[str, int], ...]
    panels: tuple[CurvePanel, ...]


Shares = tuple[tuple[tuple[float | None, ...], ...], ...]
"""Per part, one share in % for every pair of group and bar; None where nothing was run."""


@dataclass(frozen=True)
class Stacks(Chart):
    """Stacked bars: a panel per method, (title, shares), ``groups`` along its axis, in each group the ``bars``, and in
    each bar the ``parts``, each with a colour."""

    groups: tuple[str, ...]
    bars: tuple[str, ...]
    parts: tuple[str, ...]
    panels: tuple[tuple[str, Shares], ...]


@dataclass(frozen=True)
class LineSeries:
    """Points of a line, with ``x`` in growing order, and the number of its colour. ``low``, ``high``: the ends of each
    point's error bar; both None where there is none."""

    label: str
    colour: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Lines(Chart):
    """Lines over a number. ``log_x``, ``log_y``: that axis is logarithmic, and all its values are positive."""

    x_label: str
    y_label: str
    log_x: bool
    log_y: bool
    series: tuple[LineSeries, ...]


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
