"""The expert of the rearrangement experiment (LLM-MCTS paper, section 3.1 and appendix B) and its trajectories.

It knows where everything is and carries out a cheapest plan, where the paper's uses regression planning with
handcrafted heuristics. On the way it sees what any agent with these sensors sees.

The files are JSON lines: the ``observations`` in the dataset D of the paper are what is new before each action; those
in a pool, a few trajectories that serve as examples in prompts, are what is in sight, as a prompt says it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

from commonsense_lab.studies.homes.home_task import HomeTask, homes_of
from commonsense_lab.studies.homes.household import initial_atoms
from commonsense_lab.studies.homes.scene_import import SceneNames
from commonsense_lab.studies.homes.task_homes import Homes
from commonsense_lab.studies.rearrangement.goal_reader import GoalTerm, render_formal_goal
from commonsense_lab.studies.rearrangement.tasks import training_task
from commonsense_planning.elicitation.prior import first_belief
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.grounding.ground_task import Goal, lists_of
from commonsense_planning.grounding.relevance import Pruning
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.search.classical.cheapest import cheapest_plan
from commonsense_planning.support.pool import Pool
from commonsense_planning.support.writing import replacing
from commonsense_planning.wording.questions import Statement
from commonsense_planning.wording.verbalise import News, Verbaliser


@dataclass(frozen=True)
class ExpertTrajectory:
    """A trajectory in English: ``actions`` are imperatives, ``plan`` the same as PDDL steps. ``goal``: the formal goal.

    ``observations``: before each action, the sentences that are news to the agent; at first, everything it knows.
    ``in_sight``: before each action, what it sees from its place, and what it holds."""

    instruction: str
    goal: str
    home: str
    task: str
    observations: tuple[tuple[str, ...], ...]
    in_sight: tuple[tuple[str, ...], ...]
    actions: tuple[str, ...]
    plan: tuple[str, ...]


class Expert:
    """Does the tasks of one home, which is grounded once.

    ``first`` is any task of the home, ``pack`` the folder of the household domain; ``grounded`` is ``first`` with
    everything hidden taken for possible. Raises InputError for errors in the files of the pack."""

    def __init__(self, pack: Path, first: HomeTask) -> None:
        task = first.read(pack)
        self._lexicon = task.lexicon
        self.grounded, self._seen_in_part = task.seen_in_part
        self._say = Verbaliser(self.grounded, self._lexicon)
        self._pruning = Pruning(self.grounded)
        self._facts = {str(self.grounded.fact_step(fact)): fact for fact in range(self.grounded.fact_count)}

    def plan(self, task: HomeTask) -> tuple[int, ...]:
        """Returns the operators of a cheapest plan for the task. Raises InputError if there is none."""
        posed = replace(self.grounded, goal=self.goal(task), init=self.initial(task))
        found = cheapest_plan(posed, self._pruning).result.operators
        if found is None:
            raise InputError(f"{task.name}: no plan does '{task.instruction}'; is the pack's domain another one?")
        return found

    def trajectory(self, task: HomeTask) -> ExpertTrajectory:
        """Does the task. Raises InputError if it cannot be done."""
        plan = self.plan(task)
        environment = Environment(self._seen_in_part, self.initial(task))
        belief = first_belief(self._seen_in_part)
        hidden = self._seen_in_part.hidden
        news = News(self._say, hidden)
        belief.update(None, environment.look())
        told, seen = [], []
        noun = self._lexicon.noun
        terms = (GoalTerm(wish.relation.upper(), noun(wish.thing), noun(wish.place)) for wish in task.wishes)
        for operator in plan:
            told.append(tuple(dict.fromkeys(news.take(belief.truth, belief.known))))
            seen.append(in_sight(self._say.statements(belief.truth, belief.known, hidden)))
            belief.update(operator, environment.step(operator))
        return ExpertTrajectory(
            task.instruction,
            render_formal_goal(terms),
            task.home,
            task.name,
            tuple(told),
            tuple(seen),
            tuple(self._say.action(operator) for operator in plan),
            tuple(str(self.grounded.step(operator)) for operator in plan),
        )

    def initial(self, task: HomeTask) -> npt.NDArray[np.bool_]:
        """Returns the true facts at the start of the task: bool (facts,)."""
        truth = np.zeros(self.grounded.fact_count, np.bool_)
        atoms = [atom for group in initial_atoms(task.apartment) for atom in group]
        truth[[self._facts[atom] for atom in atoms if atom in self._facts]] = True
        return truth

    def goal(self, task: HomeTask) -> Goal:
        """Returns the goal of the task: a disjunct for each choice of things and places."""
        names = SceneNames.of(task.apartment, ())
        choices = [
            [
                self._facts[f"({wish.relation} {thing} {place})"]
                for thing in names.things[wish.thing]
                for place in names.places[wish.relation][wish.place]
            ]
            for wish in task.wishes
        ]
        disjuncts = list(product(*choices))
        return Goal(lists_of(disjuncts), lists_of([()] * len(disjuncts)))


def in_sight(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Selects from what an agent knows about a household: the furniture of its room, what is closed, what lies there as
    far as it has seen it, what it stands at, and what it holds. The prompt of the household has the same order."""
    known = list(statements)
    here = {s.arguments[0] for s in known if s.predicate == "in-room" and s.holds}
    located = [s for s in known if s.predicate == "located" and s.arguments[1] in here]
    standing = {s.arguments[0] for s in located}
    seen = [
        *located,
        *(s for s in known if s.predicate == "near" and s.holds),
        *(s for s in known if s.predicate == "holding" and s.holds),
        *(s for s in known if s.predicate == "inside" and s.holds and s.arguments[1] in standing),
        *(s for s in known if s.predicate == "on" and s.holds and s.arguments[1] in standing),
        *(s for s in known if s.predicate == "opened" and not s.holds and s.arguments[0] in standing),
    ]
    return tuple(dict.fromkeys(s.text for s in seen))


CHUNK = 50  # trajectories that a process makes at a time

Report = Callable[[int, int], None]
"""Gets (trajectories done, trajectories in all)."""


@dataclass(frozen=True)
class TrajectorySource:
    """The training tasks of ``seed``, in cplan's seen home, or in VirtualHome's graph in the file ``scene``; ``pack``
    is the folder of the household domain."""

    seed: int = 0
    scene: Path | None = None
    pack: Path = field(default_factory=lambda: pack_named("household").folder)

    @property
    def homes(self) -> Homes:
        """The homes; training tasks are all in the seen one."""
        return homes_of(None if self.scene is None else (self.scene, self.scene))


def write_trajectories(
    source: TrajectorySource,
    number: int,
    out: Path,
    pool: tuple[Path, int] | None,
    workers: int,
    report: Report = lambda done, total: None,
) -> list[int]:
    """Writes the trajectories of the first ``number`` training tasks to ``out``, and returns how many actions each has.

    ``pool``: the file of some, drawn uniformly, for prompts, and their number. One of the ``workers`` is this process
    itself; their number does not change the files. A file appears once it is complete. Raises InputError for a file
    that is wrong or cannot be written, UsageError for a pool that is larger than ``number``."""
    chosen: frozenset[int] = frozenset()
    if pool is not None:
        if pool[1] > number:
            raise UsageError(f"a pool of {pool[1]} cannot be drawn from {number} trajectories; make more of them")
        rng = np.random.default_rng([source.seed, number])
        chosen = frozenset(rng.choice(number, pool[1], replace=False).tolist())
    lengths: list[int] = []
    report(0, number)
    with ExitStack() as stack:
        everything = stack.enter_context(_replacing(out))
        pooled = stack.enter_context(_replacing(pool[0])) if pool else None
        for trajectory in _trajectories(source, number, workers):
            everything.write(_line(trajectory, trajectory.observations))
            if pooled is not None and len(lengths) in chosen:
                pooled.write(_line(trajectory, trajectory.in_sight))
            lengths.append(len(trajectory.actions))
            report(len(lengths), number)
    return lengths


def _trajectories(source: TrajectorySource, number: int, workers: int) -> Iterator[ExpertTrajectory]:
    """Yields the trajectories in the order of their tasks."""
    chunks = [range(first, min(first + CHUNK, number)) for first in range(0, number, CHUNK)]
    if workers == 1 or len(chunks) == 1:
        for chunk in chunks:
            yield from _carried_out(source, chunk)
        return
    with Pool(min(workers, len(chunks))) as pool:
        for done in pool.map(_carried_out, [source] * len(chunks), chunks):
            yield from done


def _carried_out(source: TrajectorySource, indices: Iterable[int]) -> list[ExpertTrajectory]:
    """Returns the trajectories of some training tasks."""
    return [_expert(source).trajectory(training_task(source.homes, index, source.seed)) for index in indices]


@cache
def _expert(source: TrajectorySource) -> Expert:
    return Expert(source.pack, training_task(source.homes, 0, source.seed))


def _line(trajectory: ExpertTrajectory, observations: tuple[tuple[str, ...], ...]) -> str:
    entry = {**vars(trajectory), "observations": observations}
    del entry["in_sight"]
    return json.dumps(entry, ensure_ascii=False) + "\n"


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """Opens a file that replaces ``path`` when the block is left without an exception."""
    with replacing(path, "the trajectories") as unfinished, unfinished.open("w", encoding="utf-8") as file:
        yield file
