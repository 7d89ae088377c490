"""Success against budget: which share of the episodes is solved by spending at most so much."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from commonsense_planning.report.document import Curve, CurvePanel, Curves, Grid, Section
from commonsense_planning.runner.rows import PlanRow

WIDE = 100  # from this ratio of the largest to the smallest cost on, a budget is shown on a logarithmic axis
STEPS = 6  # at most so many budgets stand in the table

Budget = Callable[[PlanRow], float]
"""What an episode spent of a budget."""

Line = tuple[str, int, Sequence[PlanRow]]
"""A method's label, the number of its colour, and its episodes."""


def success_curve(rows: Sequence[PlanRow], budget: Budget, end: float) -> Curve:
    """The share in % of at least one episode that is solved having spent at most x of ``budget``, for x from 0 to
    ``end``, which is no less than any cost."""
    spent = _costs_of_solved(rows, budget)
    x = sorted({0.0, *spent, end})
    return Curve(tuple(x), tuple(100 * bisect_right(spent, cost) / len(rows) for cost in x))


def share_within(rows: Sequence[PlanRow], budget: Budget, limit: float) -> float:
    """The share in % of at least one episode that is solved having spent at most ``limit`` of ``budget``."""
    return 100 * bisect_right(_costs_of_solved(rows, budget), limit) / len(rows)


def round_budgets(costs: Sequence[float]) -> tuple[float, ...]:
    """At most ``STEPS`` numbers of the kind 1, 2, 5, 10, 20 … in growing order that span the positive ones among
    ``costs``; the last is no less than any of them."""
    positive = [cost for cost in costs if cost > 0]
    if not positive:
        return ()
    first, last = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    series = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]
    low = max(i for i, value in enumerate(series) if value <= min(positive))
    high = min(i for i, value in enumerate(series) if value >= max(positive))
    wanted = series[low : high + 1]
    every = math.ceil(len(wanted) / STEPS)
    return tuple(wanted[::-1][::every][::-1])


def shared_episodes(lines: Sequence[Line], key: Callable[[PlanRow], object]) -> list[Line]:
    """The lines with those episodes only that all of them have, as ``key`` tells them apart."""
    common = set.intersection(*({key(row) for row in rows} for _, _, rows in lines))
    return [(label, colour, [row for row in rows if key(row) in common]) for label, colour, rows in lines]


def curve_section(title: str, chart: str, lines: Sequence[Line], key: Callable[[PlanRow], object]) -> Section | None:
    """Success against seconds and against calls, or questions where no calls were made, as a chart and as a table. The
    lines have at least one episode each; None where they have none in common. ``chart``: the name of the chart."""
    shared = shared_episodes(lines, key)
    if not shared or not shared[0][2]:
        return None
    pooled = [row for _, _, rows in shared for row in rows]
    budgets: dict[str, Budget] = {"seconds": lambda row: row.seconds}
    if any(row.calls for row in pooled):
        budgets["calls"] = lambda row: row.calls
    else:
        budgets["questions"] = lambda row: row.questions
    legend = (
        f"Which share in % of the {len(shared[0][2])} episodes that all of these methods have run is solved by "
        "spending at most so much on each."
    )
    grids, panels = [], []
    for unit, budget in budgets.items():
        costs = [float(budget(row)) for row in pooled]
        end = max(costs)
        curves = tuple(success_curve(rows, budget, end) for _, _, rows in shared)
        panels.append(CurvePanel(f"{unit} per episode", _is_wide(costs), curves))
        grids.append(_table(shared, budget, unit, round_budgets(costs)))
    series = tuple((label, colour) for label, colour, _ in shared)
    caption = "Solved episodes in %, against what each may spend"
    return Section(title, (legend, Curves(chart, caption, series, tuple(panels)), *grids), 3)


def _costs_of_solved(rows: Sequence[PlanRow], budget: Budget) -> list[float]:
    return sorted(float(budget(row)) for row in rows if row.solved)


def _is_wide(costs: Sequence[float]) -> bool:
    positive = [cost for cost in costs if cost > 0]
    return bool(positive) and max(positive) >= WIDE * min(positive)


def _table(lines: Sequence[Line], spent: Budget, unit: str, budgets: Sequence[float]) -> Grid:
    head = ("method", *(f"{_number(budget)} {unit}" for budget in budgets))
    rows = (
        (label, *(f"{share_within(rows, spent, budget):.1f}" for budget in budgets)) for label, _, rows in lines
    )
    return Grid(head, tuple(rows))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
