"""The rows and the tables of the experiment with misplaced things: one for each share, and a chart over the shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from commonsense_lab.report.document import Section
from commonsense_lab.report.line_tables import TableColumn, average, commands_of, count, grid, paired_difference
from commonsense_lab.report.method_layout import spoken_by
from commonsense_lab.report.plots import Points, line_chart
from commonsense_lab.runner.rows import PlanOutcome, PlanRow
from commonsense_planning.support.statistics import mean, rate, with_error

WITHIN = (30, 60, 120)
REFERENCE = "llm-mcts"
LABELS = {
    "llm-mcts": "{model}-MCTS",
    "llm-mcts-paper": "{model}-MCTS, llm-mcts-paper",
    "llm-replan": "{model} replanning",
    "llm-policy": "{model} policy",
    "uct": "UCT",
    "look-greedy": "greedy: {model}'s probability by cost",
    "look-nearest": "nearest-neighbour baseline",
}
ALL = "all homes"


@dataclass(frozen=True, kw_only=True)
class MisplacedOutcome(PlanOutcome):
    """``limit``: of steps. ``cheapest``: the steps of the plan of who knows everything, of which no plan has fewer than
    ``bound``. ``wasted``: steps that could have been left out, see ``wasted.wasted_steps``."""

    limit: int
    cheapest: int
    bound: float
    wasted: int


@dataclass(frozen=True, kw_only=True)
class MisplacedRow(MisplacedOutcome, PlanRow):
    """``home``: one of ours, or VirtualHome's graph. ``share``: with which probability a wanted thing was moved, or
    "least": where the model puts it least."""

    home: str
    share: str

    @property
    def taken(self) -> int:
        """The steps until the goal was reached; the limit where it was not."""
        return self.steps if self.solved and self.steps is not None else self.limit


def misplaced_sections(setup: str, rows: Sequence[MisplacedRow], name: str) -> Iterator[Section]:
    """A table for each share, and what there is of it in each home."""
    model = rows[0].model
    shares, order = dict.fromkeys(row.share for row in rows), {variant: i for i, variant in enumerate(LABELS)}
    methods = sorted(dict.fromkeys(row.variant for row in rows), key=lambda m: order.get(m, len(order)))
    homes = list(dict.fromkeys(row.home for row in rows))
    labels = {method: spoken_by(LABELS.get(method, method), model) for method in methods}
    legend = (
        f"Setup: {setup}. Found: the things were brought within so many steps, in brackets the 95 % Wilson interval. × "
        "cheapest: all steps over all steps of the cheapest plans of who knows everything; a miss counts as the step "
        f"limit. Steps more than {labels.get(REFERENCE, REFERENCE)}: mean on the same tasks and its 95 % interval. "
        "Wasted: steps without which the same would have been seen of wanted things, and changed."
    )
    columns = (
        count("tasks"),
        *(TableColumn(f"found in {most}", partial(_found, most)) for most in WITHIN),
        TableColumn("× cheapest", lambda rows, _: f"{_ratio(rows):.2f}"),
        paired_difference(
            f"steps more than {labels.get(REFERENCE, REFERENCE)}",
            lambda row: row.variant == REFERENCE,
            lambda row: (row.home, row.task, row.seed),
            lambda row: row.taken,
            digits=1,
        ),
        TableColumn("wasted: median, mean", _wasted),
        average("questions", lambda row: row.questions),
        average("calls", lambda row: row.calls),
        average("seconds", lambda row: row.seconds, partial(with_error, digits=2)),
    )
    for share in shares:
        here = [row for row in rows if row.share == share]
        lines = [
            ((home, labels[method]), cell)
            for home in ([ALL] if len(homes) > 1 else []) + homes
            for method in methods
            if (cell := [row for row in here if row.variant == method and home in (ALL, row.home)])
        ]
        unproven = len({(row.home, row.task, row.seed) for row in here if row.bound < row.cheapest})
        gap = f" Of {unproven} tasks the cheapest plan is not proven." if unproven else ""
        where = "where the model puts them least" if share == "least" else f"moved with probability {share}"
        parts = legend + gap, grid(("home", "method"), lines, columns, here), commands_of(here)
        yield Section(f"Wanted things {where}", parts)
    numbers = sorted((share for share in shares if share != "least"), key=float)
    if len(numbers) > 1:
        series = [
            Points(labels[method], i, _line([r for r in rows if r.variant == method], numbers))
            for i, method in enumerate(methods)
        ]
        title = "Steps over those of the cheapest plan, by the share of misplaced things"
        chart = line_chart(f"{name}-ratio", title, "share of wanted things moved", "× cheapest", series)
        yield Section("Steps and the share of misplaced things", (chart,), 3)


def _found(most: int, rows: Sequence[MisplacedRow], _: Sequence[MisplacedRow]) -> str:
    found = rate(sum(row.solved and row.taken <= most for row in rows), len(rows))
    return f"{100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _wasted(rows: Sequence[MisplacedRow], _: Sequence[MisplacedRow]) -> str:
    return f"{median(row.wasted for row in rows):g}, {mean([row.wasted for row in rows]).value:.1f}"


def _ratio(rows: Sequence[MisplacedRow]) -> float:
    return sum(row.taken for row in rows) / sum(row.cheapest for row in rows)


def _line(rows: Sequence[MisplacedRow], shares: Sequence[str]) -> list[tuple[float, float]]:
    """The shares with rows, and the ratio there."""
    groups = [(float(share), [row for row in rows if row.share == share]) for share in shares]
    return [(share, _ratio(group)) for share, group in groups if group]
