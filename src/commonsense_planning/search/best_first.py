"""Our own classical planners: greedy best-first search with h_FF and preferred operators, and A*.

h_FF and h_max are safe (infinite only where there is no plan), so an exhausted search proves that there is none. The
loops are kernels, see ``kernels.best_first``. Every search begins in the same small memory, since asking
for a new one takes longer than a short search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.kernels import best_first as loop
from commonsense_planning.kernels.action_elimination import without_needless
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.engine import failure_reached, goal_reached
from commonsense_planning.kernels.relaxation import compile_relaxation
from commonsense_planning.kernels.relaxed import scratch_for


@dataclass(frozen=True)
class SearchResult:
    """``operators`` is the plan (None unless solved); counts of expanded and evaluated states; seconds."""

    status: Status
    operators: tuple[int, ...] | None
    expanded: int
    evaluated: int
    seconds: float


@dataclass(frozen=True)
class Limits:
    """When to give up: ``seconds`` from the start, ``evaluations`` of states (None: never), ``megabytes`` of
    memory."""

    seconds: float | None = None
    evaluations: int | None = None
    megabytes: int = 8000


Report = Callable[[str, int, int], None]


class BestFirst:
    """A planner over one compiled task; holds the relaxation, so that many searches share it."""

    def __init__(self, task: Compiled, unit_cost: bool = True) -> None:
        self.task = task
        self.relaxation = compile_relaxation(task, unit_cost)
        self.scratch = scratch_for(self.relaxation)
        self.buffer = np.empty(max(1, task.operator_count), np.int32)
        self.plan = np.empty(max(1, task.operator_count), np.int32)
        self._memory = loop.first_memory(task.words)

    def gbfs(self, state: State, limits: Limits | None = None, report: Report | None = None) -> SearchResult:
        """Greedy best-first search from ``state``, then action elimination; ``report`` gets ("h", best h, evaluated
        states) now and then."""

        def run(m: loop.Memory, expansions: int) -> int:
            task, buffer, plan = self.task.table, self.buffer, self.plan
            return int(loop.greedy_slice(task, self.relaxation, self.scratch, *m, buffer, plan, expansions))

        result = self._search(state, run, limits or Limits(), report, slice_size=100, first_move=loop.START)
        if not result.operators:
            return result
        needed = without_needless(self.task.table, state, np.array(result.operators, np.int32))
        return replace(result, operators=tuple(needed.tolist()))

    def astar(
        self, state: State, blind: bool = False, limits: Limits | None = None, report: Report | None = None
    ) -> SearchResult:
        """A* with h_max (or ``blind``): a plan of least cost; build the planner with ``unit_cost=False`` for
        costs."""

        def run(m: loop.Memory, expansions: int) -> int:
            task, buffer = self.task.table, self.buffer
            return int(loop.astar_slice(task, self.relaxation, self.scratch, *m, buffer, expansions, blind))

        return self._search(state, run, limits or Limits(), report, slice_size=1000, first_move=0)

    def _search(
        self,
        state: State,
        run: Callable[[loop.Memory, int], int],
        limits: Limits,
        report: Report | None,
        slice_size: int,
        first_move: int,
    ) -> SearchResult:
        started = time.perf_counter()
        if failure_reached(self.task.table, state):
            return SearchResult(Status.UNSOLVABLE, None, 0, 0, time.perf_counter() - started)
        if goal_reached(self.task.table, state):
            return SearchResult(Status.SOLVED, (), 0, 0, time.perf_counter() - started)
        memory = self._memory
        loop.begin(memory, state, first_move)
        status = Status.BUDGET
        while True:
            outcome = run(memory, slice_size)
            counts = memory.counts
            if report is not None:
                report("h", int(counts[loop.BEST]), int(counts[loop.EVALUATED]))
            if outcome == loop.FOUND:
                status = Status.SOLVED
                break
            if outcome == loop.EXHAUSTED:
                status = Status.UNSOLVABLE
                break
            if limits.seconds is not None and time.perf_counter() - started > limits.seconds:
                break
            if limits.evaluations is not None and counts[loop.EVALUATED] >= limits.evaluations:
                break
            crowded = loop.crowded_arrays(memory, outcome == loop.FULL)
            if loop.megabytes(memory, crowded) > limits.megabytes:
                break
            memory = loop.grown(memory, crowded)
        plan = loop.trace(memory) if status == Status.SOLVED else None
        seconds = time.perf_counter() - started
        return SearchResult(
            status, plan, int(memory.counts[loop.EXPANDED]), int(memory.counts[loop.EVALUATED]), seconds
        )
