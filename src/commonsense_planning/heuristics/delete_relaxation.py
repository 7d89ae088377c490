"""Heuristics of the delete relaxation, see ``kernels.relaxed``: h_FF, h_add and h_max; and relevance in the
relaxation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.heuristics.heuristic import CompiledHeuristic
from commonsense_planning.heuristics.relaxation import compile_relaxation
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.eager_search import H_ADD, H_FF, H_MAX
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import first_achievers, relaxed_plan, scratch_for

TRIES = 100  # cost of an operator with a certain outcome in ``ff_of_tries``
LEAST_CHANCE = 1e-3  # of an outcome there, so that costs stay small


class RelaxationHeuristic(CompiledHeuristic):
    """``unit_cost``: whether every operator counts 1."""

    def __init__(self, task: Compiled, unit_cost: bool = False) -> None:
        relaxation = compile_relaxation(task, unit_cost)
        super().__init__(task, relaxation, scratch_for(relaxation))


class FF(RelaxationHeuristic):
    """h_FF (Hoffmann and Nebel 2001), the cost of a relaxed plan, with h_add's supporters (Keyder and Geffner 2008).
    Safe, not admissible."""

    number = H_FF

    def relaxed_plan(self, state: State) -> tuple[int, ...]:
        """The operators of the relaxed plan, without duplicates, those first that become applicable most cheaply; none
        at a dead end."""
        cost, length = relaxed_plan(self.relaxation, state, self.scratch, self.plan)
        return tuple(self.plan[:length].tolist()) if cost < FAR else ()


def ff_of_cost_and_length(compiled: Compiled) -> FF:
    """h_FF in which every operator costs one more, as in LAMA (Richter and Westphal 2010, section 3.3), so that
    operators without cost do not make plans long. If all costs are equal, it is h_FF with unit costs."""
    costs = compiled.operators.cost
    if not len(costs) or costs.min() == costs.max():
        return FF(compiled, unit_cost=True)
    h = FF(compiled)
    records = layout.operator_records(h.relaxation)
    records[records[:, layout.PARENT] >= 0, layout.PRICE] += 1
    return h


def ff_of_tries(compiled: Compiled) -> FF:
    """h_FF in which an operator costs ``TRIES`` times the expected tries until its outcome occurs, 1 over its
    probability."""
    h = FF(compiled, unit_cost=True)
    records = layout.operator_records(h.relaxation)
    own = records[:, layout.PARENT] >= 0
    chance = np.maximum(LEAST_CHANCE, compiled.outcomes.chance[records[own, layout.PARENT]])
    records[own, layout.PRICE] = np.round(TRIES / chance)
    return h


class HAdd(RelaxationHeuristic):
    """h_add (Bonet and Geffner 2001): conditions cost their sum. Safe, not admissible."""

    number = H_ADD


class HMax(RelaxationHeuristic):
    """h_max (Bonet and Geffner 2001): conditions cost their maximum. Admissible."""

    number = H_MAX


class RelaxedRelevance(NamedTuple):
    """The relevant part of a task. ``operators`` bool (operators,): whether each can be in a relaxed plan without
    redundancy; ``facts`` bool (facts,): whether these mention each in a condition."""

    operators: npt.NDArray[np.bool_]
    facts: npt.NDArray[np.bool_]


class FirstAchievers:
    """Backward relevance on the delete relaxation from one state, see ``relaxed.first_achievers``. Not thread-safe: it
    has working memory."""

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self._relaxation = x = compile_relaxation(task)
        self._scratch = scratch_for(x)
        self._chosen = np.empty(int(x[layout.RELAXED]), np.uint8)
        self._records = layout.operator_records(x)

    def __call__(self, state: State) -> RelaxedRelevance:
        """The part relevant to the goal from ``state``, uint64 (words,); nothing at a dead end of the relaxation."""
        x, facts = self._relaxation, 64 * self.task.half
        first_achievers(x, state, self._scratch, self._chosen)
        records = self._records[self._chosen.view(np.bool_)]
        operators, about = np.zeros(self.task.operator_count, np.bool_), np.zeros(facts, np.bool_)
        operators[records[records[:, layout.PARENT] >= 0, layout.PARENT]] = True
        for start, end in records[:, [layout.CONDITIONS, layout.CONDITIONS_END]].tolist():
            wants = x[start:end]
            wants = wants[wants < x[layout.STATED]]
            about[np.where(wants < facts, wants, x[int(x[layout.NEGATED]) + np.maximum(wants - facts, 0)])] = True
        return RelaxedRelevance(operators, about)
