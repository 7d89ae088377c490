"""Draws charts with matplotlib, as PNG and SVG files; equal charts give equal SVG files.

Colours are those of Okabe and Ito, which people with colour blindness can tell apart; curves differ by their dashes,
too.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonsense_lab.report.document import (
    Bar,
    Bars,
    Chart,
    CurvePanel,
    Curves,
    Lines,
    LineSeries,
    Shares,
    Stacks,
)
from commonsense_planning.errors import UsageError
from commonsense_planning.support.statistics import Mean
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
    (0, (1, 1)),
    (0, (6, 1.5)),
    (0, (2, 1)),
    "-",
    (0, (7, 1.5, 1.5, 1.5)),
    (0, (10, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (3, 3)),
    (0, (1, 3)),
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


def draw(chart: Chart) -> Figure:
    """The chart as a figure of matplotlib."""
    match chart:
        case Bars():
            return _bars(chart)
        case Curves():
            return _curves(chart)
        case Stacks():
            return _stacks(chart)
        case Lines():
            return _lines(chart)
    raise TypeError(f"no way to draw a {type(chart).__name__}")


def _style() -> AbstractContextManager[None]:
    import matplotlib

    return matplotlib.rc_context(_STYLE)


def _figure(height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(_WIDTH, height), layout="constrained")


def _bars(chart: Bars) -> Figure:
    figure = _figure(2.6 * len(chart.panels) + 0.5)
    axes = figure.subplots(len(chart.panels), squeeze=False, sharex=True)[:, 0]
    for axis, (title, bars) in zip(axes, chart.panels, strict=True):
        _bar_panel(axis, chart, title, bars)
    _legend(figure, axes[0])
    return figure


def _bar_panel(axis: Axes, chart: Bars, title: str, series: Sequence[Sequence[Bar]]) -> None:
    width = 0.84 / max(1, len(chart.series))
    published: list[tuple[float, Mean]] = []
    for number, ((label, colour), bars) in enumerate(zip(chart.series, series, strict=True)):
        places = [group + (number - (len(chart.series) - 1) / 2) * width for group in range(len(chart.groups))]
        run = [(x, bar) for x, bar in zip(places, bars, strict=True) if bar.value is not None]
        x = [place for place, _ in run]
        axis.bar(x, [bar.value or 0.0 for _, bar in run], 0.9 * width, color=_colour(colour), label=label)
        axis.vlines(x, [bar.low for _, bar in run], [bar.high for _, bar in run], color="#808080", lw=1.2)
        published += [(x, bar.published) for x, bar in zip(places, bars, strict=True) if bar.published is not None]
    if published:
        axis.errorbar(
            [x for x, _ in published],
            [mean.value for _, mean in published],
            [mean.error or 0.0 for _, mean in published],
            fmt="D",
            markersize=4,
            color=INK,
            markerfacecolor=PAPER,
            elinewidth=0.8,
            label="published",
        )
    axis.set(title=title, ylabel="solved, %", ylim=(0, 104))
    axis.set_xticks(range(len(chart.groups)), chart.groups)
    axis.tick_params(axis="x", length=0, labelbottom=True)
    axis.grid(axis="y", alpha=0.3)


def _curves(chart: Curves) -> Figure:
    figure = _figure(2.8 * len(chart.panels) + 0.5)
    axes = figure.subplots(len(chart.panels), squeeze=False)[:, 0]
    for axis, panel in zip(axes, chart.panels, strict=True):
        _curve_panel(axis, chart, panel)
    _legend(figure, axes[0])
    return figure


def _curve_panel(axis: Axes, chart: Curves, panel: CurvePanel) -> None:
    positive = [x for curve in panel.curves for x in curve.x if x > 0]
    left = 0.8 * min(positive) if panel.log else 0.0
    for (label, colour), curve in zip(chart.series, panel.curves, strict=True):
        # a logarithmic axis has no 0: what costs nothing is solved from its left edge on
        x = [max(left, value) for value in curve.x]
        dashes = _DASHES[colour % len(_DASHES)]
        axis.step(x, curve.y, where="post", color=_colour(colour), ls=dashes, lw=1.8, label=label)
    axis.set(xlabel=panel.budget, ylabel="solved, %", ylim=(0, 104))
    if panel.log:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_xlim(left=left)
    axis.grid(alpha=0.3)


def _stacks(chart: Stacks) -> Figure:
    columns = 2
    lines = -(-len(chart.panels) // columns)
    figure = _figure(2.2 * lines + 0.5)
    axes = figure.subplots(lines, columns, squeeze=False, sharey=True).flatten()
    for axis, (title, shares) in zip(axes, chart.panels, strict=False):
        _stack_panel(axis, chart, title, shares)
    for axis in axes[len(chart.panels) :]:
        axis.set_visible(False)
    figure.supxlabel(f"in each pair of bars, from the left: {', '.join(chart.bars)}", fontsize="medium")
    _legend(figure, axes[0])
    return figure


def _stack_panel(axis: Axes, chart: Stacks, title: str, shares: Shares) -> None:
    width = 0.84 / len(chart.bars)
    places = [
        group + (bar - (len(chart.bars) - 1) / 2) * width
        for group in range(len(chart.groups))
        for bar in range(len(chart.bars))
    ]
    below = [0.0] * len(places)
    for number, (part, groups) in enumerate(zip(chart.parts, shares, strict=True)):
        heights = [share or 0.0 for group in groups for share in group]
        axis.bar(places, heights, 0.9 * width, below, color=_colour(3 + number), label=part)
        below = [low + height for low, height in zip(below, heights, strict=True)]
    axis.set(title=title, ylabel="failed, %", ylim=(0, 104))
    axis.set_xticks(range(len(chart.groups)), chart.groups, rotation=20, ha="right", rotation_mode="anchor")
    axis.grid(axis="y", alpha=0.3)


def _lines(chart: Lines) -> Figure:
    figure = _figure(3.6)
    axis = figure.subplots()
    for series in chart.series:
        dashes = _DASHES[series.colour % len(_DASHES)]
        axis.errorbar(
            series.x,
            series.y,
            _errors(series),
            color=_colour(series.colour),
            ls=dashes,
            lw=1.8,
            marker="o",
            markersize=4,
            elinewidth=1,
            capsize=3,
            label=series.label,
        )
    axis.set(xlabel=chart.x_label, ylabel=chart.y_label)
    if chart.log_x:
        axis.set_xscale("log")
        _round_ticks(axis.xaxis)
    if chart.log_y:
        axis.set_yscale("log")
        _round_ticks(axis.yaxis)
    elif axis.dataLim.y0 >= 0:
        axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)
    _legend(figure, axis)
    return figure


def _errors(series: LineSeries) -> tuple[list[float], list[float]] | None:
    """How far the error bars reach below and above the points."""
    if series.low is None or series.high is None:
        return None
    below = [y - low for y, low in zip(series.y, series.low, strict=True)]
    above = [high - y for y, high in zip(series.y, series.high, strict=True)]
    return below, above


def _round_ticks(axis: Axis) -> None:
    """Ticks at 1, 10, 100 … on a logarithmic axis; over fewer than three decades also at 2, 5, 20, 50 …"""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1000 * low else (1.0,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:g}")


def _legend(figure: Figure, axis: Axes) -> None:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
