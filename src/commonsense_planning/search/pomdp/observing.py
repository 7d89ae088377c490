"""Sensing under correlated hidden facts: a fact is known if it has the same value in all possible worlds.

A *history* is a set of worlds, each with its state, and the knowledge shared by them. An operator changes each world as
it would the true one; its observation divides them. A macro leads to the next operator that divides the worlds: an
*observe* action counts as a sensing rule whose condition is the action's precondition, and its macro ends with the
action. The plans up to there are a planner's: they use known facts only; everything else counts as false and unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commonsense_planning.grounding.ground_task import Goal, GroundTask, Int32, lists_of
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.subgoals import SubgoalPlanner
from commonsense_planning.state import FactSet, State, States, StateView, fact_set, facts_in

MOST_GOALS = 32  # disjuncts of a goal that are planned for


@dataclass(frozen=True)
class History:
    """``members``: int32 (n,), the possible worlds; ``states``: uint64 (n, words), their states, with the same
    knowledge in all. ``known``: the state as the agent sees it, in which unknown facts are false."""

    members: Int32
    states: States
    known: State

    @cached_property
    def key(self) -> bytes:
        """Equal for histories with the same future."""
        return self.members.tobytes() + self.states.tobytes()


@dataclass(eq=False)
class ContingentPolicyBranch:
    """A macro: ``operators`` up to its end. ``ends``: whether the goal is known to be reached there. ``gain``: the
    probability that it distinguishes two worlds drawn at random. ``find``: computes ``after``, at the first request."""

    operators: tuple[int, ...]
    find: Callable[[], tuple[History, ...]]
    gain: float
    ends: bool = False

    @cached_property
    def after(self) -> tuple[History, ...]:
        """The histories at its end, one per observation."""
        return self.find()


class Histories:
    """Makes histories of a task. ``doubtful``: bool (facts,), the facts that the agreement of the worlds may settle;
    ``changing``: those of unobserved effects."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        sensors, ops = compiled.sensors, compiled.operators
        self.changing = np.zeros_like(sensors.hidden)  # worlds may differ in them
        for e in np.flatnonzero(sensors.unobserved).tolist():
            self.changing[ops.cond_add.row(e)] = self.changing[ops.cond_delete.row(e)] = True
        self.doubtful = fact_set(compiled, sensors.hidden)

    def history(self, members: Int32, states: States) -> History:
        """The possible worlds, with the facts on which they agree as known."""
        states = states.copy()
        view = StateView(self.compiled, states)
        view.known[:] |= ~differences(view.true) & self.doubtful
        return self._history(members, states)

    def _history(self, members: Int32, states: States) -> History:
        return History(members, states, StateView(self.compiled, states[0]).visible)

    def parted(self, members: Int32, states: States) -> list[History]:
        """The worlds, divided by observation."""
        seen = StateView(self.compiled, states).visible
        first = seen[0]
        if (seen == first).all():
            return [self.history(members, states)]
        parts: dict[bytes, list[int]] = {}
        for i, row in enumerate(seen):
            parts.setdefault(row.tobytes(), []).append(i)
        return [self.history(members[rows], states[rows]) for rows in parts.values()]


class Observing(Histories):
    """The macros at a task's histories."""

    def __init__(self, task: GroundTask, compiled: Compiled) -> None:
        super().__init__(compiled)
        sensors, ops, goal = compiled.sensors, task.operators, task.goal
        observing: dict[tuple[bytes, bytes], list[int]] = {}  # precondition → operators that observe under it
        for operator in range(len(sensors.observed)):
            if len(sensors.observed.row(operator)):
                key = ops.pre.row(operator).tobytes(), ops.npre.row(operator).tobytes()
                observing.setdefault(key, []).append(operator)
        firsts = [some[0] for some in observing.values()]
        rules = range(len(sensors.when))
        goals = range(min(len(goal.pos), MOST_GOALS))
        parts = np.unique(goal.pos.items)
        positive = [*map(ops.pre.row, firsts), *map(sensors.when.row, rules), *map(goal.pos.row, goals)]
        negative = [*map(ops.npre.row, firsts), *map(sensors.when_not.row, rules), *map(goal.neg.row, goals)]
        positive, negative = [*positive, *parts.reshape(-1, 1)], [*negative, *[parts[:0]] * len(parts)]
        self._subgoals = SubgoalPlanner(task, compiled, Goal(lists_of(positive), lists_of(negative)))
        shows = [sorted({f for o in some for f in sensors.observed.row(o).tolist()}) for some in observing.values()]
        self._sensing: list[tuple[tuple[int, ...], Int32]] = [  # by condition: operators that observe, what is shown
            *((tuple(some), np.array(facts, np.int32)) for some, facts in zip(observing.values(), shows, strict=True)),
            *(((), sensors.seen.row(rule)) for rule in rules),
        ]
        self._goals = range(len(self._sensing), len(self._sensing) + len(goals))
        self._parts = range(self._goals.stop, self._goals.stop + len(parts))
        counts = ops.effect_end - ops.effect_start
        self._silent = (counts == 0) if not rules else np.zeros(len(counts), np.bool_)
        self._silent[[o for some in observing.values() for o in some]] = False
        effects = ops.add.end - ops.add.start + ops.delete.end - ops.delete.start
        few = (sensors.observed.end - sensors.observed.start) < 20
        self._only_shows = (effects == 0) & (counts == 0) & (few if len(few) else False) & (not rules)
        self._plans: dict[tuple[bytes, int], tuple[int, ...] | None] = {}
        self._transition = TransitionModel(compiled)

    def carry_out(self, history: History, operators: Sequence[int], weight: Floats) -> ContingentPolicyBranch | None:
        """The operators as a macro, cut after the first that divides the worlds, or before the first that is not
        applicable by this knowledge; None if that is the first operator."""
        done, parted = self._walk(history, operators)
        return self._course(done, parted, weight) if done else None

    def _course(self, done: tuple[int, ...], parted: tuple[History, ...], weight: Floats) -> ContingentPolicyBranch:
        ends = len(parted) == 1 and self._transition.reached(parted[0].known)
        shares = np.array([weight[h.members].sum() for h in parted])
        return ContingentPolicyBranch(done, lambda: parted, _told_apart(shares), ends)

    def _walk(self, history: History, operators: Sequence[int]) -> tuple[tuple[int, ...], tuple[History, ...]]:
        """The operators up to the first that divides the worlds, or before the first that is not applicable, and the
        histories then."""
        parted: tuple[History, ...] = (history,)
        for done, operator in enumerate(operators):
            here = parted[0]
            if not self._transition.is_applicable(here.known, operator):
                return tuple(operators[:done]), parted
            states = self._transition.successors_of(here.states, operator)
            if self._silent[operator]:  # all that it changes is known to change
                parted = (self._history(here.members, states),)
                continue
            parted = tuple(self.parted(here.members, states))
            if len(parted) > 1:
                return tuple(operators[: done + 1]), parted
        return tuple(operators), parted

    def plan(self, history: History, weight: Floats) -> ContingentPolicyBranch | None:
        """A plan to the goal with this knowledge; None if none reaches it in all worlds."""
        plans = [plan for d in self._goals if (plan := self._plan(history, d)) is not None]
        for plan in sorted(plans, key=len):
            if plan:
                course = self.carry_out(history, plan, weight)
                if course is not None and course.ends:
                    return course
        return None

    def sensing_macros(self, history: History, weight: Floats) -> list[ContingentPolicyBranch]:
        """The macros that reveal something: one for each sensing rule and *observe* action."""
        found: dict[tuple[int, ...], ContingentPolicyBranch] = {}
        open_facts = self.changing.copy()
        open_facts[facts_in(differences(StateView(self.compiled, history.states).true))] = True
        for subgoal, (operators, shown) in enumerate(self._sensing):
            if not open_facts[shown].any():
                continue
            before = self._plan(history, subgoal)
            if before is None:
                continue
            done, parted = self._walk(history, before)
            if len(parted) > 1 or len(done) < len(before) or not operators:
                if len(parted) > 1:
                    found.setdefault(done, self._course(done, parted, weight))
                continue
            for last in operators:
                shown = self.compiled.sensors.observed.row(last)
                if open_facts[shown].any():
                    course = self._observed(done, parted[0], last, shown, weight)
                    if course.gain > 0:
                        found.setdefault(course.operators, course)
        return list(found.values())

    def _observed(
        self, before: tuple[int, ...], there: History, last: int, shown: Int32, weight: Floats
    ) -> ContingentPolicyBranch:
        """The macro to observe at the end of a plan. The shown values divide the worlds, unless the operator also
        changes something."""
        done = (*before, last)
        if not self._only_shows[last]:
            return self._course(done, self._walk(there, (last,))[1], weight)
        values = StateView(self.compiled, there.states).among(shown).astype(np.int64)
        shares = np.bincount(values @ (1 << np.arange(len(shown))), weight[there.members]).astype(np.float64)
        return ContingentPolicyBranch(done, lambda: self._walk(there, (last,))[1], _told_apart(shares))

    def _plan(self, history: History, subgoal: int) -> tuple[int, ...] | None:
        """A plan with this knowledge; stored, since many histories have the same knowledge."""
        key = history.known.tobytes(), subgoal
        if key not in self._plans:
            self._plans[key] = self._subgoals.plan(history.known, subgoal)
        return self._plans[key]

    def steps(self, history: History, weight: Floats) -> list[ContingentPolicyBranch]:
        """The macros that make a fact of the goal true that is not true yet, with this knowledge."""
        found: dict[tuple[int, ...], ContingentPolicyBranch] = {}
        for subgoal in self._parts:
            plan = self._plan(history, subgoal)
            course = self.carry_out(history, plan, weight) if plan else None
            if course is not None:
                found.setdefault(course.operators, course)
        return list(found.values())


def differences(sets: States) -> FactSet:
    """The facts that are in some, but not in all, of several sets, uint64 (sets, n)."""
    some, every = np.bitwise_or.reduce(sets), np.bitwise_and.reduce(sets)
    return np.asarray(some ^ every, np.uint64)


def _told_apart(shares: Floats) -> float:
    """The probability that two worlds drawn at random are in different parts; ``shares``: the parts' weights."""
    shares = shares / shares.sum()
    gain = float(1 - shares @ shares)
    return gain if gain > 1e-12 else 0.0
