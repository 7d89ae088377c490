"""Greedy best-first search for large and hard tasks, in which nothing is hidden: h_FF, landmarks and novelty in turn.

What it does is told in ``kernels.alternation``. Landmarks cost some looks at the whole task before the search begins:
an agent that plans thousands of times in one task takes ``BestFirst`` with h_FF alone.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.kernels.alternation import GREEDY, Memory, alternating_slice, memory_at
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.facades import FF
from commonsense_planning.kernels.reasonable_orders import landmarks_in_order
from commonsense_planning.kernels.relaxed_forwards import rows_for
from commonsense_planning.search.best_first import Limits, Report, SearchResult, in_slices, tidied


def alternating_search(
    task: Compiled, state: State, limits: Limits | None = None, report: Report | None = None
) -> SearchResult:
    """A plan from ``state``, without operators that it does not need; ``report`` gets ("h", lowest h_FF, evaluated
    states) now and then. That all states were seen in vain proves that there is no plan."""
    h = FF(task, unit_cost=True)
    buffer = np.empty(max(1, task.operator_count), np.int32)

    def begin() -> Memory:
        return memory_at(state, landmarks)

    def run(memory: Memory, expansions: int) -> int:
        where = h.relaxation, h.scratch, rows, landmarks
        return alternating_slice(task.table, GREEDY, *where, memory, buffer, h.plan, expansions)

    landmarks = landmarks_in_order(task, h.relaxation, state, h.scratch)
    rows = rows_for(h.relaxation, state, h.scratch)
    return tidied(task, state, in_slices(task, state, begin, run, limits or Limits(), report))
