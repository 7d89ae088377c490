"""Lazy best-first search, greedy or weighted A*, for large and hard tasks in which nothing is hidden.

``kernels.lazy_search`` describes the search. Landmarks take a few passes over the whole task before the search begins:
to plan thousands of times in one task, use h_FF alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from commonsense_planning.heuristics.delete_relaxation import FF
from commonsense_planning.heuristics.landmarks import find_landmarks, with_reasonable_orders
from commonsense_planning.kernels.compiled import UNREACHABLE, Compiled
from commonsense_planning.kernels.landmarks import NO_LANDMARKS, Landmarks
from commonsense_planning.kernels.lazy_search import START, lazy_slice
from commonsense_planning.kernels.relaxed_forwards import NO_ROWS, Rows, rows_for
from commonsense_planning.kernels.search_memory import LISTS, Memory
from commonsense_planning.search.classical.compiled_search import SLICE, CompiledSearch, Limits, Report, SearchResult
from commonsense_planning.state import State

Weights = tuple[int, int, int, int]
GREEDY: Weights = (0, 1, np.iinfo(np.int64).max, 0)


class AlternationState(NamedTuple):
    """The landmarks and the relaxed operators of the initial state of an alternating search (h_FF, landmarks,
    novelty)."""

    landmarks: Landmarks
    rows: Rows


def turns_from(h: FF, state: State) -> AlternationState:
    """The ``AlternationState`` of searches from ``state``."""
    natural = find_landmarks(h.relaxation, state, h.scratch)
    landmarks = with_reasonable_orders(h.task, h.relaxation, state, natural)
    return AlternationState(landmarks, rows_for(h.relaxation, state, h.scratch))


class LazySearch(CompiledSearch):
    """One search at a time by ``heuristic``; with ``turns``, also by landmarks and novelty."""

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
        """A plan from ``state``, without redundant operators. ``report`` gets ("h", lowest h_FF, evaluated states) at
        intervals. If the search is exhausted, there is provably no plan."""
        return self.search(state, START, limits or Limits(), report).pruned(self._task, state)


def alternating_search(
    task: Compiled, state: State, limits: Limits | None = None, report: Report | None = None
) -> SearchResult:
    """Greedy search that alternates between h_FF, landmarks and novelty; see ``LazySearch.greedy``."""
    h = FF(task, unit_cost=True)
    return LazySearch(h, turns_from(h, state)).greedy(state, limits, report)


class WeightedAStar(LazySearch):
    """Weighted A* that can be continued: successive searches for plans below a bound. h_FF is of cost and length, and
    landmarks count the costs of their cheapest achievers (Richter and Westphal 2010, section 5)."""

    def __init__(self, heuristic: FF, turns: AlternationState | None = None) -> None:
        super().__init__(heuristic, turns)
        self._evaluated = 0

    def restart(self, state: State, g_weight: int, h_weight: int, ties: int = 0) -> None:
        """Discards the last search, and begins one from ``state``. ``ties``: 0 is first come, first served; other
        numbers break ties in other ways."""
        self.weights = g_weight, h_weight, 0, ties
        self.begin(state, START)

    def take_evaluated(self) -> int:
        """The number of states evaluated since the last call."""
        taken, self._evaluated = self._evaluated, 0
        return taken

    def cheaper(self, bound: int, evaluations: int, stop: Callable[[], bool] = lambda: False) -> tuple[int, ...] | None:
        """Continues until there is a plan that costs less than ``bound``, ``evaluations`` more states are evaluated, or
        ``stop`` returns true. None without a plan; then ``exhausted`` says whether there is provably none."""
        if self.full or self.exhausted:
            return None
        g_weight, h_weight, _, ties = self.weights
        self.weights = g_weight, h_weight, min(bound, UNREACHABLE), ties
        before = self.evaluated
        self.go_on(lambda: "enough for now" if stop() or self.evaluated >= before + evaluations else "")
        self._evaluated += self.evaluated - before
        return self.plan
