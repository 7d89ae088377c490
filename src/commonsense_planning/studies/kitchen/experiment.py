"""Search in kitchens after Tru-POMDP's description (``kitchens.py``): its rows, its sections of a report, its episodes.

A method gets the goal itself, not the paper's ambiguous instruction: what is measured is how well and how fast things
are found that are behind doors, and what that asks of a model.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import median

import numpy as np

from commonsense_planning import __version__
from commonsense_planning.config import Actions, BudgetConfig, ModelConfig
from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import method_named
from commonsense_planning.methods.task import Task, read_task_text
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.report.document import Commands, Grid, Section
from commonsense_planning.report.statistics import NOTHING, rate
from commonsense_planning.report.study import Study
from commonsense_planning.runner.rows import PlanOutcome, PlanRow, VariantLabels
from commonsense_planning.runner.runner import model_in_words, own_models, solution_of, spent
from commonsense_planning.runner.variants import check_own
from commonsense_planning.studies.kitchen.kitchens import MAX_STEPS, WANTED, KitchenTask, Level, draw_task, kitchens
from commonsense_planning.validation.replay import REPLAYED, replay
from commonsense_planning.validation.verdict import Verdict

SUITE = "kitchen"
SECONDS = 600.0  # of an episode (section 5.1)


@dataclass(frozen=True, kw_only=True)
class KitchenLabels(VariantLabels):
    """``level``: easy, medium or hard; so many ``things`` are wanted."""

    level: str
    things: int


@dataclass(frozen=True, kw_only=True)
class KitchenRow(KitchenLabels, PlanRow):
    """What came of an episode."""


@dataclass(frozen=True)
class Setup:
    """What all episodes of a run share. ``actions``: those that an answer may name. ``pack``: the folder of the kitchen
    domain. ``command`` gives the run again."""

    model: ModelConfig = ModelConfig()
    limits: BudgetConfig = BudgetConfig()
    simulations: int = 100
    actions: Actions = Actions.ALL
    pack: Path = field(default_factory=lambda: pack_named("kitchen").folder)
    command: str = ""

    @property
    def text(self) -> str:
        """All that the results depend on, in words."""
        told = f"{model_in_words(self.model)}, simulations {self.simulations}, at most {SECONDS:g} s"
        # relevant is unsaid, as in 0.2.0, whose recordings name their episodes so
        return told if self.actions is Actions.RELEVANT else f"{told}, actions {self.actions}"


@dataclass(frozen=True)
class KitchenEpisode:
    """Task number ``index`` of a level, in one of the five kitchens by turns, with a method. The seed draws the task
    and is the agent's."""

    level: Level
    index: int
    seed: int
    method: str
    setup: Setup

    @property
    def drawn(self) -> KitchenTask:
        """Its task."""
        return _drawn(self.level, self.index, self.seed)

    @property
    def labels(self) -> KitchenLabels:
        task, setup = self.drawn, self.setup
        return KitchenLabels(
            key=f"{SUITE}: {task.name}, {self.method}, {setup.text}, seed {self.seed}",
            suite=SUITE,
            tables=(),
            task=task.name,
            variant=self.method,
            method=self.method,
            seed=self.seed,
            model=setup.model.name,
            level=str(self.level),
            things=len(task.wanted),
            setup=setup.text,
            command=setup.command,
            version=__version__,
            validators=REPLAYED,
        )

    @property
    def variant(self) -> str:
        """The method's name."""
        return self.method

    def request(self, models: Models) -> Request:
        """The task, for its method."""
        setup, method = self.setup, method_named(self.method)
        shared = {"max_steps": MAX_STEPS[self.level], "simulations": setup.simulations, "actions": setup.actions}
        options = method.Options.of(method.Options.among(shared))
        seed = zlib.crc32(f"{self.drawn.name} {self.seed}".encode())
        task = _task(self.level, self.index, self.seed, setup.pack)
        return Request(task, method, options, models, seed, seconds=SECONDS)

    def run(self) -> PlanOutcome:
        """Solve the task. Raises BudgetError where a budget ended it that is for all episodes."""
        with own_models(self.setup.model, self.setup.limits, self.labels.key, self.seed) as models:
            request = self.request(models)
            return _outcome(request.task, solution_of(request), models.cost)


def _outcome(task: Task, solution: Solution, usd: float | None) -> PlanOutcome:
    plan, reached = solution.plan, False
    if plan is not None:
        reached = replay(task.problem, plan).verdict is Verdict.VALID
    return PlanOutcome(
        status=str(Status.SOLVED if reached else Status.UNSOLVED),
        reason="" if reached else solution.reason,
        plan=None if plan is None else [str(step) for step in plan],
        steps=None if plan is None else len(plan),
        seconds=round(solution.seconds, 3),
        model_note=solution.model_note,
        **spent(solution.usage or Usage(), usd),
    )


@lru_cache(maxsize=8)
def _drawn(level: Level, index: int, seed: int) -> KitchenTask:
    there = list(kitchens().values())
    rng = np.random.default_rng([seed, list(Level).index(level), index])
    return draw_task(there[index % len(there)], level, index, rng)


@lru_cache(maxsize=8)  # the methods of a task come one after the other
def _task(level: Level, index: int, seed: int, pack: Path) -> Task:
    drawn = _drawn(level, index, seed)
    return read_task_text(pack / "domain.pddl", drawn.name, drawn.problem)


def kitchen_episodes(
    setup: Setup, tasks: int, seed: int, methods: Collection[str], levels: Collection[Level]
) -> list[KitchenEpisode]:
    """``tasks`` of each level with each method. Raises UsageError for methods that there are not or that cannot take
    the tasks, InputError if there is no domain."""
    domain = setup.pack / "domain.pddl"
    if not domain.is_file():
        raise InputError(f"{domain}: there is no such file; --pack names the folder of the kitchen domain")
    known = [method_named(name).name for name in methods]
    episodes = [
        KitchenEpisode(level, index, seed, method, setup)
        for index in range(tasks)
        for level in levels
        for method in known
    ]
    check_own((), episodes)
    return episodes


HEAD = (
    *("things", "method", "episodes", "solved", "95 %", "steps", "questions", "calls", "tokens"),
    *("seconds", "worst seconds"),
)


def _sections(setup: str, rows: Sequence[KitchenRow], name: str) -> Iterator[Section]:
    lines = []
    for level in Level:
        for method in sorted({row.method for row in rows}):
            found = [row for row in rows if row.level == level and row.method == method]
            if found:
                lines.append((_things(level), method, *_cells(found)))
    legend = (
        f"Setup: {setup}. Solved: within {', '.join(map(str, MAX_STEPS.values()))} steps. Steps: median of what is "
        "solved. Questions, calls, tokens: means per episode. Seconds: median and worst."
    )
    commands = tuple(("", command) for command in dict.fromkeys(row.command for row in rows))
    yield Section("Kitchens after Tru-POMDP's description", (legend, Grid(HEAD, tuple(lines)), Commands(commands)))


def _things(level: Level) -> str:
    least, most = WANTED[level]
    return str(least) if least == most else f"{least} to {most}"


def _cells(rows: Sequence[KitchenRow]) -> Iterator[str]:
    solved = [row for row in rows if row.solved]
    share = rate(len(solved), len(rows))
    yield str(len(rows))
    yield str(len(solved))
    yield f"{100 * share.low:.0f} to {100 * share.high:.0f}"
    yield f"{median(row.steps or 0 for row in solved):g}" if solved else NOTHING
    for numbers in ([row.questions for row in rows], [row.calls for row in rows], [row.tokens for row in rows]):
        yield f"{sum(numbers) / len(rows):,.1f}"
    yield f"{median(row.seconds for row in rows):.1f}"
    yield f"{max(row.seconds for row in rows):.1f}"


STUDY = Study(lambda line: line.row(KitchenRow), _sections)
