"""Failures by cause, as in the failure analysis of the LLM-MCTS paper (section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from commonsense_planning.report.charts import StackPanel, Stacks
from commonsense_planning.report.document import NOTHING, Grid, Part, Section
from commonsense_planning.report.method_layout import Cell, MethodLine, MethodTable
from commonsense_planning.runner.rows import Row, solved


def count_causes(rows: Sequence[Row], causes: Collection[str]) -> dict[str, int]:
    """Cause → number of episodes that failed of it: the ``causes`` in their order, then any other by name."""
    found = Counter(str(row["cause"]) for row in rows if not solved(row))
    others = sorted(found.keys() - set(causes))
    return {cause: found[cause] for cause in (*causes, *others)}


def failure_section(
    layout: MethodTable,
    title: str,
    chart: str,
    lines: Sequence[MethodLine],
    cells: Mapping[Cell, Sequence[Row]],
) -> Section:
    """How many episodes failed in each cell, and of what. ``chart``: the name of the chart."""
    head = ("method", *layout.columns.values())
    grids: list[Part] = []
    for block, name in layout.blocks.items():
        rows = (
            (line.label, *(_cell(cells[block, column, line.variant], layout) for column in layout.columns))
            for line in lines
        )
        grids += [f"{name}:", Grid(head, tuple(rows))]
    shown = {line.variant for line in lines}
    pooled = [row for cell in layout.cells if cell[2] in shown for row in cells[cell]]
    causes = tuple(count_causes(pooled, layout.causes))
    panels = tuple(
        StackPanel(
            line.label,
            tuple(
                tuple(
                    tuple(_share(cells[block, column, line.variant], cause) for block in layout.blocks)
                    for column in layout.columns
                )
                for cause in causes
            ),
        )
        for line in lines
    )
    columns, blocks = tuple(layout.columns.values()), tuple(layout.blocks.values())
    stacks = Stacks(chart, "Failed episodes in %, by cause", columns, blocks, causes, panels)
    legend = "Failed episodes of all episodes, and how many of them failed of what; the causes are explained below."
    return Section(title, (legend, stacks, *grids), 3)


def cause_section(causes: Mapping[str, str]) -> Section:
    """What the causes mean."""
    meanings = (f"{cause}: {meaning}." for cause, meaning in causes.items())
    return Section("Causes of failures", ("A failure has one cause.", *meanings), 3)


def _cell(rows: Sequence[Row], layout: MethodTable) -> str:
    if not rows:
        return NOTHING
    causes = {cause: number for cause, number in count_causes(rows, layout.causes).items() if number}
    return "\n".join([f"{sum(causes.values())} of {len(rows)}", *(f"{c} {n}" for c, n in causes.items())])


def _share(rows: Sequence[Row], cause: str) -> float | None:
    return 100 * count_causes(rows, (cause,))[cause] / len(rows) if rows else None
