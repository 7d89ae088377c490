"""Façades over the kernels: the successor generator, and heuristics as objects.

``h(state)`` is an estimate of the cost from a state to the goal, infinity at a dead end. ``FF``, ``HAdd`` and ``HMax``
are those of the delete relaxation, see ``relaxed``. A best-first search takes any callable of this form; those here run
inside its compiled loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.engine import applicable, is_applicable, progress
from commonsense_planning.kernels.lm_cut import compile_lm_cut, memory_for
from commonsense_planning.kernels.relaxation import (
    CONDITIONS,
    CONDITIONS_END,
    FAR,
    NEGATED,
    OPERATOR_SIZE,
    OPERATORS,
    PARENT,
    RELAXED,
    STATED,
    compile_relaxation,
)
from commonsense_planning.kernels.relaxed import (
    BLIND,
    H_ADD,
    H_FF,
    H_MAX,
    LM_CUT,
    estimate,
    first_achievers,
    relaxed_plan,
    scratch_for,
)


class SuccessorGenerator:
    """Of one compiled task. States are as ``make_state`` makes them, uint64 (words,); they are never changed."""

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self._buffer = np.empty(max(1, task.operator_count), np.int32)

    def applicable(self, state: State) -> Int32:
        """The operators whose preconditions hold, and are known to hold where they are hidden; ascending."""
        found = self._buffer[: applicable(self.task.table, state, self._buffer)]
        return np.sort(found)

    def successor(self, state: State, operator: int) -> State:
        """The state after ``operator``, with what is sensed there.

        Raises ValueError if the operator is not applicable.
        """
        if not is_applicable(self.task.table, state, operator):
            raise ValueError(f"operator {operator} is not applicable in the state")
        after = state.copy()
        progress(self.task.table, after, operator)
        return after

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Every applicable operator with the state after it."""
        for operator in self.applicable(state).tolist():
            yield operator, self.successor(state, operator)


Heuristic = Callable[[State], float]


class CompiledHeuristic:
    """What the compiled loops know by its ``number``. Not for two threads at a time: it has working memory.

    ``task``: the compiled task whose goal is to be reached. ``unit_cost``: every operator counts 1, whatever it costs.
    """

    number: ClassVar[int]

    def __init__(self, task: Compiled, unit_cost: bool = False) -> None:
        self.task = task
        self.relaxation = compile_relaxation(task, unit_cost)
        self.scratch = scratch_for(self.relaxation)
        self.plan = np.empty(max(1, task.operator_count), np.int32)

    def __call__(self, state: State) -> float:
        """h of ``state``, uint64 (words,), at least 0; infinity if there is no plan even in the relaxation."""
        cost = estimate(self.number, self.relaxation, state, self.scratch, self.plan)
        return math.inf if cost >= FAR else float(cost)


class FF(CompiledHeuristic):
    """h_FF (Hoffmann and Nebel 2001), the cost of a relaxed plan, with h_add's supporters (Keyder and Geffner 2008).
    Safe, not admissible."""

    number = H_FF

    def relaxed_plan(self, state: State) -> tuple[int, ...]:
        """The operators of the relaxed plan, each once, those first that can be applied most cheaply; none at a dead
        end."""
        cost, length = relaxed_plan(self.relaxation, state, self.scratch, self.plan)
        return tuple(self.plan[:length].tolist()) if cost < FAR else ()


class HAdd(CompiledHeuristic):
    """h_add (Bonet and Geffner 2001): conditions cost their sum. Safe, not admissible."""

    number = H_ADD


class HMax(CompiledHeuristic):
    """h_max (Bonet and Geffner 2001): conditions cost their maximum. Admissible."""

    number = H_MAX


class LMCut(CompiledHeuristic):
    """LM-cut (Helmert and Domshlak 2009): the cost of disjoint landmarks. Admissible; at least h_max where there are no
    conditional effects. Raises ValueError for a task in which something is hidden."""

    number = LM_CUT

    def __init__(self, task: Compiled, unit_cost: bool = False) -> None:
        if task.words != task.half:
            raise ValueError("LM-cut is for tasks in which nothing is hidden")
        self.task = task
        self.relaxation = compile_lm_cut(compile_relaxation(task, unit_cost))
        self.scratch = memory_for(self.relaxation)
        self.plan = np.empty(max(1, task.operator_count), np.int32)


class Bearing(NamedTuple):
    """What bears on the goal: ``operators`` bool (operators,), those that can be part of a relaxed plan in which
    nothing is needless; ``facts`` bool (facts,), what these want true or false."""

    operators: npt.NDArray[np.bool_]
    facts: npt.NDArray[np.bool_]


class FirstAchievers:
    """Backward relevance on the delete relaxation from one state, see ``relaxed.first_achievers``. Not for two threads
    at a time: it has working memory."""

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self._relaxation = x = compile_relaxation(task)
        self._scratch = scratch_for(x)
        self._chosen = np.empty(int(x[RELAXED]), np.bool_)
        self._records = x[int(x[OPERATORS]) :][: OPERATOR_SIZE * int(x[RELAXED])].reshape(-1, OPERATOR_SIZE)

    def __call__(self, state: State) -> Bearing:
        """What bears on the goal from ``state``, uint64 (words,); nothing at a dead end of the relaxation."""
        x, facts = self._relaxation, 64 * self.task.half
        first_achievers(x, state, self._scratch, self._chosen)
        records = self._records[self._chosen]
        operators, about = np.zeros(self.task.operator_count, np.bool_), np.zeros(facts, np.bool_)
        operators[records[records[:, PARENT] >= 0, PARENT]] = True
        for start, end in records[:, [CONDITIONS, CONDITIONS_END]].tolist():
            wants = x[start:end]
            wants = wants[wants < x[STATED]]
            about[np.where(wants < facts, wants, x[int(x[NEGATED]) + np.maximum(wants - facts, 0)])] = True
        return Bearing(operators, about)


class Blind(CompiledHeuristic):
    """h = 0: A* becomes uniform-cost search."""

    number = BLIND

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self.relaxation = self.scratch = self.plan = np.zeros(1, np.int32)  # is never looked at
