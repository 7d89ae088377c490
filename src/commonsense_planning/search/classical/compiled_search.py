"""Best-first search in compiled slices of a few expansions; in between, memory grows and the clock is checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import Int64
from commonsense_planning.kernels import search_memory as layout
from commonsense_planning.kernels.action_elimination import without_redundant
from commonsense_planning.kernels.compiled import UNREACHABLE, WORK, Compiled
from commonsense_planning.kernels.landmarks import Landmarks
from commonsense_planning.kernels.lazy_search import BY_FF_PREFERRED, CLASSES
from commonsense_planning.kernels.search_memory import Memory, fill_table, find_or_add, push
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State

SLICE = 100  # entries of the open lists between checks of the deadline
_PART = 2**26  # bytes, which are copied at once
_CAPACITY, _PLACES = 1024, 4096  # of the first memory: states, entries of an open list


@dataclass(frozen=True)
class SearchResult:
    """``operators``: the plan, or None; ``expanded``, ``evaluated``: numbers of states; ``reason``: the limit that
    ended the search, empty if none did."""

    status: Status
    operators: tuple[int, ...] | None
    expanded: int
    evaluated: int
    seconds: float
    reason: str = ""

    def pruned(self, task: Compiled, state: State) -> SearchResult:
        """The result without redundant operators in its plan from ``state`` (action elimination)."""
        if not self.operators:
            return self
        needed = without_redundant(task.table, state, np.array(self.operators, np.int32))
        return replace(self, operators=tuple(needed.tolist()))


@dataclass(frozen=True)
class Limits:
    """When to give up: ``seconds`` from the start, ``evaluations`` of states (None: never), ``megabytes`` of memory."""

    seconds: float | None = None
    evaluations: int | None = None
    megabytes: int = 8000

    def reached(self, started: float, evaluated: int) -> str:
        """The limit that a search from ``started``, of ``time.perf_counter``, has reached; empty if none. Memory is not
        checked."""
        if self.seconds is not None and time.perf_counter() - started > self.seconds:
            return "the time is up"
        if self.evaluations is not None and evaluated >= self.evaluations:
            return f"{evaluated:,} states are evaluated"
        return ""


Report = Callable[[str, int, int], None]


class CompiledSearch:
    """One search at a time. ``run`` continues in a memory for a slice, and returns its result. Every search begins in
    the same small memory, since allocating one takes longer than a short search.

    ``lists``: the number of open lists. ``landmarks``: for a search that counts them. ``full``: whether the
    limit on memory is reached.
    """

    def __init__(
        self, task: Compiled, run: Callable[[Memory], int], lists: int, landmarks: Landmarks | None = None
    ) -> None:
        self._task, self._run = task, run
        self._transition = TransitionModel(task)
        words = 0 if landmarks is None else landmarks.before.shape[1]
        counts = np.zeros(layout.COUNTS, np.int64)
        counts[layout.BEGIN :] = _PLACES * np.minimum(np.arange(layout.LISTS + 1), lists)
        self._first = Memory(
            states=np.zeros((_CAPACITY, task.words), np.uint64),
            nodes=np.full((_CAPACITY, 2), -1, np.int32),
            costs=np.full((_CAPACITY, 2), -1, np.int64),
            table=np.full(4 * _CAPACITY, -1, np.int32),
            accepted=np.zeros((_CAPACITY, words), np.uint64),
            seen=np.zeros((0 if landmarks is None else CLASSES, task.words), np.uint64),
            entries=np.zeros((_PLACES * lists, 4), np.int64),
            counts=counts,
            state=np.zeros(task.words, np.uint64),
            met=np.zeros(words, np.uint64),
            work=np.zeros(int(task.table[WORK]), np.int32),
        )

    def begin(self, state: State, entry: int) -> None:
        """Discards the last search and adds the initial state; ``entry``: the payload of its entry in the open list."""
        self.memory = memory = self._first
        self.outcome, self.full = layout.RUNNING, False
        memory.table[:] = -1
        memory.nodes[:] = memory.costs[:] = -1
        memory.counts[: layout.BEGIN] = 0
        memory.counts[layout.BEST] = memory.counts[layout.FEWEST] = UNREACHABLE
        memory.counts[layout.GOAL] = -1
        if len(memory.seen):
            memory.seen[:] = 0
            memory.accepted[0] = 0
        else:
            memory.counts[layout.PRIORITIES + BY_FF_PREFERRED] = -1  # this open list comes first
        find_or_add(memory.states, memory.table, memory.counts, state)
        memory.costs[0, layout.DISTANCE] = 0
        push(memory.entries, memory.counts, 0, 0, 0, 0, entry)

    @property
    def evaluated(self) -> int:
        """The number of states evaluated since it began."""
        return int(self.memory.counts[layout.EVALUATED])

    @property
    def plan(self) -> tuple[int, ...] | None:
        """The operators that lead to the goal state; None if the last slice found none."""
        if self.outcome != layout.FOUND:
            return None
        operators, state = [], int(self.memory.counts[layout.GOAL])
        while state > 0:
            state, operator = self.memory.nodes[state].tolist()
            operators.append(operator)
        return tuple(reversed(operators))

    @property
    def exhausted(self) -> bool:
        """Whether every reachable state was expanded."""
        return self.outcome == layout.EXHAUSTED

    def go_on(self, over: Callable[[], str], megabytes: int = Limits.megabytes) -> str:
        """Continues until there is a plan, the search is exhausted, or a limit is reached; returns the limit.
        ``over`` is called after every slice."""
        while True:
            self.outcome = self._run(self.memory)
            if self.outcome in (layout.FOUND, layout.EXHAUSTED):
                return ""
            if reason := over():
                return reason
            crowded = _crowded(self.memory, self.outcome == layout.FULL)
            self.full = _bytes_to_grow(self.memory, crowded) > 1e6 * megabytes
            if self.full:
                return f"the search may take no more than {megabytes:,} MB"
            self.memory = _grown(self.memory, crowded)

    def search(self, state: State, entry: int, limits: Limits, report: Report | None = None) -> SearchResult:
        """A whole search; ``report`` gets ("h", lowest h or latest f, evaluated states) at intervals."""
        started = time.perf_counter()

        def over() -> str:
            if report is not None:
                report("h", int(self.memory.counts[layout.BEST]), self.evaluated)
            return limits.reached(started, self.evaluated)

        if self._transition.failure(state) is not None:
            return SearchResult(Status.UNSOLVABLE, None, 0, 0, time.perf_counter() - started)
        if self._transition.reached(state):
            return SearchResult(Status.SOLVED, (), 0, 0, time.perf_counter() - started)
        self.begin(state, entry)
        reason = self.go_on(over, limits.megabytes)
        status = {layout.FOUND: Status.SOLVED, layout.EXHAUSTED: Status.UNSOLVABLE}.get(self.outcome, Status.BUDGET)
        plan, expanded = self.plan, int(self.memory.counts[layout.EXPANDED])
        return SearchResult(status, plan, expanded, self.evaluated, time.perf_counter() - started, reason)


def _of_states(memory: Memory) -> tuple[npt.NDArray[Any], ...]:
    """The arrays that grow with the states."""
    return memory.states, memory.nodes, memory.costs, memory.table, memory.accepted


def _places(memory: Memory) -> Int64:
    """The capacity of each open list."""
    return np.diff(memory.counts[layout.BEGIN :])


def _crowded(memory: Memory, full: bool) -> tuple[bool, npt.NDArray[np.bool_]]:
    """Whether the states, and each of the open lists, take more than half of their capacity; all do if the search
    stopped for lack of it."""
    sizes = memory.counts[layout.SIZES :][: layout.LISTS]
    return full or bool(2 * memory.counts[layout.STATES] > len(memory.nodes)), full | (2 * sizes > _places(memory))


def _bytes_to_grow(memory: Memory, crowded: tuple[bool, npt.NDArray[np.bool_]]) -> int:
    """The bytes of a memory, and of the replacements of its crowded parts."""
    states, entries = sum(array.nbytes for array in _of_states(memory)), memory.entries[:1].nbytes
    replaced = crowded[0] * states + int(_places(memory)[crowded[1]].sum()) * entries
    return states + memory.entries.nbytes + 2 * replaced


def _copy(rows: npt.NDArray[Any], to: npt.NDArray[Any]) -> None:
    """Copies rows in parts: between them, signals are heard."""
    part = _PART // max(1, rows[:1].nbytes) + 1
    for i in range(0, len(rows), part):
        to[i : i + part] = rows[i : i + part]


def _grown(memory: Memory, crowded: tuple[bool, npt.NDArray[np.bool_]]) -> Memory:
    """A memory with twice the capacity for the crowded parts. The old one is unchanged, for the next search to begin
    in."""
    more, lists = crowded
    if lists.any():
        counts, places = memory.counts.copy(), _places(memory)
        counts[layout.BEGIN + 1 :] = np.cumsum(np.where(lists, 2 * places, places))
        entries = np.zeros((int(counts[layout.BEGIN + layout.LISTS]), 4), np.int64)
        for old, new, size in zip(memory.counts[layout.BEGIN :], counts[layout.BEGIN :], places, strict=False):
            _copy(memory.entries[old : old + size], entries[new : new + size])
        memory = memory._replace(entries=entries, counts=counts)
    if more:
        grown = (np.zeros((2 * len(a), *a.shape[1:]), a.dtype) for a in _of_states(memory))
        states, nodes, costs, table, accepted = grown
        parts = ((memory.states, states), (memory.nodes, nodes), (memory.costs, costs), (memory.accepted, accepted))
        for old, new in parts:
            _copy(old, new[: len(old)])
        nodes[len(memory.nodes) :] = costs[len(memory.costs) :] = -1
        fill_table(states, table, memory.counts)
        memory = memory._replace(states=states, nodes=nodes, costs=costs, table=table, accepted=accepted)
    return memory
