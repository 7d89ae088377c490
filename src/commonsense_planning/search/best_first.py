"""Our own classical planners: best-first search with a heuristic object, greedy or A*.

A*, weighted A* and greedy search are one search: expand the node with the lowest f = wg · g + wh · h first. With one of
the heuristics of ``kernels.heuristics`` its loop is compiled (see ``kernels.best_first``), with any other ``h(state)``
it is ``plain_search``. Greedy search with h_FF has a loop of its own, with preferred operators.

h_FF and h_max are safe (infinite only where there is no plan), so an exhausted search proves that there is none.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.kernels import best_first as loop
from commonsense_planning.kernels.action_elimination import without_needless
from commonsense_planning.kernels.astar import NEW, astar_slice
from commonsense_planning.kernels.compiled import COST, Compiled, State
from commonsense_planning.kernels.engine import failure_reached, goal_reached
from commonsense_planning.kernels.facades import FF, CompiledHeuristic, Heuristic, LMCut, SuccessorGenerator


@dataclass(frozen=True)
class SearchResult:
    """``operators`` is the plan (None unless solved); counts of expanded and evaluated states; seconds; which limit
    ended it, in words, if one did and it is told."""

    status: Status
    operators: tuple[int, ...] | None
    expanded: int
    evaluated: int
    seconds: float
    reason: str = ""


@dataclass(frozen=True)
class Limits:
    """When to give up: ``seconds`` from the start, ``evaluations`` of states (None: never), ``megabytes`` of
    memory."""

    seconds: float | None = None
    evaluations: int | None = None
    megabytes: int = 8000


Report = Callable[[str, int, int], None]
Memory = TypeVar("Memory", bound=loop.Arrays)
_Slice = Callable[[loop.Memory, int], int]
_SLICE = 100  # expansions between looks at the clock


class BestFirst:
    """A planner over one compiled task.

    ``heuristic``: any ``h(state)``, by default h_FF that counts operators. Every search begins in the same small
    memory, since asking for a new one takes longer than a short search.
    """

    def __init__(self, task: Compiled, heuristic: Heuristic | None = None) -> None:
        self.task = task
        self.heuristic = FF(task, unit_cost=True) if heuristic is None else heuristic
        self._buffer = np.empty(max(1, task.operator_count), np.int32)
        self._memory = loop.first_memory(task.words)

    def gbfs(self, state: State, limits: Limits | None = None, report: Report | None = None) -> SearchResult:
        """Greedy best-first search from ``state``, then action elimination; ``report`` gets ("h", best h, evaluated
        states) now and then."""
        limits = limits or Limits()
        if isinstance(self.heuristic, FF):
            result = self._in_slices(state, self._lazily(self.heuristic), limits, report, loop.START)
        else:
            result = self._search(state, 0, 1, limits, report)
        return tidied(self.task, state, result)

    def astar(
        self, state: State, weight: int = 1, limits: Limits | None = None, report: Report | None = None
    ) -> SearchResult:
        """A* from ``state``: a plan of least cost if the heuristic is admissible. With ``weight`` it is weighted A*,
        and costs at most so many times as much; ``report`` gets ("h", latest f, evaluated states) now and then."""
        if isinstance(self.heuristic, LMCut) and weight == 1:
            return self._in_slices(state, self._late(self.heuristic), limits or Limits(), report, NEW)
        return self._search(state, 1, weight, limits or Limits(), report)

    def _search(
        self, state: State, g_weight: int, h_weight: int, limits: Limits, report: Report | None
    ) -> SearchResult:
        if isinstance(self.heuristic, CompiledHeuristic):
            run = self._eagerly(self.heuristic, g_weight, h_weight)
            return self._in_slices(state, run, limits, report, 0)
        return plain_search(self.task, self.heuristic, state, g_weight, h_weight, limits, report)

    def _lazily(self, h: FF) -> _Slice:
        def run(memory: loop.Memory, expansions: int) -> int:
            task, buffer, plan = self.task.table, self._buffer, h.plan
            return loop.lazy_slice(task, h.relaxation, h.scratch, *memory, buffer, plan, expansions)

        return run

    def _eagerly(self, h: CompiledHeuristic, g_weight: int, h_weight: int) -> _Slice:
        def run(memory: loop.Memory, expansions: int) -> int:
            task, buffer, plan = self.task.table, self._buffer, h.plan
            weights = h.number, g_weight, h_weight
            return loop.eager_slice(task, weights, h.relaxation, h.scratch, *memory, buffer, plan, expansions)

        return run

    def _late(self, h: LMCut) -> _Slice:
        def run(memory: loop.Memory, expansions: int) -> int:
            return astar_slice(self.task.table, h.relaxation, h.scratch, *memory, self._buffer, expansions)

        return run

    def _in_slices(
        self, state: State, run: _Slice, limits: Limits, report: Report | None, first_move: int
    ) -> SearchResult:
        def begin() -> loop.Memory:
            loop.begin(self._memory, state, first_move)
            return self._memory

        return in_slices(self.task, state, begin, run, limits, report)


def in_slices(
    task: Compiled,
    state: State,
    begin: Callable[[], Memory],
    run: Callable[[Memory, int], int],
    limits: Limits,
    report: Report | None,
) -> SearchResult:
    """A compiled search from ``state``: ``run`` goes on for so many expansions in a memory, at first that of ``begin``,
    and says how that ended; in between the memory grows, and the clock is looked at."""
    started = time.perf_counter()
    if failure_reached(task.table, state):
        return SearchResult(Status.UNSOLVABLE, None, 0, 0, time.perf_counter() - started)
    if goal_reached(task.table, state):
        return SearchResult(Status.SOLVED, (), 0, 0, time.perf_counter() - started)
    memory = begin()
    status, reason = Status.BUDGET, ""
    while True:
        outcome = run(memory, _SLICE)
        counts = memory.counts
        if outcome == loop.FOUND:
            status = Status.SOLVED
            break
        if outcome == loop.EXHAUSTED:
            status = Status.UNSOLVABLE
            break
        if report is not None:
            report("h", int(counts[loop.BEST]), int(counts[loop.EVALUATED]))
        if limits.seconds is not None and time.perf_counter() - started > limits.seconds:
            reason = "the time is up"
            break
        if limits.evaluations is not None and counts[loop.EVALUATED] >= limits.evaluations:
            reason = f"{counts[loop.EVALUATED]:,} states are evaluated"
            break
        crowded = memory.crowded(outcome == loop.FULL)
        if loop.megabytes(memory, crowded) > limits.megabytes:
            reason = f"the search may take no more than {limits.megabytes:,} MB"
            break
        memory = loop.grown(memory, crowded)
    plan = loop.trace(memory) if status == Status.SOLVED else None
    seconds = time.perf_counter() - started
    return SearchResult(
        status, plan, int(memory.counts[loop.EXPANDED]), int(memory.counts[loop.EVALUATED]), seconds, reason
    )


def tidied(task: Compiled, state: State, result: SearchResult) -> SearchResult:
    """The result without those of its operators that its plan does not need (action elimination)."""
    if not result.operators:
        return result
    needed = without_needless(task.table, state, np.array(result.operators, np.int32))
    return replace(result, operators=tuple(needed.tolist()))


def plain_search(
    task: Compiled,
    heuristic: Heuristic,
    state: State,
    g_weight: int,
    h_weight: int,
    limits: Limits,
    report: Report | None = None,
) -> SearchResult:
    """Best-first search by f = ``g_weight`` · g + ``h_weight`` · h, of equal f the lowest h first; the twin of the
    compiled loop, for a heuristic that is not compiled. ``limits.megabytes`` does not count here."""
    started = time.perf_counter()
    generator, order = SuccessorGenerator(task), itertools.count()
    costs = task.table[task.table[COST] :]
    cheapest: dict[bytes, float] = {state.tobytes(): 0.0}
    reached_by: dict[bytes, tuple[int, bytes]] = {}
    expanded = evaluated = 0

    def result(status: Status, operators: tuple[int, ...] | None = None) -> SearchResult:
        return SearchResult(status, operators, expanded, evaluated, time.perf_counter() - started)

    def over() -> bool:
        late = limits.seconds is not None and time.perf_counter() - started > limits.seconds
        return late or (limits.evaluations is not None and evaluated >= limits.evaluations)

    queue: list[tuple[float, float, int, float, State]] = []
    if not failure_reached(task.table, state):
        queue.append((0.0, 0.0, next(order), 0.0, state))
    while queue:
        if over():
            return result(Status.BUDGET)
        f, _, _, g, here = heapq.heappop(queue)
        if g > cheapest[here.tobytes()]:
            continue  # reached more cheaply since
        if goal_reached(task.table, here):
            return result(Status.SOLVED, _way(reached_by, here.tobytes()))
        expanded += 1
        for operator, after in generator.successors(here):
            through, key = g + float(costs[operator]), after.tobytes()
            if failure_reached(task.table, after) or cheapest.get(key, math.inf) <= through:
                continue
            if over():  # a heuristic may be slow, and the successors many
                return result(Status.BUDGET)
            cheapest[key], reached_by[key] = through, (operator, here.tobytes())
            h = heuristic(after)
            evaluated += 1
            if h < math.inf:
                heapq.heappush(queue, (g_weight * through + h_weight * h, h, next(order), through, after))
        if report is not None:
            report("h", int(f), evaluated)
    return result(Status.UNSOLVABLE)


def _way(reached_by: dict[bytes, tuple[int, bytes]], key: bytes) -> tuple[int, ...]:
    operators = []
    while key in reached_by:
        operator, key = reached_by[key]
        operators.append(operator)
    return tuple(reversed(operators))
