"""How cost grows with the work: steps per second, bytes and seconds at four sizes, as rows and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commonsense_lab.report.document import Chart
from commonsense_lab.report.plots import colour, panels, round_ticks, save_as
from lab.benchmarks.performance.homes import DOMAIN, SIZES, write_home
from lab.benchmarks.performance.table import Row, figure
from lab.benchmarks.performance.walks import our_pace, walkable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WANTED = 500_000  # steps per second at 10,000 operators
FALL = 3.0  # how many times fewer they may be at 75,000


class Point(NamedTuple):
    """What one size costs; ``seconds`` of reading, grounding and compiling, ``size`` of the compiled table in bytes."""

    operators: int
    pace: float
    size: int
    seconds: float


def measure(folder: Path) -> dict[int, Point]:
    """Returns one point per size."""
    walkable(DOMAIN, write_home(600, folder))  # imports, which no size should pay for
    points = {}
    for size in SIZES:
        task = walkable(DOMAIN, write_home(size, folder))
        points[size] = Point(task.operators, our_pace(task), task.compiled.table.nbytes, task.seconds)
    return points


def rows(points: dict[int, Point]) -> list[Row]:
    """Steps per second and their targets."""
    found = []
    at_10k = points[10_000].pace
    for size, point in points.items():
        note = f"table {figure(point.size / 2**20)} MiB, read, grounded and compiled in {figure(point.seconds)} s"
        wanted, reached, ratio = "–", None, "–"
        if size == 10_000:
            wanted, reached = f"{WANTED:,} steps/s", at_10k >= WANTED
        elif size == 75_000:
            ratio, wanted = f"1 / {figure(at_10k / point.pace)} of 10,000's", f"above 1 / {FALL:g}"
            reached = at_10k / point.pace < FALL
        what = f"random walk, household, {point.operators:,} operators: absolute"
        found.append(Row(what, f"{figure(point.pace)} steps/s", "–", ratio, wanted, reached, note))
    return found


def plot(points: dict[int, Point], file: Path) -> None:
    """Draws the points."""
    save_as(Chart("growth", "What grows with the number of operators", partial(_draw, [*points.values()])), file)


def _draw(points: Sequence[Point], canvas: Figure) -> None:
    titles = "random-walk steps / s", "compiled table, MiB", "read, ground, compile, s"
    values = [(point.pace, point.size / 2**20, point.seconds) for point in points]
    sizes = [point.operators for point in points]
    for axis, title, column in zip(panels(canvas, 1, 3, 2.6), titles, zip(*values, strict=True), strict=True):
        axis.loglog(sizes, column, marker="o", markersize=4, color=colour(3))
        across, side = (5, "left") if column[-1] < column[0] else (-5, "right")
        for x, y in zip(sizes, column, strict=True):
            axis.annotate(figure(y), (x, y), textcoords="offset points", xytext=(across, 4), ha=side, fontsize=8)
        axis.set(title=title, xlabel="operators")
        axis.margins(0.5, 0.15)
        axis.set_xticks([1_000, 10_000, 100_000], ["1k", "10k", "100k"])
        axis.set_xticks([], minor=True)
        round_ticks(axis.yaxis)
        axis.grid(alpha=0.3)
