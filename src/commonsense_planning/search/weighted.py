"""Lazy weighted A* that can be gone on with: plans below a bound, one search after the other.

``Weighted`` takes h_FF alone, and begins at once: it is for many short searches. ``WeightedByTurns`` looks for
landmarks first, and takes the open lists of ``kernels.alternation`` in turn, as LAMA does (Richter and Westphal 2010,
section 5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from commonsense_planning.kernels import best_first as loop
from commonsense_planning.kernels.alternation import alternating_slice, memory_at
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.facades import FF
from commonsense_planning.kernels.landmarks import priced
from commonsense_planning.kernels.reasonable_orders import landmarks_in_order
from commonsense_planning.kernels.relaxation import OPERATOR_SIZE, OPERATORS, PARENT, PRICE, RELAXED
from commonsense_planning.kernels.relaxed_forwards import rows_for
from commonsense_planning.kernels.weighted import weighted_slice

_ENTRIES = 100  # of the open lists, between looks at the clock
_MEGABYTES = 8000


def ff_of_cost_and_length(compiled: Compiled) -> FF:
    """h_FF in which every operator costs one more than it does, as LAMA has it (Richter and Westphal 2010, section
    3.3): plans that cost little, and are not as long as operators without cost would make them. Where all cost the
    same, that is what is counted."""
    costs = compiled.operators.cost
    if not len(costs) or costs.min() == costs.max():
        return FF(compiled, unit_cost=True)
    h = FF(compiled)
    at, count = int(h.relaxation[OPERATORS]), int(h.relaxation[RELAXED])
    records = h.relaxation[at : at + OPERATOR_SIZE * count].reshape(count, OPERATOR_SIZE)
    records[records[:, PARENT] >= 0, PRICE] += 1
    return h


class Weighted:
    """One search at a time over a compiled task. ``exhausted``: it has shown that no plan costs less than the bound;
    ``full``: it may have no more memory."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self.heuristic = ff_of_cost_and_length(compiled)
        self._buffer = np.empty(max(1, compiled.operator_count), np.int32)
        self._small: loop.Memory | None = None
        self._evaluated = 0

    def begin(self, state: State, g_weight: int, h_weight: int) -> None:
        """Forget the last search, and begin one from ``state``."""
        self._weights = g_weight, h_weight
        self._memory = self._first_memory(state)
        self.exhausted = self.full = False

    def _first_memory(self, state: State) -> loop.Arrays:
        """A small memory with ``state`` entered."""
        if self._small is None:
            self._small = loop.first_memory(self._compiled.words)
        loop.begin(self._small, state, loop.START)
        return self._small

    def _run(self, memory: Any, bound: int) -> int:
        """Take some entries of the open lists; say how that ended."""
        h, table, weights = self.heuristic, self._compiled.table, (*self._weights, bound)
        arrays: loop.Memory = memory
        return weighted_slice(
            table, weights, h.relaxation, h.scratch, *arrays, self._buffer, h.plan, _ENTRIES
        )

    def take_evaluated(self) -> int:
        """How many states were evaluated since this was last asked."""
        taken, self._evaluated = self._evaluated, 0
        return taken

    def cheaper(
        self, bound: int, evaluations: int, stop: Callable[[], bool] = lambda: False
    ) -> tuple[int, ...] | None:
        """Go on until there is a plan that costs less than ``bound``, so many more states are evaluated, or ``stop``
        says so; None if there is no plan yet."""
        memory = self._memory
        first = before = int(memory.counts[loop.EVALUATED])
        outcome = loop.RUNNING
        while before < first + evaluations and not self.exhausted and not self.full and outcome != loop.FOUND:
            outcome = self._run(memory, bound)
            self.exhausted = outcome == loop.EXHAUSTED
            crowded = memory.crowded(outcome == loop.FULL)
            self.full = loop.megabytes(memory, crowded) > _MEGABYTES
            if not self.full:
                memory = self._memory = loop.grown(memory, crowded)
            self._evaluated += int(memory.counts[loop.EVALUATED]) - before
            before = int(memory.counts[loop.EVALUATED])
            if stop():
                break
        return loop.trace(memory) if outcome == loop.FOUND else None


class WeightedByTurns(Weighted):
    """Searches from one state, with landmarks as well: in what costs count, each counts what its cheapest achiever
    does."""

    def __init__(self, compiled: Compiled, state: State) -> None:
        super().__init__(compiled)
        relaxation, scratch = self.heuristic.relaxation, self.heuristic.scratch
        self.landmarks = priced(relaxation, landmarks_in_order(compiled, relaxation, state, scratch))
        self._rows = rows_for(relaxation, state, scratch)

    def begin(self, state: State, g_weight: int, h_weight: int, ties: int = 0) -> None:
        """As of ``Weighted``. ``ties``: 0 is first come, first served; other numbers break ties in other ways."""
        self._ties = ties
        super().begin(state, g_weight, h_weight)

    def _first_memory(self, state: State) -> loop.Arrays:
        return memory_at(state, self.landmarks)

    def _run(self, memory: Any, bound: int) -> int:
        h, weights = self.heuristic, (*self._weights, bound, self._ties)
        where = h.relaxation, h.scratch, self._rows, self.landmarks, memory
        return alternating_slice(self._compiled.table, weights, *where, self._buffer, h.plan, _ENTRIES)
