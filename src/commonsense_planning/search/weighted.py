"""Lazy weighted A* that can be gone on with: plans below a bound, one search after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from commonsense_planning.kernels import best_first as loop
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.facades import FF
from commonsense_planning.kernels.relaxation import OPERATOR_SIZE, OPERATORS, PARENT, PRICE, RELAXED
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
        self._small = loop.first_memory(compiled.words)
        self._evaluated = 0

    def begin(self, state: State, g_weight: int, h_weight: int) -> None:
        """Forget the last search, and begin one from ``state``."""
        self._weights = g_weight, h_weight
        self._memory = self._small
        self.exhausted = self.full = False
        loop.begin(self._memory, state, loop.START)

    def take_evaluated(self) -> int:
        """How many states were evaluated since this was last asked."""
        taken, self._evaluated = self._evaluated, 0
        return taken

    def cheaper(
        self, bound: int, evaluations: int, stop: Callable[[], bool] = lambda: False
    ) -> tuple[int, ...] | None:
        """Go on until there is a plan that costs less than ``bound``, so many more states are evaluated, or ``stop``
        says so; None if there is no plan yet."""
        h, memory = self.heuristic, self._memory
        first = before = int(memory.counts[loop.EVALUATED])
        outcome = loop.RUNNING
        while before < first + evaluations and not self.exhausted and not self.full and outcome != loop.FOUND:
            weights = (*self._weights, bound)
            outcome = weighted_slice(
                self._compiled.table, weights, h.relaxation, h.scratch, *memory, self._buffer, h.plan, _ENTRIES
            )
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
