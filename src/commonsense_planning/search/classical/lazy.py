"""Lazy best-first search, greedy or weighted A*: for large and hard tasks, in which nothing is hidden.

``kernels.lazy_search`` explains the search. Landmarks cost some looks at the whole task before the search begins:
whoever plans thousands of times in one task goes by h_FF alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from commonsense_planning.heuristics.delete_relaxation import FF
from commonsense_planning.heuristics.landmarks import landmarks_in_order
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.landmarks import NO_LANDMARKS, Landmarks
from commonsense_planning.kernels.lazy_search import START, lazy_slice
from commonsense_planning.kernels.relaxed_forwards import NO_ROWS, Rows, rows_for
from commonsense_planning.kernels.search_memory import LISTS, Memory
from commonsense_planning.search.classical.compiled_search import (
    SLICE,
    CompiledSearch,
    Limits,
    Report,
    SearchResult,
    with_actions_eliminated,
)
from commonsense_planning.state import State

Weights = tuple[int, int, int, int]
GREEDY: Weights = (0, 1, np.iinfo(np.int64).max, 0)


class AlternationState(NamedTuple):
    """What a search by h_FF, landmarks and novelty in turn knows of the state from which it begins."""

    landmarks: Landmarks
    rows: Rows


def turns_from(h: FF, state: State) -> AlternationState:
    """For searches from ``state``."""
    landmarks = landmarks_in_order(h.task, h.relaxation, state, h.scratch)
    return AlternationState(landmarks, rows_for(h.relaxation, state, h.scratch))


class LazySearch(CompiledSearch):
    """One search at a time by ``heuristic``; with ``turns`` by landmarks and novelty as well."""

    def __init__(self, heuristic: FF, turns: AlternationState | None = None) -> None:
        self.heuristic = h = heuristic
        landmarks, rows = turns or AlternationState(NO_LANDMARKS, NO_ROWS)
        table, buffer = h.task.table, np.empty(max(1, h.task.operator_count), np.int32)
        self.weights = GREEDY

        def run(memory: Memory) -> int:
            x, scratch, plan = h.relaxation, h.scratch, h.plan
            return lazy_slice(table, *self.weights, x, scratch, rows, landmarks, memory, buffer, plan, SLICE)

        super().__init__(h.task, run, LISTS if turns else 2, turns and turns.landmarks)

    def greedy(self, state: State, limits: Limits | None, report: Report | None) -> SearchResult:
        """A plan from ``state``, without operators that it does not need; ``report`` gets ("h", lowest h_FF, evaluated
        states) now and then. If all states were searched, there is provably no plan."""
        return with_actions_eliminated(self._task, state, self.search(state, START, limits or Limits(), report))


def alternating_search(
    task: Compiled, state: State, limits: Limits | None = None, report: Report | None = None
) -> SearchResult:
    """Greedy search by h_FF, landmarks and novelty in turn, see ``LazySearch.greedy``."""
    h = FF(task, unit_cost=True)
    return LazySearch(h, turns_from(h, state)).greedy(state, limits, report)


class WeightedAStar(LazySearch):
    """Weighted A* that can be gone on with: plans below a bound, one search after the other. h_FF is of cost and
    length, and landmarks count what their cheapest achievers do (Richter and Westphal 2010, section 5)."""

    def __init__(self, heuristic: FF, turns: AlternationState | None = None) -> None:
        super().__init__(heuristic, turns)
        self._evaluated = 0

    def restart(self, state: State, g_weight: int, h_weight: int, ties: int = 0) -> None:
        """Forget the last search, and begin one from ``state``. ``ties``: 0 is first come, first served; other numbers
        break ties in other ways."""
        self.weights = g_weight, h_weight, 0, ties
        self.begin(state, START)

    def take_evaluated(self) -> int:
        """How many states were evaluated since this was last asked."""
        taken, self._evaluated = self._evaluated, 0
        return taken

    def cheaper(self, bound: int, evaluations: int, stop: Callable[[], bool] = lambda: False) -> tuple[int, ...] | None:
        """Continue until there is a plan that costs less than ``bound``, the limit of further states is evaluated, or
        ``stop`` returns true; None if there is no plan yet. ``exhausted``: it has proven that there is none."""
        if self.full or self.exhausted:
            return None
        g_weight, h_weight, _, ties = self.weights
        self.weights = g_weight, h_weight, bound, ties
        before = self.evaluated
        self.go_on(lambda: "enough for now" if stop() or self.evaluated >= before + evaluations else "")
        self._evaluated += self.evaluated - before
        return self.plan
