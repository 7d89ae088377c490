"""The value of a model's guidance to a method, by its quality: scripted models of known quality in place of a language
model. Rows, sections of a report, episodes.

The tasks are those of the rearrangement experiment, with their goals given. A search does not know how good its model
is. Methods that ask for a policy have a row for each policy, the others one for each prior."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from commonsense_lab.report.document import NOTHING, Section
from commonsense_lab.report.line_tables import (
    TableColumn,
    average,
    count,
    lines_of,
    paired_difference,
    plain,
    table_sections,
)
from commonsense_lab.report.plots import Points, line_chart
from commonsense_lab.runner.rows import PlanOutcome, PlanRow, VariantLabels
from commonsense_lab.studies.homes.home_task import LIMIT, LargeDrawing
from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement.guidance.scripted import (
    PolicyKind,
    PolicyQuality,
    StandIn,
    belief_of,
    scripted,
)
from commonsense_lab.studies.rearrangement.tasks import Drawing
from commonsense_lab.studies.solve_study import Attempt, Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy
from commonsense_planning.errors import check_known
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.support.statistics import mean, rate
from commonsense_planning.wording.verbalise import Verbaliser

SUITE = "guidance"
MAX_STEPS = 50
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(("llm-mcts", "llm-policy", "llm-mcts-paper"), {}),
    "no-policy": {"method": "llm-mcts", "policy": "uniform"},
    **dict.fromkeys(("llm-replan", "look-nearest"), {}),
}
SETTINGS = (TaskSetting.SIMPLE, TaskSetting.COMP, TaskSetting.NOVEL_SIMPLE, TaskSetting.NOVEL_COMP_2)
ASK_POLICY = ("llm-mcts", "llm-policy", "llm-mcts-paper")
AGAINST = ("llm-policy", "no-policy")  # what a search that may ask should not lose to
CELLS = tuple((home, setting) for setting in SETTINGS for home in ("seen", "unseen"))


@dataclass(frozen=True, kw_only=True)
class GuidanceOutcome(PlanOutcome):
    """``limit``: of the steps."""

    limit: int = MAX_STEPS


@dataclass(frozen=True, kw_only=True)
class GuidanceRow(GuidanceOutcome, PlanRow):
    """``prior``: the quality of the prior, a number, or ``OWN``; ``policy``: a ``PolicyQuality``, empty for none."""

    prior: float | str
    policy: str

    @property
    def taken(self) -> int:
        """The steps until the goal was reached, or the limit."""
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


def _posed(drawing: Drawing | LargeDrawing, setup: GuidanceSetup) -> Posed:
    drawn, task = drawing.task()
    most = drawing.limit() if isinstance(drawing, LargeDrawing) else MAX_STEPS
    settings = {"max_steps": most, "simulations": setup.simulations}
    return Posed(task=task, settings=settings, instruction=drawn.instruction)


@dataclass(frozen=True, kw_only=True)
class GuidanceEpisode(SolveEpisode):
    """One with a scripted model."""

    @property
    def detail(self) -> str:
        return f", prior {_said(self.of.labels['prior'])}, policy {self.of.labels['policy'] or 'none'}"

    @property
    def labels(self) -> VariantLabels:
        return replace(super().labels, model="scripted")

    def asked(self, posed: Posed, models: ModelSession) -> Request:
        task, prior, seed = posed.task, self.of.labels["prior"], self.agent_seed
        policy = PolicyQuality.read(self.of.labels["policy"] or "0")
        request = replace(super().asked(posed, models), observer=StandIn(task, prior, policy, seed))
        if self.method.name != "llm-policy":
            return request
        scene = Verbaliser(task.seen_in_part[0], task.lexicon).scene()
        model = models.open_by_seed(scene, task.prompts, seed)
        return replace(request, prior=belief_of(scripted(task, prior, model, seed), task))  # by which it plans


def _judged(attempt: Attempt) -> GuidanceOutcome:
    limit = attempt.posed.settings["max_steps"]
    return GuidanceOutcome(**attempt.fields_by_goal(limit), limit=limit)


def guidance_episodes(
    setup: GuidanceSetup,
    tasks: int,
    seed: int,
    priors: Collection[float | str],
    policies: Collection[PolicyQuality],
    variants: Collection[str],
) -> list[SolveEpisode]:
    """Returns ``tasks`` tasks, spread over homes and settings, with each prior and variant, and with each policy for
    those that ask for one. Raises UsageError for unknown variants, InputError if there is no domain."""
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
        episode
        for drawing in drawn[:tasks]
        for prior in priors
        for variant in variants
        for policy in (map(str, policies) if variant in ASK_POLICY else ("",))
        for task in [StudyTask(drawing.name, seed, {"prior": prior, "policy": policy}, _posed, (drawing, setup))]
        for episode in STUDY.episodes(setup, [task], [variant])
    ]


def _against(other: str) -> TableColumn:
    def same(row: GuidanceRow) -> tuple[object, ...]:
        return row.prior, row.policy if other in ASK_POLICY else "", row.task

    head = f"more than {other}"
    return paired_difference(head, lambda row: row.variant == other, same, lambda row: row.taken, digits=2)


def _charts(rows: Sequence[GuidanceRow], name: str) -> Iterator[Section]:
    for prior in dict.fromkeys(row.prior for row in sorted(rows, key=lambda row: _said(row.prior))):
        title = f"Steps by the quality of the policy, prior {_said(prior)}"
        series = (_series(rows, prior, variant, i) for i, variant in enumerate(ASK_POLICY))
        there = [line for line in series if line.points]
        if there:
            chart = line_chart(f"{name}-{_said(prior)}", title, "q, the policy's quality", "steps", there)
            yield Section(title, (chart,), 3)


def _said(prior: float | str) -> str:
    return prior if isinstance(prior, str) else f"{prior:g}"


def _series(rows: Sequence[GuidanceRow], prior: float | str, variant: str, colour: int) -> Points:
    """Returns the steps of a method over policies that plan by the belief and err at random."""
    found: dict[float, list[int]] = {}
    for row in rows:
        policy = PolicyQuality.read(row.policy) if (row.prior, row.variant) == (prior, variant) else None
        if policy is not None and policy.kind is PolicyKind.BELIEVING:
            found.setdefault(policy.q, []).append(row.taken)
    return Points(variant, colour, sorted((q, mean(steps).value) for q, steps in found.items()))


STUDY = TaskStudy(
    name=SUITE,
    row=GuidanceRow,
    methods=lambda: VARIANTS,
    judge=_judged,
    foreseen=False,  # a scripted model says what it says
    episode=GuidanceEpisode,
    sections=table_sections(
        "What guidance is worth",
        "Success with the 95 % Wilson interval; steps, a miss counting as the limit; steps more than another method's "
        "with the same prior and policy: mean on the same tasks and its 95 % interval; questions that the model was "
        "asked. A policy is right with that probability, by the agent's belief or by the true world (knowing); else it "
        "says something drawn at random, or always the same (stubborn).",
        ("prior", "policy", "method"),
        lambda rows: lines_of(
            rows,
            lambda row: (_said(row.prior), row.policy or NOTHING, row.variant),
            lambda row: (_said(row.prior), row.policy or "-", list(VARIANTS).index(row.variant)),
        ),
        (
            count("tasks"),
            TableColumn("success", lambda rows, _: f"{rate(sum(row.solved for row in rows), len(rows)):.2f}"),
            average("steps", lambda row: row.taken, plain(".1f")),
            *map(_against, AGAINST),
            average("asked", lambda row: row.questions, plain(".1f")),
        ),
        _charts,
    ),
)
