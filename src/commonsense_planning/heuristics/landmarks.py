"""Landmarks of a state with all their orders (``kernels.landmarks``), and the number of missing ones as a heuristic."""

from __future__ import annotations

import math

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.heuristics.relaxation import compile_relaxation
from commonsense_planning.kernels import landmarks as kernels
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.landmarks import Landmarks
from commonsense_planning.kernels.mutexes import free_facts, non_mutex_pairs
from commonsense_planning.kernels.relaxation import FAR, PROPOSITIONS, wanted_by
from commonsense_planning.kernels.relaxed import explore, needed_propositions, scratch_for

MOST_WORDS = 200  # words of facts; with more, mutexes take seconds


def with_reasonable_orders(task: Compiled, relaxation: Int32, state: State, marks: Landmarks) -> Landmarks:
    """The landmarks of a state with reasonable orders added to ``before``; unchanged if there are none, and in a task
    of more than 12,800 facts, where they take too long."""
    if task.half > MOST_WORDS:
        return marks
    twice, last = kernels.split_goal_landmarks(relaxation, state, marks)
    pairs = non_mutex_pairs(task.table, state, free_facts(task))
    orders = kernels.acyclic(twice.before, kernels.threatened(relaxation, twice, last, pairs))
    return twice._replace(before=twice.before | orders) if orders.any() else marks


def find_landmarks(relaxation: Int32, state: State, scratch: Int32) -> Landmarks:
    """The landmarks of the goal from a state; none at a dead end. ``scratch``: see ``relaxed.scratch_for``."""
    needed = np.empty(int(relaxation[PROPOSITIONS]), np.int32)
    candidates = needed[: needed_propositions(relaxation, state, scratch, needed)]
    wanted = wanted_by(relaxation)
    found = kernels.propagated(relaxation, state, candidates, wanted.end.astype(np.int32), wanted.items)
    return Landmarks(*kernels.ordered(relaxation, candidates, *found))


def priced(relaxation: Int32, marks: Landmarks) -> Landmarks:
    """The landmarks, each with the lowest price of its achievers, at least 1, so that their count is in units of the
    relaxation's costs."""
    return marks._replace(price=kernels.prices(relaxation, marks.propositions))


class LandmarkCount:
    """The number of landmarks of a state that are not true in it. Safe, not admissible: an operator may achieve
    several. Not thread-safe: it has working memory."""

    def __init__(self, task: Compiled) -> None:
        self._relaxation = compile_relaxation(task)
        self._scratch = scratch_for(self._relaxation)

    def __call__(self, state: State) -> float:
        """h of ``state``, uint64 (words,), at least 0; infinite if there is no plan even in the relaxation."""
        if explore(self._relaxation, state, True, self._scratch) >= FAR:
            return math.inf
        marks = find_landmarks(self._relaxation, state, self._scratch)
        return float(kernels.count_missing(self._relaxation, marks, state, np.zeros(marks.before.shape[1], np.uint64)))
