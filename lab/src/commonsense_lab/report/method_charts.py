"""The charts of tables by method: rates as bars, success against budget, failures by cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from commonsense_lab.report.method_layout import Cell, MethodLine, MethodTable
from commonsense_lab.report.plots import INK, PAPER, colour, dashes, panels
from commonsense_lab.runner.rows import PlanRow
from commonsense_planning.support.statistics import Mean, rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = tuple[str, int, Sequence[float], Sequence[float]]
"""A step function: its label, the number of its colour, budgets, and the share in % from each budget on."""


def draw_bars(
    layout: MethodTable, lines: Sequence[MethodLine], cells: Mapping[Cell, Sequence[PlanRow]], figure: Figure
) -> None:
    """Draws a panel for each block: success rates in % with their intervals, and the published ones."""
    width = 0.84 / max(1, len(lines))
    for axis, (block, title) in zip(
        panels(figure, len(layout.blocks), 1, 2.6, sharex=True), layout.blocks.items(), strict=True
    ):
        published: dict[float, Mean] = {}
        for number, line in enumerate(lines):
            places = {group + (number - (len(lines) - 1) / 2) * width: c for group, c in enumerate(layout.columns)}
            there = {x: rows for x, column in places.items() if (rows := cells[block, column, line.variant])}
            found = {x: rate(sum(row.solved for row in rows), len(rows)) for x, rows in there.items()}
            heights = [100 * each.value for each in found.values()]
            axis.bar([*found], heights, 0.9 * width, color=colour(line.colour), label=line.label)
            ends = [100 * each.low for each in found.values()], [100 * each.high for each in found.values()]
            axis.vlines([*found], *ends, color="#808080", lw=1.2)
            if line.published is not None:
                published |= {x: line.published.rates[block, column] for x, column in places.items()}
        if published:
            means = [mean.value for mean in published.values()], [mean.error or 0.0 for mean in published.values()]
            look: dict[str, Any] = {"markersize": 4, "color": INK, "markerfacecolor": PAPER, "elinewidth": 0.8}
            axis.errorbar([*published], *means, fmt="D", label="published", **look)
        axis.set(title=title, ylabel="solved, %", ylim=(0, 104))
        axis.set_xticks(range(len(layout.columns)), layout.columns.values())
        axis.tick_params(axis="x", length=0, labelbottom=True)
        axis.grid(axis="y", alpha=0.3)


def draw_curves(budgets: Sequence[tuple[str, bool, Sequence[Curve]]], figure: Figure) -> None:
    """Draws a panel for each budget, with a logarithmic axis or not."""
    for axis, (budget, wide, curves) in zip(panels(figure, len(budgets), 1, 2.8), budgets, strict=True):
        left = 0.8 * min(x for _, _, spent, _ in curves for x in spent if x > 0) if wide else 0.0
        for label, number, spent, shares in curves:
            # a logarithmic axis has no 0: tasks solved at no cost are at its left edge
            x = [max(left, value) for value in spent]
            axis.step(x, shares, where="post", color=colour(number), ls=dashes(number), lw=1.8, label=label)
        axis.set(xlabel=budget, ylabel="solved, %", ylim=(0, 104))
        if wide:
            axis.set_xscale("log")
            axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_xlim(left=left)
        axis.grid(alpha=0.3)


def draw_stacks(
    layout: MethodTable,
    lines: Sequence[MethodLine],
    causes: Sequence[str],
    share: Callable[[Cell, str], float],
    figure: Figure,
) -> None:
    """Draws a panel for each line: in each column a bar for each block, of the causes' shares in %."""
    axes = panels(figure, -(-len(lines) // 2), 2, 2.2, sharey=True)
    blocks = len(layout.blocks)
    bars = [
        (group + (bar - (blocks - 1) / 2) * 0.84 / blocks, block, column)
        for group, column in enumerate(layout.columns)
        for bar, block in enumerate(layout.blocks)
    ]
    for axis, line in zip(axes, lines, strict=False):
        below = [0.0] * len(bars)
        for number, cause in enumerate(causes):
            heights = [share((block, column, line.variant), cause) for _, block, column in bars]
            places = [x for x, _, _ in bars]
            axis.bar(places, heights, 0.9 * 0.84 / blocks, below, color=colour(3 + number), label=cause)
            below = [low + height for low, height in zip(below, heights, strict=True)]
        axis.set(title=line.label, ylabel="failed, %", ylim=(0, 104))
        names = [*layout.columns.values()]
        axis.set_xticks(range(len(names)), names, rotation=20, ha="right", rotation_mode="anchor")
        axis.grid(axis="y", alpha=0.3)
    for axis in axes[len(lines) :]:
        axis.set_visible(False)
    figure.supxlabel(f"in each pair of bars, from the left: {', '.join(layout.blocks.values())}", fontsize="medium")
