"""Models compared with each other: the rows of an experiment that was run with several into one folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from commonsense_lab.report.document import NOTHING, Section
from commonsense_lab.report.line_tables import (
    COSTS,
    Line,
    TableColumn,
    average,
    commands_of,
    count,
    grid,
    interval,
    points,
)
from commonsense_lab.runner.rows import PlanRow
from commonsense_planning.support.statistics import paired

LEGEND = (
    "Every model with every method, on all its tasks; solved with the 95 % Wilson interval, means with their standard "
    "errors. Against {}: the difference of the rates, in points, on the tasks that both have run, with its 95 % "
    "interval (Agresti and Min 2005); one that contains 0 shows no difference. Seconds depend on the machine and "
    "the endpoint."
)


def model_sections(suite: str, rows: Mapping[str, Sequence[PlanRow]]) -> Iterator[Section]:
    """Yields a section if methods were run with several models. ``rows`` of one experiment by their setup."""
    if len({row.model for found in rows.values() for row in found}) < 2:
        return
    labels = _labels([*rows])
    variants = dict.fromkeys(row.variant for found in rows.values() for row in found)
    lines: list[Line[PlanRow]] = [
        ((variant, labels[setup]), its)
        for variant in sorted(variants)
        for setup, found in rows.items()
        if (its := [row for row in found if row.variant == variant])
    ]
    first, every = next(iter(rows)), [row for found in rows.values() for row in found]
    columns = (
        *(count("tasks"), count("solved", lambda row: row.solved), interval(lambda row: row.solved)),
        _against(f"against {labels[first]}", first),
        *COSTS,
        average("unanswered", lambda row: row.failures),
    )
    parts = LEGEND.format(labels[first]), grid(("method", "model"), lines, columns, every), commands_of(every)
    yield Section(f"{suite.capitalize()}: models on the same tasks", parts)


def _labels(setups: Sequence[str]) -> dict[str, str]:
    """Returns setup → its text without the words at the end that all share."""
    words = [setup.split(", ") for setup in setups]
    backwards = zip(*(reversed(each[1:]) for each in words), strict=False)
    shared = len([*takewhile(lambda same: len(set(same)) == 1, backwards)])
    return {
        setup: ", ".join(each[: len(each) - shared]).removeprefix("model ")
        for setup, each in zip(setups, words, strict=True)
    }


def _against(head: str, setup: str) -> TableColumn:
    def task(row: PlanRow) -> str:
        return row.key.replace(row.setup, "")  # task, seed, and what else a study has

    def cell(rows: Sequence[PlanRow], all_rows: Sequence[PlanRow]) -> str:
        base = {task(row): row.solved for row in all_rows if row.setup == setup}
        pairs = [(row.solved, base[task(row)]) for row in rows if row.setup != setup and task(row) in base]
        return points(paired(pairs)) if pairs else NOTHING

    return TableColumn(head, cell)
