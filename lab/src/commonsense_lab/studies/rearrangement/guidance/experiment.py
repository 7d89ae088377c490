"""What a model's guidance is worth to a method, by how good it is: scripted models of known quality in place of a
language model. Its rows, its sections of a report, its episodes.

The tasks are those of the rearrangement experiment, with their goals given. A search is never told how good its model
is. Methods that are asked about a policy have a row for each policy, the others one for each prior.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from commonsense_lab.report.document import NOTHING, Commands, Grid, Lines, LineSeries, Section
from commonsense_lab.report.study import Study
from commonsense_lab.runner.rows import PlanOutcome, PlanRow, VariantLabels
from commonsense_lab.studies.homes.large_home import LIMIT, LargeDrawing
from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement.episode_tasks import Drawing
from commonsense_lab.studies.rearrangement.guidance.scripted import (
    PolicyKind,
    PolicyQuality,
    StandIn,
    belief_of,
    scripted,
)
from commonsense_lab.studies.solve_study import SolveEpisode, SolveSetup, outcome_fields_by_goal, reached
from commonsense_planning.errors import check_known
from commonsense_planning.llm.models import Models
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.support.statistics import difference, mean, rate
from commonsense_planning.task import Task
from commonsense_planning.wording.verbalise import Verbaliser

SUITE = "guidance"
MAX_STEPS = 50
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "llm-mcts": {},
    "llm-policy": {},
    "llm-mcts-paper": {},
    "no-policy": {"method": "llm-mcts", "policy": "uniform"},
    "llm-replan": {},
    "look-nearest": {},
}
SETTINGS = (TaskSetting.SIMPLE, TaskSetting.COMP, TaskSetting.NOVEL_SIMPLE, TaskSetting.NOVEL_COMP_2)
ASK_POLICY = ("llm-mcts", "llm-policy", "llm-mcts-paper")
AGAINST = ("llm-policy", "no-policy")  # what a search that may ask should not lose to
CELLS = tuple((home, setting) for setting in SETTINGS for home in ("seen", "unseen"))


@dataclass(frozen=True, kw_only=True)
class GuidanceLabels(VariantLabels):
    """``prior``: the quality of the prior, a number, or ``OWN``; ``policy``: a ``PolicyQuality``, empty for who asks
    for none."""

    prior: float | str
    policy: str


@dataclass(frozen=True, kw_only=True)
class GuidanceOutcome(PlanOutcome):
    """``limit``: of the steps."""

    limit: int = MAX_STEPS


@dataclass(frozen=True, kw_only=True)
class GuidanceRow(GuidanceLabels, GuidanceOutcome, PlanRow):
    """What came of an episode."""

    @property
    def taken(self) -> int:
        """The steps until the goal was reached; the limit where it was not."""
        return self.steps if self.solved and self.steps is not None else self.limit


@dataclass(frozen=True, kw_only=True)
class GuidanceSetup(SolveSetup):
    """``simulations``: per decision. ``large``: whether the tasks are those of large homes."""

    domain_name = "household"

    simulations: int = 100
    large: bool = False

    @property
    def text(self) -> str:
        most = f"{LIMIT} times a short plan's, large homes" if self.large else f"{MAX_STEPS} steps"
        return f"scripted models, at most {most}, {self.simulations} simulations a decision"


@dataclass(frozen=True, kw_only=True)
class GuidanceEpisode(SolveEpisode[GuidanceSetup]):
    """A task with a variant of a method and a scripted model. The seed draws the task and is the agent's."""

    suite = SUITE
    row = GuidanceLabels
    foreseen = False  # a scripted model says what it says

    drawing: Drawing | LargeDrawing
    prior: float | str
    policy: PolicyQuality | None

    @property
    def name(self) -> str:
        return f"{self.drawing.home}-{self.drawing.setting}-{self.drawing.index:04d}"

    @property
    def key(self) -> str:
        guided = f"{self.variant}, prior {_said(self.prior)}, policy {self.policy or 'none'}"
        return f"{SUITE}: {self.name}, {guided}, {self.setup.text}, seed {self.seed}"

    @property
    def task(self) -> Task:
        return self.drawing.task()[1]

    @property
    def instruction(self) -> str:
        return self.drawing.task()[0].instruction

    @property
    def shared(self) -> Mapping[str, Any]:
        return {"max_steps": self.limit, "simulations": self.setup.simulations}

    @property
    def limit(self) -> int:
        """The most steps that it may take."""
        return self.drawing.limit() if isinstance(self.drawing, LargeDrawing) else MAX_STEPS

    @property
    def own_labels(self) -> Mapping[str, Any]:
        return {"prior": self.prior, "policy": "" if self.policy is None else str(self.policy)}

    @property
    def labels(self) -> VariantLabels:
        return replace(super().labels, model="scripted")

    def request(self, models: Models) -> Request:
        task, policy, seed = self.task, self.policy or PolicyQuality(0), self.agent_seed
        request = replace(super().request(models), observer=StandIn(task, self.prior, policy, seed))
        if self.method.name != "llm-policy":
            return request
        scene = Verbaliser(task.seen_in_part[0], task.lexicon).scene()
        matcher = matcher_named(models.config.matcher)
        model = models.open(scene, task.prompts, matcher, np.random.default_rng(seed))
        return replace(request, prior=belief_of(scripted(task, self.prior, model, seed), task))  # by which it plans

    def outcome(self, task: Task, solution: Solution, models: Models) -> GuidanceOutcome:
        solved = reached(task, solution.plan, self.limit)
        return GuidanceOutcome(**outcome_fields_by_goal(solution, models, solved), limit=self.limit)


def guidance_episodes(
    setup: GuidanceSetup,
    tasks: int,
    seed: int,
    priors: Collection[float | str],
    policies: Collection[PolicyQuality],
    variants: Collection[str],
) -> list[GuidanceEpisode]:
    """``tasks`` tasks, spread over homes and settings, with each prior and variant, and with each policy where one is
    asked for. Raises UsageError for variants that there are not, InputError if there is no domain."""
    setup.file()
    check_known("method", variants, VARIANTS)
    drawn: list[Drawing | LargeDrawing] = [
        Drawing(home, setting, index, seed, None, setup.pack)
        for index in range(-(-tasks // len(CELLS)))
        for home, setting in CELLS
    ]
    if setup.large:
        drawn = [LargeDrawing(index, seed, setup.pack) for index in range(tasks)]
    return [
        GuidanceEpisode(
            setup=setup,
            drawing=drawing,
            variant=variant,
            settings=tuple(VARIANTS[variant].items()),
            seed=seed,
            prior=prior,
            policy=policy,
        )
        for drawing in drawn[:tasks]
        for prior in priors
        for variant in variants
        for policy in (policies if variant in ASK_POLICY else (None,))
    ]


HEAD = ("prior", "policy", "method", "tasks", "success", "steps", *(f"more than {other}" for other in AGAINST), "asked")


def _sections(setup: str, rows: Sequence[GuidanceRow], name: str) -> Iterator[Section]:
    cells: dict[tuple[float | str, str, str], list[GuidanceRow]] = {}
    for row in rows:
        cells.setdefault((row.prior, row.policy, row.variant), []).append(row)
    order = sorted(cells, key=lambda key: (_said(key[0]), key[1] or "-", list(VARIANTS).index(key[2])))
    lines = tuple((_said(key[0]), key[1] or NOTHING, key[2], *_cells(cells, *key)) for key in order)
    legend = (
        f"Setup: {setup}. Success with the 95 % Wilson interval; steps, a miss counting as the limit; steps more than "
        "another method's with the same prior and policy: mean on the same tasks and its 95 % interval; questions that "
        "the model was asked. A policy is right with that probability, by the agent's belief or by the true world "
        "(knowing); else it says something drawn at random, or always the same (stubborn)."
    )
    commands = tuple(("", command) for command in dict.fromkeys(row.command for row in rows))
    yield Section("What guidance is worth", (legend, Grid(HEAD, lines), Commands(commands)))
    for prior in dict.fromkeys(key[0] for key in order):
        title = f"Steps by the quality of the policy, prior {_said(prior)}"
        series = tuple(_series(cells, prior, variant, i) for i, variant in enumerate(ASK_POLICY))
        there = tuple(line for line in series if line.x)
        if there:
            chart = Lines(f"{name}-{_said(prior)}", title, "q, the policy's quality", "steps", False, False, there)
            yield Section(title, (chart,), 3)


def _said(prior: float | str) -> str:
    return prior if isinstance(prior, str) else f"{prior:g}"


Cells = Mapping[tuple[float | str, str, str], Sequence[GuidanceRow]]


def _cells(cells: Cells, prior: float | str, policy: str, variant: str) -> Iterator[str]:
    rows = cells[prior, policy, variant]
    solved = rate(sum(row.solved for row in rows), len(rows))
    yield str(len(rows))
    yield f"{solved.value:.2f} [{solved.low:.2f}, {solved.high:.2f}]"
    yield f"{mean([row.taken for row in rows]).value:.1f}"
    for other in AGAINST:
        theirs = {r.task: r.taken for r in cells.get((prior, policy if other in ASK_POLICY else "", other), ())}
        more = [row.taken - theirs[row.task] for row in rows if row.task in theirs]
        found = difference(more) if other != variant and len(more) > 1 else None
        yield NOTHING if found is None else f"{found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]"
    yield f"{mean([row.questions for row in rows]).value:.1f}"


def _series(cells: Cells, prior: float | str, variant: str, colour: int) -> LineSeries:
    """The steps of a method over policies that plan by the belief and err at random."""
    found = [(PolicyQuality.read(p), rows) for (q, p, v), rows in cells.items() if (q, v) == (prior, variant)]
    usual = [(p.q, rows) for p, rows in found if p.kind is PolicyKind.BELIEVING]
    points = sorted((q, mean([row.taken for row in rows]).value) for q, rows in usual)
    return LineSeries(variant, colour, tuple(x for x, _ in points), tuple(y for _, y in points))


STUDY = Study(lambda line: line.row(GuidanceRow), _sections)
