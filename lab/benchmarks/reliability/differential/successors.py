"""Applicable operators and successors along random walks: ours, those of unified-planning's simulator on the user's own
files, and those of the replay."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from commonsense_planning.grounding.grounding import ground
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.validation.replay import Replayer
from lab.benchmarks.classical.problems import Task
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

WALKS, STEPS = 2, 8
"""From the initial state of each task."""
MOST, DRAWN = 1000, 60
"""In each state at most ``MOST`` actions are compared. Of more actions: those that cplan takes for applicable, each
also with another object in one place, and ``DRAWN`` random ones."""


class Simulated:
    """A task in unified-planning's simulator. What is applicable is found by trying all: its own list of that ends in
    an error where two static conditions rule out the same object."""

    def __init__(self, task: Task) -> None:
        from unified_planning.io import PDDLReader
        from unified_planning.shortcuts import SequentialSimulator, get_environment

        environment = get_environment()  # its reader knows no other where there are effects with forall
        environment.credits_stream = None
        environment.error_used_name = False
        self.problem = PDDLReader().parse_problem(str(task.domain), str(task.problem))
        self.simulator = SequentialSimulator(self.problem)
        self.start = self.simulator.get_initial_state()
        self._facts = [fact for fact in self.problem.initial_values if fact.fluent().type.is_bool_type()]
        self._names = [_said(fact.fluent().name, [a.object().name for a in fact.args]) for fact in self._facts]
        self._objects = {
            action.name: [list(self.problem.objects(parameter.type)) for parameter in action.parameters]
            for action in self.problem.actions
        }
        self.actions = sum(math.prod(map(len, lists)) for lists in self._objects.values())

    def holding(self, state: Any) -> set[str]:
        """Returns the atoms that are true."""
        values = zip(self._names, self._facts, strict=True)
        return {name for name, fact in values if state.get_value(fact).is_true()}

    def every(self) -> Iterator[str]:
        """Yields all actions with all objects of fitting types."""
        for name, lists in self._objects.items():
            for objects in itertools.product(*lists):
                yield _said(name, [item.name for item in objects])

    def some(self, rng: np.random.Generator, near: list[str]) -> Iterator[str]:
        """Those, each with another object in one place, and others."""
        for said in near:
            name, *arguments = said[1:-1].split()
            yield said
            if arguments:
                at = int(rng.integers(len(arguments)))
                arguments[at] = str(rng.choice([item.name for item in self._objects[name][at]]))
                yield _said(name, arguments)
        for _ in range(DRAWN):
            name = str(rng.choice([*self._objects]))
            if all(self._objects[name]):
                yield _said(name, [rng.choice([item.name for item in items]) for items in self._objects[name]])

    def is_applicable(self, state: Any, said: str) -> bool:
        """Returns what the simulator says."""
        return bool(self.simulator.is_applicable(state, *self._instance(said)))

    def after(self, state: Any, said: str) -> Any:
        """Returns the state after an action that is applicable."""
        return self.simulator.apply(state, *self._instance(said))

    def _instance(self, said: str) -> tuple[Any, list[Any]]:
        name, *arguments = said[1:-1].split()
        objects = self.problem.environment.expression_manager.ObjectExp
        return self.problem.action(name), [objects(self.problem.object(item)) for item in arguments]


class Ours:
    """The same task in the compiled kernel."""

    def __init__(self, task: Task) -> None:
        self.problem = read_problem(task.domain, task.problem)
        self.task = ground(self.problem)
        compiled = compile_task(self.task)
        self.generator = TransitionModel(compiled)
        self.start = make_state(compiled, self.task.init)
        self.facts = [str(self.task.fact_step(fact)).lower() for fact in range(self.task.fact_count)]

    def applicable(self, state: Any) -> dict[str, int]:
        """Returns action → operator."""
        return {str(self.task.step(o)).lower(): o for o in self.generator.applicable(state).tolist()}

    def holding(self, state: Any) -> set[str]:
        """Returns the atoms that are true, among the ground facts."""
        bits = np.unpackbits(state.view(np.uint8), bitorder="little")[: len(self.facts)]
        return {self.facts[fact] for fact in np.flatnonzero(bits)}


def compare(case: Case, tally: Tally) -> None:
    """Walks through the task, or along the case's plan."""
    try:
        theirs = Simulated(case.task)
    except Exception as error:  # noqa: BLE001  # whatever its reader raises: it is another's
        tally.silent[f"{type(error).__name__} of unified-planning's reader"] += 1
        return
    ours, rng = Ours(case.task), np.random.default_rng(case.seed)
    tally.tried["tasks"] += 1
    if case.plan is not None:
        _walk(case, ours, theirs, rng, tally, [str(step).lower() for step in case.plan])
        return
    for _ in range(WALKS):
        if not _walk(case, ours, theirs, rng, tally):
            return


def _walk(
    case: Case, ours: Ours, theirs: Simulated, rng: np.random.Generator, tally: Tally, way: list[str] | None = None
) -> bool:
    """Goes the given way, or a random one; returns whether they agreed everywhere."""
    here, there, replayer, done = ours.start, theirs.start, Replayer(ours.problem), list[str]()
    grounded = set(ours.facts)
    aside = theirs.holding(there) - grounded
    while True:
        applicable, their_state = ours.applicable(here), theirs.holding(there)
        tally.tried["states"] += 1
        replayed = {replayer.formulas.spell_atom(atom).lower() for atom in replayer.state}
        pairs = (ours.holding(here), their_state & grounded), (aside, their_state - grounded), (replayed, their_state)
        apart = [(sorted(one - other)[:5], sorted(other - one)[:5]) for one, other in pairs if one != other]
        wrong = f"true here alone: {apart[0][0]}, there alone: {apart[0][1]}" if apart else ""
        every = set(theirs.every() if theirs.actions <= MOST else theirs.some(rng, [*applicable]))
        tally.tried["actions"] += len(every)
        possible = {said for said in every if theirs.is_applicable(there, said)}
        both = sorted(possible & applicable.keys())
        for said in sorted(possible ^ applicable.keys()):
            if said in applicable and np.array_equal(ours.generator.successor(here, applicable[said]), here):
                tally.explained["an action that changes nothing there: unified-planning takes none of these"] += 1
            else:
                wrong = f"{said} is applicable {'here' if said in applicable else 'in unified-planning'} alone"
        if wrong:
            plan = Plan(tuple(_step(said) for said in done))
            tally.lose(case, f"after {len(done)} steps: {wrong}", plan)
            return False
        if not both or len(done) == (STEPS if way is None else len(way)):
            return True
        said = str(rng.choice(both)) if way is None else way[len(done)]
        done.append(said)
        here, there = ours.generator.successor(here, applicable[said]), theirs.after(there, said)
        replayer.step(_step(said))


def _step(said: str) -> Step:
    name, *arguments = said[1:-1].split()
    return Step(name, tuple(arguments))


def _said(name: str, arguments: list[str]) -> str:
    return f"({' '.join([name, *arguments])})".lower()
