"""Draws charts with matplotlib, as PNG and SVG files; equal charts give equal SVG files.

Colours are those of Okabe and Ito, which people with colour blindness can tell apart; curves differ by their dashes,
too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from commonsense_lab.report.document import Chart
from commonsense_planning.errors import UsageError
from commonsense_planning.support.statistics import WithInterval
from commonsense_planning.support.writing import make_folder, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK = "#1b1c1d"  # of text, axes and one of the colours: a page may put the colour of its own text in its place
PAPER = "#fefefd"  # of the background, likewise

ELSEWHERE = "-o names another place"
FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Ending of a file → what matplotlib would write of itself and of the time, left out."""

_COLOURS = ("#E69F00", "#56B4E9", "#CC79A7", "#0072B2", "#009E73", INK, "#D55E00", "#B8AC1B", "#8C510A")
_DASHES = (
    *((0, (1, 1)), (0, (6, 1.5)), (0, (2, 1)), "-", (0, (7, 1.5, 1.5, 1.5)), (0, (10, 2))),
    *((0, (4, 1, 1, 1, 1, 1)), (0, (3, 3)), (0, (1, 3))),
)
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "cplan",
    "text.parse_math": False,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "savefig.dpi": 150,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
}
_WIDTH = 7.4  # inches
_COLUMNS = 4  # of a legend, at most
_SLACK = 4  # characters by which the lines of a title may differ
_ATTEMPTS = 5  # to find a canvas that is wide enough


def save(charts: Sequence[Chart], folder: Path) -> dict[str, str]:
    """Write each chart as ``NAME.png`` and ``NAME.svg`` to ``folder``, which is made; name → text of the SVG file.
    Raises InputError if that cannot be done."""
    make_folder(folder, "the plots", ELSEWHERE)
    return {chart.name: _save(chart, folder) for chart in charts}


def _save(chart: Chart, folder: Path) -> str:
    path = folder / f"{chart.name}.svg"
    with _style():
        figure = draw(chart)
        with replacing(path.with_suffix(".png"), "the plot", ELSEWHERE) as file:
            figure.savefig(file, metadata=FORMATS[".png"])
        figure.set_layout_engine("none")  # what the first drawing found is good for the second
        with replacing(path, "the plot", ELSEWHERE) as file:
            figure.savefig(file, metadata=FORMATS[".svg"])
    return path.read_text(encoding="utf-8")


def save_as(chart: Chart, path: Path) -> None:
    """Write a chart to a file, in the format that its name ends with. Raises UsageError if that is none of ``FORMATS``,
    InputError if the file cannot be written."""
    if path.suffix not in FORMATS:
        raise UsageError(f"{path}: a plot is a file that ends with {', '.join(FORMATS)}")
    with _style(), replacing(path, "the plot") as file:
        draw(chart).savefig(file, format=path.suffix.removeprefix("."), metadata=FORMATS[path.suffix])


def _style() -> AbstractContextManager[None]:
    import matplotlib

    return matplotlib.rc_context(_STYLE)


def draw(chart: Chart) -> Figure:
    """The chart as a figure of matplotlib, with a legend above it. The canvas grows until every text is on it."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    chart.draw(figure)
    entries = [entry for axis in figure.axes for entry in zip(*axis.get_legend_handles_labels(), strict=True)]
    _add_legend(figure, {label: handle for handle, label in reversed(entries)})
    figure.draw_without_rendering()
    rows = len({axis.get_position().y0 for axis in figure.axes})
    figure.set_figheight(figure.get_figheight() + rows * max(map(_wrap_title, figure.axes)))
    for _ in range(_ATTEMPTS):
        figure.draw_without_rendering()
        drawn, width = figure.get_tightbbox(), figure.get_figwidth()
        missing = max(-drawn.x0, drawn.x1 - width)
        if missing <= 0:
            break
        figure.set_figwidth(width + 2 * missing)  # a centred text has half on each side
    return figure


def _add_legend(figure: Figure, entries: Mapping[str, Any]) -> None:
    """A legend of as many columns as the canvas is wide enough for, four at most; the canvas grows by its further
    lines. ``entries``: label → handle, the last first."""
    labels = [*entries][::-1]
    handles = [entries[label] for label in labels]
    for columns in range(min(_COLUMNS, len(labels)), 0, -1):
        legend = figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)
        extent = legend.get_window_extent()
        if columns == 1 or extent.width <= figure.bbox.width:
            lines = -(-len(labels) // columns)
            figure.set_figheight(figure.get_figheight() + extent.height / figure.dpi * (1 - 1 / lines))
            return
        legend.remove()


def _wrap_title(axis: Axes) -> float:
    """Break a title that is wider than its panel into lines; by how many inches it is higher now."""
    title, before, width = axis.title.get_text(), axis.title.get_window_extent(), axis.get_window_extent().width
    parts = ceil(before.width / width)
    if parts > 1 and "\n" not in title:
        axis.set_title(fill(title, ceil(len(title) / parts) + _SLACK, break_long_words=False))
    return float(axis.title.get_window_extent().height - before.height) / axis.figure.dpi


def panels(figure: Figure, lines: int, columns: int, height: float, **more: Any) -> list[Axes]:
    """Make so many panels, line by line, each so many inches high."""
    figure.set_size_inches(_WIDTH, height * lines + 0.5)
    return [*figure.subplots(lines, columns, squeeze=False, **more).flatten()]


def colour(number: int) -> str:
    """A series' colour."""
    return _COLOURS[number % len(_COLOURS)]


def dashes(number: int) -> Any:
    """The dashes that go with a colour."""
    return _DASHES[number % len(_DASHES)]


class Points(NamedTuple):
    """A line: ``x`` → y, in growing order of ``x``, or y with its interval; and the number of its colour."""

    label: str
    colour: int
    points: Sequence[tuple[float, float | WithInterval]]


def line_chart(
    name: str, title: str, x: str, y: str, series: Iterable[Points], log_x: bool = False, log_y: bool = False
) -> Chart:
    """Lines over a number. ``x``, ``y``: what the axes are about. ``log_x``, ``log_y``: that axis is logarithmic, and
    all its values are positive."""
    return Chart(name, title, partial(_lines, x, y, [*series], log_x, log_y))


def _lines(x_label: str, y_label: str, series: Sequence[Points], log_x: bool, log_y: bool, figure: Figure) -> None:
    (axis,) = panels(figure, 1, 1, 3.1)
    for label, number, points in series:
        y = [at.value if isinstance(at, WithInterval) else at for _, at in points]
        known = [(at.value - at.low, at.high - at.value) for _, at in points if isinstance(at, WithInterval)]
        bars = [*zip(*known, strict=True)] or None
        look: dict[str, Any] = {"color": colour(number), "ls": dashes(number), "label": label}
        axis.errorbar(
            [x for x, _ in points], y, bars, lw=1.8, marker="o", markersize=4, elinewidth=1, capsize=3, **look
        )
    axis.set(xlabel=x_label, ylabel=y_label)
    if log_x:
        axis.set_xscale("log")
        round_ticks(axis.xaxis)
    if log_y:
        axis.set_yscale("log")
        round_ticks(axis.yaxis)
    elif axis.dataLim.y0 >= 0:
        axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)


def round_ticks(axis: Axis) -> None:
    """Ticks at 1, 10, 100 … on a logarithmic axis; over fewer than three decades also at 2, 5, 20, 50 …"""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:g}")
