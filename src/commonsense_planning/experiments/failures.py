"""Failures by cause, as in the paper's failure analysis (section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from commonsense_planning.experiments.charts import StackPanel, Stacks
from commonsense_planning.experiments.document import NOTHING, Grid, Part, Section
from commonsense_planning.experiments.method_layout import Cell, MethodLine, MethodTable
from commonsense_planning.experiments.rows import Row, solved

CAUSES: dict[str, str] = {
    "policy": "all that was wanted had been seen, and the goal was still not reached",
    "model": "when the episode ended, a thing that was wanted had never been seen, so the search went where the belief "
    "sent it",
    "translation": "the goal that the instruction was taken for is not the task's",
    "budget": "the expert, who knows everything, needs more steps than the limit, or time, calls or money were used up",
}
"""Cause → when a failure is put down to it."""


def count_causes(rows: Sequence[Row]) -> dict[str, int]:
    """Cause → number of episodes that failed of it: those of ``CAUSES`` in their order, then any other by name."""
    found = Counter(str(row["cause"]) for row in rows if not solved(row))
    others = sorted(found.keys() - CAUSES.keys())
    return {cause: found[cause] for cause in (*CAUSES, *others)}


def failure_section(
    layout: MethodTable,
    title: str,
    chart: str,
    lines: Sequence[MethodLine],
    cells: Mapping[Cell, Sequence[Row]],
) -> Section:
    """How many episodes failed in each cell, and of what. ``chart``: the name of the chart."""
    head = ("method", *layout.settings.values())
    grids: list[Part] = []
    for home, name in layout.homes.items():
        rows = (
            (line.label, *(_cell(cells[home, setting, line.variant]) for setting in layout.settings)) for line in lines
        )
        grids += [f"{name}:", Grid(head, tuple(rows))]
    shown = {line.variant for line in lines}
    causes = tuple(count_causes([row for cell in layout.cells if cell[2] in shown for row in cells[cell]]))
    panels = tuple(
        StackPanel(
            line.label,
            tuple(
                tuple(
                    tuple(_share(cells[home, setting, line.variant], cause) for home in layout.homes)
                    for setting in layout.settings
                )
                for cause in causes
            ),
        )
        for line in lines
    )
    settings, homes = tuple(layout.settings.values()), tuple(layout.homes.values())
    stacks = Stacks(chart, "Failed episodes in %, by cause", settings, homes, causes, panels)
    legend = "Failed episodes of all episodes, and how many of them failed of what; the causes are explained below."
    return Section(title, (legend, stacks, *grids), 3)


def cause_section() -> Section:
    """What the causes mean."""
    meanings = (f"{cause}: {meaning}." for cause, meaning in CAUSES.items())
    return Section("Causes of failures", ("A failure has one cause.", *meanings), 3)


def _cell(rows: Sequence[Row]) -> str:
    if not rows:
        return NOTHING
    causes = {cause: number for cause, number in count_causes(rows).items() if number}
    return "\n".join([f"{sum(causes.values())} of {len(rows)}", *(f"{c} {n}" for c, n in causes.items())])


def _share(rows: Sequence[Row], cause: str) -> float | None:
    return 100 * count_causes(rows).get(cause, 0) / len(rows) if rows else None
