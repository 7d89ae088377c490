"""A domain pack: the files beside a domain that say what is hidden and how things are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.grounding.constraints import remembering
from commonsense_planning.grounding.ground_like import ground_like
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.grounding.relevance import Pruning, relevant
from commonsense_planning.kernels.compiled import Compiled, compile_like, compile_task
from commonsense_planning.pddl import variants
from commonsense_planning.pddl.packs import PROMPTS, beside, task_files
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.reader import read_problem, with_text
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.sensors import Sensors, read_sensors
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.pddl.vocabulary import Vocabulary
from commonsense_planning.pomdp.observation_model import ObservationModel
from commonsense_planning.support.reading import Text
from commonsense_planning.support.writing import write_text
from commonsense_planning.wording.lexicon import Lexicon

HIDDEN_ROOMS = "sensors-hidden-rooms.pddl"


@dataclass(frozen=True)
class Task:
    """What a user brings: the problem, which is the true world; what can be seen (None: everything); how things
    are called; what a contingent problem left open about the world; the folder of the domain's own prompts, if any;
    the domain's own language for actions, if any, as a lexicon. ``like``: a task of the same world, such as another one
    in the same home, whose grounding serves this one as well (``ground_like``). ``sensing``: how the sensors err (None:
    not at all), in the world and in the agent's model of it. ``max_operators``: as many operators or facts it may have;
    grounding raises BudgetError for more. ``drawn``: what is true of what a contingent problem leaves open, where the
    world was drawn, in PDDL. ``sensors_file``: where the sensors were read from, if they were."""

    problem: Problem
    sensors: Sensors | None
    lexicon: Lexicon
    contingent: ContingentInit = field(default_factory=ContingentInit)
    prompts: Path | None = None
    language: Lexicon | None = None
    like: Task | None = None
    sensing: ObservationModel | None = None
    max_operators: int = MAX_OPERATORS
    drawn: tuple[str, ...] | None = None
    sensors_file: Path | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What ``pickle`` keeps: what was read. Who unpickles a task grounds it again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def no_world(self) -> str | None:
        """Why there is no one true world to act in; None if there is."""
        if Feature.CONTINGENT not in self.problem.features:
            return None
        return "a contingent :init (oneof, or, unknown) names no true world to act in; read_task draws one by its seed"

    @property
    def correlated(self) -> str | None:
        """What speaks against simulations that know of each hidden fact alone; None if nothing does. Raises InputError,
        BudgetError."""
        if not (self.contingent.atoms and self.seen_in_part[1].sensors.correlated):
            return None
        return "what is hidden here hangs together, and its simulations draw no conclusions; llm-mcts does"

    @property
    def seen_by_acting(self) -> str | None:
        """What speaks against looking just where sensing rules say; None if nothing does. Raises as ``correlated``."""
        if not (self.problem.observes or self.contingent.atoms) or not self.seen_in_part[1].sensors.by_worlds:
            return None
        return "here is more to find out than where single things are, as by :observe; llm-mcts does"

    @cached_property
    def grounded(self) -> GroundTask:
        """The problem with nothing hidden, grounded once, however often it is solved. Raises InputError."""
        return ground_like(self.like.grounded, self.problem) if self.like else ground(self.problem, self.max_operators)

    @cached_property
    def all_seen(self) -> tuple[GroundTask, Compiled]:
        """The task as an agent meets it who knows the whole world. Raises InputError."""
        task = self.grounded
        return task, compile_like(self.like.all_seen[1], task) if self.like else compile_task(task)

    @cached_property
    def relevant(self) -> tuple[GroundTask, Compiled]:
        """What of ``all_seen`` matters for the goal, for whoever is just after a plan. Raises InputError."""
        task = relevant(self.grounded).task
        return self.all_seen if task is self.grounded else (task, compile_task(task))

    @cached_property
    def pruning(self) -> Pruning:
        """What matters among the operators of ``grounded``, for one goal or another. Raises InputError."""
        return self.like.pruning if self.like else Pruning(self.grounded)

    @cached_property
    def seen_in_part(self) -> tuple[GroundTask, Compiled]:
        """The task as an agent meets it who sees what the sensors show. Raises InputError."""
        if self.like is not None:
            task, compiled = self.like.seen_in_part
            task = remembering(ground_like(task, self.problem), compiled.sensors.hidden)
            return task, compile_like(compiled, task)
        task, seen = ground_pomdp(self.problem, self.sensors, self.contingent, self.max_operators)
        return task, compile_task(task, seen)


def read_task(
    domain: Path | str | Text,
    problem: Path | str | Text | None = None,
    sensors: Path | str | Text | None = None,
    lexicon: Path | Text | None = None,
    world: Path | None = None,
    seed: int = 0,
    max_operators: int = MAX_OPERATORS,
    *,
    strict: bool = False,
    like: Task | None = None,
) -> Task:
    """Read a problem, and ``sensors.pddl`` and ``lexicon.toml`` from beside the domain where they are not
    given, and ``action-language.toml`` and ``prompts`` where they are there. ``domain`` and ``problem`` are files, or
    ``domain`` is a pack's name, or ``household:demo`` for both (``pddl/packs.py``). A ``Text`` is read in the place of
    a file, and nothing lies beside it. The task keeps what was read: what becomes of the files later does not matter.

    A contingent problem (``oneof``, ``or``, ``unknown``) is solved in a ``world``, a problem file that says what is
    true. Without one, a world is drawn with ``seed``; if there is no such file yet, it is written there.

    ``like``: a task of the same world that was read before, see ``Task``. What the task's ``problem.warnings`` say of
    the domain and the problem is an error where they are read ``strict``. Raises InputError for what is wrong in any of
    the files, UsageError for a world that is not wanted.
    """
    if not isinstance(domain, Text):
        named = [problem] if isinstance(problem, str | Path) else []
        domain, problems = task_files(domain, named)
        if len(problems) + isinstance(problem, Text) != 1:
            raise UsageError(f"{domain}: one problem is wanted, and {len(problems) or 'none'} are given")
        problem = next(iter(problems), problem)
    if problem is None:
        raise UsageError("one problem is wanted, and none is given")
    read = read_problem(domain, problem, strict=strict)
    contingent, drawn = read.contingent, None
    if Feature.CONTINGENT in read.features:
        warnings = read.warnings
        read, drawn = _world(read, world, seed)
        read = replace(read, warnings=warnings)
    elif world is not None:
        raise UsageError(f"{problem}: --world is for contingent problems (oneof, or, unknown); this is the true world")
    file, own = (None if isinstance(given, Text) else Path(given) for given in (domain, problem))
    language, vocabulary = beside(file, "action-language.toml"), read.normaliser.vocabulary
    sensors = sensors or beside(file, "sensors.pddl")
    return Task(
        read,
        read_sensors(sensors, read) if sensors else None,
        read_lexicon(file, own, lexicon, vocabulary),
        contingent,
        beside(file, PROMPTS),
        Lexicon.read(language, vocabulary) if language else None,
        like=like,
        max_operators=max_operators,
        drawn=drawn,
        sensors_file=None if sensors is None or isinstance(sensors, Text) else Path(sensors),
    )


def with_objects(task: Task, objects: Mapping[str, str], facts: Sequence[str], renamed: Mapping[str, str]) -> Task:
    """A task with further ``objects``, name → type, and ``facts`` that are so at first, in the user's spelling, for who
    acts in no world of the task's: what a contingent problem leaves open is left open again. ``renamed``: objects that
    have another name now. The files are read again: raises InputError as ``read_task``, and for names and facts that
    are wrong, or that a file would only be warned of."""
    problem = task.problem
    source = parse(problem.texts[1], problem.problem_file)
    read = with_text(problem, variants.with_objects(source, objects, facts, renamed))
    known = {warning.problem for warning in problem.warnings}
    for warning in read.warnings:
        if warning.problem not in known:
            raise InputError(warning.problem)
    contingent = read.contingent if Feature.CONTINGENT in read.features else task.contingent
    text = task.sensors.text if task.sensors is not None else None
    sensors = None if text is None else read_sensors(Text(text, str(task.sensors_file)), read)
    return replace(task, problem=read, contingent=contingent, sensors=sensors, like=None)


def hidden_rooms(domain: Path, sensors: Path | None = None) -> Path:
    """The sensors of an agent that does not know in which room things stand: ``sensors-hidden-rooms.pddl`` beside the
    domain. Raises UsageError if there is none, or if other ``sensors`` are given."""
    if sensors is not None:
        raise UsageError("--hide-rooms chooses the sensors: it does not go with --sensors")
    found = beside(domain, HIDDEN_ROOMS)
    if found is None:
        raise UsageError(f"--hide-rooms: there is no {HIDDEN_ROOMS} beside {domain}, which says what is hidden then")
    return found


def read_lexicon(
    domain: Path | None,
    problem: Path | None,
    lexicon: Path | Text | None = None,
    vocabulary: Vocabulary | None = None,
) -> Lexicon:
    """Read the lexicon; where none is given, the one beside the domain, and over it the problem's own
    (``beside_problem``), if there are any. Raises InputError, also for what the ``vocabulary``, if it is given, does
    not have."""
    read = Lexicon()
    for path in reversed([lexicon] if lexicon else lexicons_of(domain, problem)):
        read = read.with_own(Lexicon.read(path, vocabulary))
    return read


def lexicons_of(domain: Path | None, problem: Path | None) -> list[Path]:
    """The lexicons that are there: the problem's own, whose entries count, and the one beside the domain."""
    own = None if problem is None else beside(problem, beside_problem(problem).name)
    return [path for path in (own, beside(domain, "lexicon.toml")) if path is not None]


def beside_problem(problem: Path) -> Path:
    """Where a problem may have a lexicon of its own: ``NAME.lexicon.toml`` beside ``NAME.pddl``."""
    return problem.with_suffix(".lexicon.toml")


def read_sensors_of(problem: Problem, domain: Path, sensors: Path | None = None) -> Sensors | None:
    """Read the sensors, from beside the domain where they are not given; None if there are none. Raises InputError."""
    sensors = sensors or beside(domain, "sensors.pddl")
    return read_sensors(sensors, problem) if sensors else None


def _world(problem: Problem, world: Path | None, seed: int) -> tuple[Problem, tuple[str, ...] | None]:
    """The true world, and what is true in it where it was drawn."""
    drawn = None
    if world is None or not world.exists():
        drawn = variants.draw_world(problem, np.random.default_rng(seed))
        text = variants.with_world(problem, drawn)
        if world is None:
            return with_text(problem, text), drawn
        write_text(world, text, "the world")
    read = with_text(problem, read_source(world).text, world)
    if Feature.CONTINGENT in read.features:
        raise UsageError(f"{world}: a world leaves nothing open; this one still has oneof, or, or unknown")
    return read, drawn
