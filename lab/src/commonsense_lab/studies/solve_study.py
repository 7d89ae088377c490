"""Experiments in which methods solve tasks: what their episodes share, how one is run, and how its row is filled.

A study says which task an episode is about, what of a row is its own, and how the plan is judged.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from commonsense_lab.runner.rows import PlanOutcome, VariantLabels
from commonsense_lab.runner.runner import own_models, solution_of, spent
from commonsense_planning import __version__
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.models import Models
from commonsense_planning.methods.method import Method, Request, Solution
from commonsense_planning.methods.provenance import model_in_words
from commonsense_planning.methods.registry import method_named
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import REPLAYED, replay
from commonsense_planning.validation.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What all episodes of a run share. ``command`` gives the run again."""

    model: ModelConfig = ModelConfig()
    limits: BudgetConfig = BudgetConfig()
    command: str = ""

    @property
    def text(self) -> str:
        """All that the results depend on, in words."""
        return model_in_words(self.model)


@dataclass(frozen=True, kw_only=True)
class SolveSetup(Setup):
    """``pack``: the folder of the domain, which is called ``domain_name``."""

    domain_name: ClassVar[str]

    pack: Path

    def file(self, name: str = "domain.pddl") -> Path:
        """A file of the folder. Raises InputError if there is none."""
        file = self.pack / name
        if not file.is_file():
            raise InputError(f"{file}: there is no such file; --pack names the folder of the {self.domain_name} domain")
        return file


S = TypeVar("S", bound=SolveSetup)


@dataclass(frozen=True, kw_only=True)
class SolveEpisode(ABC, Generic[S]):
    """One task with one variant of a method. ``settings``: the variant's method, with its own settings; none for a
    method that is a variant under its own name. ``tables``: those that it is run for.

    A study says of which ``suite`` its episodes are and what the ``row`` of one has before it is run. ``foreseen``:
    whether its request can be made before anybody is asked. ``seconds``: of a method, None for no limit. ``of_study``:
    which of a variant's settings are none of its method. ``of_paper``: whether there is a paper's own prompts for it.
    """

    suite: ClassVar[str]
    row: ClassVar[type[VariantLabels]] = VariantLabels
    foreseen: ClassVar[bool] = True
    seconds: ClassVar[float | None] = None
    of_paper: ClassVar[bool] = False
    of_study: ClassVar[Sequence[str]] = ("method",)

    setup: S
    variant: str
    settings: tuple[tuple[str, Any], ...] = field(default=(), repr=False)
    seed: int
    tables: tuple[str, ...] = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """What tells its task from the others of its seed."""

    @property
    @abstractmethod
    def task(self) -> Task:
        """Its task, as methods get it."""

    @property
    def instruction(self) -> str:
        """The goal in English, for the model."""
        return ""

    @property
    def agent_seed(self) -> int:
        """Of what the agent draws."""
        return zlib.crc32(f"{self.name} {self.seed}".encode())

    @property
    def shared(self) -> Mapping[str, Any]:
        """Settings that are the same for all methods, as far as one has them."""
        return {}

    @property
    def own_labels(self) -> Mapping[str, Any]:
        """What labels have in this study alone."""
        return {}

    @property
    def command(self) -> str:
        """The command that gives its row again."""
        return self.setup.command

    @property
    def key(self) -> str:
        return f"{self.suite}: {self.name}, {self.variant}, {self.setup.text}, seed {self.seed}"

    @property
    def method(self) -> Method:
        """The method of the variant."""
        return method_named(str(dict(self.settings).get("method", self.variant)))

    @property
    def labels(self) -> VariantLabels:
        return self.row(
            key=self.key,
            suite=self.suite,
            tables=self.tables,
            task=self.name,
            variant=self.variant,
            method=self.method.name,
            seed=self.seed,
            model=self.setup.model.name,
            as_in_papers=self.of_paper and self.setup.model.as_in_papers,
            setup=self.setup.text,
            command=self.command,
            version=__version__,
            validators=REPLAYED,
            **self.own_labels,
        )

    def options(self) -> dict[str, Any]:
        """The settings of its method: what is the same for all, as far as that has it, and the variant's own."""
        own = {name: value for name, value in self.settings if name not in self.of_study}
        return self.method.Options.among(self.shared) | own

    def request(self, models: Models) -> Request:
        """The task, for its method."""
        options = self.method.Options.of(self.options())
        seed, seconds = self.agent_seed, self.seconds
        return Request(self.task, self.method, options, models, seed, seconds, instruction=self.instruction)

    def outcome(self, task: Task, solution: Solution, models: Models) -> PlanOutcome:
        """What is recorded of the solution of the task."""
        return PlanOutcome(**outcome_fields_by_goal(solution, models, reached(task, solution.plan)))

    def run(self) -> PlanOutcome:
        """Solve the task. Raises BudgetError where a budget ended it that is for all episodes."""
        with own_models(self.setup.model, self.setup.limits, self.key, self.seed) as models:
            request = self.request(models)
            return self.outcome(request.task, solution_of(request), models)


def reached(task: Task, plan: Plan | None, limit: int | None = None) -> bool:
    """Whether there is a plan that the replay accepts, of no more than ``limit`` steps."""
    if plan is None or (limit is not None and len(plan) > limit):
        return False
    return replay(task.problem, plan).verdict is Verdict.VALID


def outcome_fields(solution: Solution, models: Models, status: Status, reason: str) -> dict[str, Any]:
    """The fields of ``PlanOutcome``: ``status`` and ``reason`` are the study's, all else the solution's."""
    plan = solution.plan
    return {
        "status": str(status),
        "reason": reason,
        "plan": None if plan is None else [str(step) for step in plan],
        "steps": None if plan is None else len(plan),
        "seconds": round(solution.seconds, 4),
        "model_note": solution.model_note,
        **spent(models.usage, models.cost),
    }


def outcome_fields_by_goal(solution: Solution, models: Models, solved: bool) -> dict[str, Any]:
    """The same where nothing counts but whether the goal was reached."""
    return outcome_fields(solution, models, *((Status.SOLVED, "") if solved else (Status.UNSOLVED, solution.reason)))
