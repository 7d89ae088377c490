"""Better plans by windows: parts of a plan are cut out and replanned more cheaply (like block-deordering windows,
Siddiqui and Haslum 2015, but in the plan's order).

A window begins in a state of the plan, and ends where all conditions of the rest of the plan hold: the goal and the
steps' conditions, regressed. They are weaker than the plan's state there. The conditions at all places of a plan are
the disjuncts of one goal, one of which is active at a time. So a plan needs one relaxation for all its windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Goal, GroundTask, lists_of
from commonsense_planning.heuristics.delete_relaxation import ff_of_cost_and_length
from commonsense_planning.kernels.compiled import Compiled, compile_like
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.lazy import WeightedAStar
from commonsense_planning.search.classical.subgoals import ActiveSubgoal
from commonsense_planning.state import State, StateView

Facts = set[int]
Truths = npt.NDArray[np.bool_]


def states_of(compiled: Compiled, state: State, operators: Sequence[int]) -> list[State] | None:
    """The states along the operators from ``state``, including the first and the last. None if they are not a plan: one
    is not applicable, a constraint is violated, or the goal does not hold at the end."""
    transition = TransitionModel(compiled)
    states = transition.trajectory(state, operators)
    if len(states) <= len(operators) or any(transition.failure(after) is not None for after in states[1:]):
        return None
    return states if transition.reached(states[-1]) else None


def needs(task: GroundTask, states: Sequence[Truths], operators: Sequence[int]) -> Goal:
    """The conditions at each place of a plan, including its end, under which the rest still reaches the goal: a
    disjunct for each place. ``states``: those of the plan, bool (facts,) each. Where a condition cannot be regressed,
    such as one on a derived fact, it is the whole state."""
    goal, end = task.goal, states[-1]
    rows = ((set(goal.pos.row(d).tolist()), set(goal.neg.row(d).tolist())) for d in range(len(goal.pos)))
    needed = next((true, false) for true, false in rows if _holds(end, true, false))
    found = [needed]
    for state, operator in zip(states[-2::-1], reversed(operators), strict=True):
        needed = _regressed(task, state, operator, *needed)
        if not _holds(state, *needed):
            needed = set(np.flatnonzero(state).tolist()), set(np.flatnonzero(~state).tolist())
        found.append(needed)
    found.reverse()
    return Goal(lists_of([sorted(true) for true, _ in found]), lists_of([sorted(false) for _, false in found]))


def _holds(state: Truths, true: Facts, false: Facts) -> bool:
    return bool(state[list(true)].all() and not state[list(false)].any())


def _regressed(task: GroundTask, state: Truths, operator: int, true: Facts, false: Facts) -> tuple[Facts, Facts]:
    """The facts that have to be true and false in ``state`` so that ``true`` and ``false`` are so after ``operator``,
    and the relevant conditional effects take place as they do now."""
    ops = task.operators
    add, delete = set(ops.add.row(operator).tolist()), set(ops.delete.row(operator).tolist())
    true, false = true - add, false - delete
    want, want_not = set(ops.pre.row(operator).tolist()), set(ops.npre.row(operator).tolist())
    for e in range(ops.effect_start[operator], ops.effect_end[operator]):
        pre, npre = set(ops.cond_pre.row(e).tolist()), set(ops.cond_npre.row(e).tolist())
        add, delete = set(ops.cond_add.row(e).tolist()), set(ops.cond_delete.row(e).tolist())
        if not _holds(state, pre, npre):
            if delete & true or add & false:  # a condition that prevents it has to stay
                off, on = [f for f in sorted(pre) if not state[f]], [f for f in sorted(npre) if state[f]]
                want_not |= set(off[:1])
                want |= set(on[:1] if not off else [])
        elif add & true or delete & false:
            true, false = true - add, false - delete
            want, want_not = want | pre, want_not | npre
    return true | want, false | want_not


class PlanWindows:
    """The windows of one plan of ``task``, which passes through ``states``."""

    def __init__(self, task: GroundTask, compiled: Compiled, operators: Sequence[int], states: Sequence[State]) -> None:
        self._operators, self._task = operators, task
        self._states = list(states)
        truths = [StateView(compiled, state).truth for state in states]
        self._compiled = compile_like(compiled, replace(task, goal=needs(task, truths, operators)))
        self._transition = TransitionModel(self._compiled)
        self._search = WeightedAStar(ff_of_cost_and_length(self._compiled))
        self._goal = ActiveSubgoal(self._compiled, self._search.heuristic.relaxation)

    def passed_through(self, size: int, evaluations: int, stop: Callable[[int], bool]) -> tuple[int, ...]:
        """The plan after one pass from start to end, with windows of ``size`` steps, each of which shares half with the
        one before. At most ``evaluations`` states are evaluated per window. ``stop`` gets the number evaluated, and
        returns whether to leave the rest unchanged."""
        done: list[int] = []
        states = [self._states[0]]
        step, at = max(1, size // 2), 0
        while at < len(self._operators):
            end = min(at + step, len(self._operators))
            start = max(0, len(done) - (size - step))
            window = [*done[start:], *self._operators[at:end]]
            better = self._replanned(states[start], end, self._task.units(window), evaluations)
            done[start:] = window if better is None else better
            del states[start + 1 :]
            states += self._transition.trajectory(states[-1], done[start:])[1:]
            at = end
            if stop(self._search.take_evaluated()):
                break
        return (*done, *self._operators[at:])

    def _replanned(self, state: State, place: int, cost: int, evaluations: int) -> tuple[int, ...] | None:
        """A cheaper path from ``state`` to the conditions at a place of the plan; None if none was found."""
        self._goal.choose(place)
        if cost == 0:
            return None
        if self._transition.reached(state):
            return ()
        self._search.restart(state, 1, 1)
        return self._search.cheaper(cost, evaluations)
