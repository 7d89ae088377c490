"""Best-first search with a heuristic object, greedy or A*.

A*, weighted A* and greedy search expand the node with the lowest f = wg · g + wh · h first (``kernels.eager_search``).
Greedy search with h_FF is lazy, with preferred operators (``lazy``).

h_FF and h_max are safe (infinite only where there is no plan), so an exhausted search proves that there is no plan.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.heuristics.delete_relaxation import FF, ff_of_tries
from commonsense_planning.heuristics.heuristic import CompiledHeuristic, Heuristic
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels import search_memory as layout
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.eager_search import KEPT, NEW, OUTSIDE, eager_slice
from commonsense_planning.kernels.search_memory import Memory, push
from commonsense_planning.search.classical.compiled_search import SLICE, CompiledSearch, Limits, Report, SearchResult
from commonsense_planning.search.classical.lazy import LazySearch
from commonsense_planning.state import State

A_WHILE = Limits(evaluations=20000)  # some 30 ms


class BestFirst:
    """A planner for one compiled task. ``heuristic``: any ``h(state)``, by default h_FF with unit costs."""

    def __init__(self, task: Compiled, heuristic: Heuristic | None = None) -> None:
        self.task = task
        self.heuristic = FF(task, unit_cost=True) if heuristic is None else heuristic
        self._lazy: LazySearch | None = None
        self._eager: EagerSearch | None = None

    def gbfs(self, state: State, limits: Limits | None = None, report: Report | None = None) -> SearchResult:
        """Greedy best-first search from ``state``, then action elimination. ``report`` gets ("h", lowest h, evaluated
        states) at intervals."""
        if isinstance(self.heuristic, FF):
            self._lazy = self._lazy or LazySearch(self.heuristic)
            return self._lazy.greedy(state, limits, report)
        return self._eagerly(state, 0, 1, limits, report).pruned(self.task, state)

    def astar(
        self, state: State, weight: int = 1, limits: Limits | None = None, report: Report | None = None
    ) -> SearchResult:
        """A* from ``state``: a cheapest plan if the heuristic is admissible; with ``weight``, weighted A*, whose plan
        costs at most ``weight`` times as much. ``report`` gets ("h", latest f, evaluated states) at intervals."""
        return self._eagerly(state, 1, weight, limits, report)

    def _eagerly(
        self, state: State, g_weight: int, h_weight: int, limits: Limits | None, report: Report | None
    ) -> SearchResult:
        self._eager = self._eager or EagerSearch(self.task, self.heuristic)
        self._eager.weights = g_weight, h_weight
        return self._eager.search(state, NEW, limits or Limits(), report)


class ExpectedAttemptsPlanner(BestFirst):
    """A planner for a task whose actions have several outcomes by chance. A plan chooses outcomes, and minimises the
    expected number of tries until each has occurred, 1 over its probability."""

    def __init__(self, task: Compiled) -> None:
        super().__init__(task, ff_of_tries(task))
        self._unit = BestFirst(task)

    def tries(self, operators: Sequence[int]) -> float:
        """The expected number of tries of a plan."""
        return sum(1 / float(self.task.outcomes.chance[operator]) for operator in operators)

    def gbfs(self, state: State, limits: Limits | None = None, report: Report | None = None) -> SearchResult:
        """Greedy search by h_FF of tries; then A* with h_FF of unit costs has ``A_WHILE`` to find a plan of fewer
        tries."""
        found = super().gbfs(state, limits, report)
        if not found.operators:
            return found
        other = self._unit.astar(state, limits=A_WHILE)
        return other if other.operators and self.tries(other.operators) < self.tries(found.operators) else found


class EagerSearch(CompiledSearch):
    """One search at a time by any heuristic. A heuristic that is not compiled is called for one state at a time. Its
    values may be fractions: the keys of the open list are then their bits."""

    def __init__(self, task: Compiled, heuristic: Heuristic) -> None:
        self.weights = 1, 1
        operators = max(1, task.operator_count)
        self._buffer, self._reached = np.empty(operators, np.int32), np.empty(operators, np.int32)
        self._met = np.empty(operators, np.int64)
        self._heuristic = heuristic
        self._waiting: list[int] = []
        run = partial(self._compiled, heuristic) if isinstance(heuristic, CompiledHeuristic) else self._asking
        super().__init__(task, run, 1 + KEPT)

    def begin(self, state: State, entry: int) -> None:
        """As in ``CompiledSearch``."""
        super().begin(state, entry)
        self._waiting.clear()

    def _compiled(self, h: CompiledHeuristic, memory: Memory) -> int:
        how = h.number, *self.weights, isinstance(h, LMCut) and self.weights == (1, 1)
        return self._slice(memory, how, h.relaxation, h.scratch, h.costs, h.plan)

    def _slice(
        self, memory: Memory, how: tuple[int, int, int, bool], x: Int32, scratch: Int32, costs: Int64, plan: Int32
    ) -> int:
        table, reached, met = self._task.table, self._reached, self._met
        return eager_slice(table, *how, x, scratch, costs, memory, self._buffer, plan, reached, met, SLICE)

    def _asking(self, memory: Memory) -> int:
        """Expands a state, or evaluates one that was reached. Equal f: first come, first served, if g does not
        count."""
        counts, none, no_costs = memory.counts, np.zeros(1, np.int32), np.zeros(1, np.int64)
        if not self._waiting:
            outcome = self._slice(memory, (OUTSIDE, *self.weights, False), none, none, no_costs, none)
            self._waiting = self._reached[: counts[layout.WAITING]].tolist()[::-1]
            counts[layout.WAITING] = 0
            return outcome
        number = self._waiting.pop()
        (g_weight, h_weight), g = self.weights, int(memory.costs[number, layout.DISTANCE])
        h = self._heuristic(memory.states[number])
        counts[layout.EVALUATED] += 1
        counts[layout.INSERTED] += 1
        if h < math.inf:
            second = _bits(h) if g_weight else counts[layout.INSERTED]
            push(memory.entries, counts, 0, _bits(g_weight * g + h_weight * h), second, number, g)
        return layout.RUNNING


def _bits(number: float) -> int:
    """An integer that is monotonic in the float: its bits."""
    bits = int(np.float64(number + 0.0).view(np.int64))
    return bits if bits >= 0 else bits ^ (2**63 - 1)
