"""Experiments in which methods solve tasks. A ``TaskStudy`` is a value: tasks, methods, rows and their tables. The
setup of its episodes, how they are run and how their rows are filled is the same for all."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from commonsense_lab.report.document import Section
from commonsense_lab.report.study import GROUP
from commonsense_lab.runner.rows import Labels, PlanOutcome, PlanRow, VariantLabels
from commonsense_lab.runner.runner import solution_of, spent
from commonsense_planning import __version__
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.models import ModelSession, own_models
from commonsense_planning.methods.method import Method, Request, Solution
from commonsense_planning.methods.provenance import model_in_words
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.registry import load, plug_ins
from commonsense_planning.support.row_file import Line
from commonsense_planning.task import Task
from commonsense_planning.validation.replay import REPLAYED, replay
from commonsense_planning.validation.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What all episodes of a run share. ``command`` repeats the run."""

    model: ModelConfig = ModelConfig()
    limits: BudgetConfig = BudgetConfig()
    command: str = ""

    @property
    def text(self) -> str:
        """Everything on which the results depend, as text."""
        return model_in_words(self.model)

    def shared_labels(self, suite: str, key: str) -> dict[str, Any]:
        """Returns the ``Labels`` of an episode that all studies fill alike."""
        return {"key": key, "suite": suite, "setup": self.text, "command": self.command, "version": __version__}


@dataclass(frozen=True, kw_only=True)
class SolveSetup(Setup):
    """``pack``: the folder of the domain, which is called ``domain_name``."""

    domain_name: ClassVar[str]

    pack: Path

    def file(self, name: str = "domain.pddl") -> Path:
        """Returns a file of the folder. Raises InputError if there is none."""
        file = self.pack / name
        if not file.is_file():
            raise InputError(f"{file}: there is no such file; --pack names the folder of the {self.domain_name} domain")
        return file


@dataclass(frozen=True, kw_only=True)
class Posed:
    """A task as methods get it, with its goal in English for the model. ``settings``: the same for all methods, as far
    as a method has them. ``made_of``: what else the study's judge reads."""

    task: Task
    settings: Mapping[str, Any] = field(default_factory=dict)
    instruction: str = ""
    made_of: Any = None


@dataclass(frozen=True)
class StudyTask:
    """One task of a study: enough to make it in any process. ``name`` distinguishes the tasks of a ``seed``.

    ``pose`` makes it from ``arguments``, and keeps it for the methods that come next. ``labels``: the columns of its
    rows that only this study has. ``detail`` is added to the key of an episode. ``agent_seed``: of the agent's draws;
    by default one made from name and seed."""

    name: str
    seed: int
    labels: Mapping[str, Any]
    pose: Callable[..., Any]
    arguments: tuple[Any, ...]
    detail: str = ""
    agent_seed: int | None = None


@dataclass(frozen=True)
class Attempt:
    """A method's ``solution`` of a task, with the ``models`` that it asked; studies judge it."""

    posed: Posed
    solution: Solution
    models: ModelSession

    def reached(self, limit: int | None = None) -> bool:
        """Tells whether there is a plan that the replay accepts, of at most ``limit`` steps."""
        plan = self.solution.plan
        if plan is None or (limit is not None and len(plan) > limit):
            return False
        return replay(self.posed.task.problem, plan).verdict is Verdict.VALID

    def fields(self, status: Status, reason: str) -> dict[str, Any]:
        """Returns the fields of ``PlanOutcome``: ``status`` and ``reason`` are the study's."""
        solution, plan = self.solution, self.solution.plan
        return {
            "status": str(status),
            "reason": reason,
            "plan": None if plan is None else [str(step) for step in plan],
            "steps": None if plan is None else len(plan),
            "seconds": round(solution.seconds, 4),
            "model_note": solution.model_note,
            **spent(self.models.usage, self.models.cost),
        }

    def fields_by_goal(self, limit: int | None = None) -> dict[str, Any]:
        """Returns them where only the goal counts, with at most ``limit`` steps."""
        if self.reached(limit):
            return self.fields(Status.SOLVED, "")
        return self.fields(Status.UNSOLVED, self.solution.reason)


def by_goal(attempt: Attempt) -> PlanOutcome:
    """Returns the outcome where only the goal counts."""
    return PlanOutcome(**attempt.fields_by_goal())


@dataclass(frozen=True, kw_only=True)
class SolveEpisode:
    """One task of a study with one variant of a method. ``settings``: the variant's method and its settings.
    ``tables``: those that need the episode."""

    study: TaskStudy[Any] = field(repr=False)
    setup: Any
    of: StudyTask
    variant: str
    settings: tuple[tuple[str, Any], ...] = field(default=(), repr=False)
    tables: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The task's name."""
        return self.of.name

    @property
    def seed(self) -> int:
        """The task's seed."""
        return self.of.seed

    @property
    def posed(self) -> Posed:
        """The task as methods get it."""
        posed: Posed = self.of.pose(*self.of.arguments)
        return posed

    @property
    def foreseen(self) -> bool:
        """Whether the request can be made before any question."""
        return self.study.foreseen

    @property
    def agent_seed(self) -> int:
        """Seeds the agent's draws."""
        own = self.of.agent_seed
        return zlib.crc32(f"{self.name} {self.seed}".encode()) if own is None else own

    @property
    def command(self) -> str:
        """The command that repeats the episode."""
        name, command = self.study.name, str(self.setup.command)
        return command.replace(name, f"{name} --methods {self.variant}", 1) if self.study.by_variant else command

    @property
    def detail(self) -> str:
        """A text about its variant that is added to its key."""
        return ""

    @property
    def key(self) -> str:
        what = f"{self.name}{self.of.detail}, {self.variant}{self.detail}"
        return f"{self.study.name}: {what}, {self.setup.text}, seed {self.seed}"

    @property
    def method(self) -> Method:
        """The method of the variant."""
        return method_named(str(dict(self.settings).get("method", self.variant)))

    @property
    def labels(self) -> VariantLabels:
        return self.study.labels(
            **self.setup.shared_labels(self.study.name, self.key) | {"command": self.command},
            tables=self.tables,
            task=self.name,
            variant=self.variant,
            method=self.method.name,
            seed=self.seed,
            model=self.setup.model.name,
            as_in_papers=self.study.of_paper and self.setup.model.as_in_papers,
            validators=REPLAYED,
            **self.of.labels,
        )

    def options(self, shared: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the settings of its method: the ``shared`` ones, as far as it has them, and the variant's own."""
        own = {name: value for name, value in self.settings if name not in self.study.of_study}
        return self.method.Options.among(shared) | own

    def request(self, models: ModelSession) -> Request:
        """Returns the request of its method."""
        return self.asked(self.posed, models)

    def asked(self, posed: Posed, models: ModelSession) -> Request:
        """Returns the request for a task that is ``posed`` already."""
        options = self.method.Options.of(self.options(posed.settings))
        limits = self.agent_seed, self.study.seconds
        return Request(posed.task, self.method, options, models, *limits, instruction=posed.instruction)

    def run(self) -> Any:
        """Solves the task; the outcome is of the study's kind. Raises BudgetError if a budget for all episodes ended
        it."""
        with own_models(self.setup.model, self.setup.limits, self.key, self.seed) as models:
            posed = self.posed
            return self.study.judge(Attempt(posed, solution_of(self.asked(posed, models)), models))


R = TypeVar("R", bound=PlanRow)


@dataclass(frozen=True, kw_only=True)
class TaskStudy(Generic[R]):
    """An experiment, which reports use as a ``Study``. Other processes find it by its ``name``.

    ``row``: its columns; those that this class itself adds are known before an episode is run. ``methods``: variant →
    its method and settings; any other method is a variant under its own name. ``judge`` makes the outcome of an
    attempt. ``foreseen``: whether a request can be made before any question. ``seconds``: a method's limit, None for
    none. ``of_study``: a variant's settings that are not its method's. ``of_paper``: whether there are prompts of a
    paper for it. ``by_variant``: whether commands of rows name the row's variant alone. ``episode``: the class of its
    episodes."""

    name: str
    row: type[R]
    sections: Callable[[str, Sequence[R], str], Iterator[Section]]
    methods: Callable[[], Mapping[str, Mapping[str, Any]]] = dict
    judge: Callable[[Attempt], PlanOutcome] = by_goal
    foreseen: bool = True
    seconds: float | None = None
    of_study: Collection[str] = ("method",)
    of_paper: bool = False
    by_variant: bool = False
    episode: type[SolveEpisode] = SolveEpisode

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return _named, (self.name,)

    @cached_property
    def labels(self) -> Callable[..., VariantLabels]:
        """Makes the part of a row that is known beforehand."""
        return labels_of(self.row, VariantLabels)

    def read(self, line: Line) -> R:
        """Returns the line as a row. Raises InputError as ``Line.row`` does."""
        return line.row(self.row)

    def episodes(
        self, setup: SolveSetup, tasks: Iterable[StudyTask], variants: Mapping[str, Sequence[str]] | Collection[str]
    ) -> list[SolveEpisode]:
        """Returns each of the ``variants`` on each task, task by task; variants may come with the tables that need
        them."""
        known, tables = self.methods(), dict(variants) if isinstance(variants, Mapping) else dict.fromkeys(variants, ())
        own = {name: known.get(name, {"method": name}) for name in tables}
        each = [(name, tuple(own[name].items()), tuple(its)) for name, its in tables.items()]
        return [
            self.episode(study=self, setup=setup, of=task, variant=name, settings=settings, tables=its)
            for task in tasks
            for name, settings, its in each
        ]


L = TypeVar("L", bound=Labels)


def labels_of(row: type[Labels], base: type[L]) -> Callable[..., L]:
    """Returns the dataclass of what is known of such a row beforehand: the ``base``, and what the row's class itself
    adds."""
    own = [(f.name, f.type, field(default=f.default)) for f in fields(row) if f.name in row.__annotations__]
    return make_dataclass(f"{row.__name__}Labels", own, bases=(base,), frozen=True, kw_only=True)


def _named(name: str) -> Any:
    return load(plug_ins(GROUP)[name])


def changed(setup: object, unsaid: Mapping[str, object]) -> Iterator[str]:
    """Yields the settings that differ from the ``unsaid`` ones, as text. Unsaid is what 0.2.0 did: recordings name
    their episodes so."""
    for name, value in unsaid.items():
        if getattr(setup, name) != value:
            yield f"{name.replace('_', ' ')} {getattr(setup, name)}"
