"""Whether two goals mean the same in one task, judged on sampled states and on what states follow each other.

A formula is grounded on the task's facts, once, so a state is a row of bits. The states: those of random walks; random
ones in which every exactly-one group has one true fact; such as make one or the other formula true, or what it must
never come to; and each of these with a fact changed that the formulas speak of. A sequence of states is accepted if no
constraint is violated in any and the goal holds in the last. Two goals mean the same if they accept the same sequences,
and each accepts some and refuses some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Goal, goal_of
from commonsense_planning.grounding.invariants import invariants
from commonsense_planning.grounding.lifted import Translator, lift, simplify
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.instructions.translate import known_at_first
from commonsense_planning.kernels.compiled import compile_task, make_state, unpack
from commonsense_planning.pddl.sensors import formula_from_text
from commonsense_planning.pddl.syntax import Group, parse, render
from commonsense_planning.pddl.trajectories import OPERATORS, Operator
from commonsense_planning.pddl.variants import with_goal
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.task import Task, read_task

Bits = npt.NDArray[np.bool_]
WALKS, STEPS = 20, 25
RANDOM, AIMED, CHANGED = 300, 150, 3  # states; aimed: for each formula; changed: near each of the aimed ones
SEQUENCES, LONGEST = 4000, 4


@dataclass(frozen=True)
class Meaning:
    """A goal in PDDL, and PDDL3's constraints on the way to it."""

    goal: str
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grounded:
    """A meaning over a task's facts: the goal, and the constraints with their conditions; ``against``: the opposites of
    these."""

    goal: Goal
    constraints: tuple[tuple[Operator, tuple[Goal, ...]], ...]
    against: tuple[Goal, ...]

    @property
    def conditions(self) -> tuple[Goal, ...]:
        """Goal, conditions of constraints, and their opposites."""
        return (self.goal, *(c for _, conditions in self.constraints for c in conditions), *self.against)


class World:
    """A task in which goals are compared; its own goal and constraints do not matter."""

    def __init__(self, domain: Path, problem: Path) -> None:
        self.domain, self.problem = domain, problem
        with temporary_folder() as folder:
            bare = Path(folder) / problem.name
            with_goal(domain, problem, "(and)", bare)
            self.task: Task = read_task(domain, bare, lexicon=_lexicon(domain))
        self.ground, self.sensors = ground_pomdp(self.task.problem, self.task.sensors)

    @cached_property
    def alone(self) -> list[list[int]]:
        """Facts of which the actions keep at most one true."""
        lifted = lift(self.task.problem)
        groups: list[list[int]] = []
        for found in invariants(lifted):
            counted: dict[tuple[int, ...], list[int]] = {}
            key = {lifted.predicates[predicate]: position for predicate, position in found.items()}
            for number, (predicate, terms) in enumerate(self.ground.facts):
                if predicate in key:
                    position = key[predicate]
                    counted.setdefault(() if position is None else (terms[position],), []).append(number)
            groups += counted.values()
        return groups

    def reader(self) -> PddlGoalReader:
        """What asks for goals in this task, and reads them."""
        known = known_at_first(self.task.problem, self.task.sensors)
        return PddlGoalReader(self.task.problem, self.task.lexicon, known)

    def grounded(self, meaning: Meaning) -> Grounded:
        """The meaning over the task's facts. Raises PddlError, and InputError for too many disjuncts."""
        constraints, against = [], []
        for text in meaning.constraints:
            node = parse(text, define=False).root
            assert isinstance(node, Group)
            conditions = list(map(render, node.items[1:]))
            constraints.append((OPERATORS[node.head], tuple(self._dnf(condition, True) for condition in conditions)))
            against += [self._dnf(condition, False) for condition in conditions]
        return Grounded(self._dnf(meaning.goal, True), tuple(constraints), tuple(against))

    def _dnf(self, text: str, positive: bool) -> Goal:
        formula = formula_from_text(text, self.task.problem)
        assert self.ground.instantiator is not None
        lifted = simplify(Translator(self.task.problem).formula(formula, {}, [0], positive))
        return goal_of(self.ground.instantiator.dnf(lifted, {}))

    def same(self, one: Meaning, other: Meaning, rng: np.random.Generator) -> bool:
        """Whether the two meanings accept the same sampled sequences of states."""
        both = [self.grounded(one), self.grounded(other)]
        states = self.states([c for g in both for c in g.conditions], rng)
        sequences = rng.integers(len(states), size=(SEQUENCES, LONGEST))
        sequences[:, 0] = 0  # all begin where the task does
        sequences = np.where(rng.random(sequences.shape) < 0.5, sequences[:, -1:], sequences)
        sequences[:, 0] = 0
        accepted = [accepts(grounded, states, sequences) for grounded in both]
        return bool((accepted[0] == accepted[1]).all())

    def states(self, conditions: Sequence[Goal], rng: np.random.Generator) -> Bits:
        """Bool (states, facts), the first of which is the task's own."""
        aimed = [
            aim(self.random_state(rng), condition, self._groups(), self.alone, rng)
            for condition in conditions
            if len(condition.pos)
            for _ in range(AIMED)
        ]
        spoken = np.unique(np.concatenate([items for c in conditions for items in (c.pos.items, c.neg.items)]))
        changed = []
        for state in aimed if len(spoken) else ():
            for _ in range(CHANGED):
                near = state.copy()
                self.put(near, int(rng.choice(spoken)), rng)
                changed.append(near)
        anywhere = [self.random_state(rng) for _ in range(RANDOM)]
        found = np.stack([self.ground.init, *self.walks(rng), *anywhere, *aimed, *changed])
        possible = [found[:, facts].sum(axis=1) <= 1 for facts in self.alone]
        return np.asarray(found[np.logical_and.reduce(possible)]) if possible else found

    def walks(self, rng: np.random.Generator) -> list[Bits]:
        """The states of random walks."""
        compiled = compile_task(self.ground)
        generator, states = TransitionModel(compiled), []
        for _ in range(WALKS):
            state = make_state(compiled, self.ground.init)
            for _ in range(STEPS):
                operators = generator.applicable(state)
                if not len(operators):
                    break
                state = generator.successor(state, int(rng.choice(operators)))
                states.append(unpack(state[: compiled.half], self.ground.fact_count))
        return states

    def random_state(self, rng: np.random.Generator) -> Bits:
        """Each fact as the task has it at first, or the other way; of each group one is true."""
        state: Bits = self.ground.init ^ (rng.random(self.ground.fact_count) < rng.choice([0.02, 0.1, 0.5]))
        for group in self._groups():
            state[group] = False
            state[rng.choice(group)] = True
        for facts in self.alone:
            true = np.flatnonzero(state[facts])
            if len(true) > 1:
                state[facts] = False
                state[facts[rng.choice(true)]] = True
        return state

    def put(self, state: Bits, fact: int, rng: np.random.Generator) -> None:
        """Turn a fact over, and keep its group to one true fact, or none: it may be held."""
        state[fact] = not state[fact]
        for facts in self.alone:
            if state[fact] and fact in facts:
                state[facts] = False
                state[fact] = True
        for group in self._groups():
            if fact in group:
                state[group[group != fact]] = False
                if not state[fact] and rng.random() < 0.8:
                    state[rng.choice(group)] = True

    def _groups(self) -> list[npt.NDArray[np.int32]]:
        return [self.sensors.groups.row(g) for g in range(len(self.sensors.groups))]


def aim(
    state: Bits,
    condition: Goal,
    groups: list[npt.NDArray[np.int32]],
    alone: list[list[int]],
    rng: np.random.Generator,
) -> Bits:
    """The state, changed so that one disjunct of the condition holds."""
    way = int(rng.integers(len(condition.pos)))
    wanted, unwanted = condition.pos.row(way), condition.neg.row(way)
    for facts in alone:
        if np.isin(wanted, facts).any():
            state[facts] = False
    for group in groups:
        if np.isin(wanted, group).any():
            state[group] = False
        elif state[np.intersect1d(group, unwanted)].any():
            left = np.setdiff1d(group, unwanted)
            state[group] = False
            if len(left):
                state[rng.choice(left)] = True
    state[wanted], state[unwanted] = True, False
    return state


def holds(condition: Goal, states: Bits) -> Bits:
    """In which states some disjunct holds: bool (states,)."""
    found = np.zeros(len(states), np.bool_)
    for way in range(len(condition.pos)):
        wanted, unwanted = condition.pos.row(way), condition.neg.row(way)
        found |= states[:, wanted].all(axis=1) & ~states[:, unwanted].any(axis=1)
    return found


def accepts(meaning: Grounded, states: Bits, sequences: npt.NDArray[np.int64]) -> Bits:
    """Which sequences, int64 (sequences, length) of numbers of states, end in the goal without a violation."""
    kept = holds(meaning.goal, states)[sequences[:, -1]]
    for operator, conditions in meaning.constraints:
        truths = [holds(condition, states)[sequences].tolist() for condition in conditions]
        kept &= np.array([operator.holds(*passed) for passed in zip(*truths, strict=True)])
    return np.asarray(kept)


def _lexicon(domain: Path) -> Path | None:
    path = domain.with_name("lexicon.toml")
    return path if path.is_file() else None
