"""A task: the problem, its sensors, its lexicon and prompts, with their files beside the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from commonsense_planning.config import MAX_OPERATORS
from commonsense_planning.errors import BudgetError, InputError, UsageError
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.grounding import ground, may_lack_costs
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.relevance import Pruning, relevant
from commonsense_planning.kernels.compiled import Compiled, compile_like, compile_task
from commonsense_planning.pddl import variants
from commonsense_planning.pddl.foreign import read_any
from commonsense_planning.pddl.packs import PROMPTS, beside, task_files
from commonsense_planning.pddl.problem import ContingentInit, Problem
from commonsense_planning.pddl.reader import with_text
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.sensors import Sensors, formula_from_text, read_sensors
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.pddl.vocabulary import Vocabulary
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.reading import Text
from commonsense_planning.support.writing import write_text
from commonsense_planning.wording.lexicon import Lexicon

if TYPE_CHECKING:
    from commonsense_planning.pomdp.observation_model import ObservationModel

HIDDEN_ROOMS = "sensors-hidden-rooms.pddl"
COSTS_SECONDS = 60.0
MOST_SHOWN = 300  # characters of a drawn world


@dataclass(frozen=True)
class Task:
    """A planning task as a user provides it.

    ``problem``: the true world. ``sensors``: what can be seen (None: everything). ``lexicon``: English names. The other
    fields tell what a contingent problem left open about the world; the folder of the domain's prompts, if any; and the
    domain's language for actions, if any, as a lexicon. ``like``: a task of the same world, such as another one in the
    same home, whose grounding can be reused for this one (``ground_like``). ``sensing``: how the sensors err (None: not
    at all), in the world and in the agent's model of it. ``max_operators``: limit on operators and on facts; grounding
    raises BudgetError above it. ``drawn``: the facts that were drawn where a contingent problem leaves them open, in
    PDDL. ``sensors_file``: the file of the sensors, if they were read from one. ``changeable``: facts in PDDL that may
    change in the real world, though no action makes them true or none makes them false."""

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
    changeable: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """The state for ``pickle``: what was read. An unpickled task is grounded again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def needs(self) -> tuple[str, ...]:
        """What only other planners have, such as "numbers"; then ``solve`` asks engines of unified-planning."""
        return tuple(one.need for one in self.problem.needs)

    def world_in_words(self, seed: int) -> str:
        """A message about the world that was drawn with the seed; empty if none was."""
        if self.drawn is None:
            return ""
        true = " ".join(self.drawn) or "nothing"
        shown = true if len(true) <= MOST_SHOWN else f"{true[:MOST_SHOWN]} …"
        return f"the true world, drawn with seed {seed}: of the facts that :init leaves open, these are true: {shown}"

    @property
    def no_world(self) -> str | None:
        """Why cplan has no single true world to act in; None if it has."""
        if self.needs:
            return self.problem.beyond
        if Feature.CONTINGENT not in self.problem.features:
            return None
        return "a contingent :init (oneof, or, unknown) gives no true world; read_task draws one with its seed"

    @property
    def correlated(self) -> str | None:
        """Why simulations that treat each hidden fact separately are not possible; None if they are. Raises InputError,
        BudgetError."""
        if not (self.contingent.atoms and self.seen_in_part[1].sensors.correlated):
            return None
        return "hidden facts here are correlated, and its simulations cannot use that; llm-mcts can"

    @property
    def seen_by_acting(self) -> str | None:
        """Why looking only where sensing rules apply is not enough; None if it is. Raises like ``correlated``."""
        if not (self.problem.observes or self.contingent.atoms) or not self.seen_in_part[1].sensors.by_worlds:
            return None
        return "more is hidden here than the places of single things, as with :observe; llm-mcts can solve it"

    @cached_property
    def grounded(self) -> GroundTask:
        """The problem with nothing hidden, grounded once, however often it is solved. Raises InputError."""
        if self.like is None:
            return ground(self.problem, self.max_operators)
        from commonsense_planning.grounding.ground_like import ground_like

        return ground_like(self.like.grounded, self.problem)

    def check_costs(self) -> None:
        """Raises InputError, at its place, for an applicable action without a cost, or with one that is not accepted.
        A cost without a value is 0 to some planners, and keeps the action from others.

        What is too large to ground within a minute is not looked at."""
        if self.no_world is None and self.problem.total_cost and may_lack_costs(lift(self.problem)):
            with suppress(BudgetError), within_seconds(COSTS_SECONDS), within_memory():
                _ = self.grounded

    @cached_property
    def all_seen(self) -> tuple[GroundTask, Compiled]:
        """The task of an agent that knows the whole world. Raises InputError."""
        task = self.grounded
        return task, compile_like(self.like.all_seen[1], task) if self.like else compile_task(task)

    @cached_property
    def relevant(self) -> tuple[GroundTask, Compiled]:
        """The part of ``all_seen`` that is relevant to the goal, for a planner. Raises InputError."""
        task = relevant(self.grounded).task
        return self.all_seen if task is self.grounded else (task, compile_task(task))

    @cached_property
    def pruning(self) -> Pruning:
        """The relevant operators of ``grounded``, for any goal. Raises InputError."""
        return self.like.pruning if self.like else Pruning(self.grounded)

    @cached_property
    def seen_in_part(self) -> tuple[GroundTask, Compiled]:
        """The task of an agent that observes what the sensors show. Raises InputError."""
        if self.like is not None:
            from commonsense_planning.grounding.constraints import remembering
            from commonsense_planning.grounding.ground_like import ground_like

            task, compiled = self.like.seen_in_part
            task = remembering(ground_like(task, self.problem), compiled.sensors.hidden)
            return task, compile_like(compiled, task)
        from commonsense_planning.grounding.partial_observability import ground_pomdp

        changeable = [formula_from_text(fact, self.problem, "a report") for fact in self.changeable]
        task, seen = ground_pomdp(self.problem, self.sensors, self.contingent, self.max_operators, changeable)
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
    """Reads a task from its files.

    ``domain`` and ``problem`` are files, or ``domain`` is a pack's name, or ``household:demo`` for both
    (``pddl/packs.py``). ``sensors.pddl`` and ``lexicon.toml`` beside the domain are read unless others are given, and
    ``action-language.toml`` and ``prompts`` if they exist. A ``Text`` replaces a file, and has none beside it.
    The task keeps what was read: later changes of the files have no effect.

    A contingent problem (``oneof``, ``or``, ``unknown``) is solved in a ``world``, a problem file that gives the true
    facts. Without one, a world is drawn with ``seed``; if the file does not exist, it is written.

    ``like``: a task of the same world that was read before, see ``Task``. ``strict``: the ``problem.warnings``
    about the domain and the problem are errors. Raises InputError for an error in any of the files, UsageError for a
    world where none is needed.
    """
    if not isinstance(domain, Text):
        named = [problem] if isinstance(problem, str | Path) else []
        domain, problems = task_files(domain, named)
        if len(problems) + isinstance(problem, Text) != 1:
            raise UsageError(f"{domain}: give one problem, not {len(problems) or 'none'}")
        problem = next(iter(problems), problem)
    if problem is None:
        raise UsageError("give a problem, too")
    read = read_any(domain, problem, strict=strict)
    if read.needs:
        sensors = sensors or (None if isinstance(domain, Text) else beside(Path(domain), "sensors.pddl"))
        if sensors or world is not None:
            raise UsageError(f"{read.beyond}, and none of them knows {f'what {sensors} hides' if sensors else world}")
        return Task(read, None, Lexicon(), max_operators=max_operators)
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
    """A task with further ``objects``, name → type, and ``facts`` that are true initially, in the user's spelling.

    It is for an agent in a real world: what a contingent problem leaves open is left open again. ``renamed``: objects
    that have another name now. The files are read again: raises InputError like ``read_task``, and for wrong names and
    facts, also those that would only cause a warning in a file."""
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
    """The sensors of an agent that does not know the rooms of furniture: ``sensors-hidden-rooms.pddl`` beside the
    domain. Raises UsageError if there is none, or if other ``sensors`` are given."""
    if sensors is not None:
        raise UsageError("--hide-rooms chooses the sensors, and cannot be combined with --sensors")
    found = beside(domain, HIDDEN_ROOMS)
    if found is None:
        raise UsageError(f"--hide-rooms: there is no {HIDDEN_ROOMS} beside {domain}, which it needs")
    return found


def read_lexicon(
    domain: Path | None, problem: Path | None, lexicon: Path | Text | None = None, vocabulary: Vocabulary | None = None
) -> Lexicon:
    """Reads the lexicon; by default the one beside the domain, overridden by the problem's (``beside_problem``), if
    they exist. Raises InputError, also for names that are not in the ``vocabulary``, if that is given."""
    read = Lexicon()
    for path in reversed([lexicon] if lexicon else lexicons_of(domain, problem)):
        read = read.with_own(Lexicon.read(path, vocabulary))
    return read


def lexicons_of(domain: Path | None, problem: Path | None) -> list[Path]:
    """The lexicons that exist: the problem's, whose entries take precedence, and the one beside the domain."""
    own = None if problem is None else beside(problem, beside_problem(problem).name)
    return [path for path in (own, beside(domain, "lexicon.toml")) if path is not None]


def beside_problem(problem: Path) -> Path:
    """The place of a problem's lexicon: ``NAME.lexicon.toml`` beside ``NAME.pddl``."""
    return problem.with_suffix(".lexicon.toml")


def read_sensors_of(problem: Problem, domain: Path, sensors: Path | None = None) -> Sensors | None:
    """Reads the sensors, by default from beside the domain; None if there are none. Raises InputError."""
    sensors = sensors or beside(domain, "sensors.pddl")
    return read_sensors(sensors, problem) if sensors else None


def _world(problem: Problem, world: Path | None, seed: int) -> tuple[Problem, tuple[str, ...] | None]:
    """The true world, and the facts that were drawn, if any."""
    drawn = None
    if world is None or not world.exists():
        drawn = variants.draw_world(problem, np.random.default_rng(seed))
        text = variants.with_world(problem, drawn)
        if world is None:
            return with_text(problem, text), drawn
        write_text(world, text, "the world")
    read = with_text(problem, read_source(world).text, world)
    if Feature.CONTINGENT in read.features:
        raise UsageError(f"{world}: a world must leave nothing open; this one still has oneof, or, or unknown")
    return read, drawn
