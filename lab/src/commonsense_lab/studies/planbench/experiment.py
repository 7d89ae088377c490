"""PlanBench's exercises with a model, or answered without one: its rows, its section of a report, its episodes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from commonsense_lab.report.document import NOTHING
from commonsense_lab.report.line_tables import (
    Line,
    TableColumn,
    average,
    averages,
    count,
    interval,
    lines_of,
    plain,
    table_sections,
)
from commonsense_lab.report.study import Study
from commonsense_lab.runner.rows import Asked, Labels
from commonsense_lab.runner.runner import spent
from commonsense_lab.studies.planbench.exercises import Exercise, Kind, Mark, Marker
from commonsense_lab.studies.solve_study import Setup, labels_of
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import own_models
from commonsense_planning.validation.replay import REPLAYED
from commonsense_planning.wording.questions import Scene

SUITE = "planbench"
NOBODY = "no model: exact answers"


@dataclass(frozen=True, kw_only=True)
class PlanbenchOutcome(Asked):
    """The ``answer``, whether it is ``right``, and the ``reason`` why not. ``explained``: whether the reason given for
    a plan that was rightly called invalid is true; None for other answers."""

    answer: str
    right: bool
    reason: str
    explained: bool | None
    model_note: str


@dataclass(frozen=True, kw_only=True)
class PlanbenchRow(Labels, PlanbenchOutcome):
    """An exercise of a ``kind`` in a ``domain``, with a ``model``."""

    domain: str
    kind: str
    task: str
    seed: int
    model: str


labels_of_row = labels_of(PlanbenchRow, Labels)


@dataclass(frozen=True, kw_only=True)
class PlanbenchSetup(Setup):
    """``told``: how exercises are put. ``exact``: cplan's planners and validators answer in place of a model."""

    told: str
    exact: bool = False

    @property
    def speaker(self) -> str:
        """Who answers, as text."""
        return NOBODY if self.exact else super().text

    @property
    def text(self) -> str:
        return f"{self.speaker}, {self.told}"


@dataclass(frozen=True)
class PlanbenchEpisode:
    """An exercise, once."""

    exercise: Exercise
    seed: int
    setup: PlanbenchSetup

    @property
    def labels(self) -> Labels:
        setup, exercise = self.setup, self.exercise
        return labels_of_row(
            **setup.shared_labels(SUITE, f"{SUITE}: {exercise.kind}, {exercise.name}, {setup.text}, seed {self.seed}"),
            domain=exercise.name.partition("/")[0],
            kind=str(exercise.kind),
            task=exercise.name,
            seed=self.seed,
            model=setup.speaker.removeprefix("model "),
            validators=REPLAYED,
        )

    def run(self) -> PlanbenchOutcome:
        """Answers it, and marks the answer. Raises BudgetError if a budget for all episodes ended it, InputError if no
        exact answer is known."""
        started = time.perf_counter()
        marker = Marker(self.exercise)
        usage, note = Usage(), ""
        cost: float | None = 0.0
        if self.setup.exact:
            answers = [marker.exact()]
        else:
            with own_models(self.setup.model, self.setup.limits, self.labels.key, self.seed) as models:
                model = models.open_by_seed(Scene(marker.problem.domain_name), seed=self.seed)
                assert self.exercise.question is not None
                answers = model.ask([self.exercise.question], 1)[0]
                usage, cost, note = models.usage, models.cost, models.note
        mark = marker.mark(answers[0]) if answers else Mark(False, "the model gave no answer")
        return PlanbenchOutcome(
            answer=answers[0] if answers else "",
            right=mark.right,
            reason=mark.reason,
            explained=mark.explained,
            model_note=note,
            seconds=round(time.perf_counter() - started, 3),
            **spent(usage, cost),
        )


def _lines(rows: Sequence[PlanbenchRow]) -> list[Line[PlanbenchRow]]:
    order: dict[str, int] = {kind: i for i, kind in enumerate(Kind)}
    return lines_of(rows, lambda row: (row.domain, row.kind), lambda row: (row.domain, order.get(row.kind, len(order))))


def _explained(rows: Sequence[PlanbenchRow], _: Sequence[PlanbenchRow]) -> str:
    invalid = [row.explained for row in rows if row.explained is not None]
    return f"{sum(invalid)} of {len(invalid)}" if invalid else NOTHING


STUDY = Study(
    lambda line: line.row(PlanbenchRow),
    table_sections(
        "PlanBench's kinds of exercises",
        "Right: a plan that our replay calls valid; of optimality, one that is also proven to be a cheapest one; of "
        "verification, the right verdict, and whether the reason for an invalid plan is a true one; of execution, all "
        "facts that may change and no false one. Calls, tokens, seconds: means of an exercise.",
        ("domain", "kind"),
        _lines,
        (
            count("exercises"),
            count("right", lambda row: row.right),
            interval(lambda row: row.right),
            TableColumn("with a true reason", _explained),
            *averages("calls", "tokens"),
            average("seconds", lambda row: row.seconds, plain(".3f")),
        ),
    ),
)
