"""Our own classical planners: greedy best-first search with h_FF and preferred operators, and A*.

``gbfs`` is lazy (a state is evaluated when it is expanded) with two open lists, one for all successors and
one for those that preferred operators reach; progress in h favours the second for a while, as in Richter and
Helmert (2009). All successors of a state wait in the first list as one entry, which becomes one for each only
when its turn comes: where preferred operators lead to the goal, it never does. h_FF and h_max are safe
(infinite only where there is no plan), so an exhausted search proves that there is none. A state in which a
constraint is violated is a dead end; the heuristics do not know that.

The kernels run in slices of some expansions and keep everything between slices in ``Memory``; Python grows
its arrays, shows progress and watches the clock. Every search begins in the same small memory, since asking
for a new one takes longer than a short search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.compiled import COST, Compiled, State
from commonsense_planning.kernels.engine import (
    applicable,
    failure_reached,
    goal_reached,
    hash_state,
    is_applicable,
    progress,
)
from commonsense_planning.kernels.kernels import kernel
from commonsense_planning.kernels.relaxation import compile_relaxation
from commonsense_planning.kernels.relaxed import FAR, explore, relaxed_plan, scratch_for
from commonsense_planning.search.action_elimination import without_needless

_RUNNING, _FOUND, _EXHAUSTED, _FULL = 0, 1, 2, 3
_BOOST = 1000
_PARENT, _OPERATOR, _DISTANCE = 0, 1, 2
_START, _ALL = -1, -2  # in place of an operator: the initial state itself, all successors of a state


class Memory(NamedTuple):
    """States and open lists of a search.

    ``states`` uint64 (capacity, words). ``nodes`` int32 (capacity, 3): parent, operator, g of each state.
    ``table`` int32 (power of two,): hash table of state numbers, -1 is empty. An open list is a binary heap
    of int64 (places, 4): first and second key, state, and the operator to apply to it, ``_START`` or ``_ALL``
    (``gbfs``), or its g when it was entered (``astar``); ``first`` takes all successors, ``second`` those by
    preferred operators. ``counts`` int64, see the constants.
    """

    states: npt.NDArray[np.uint64]
    nodes: Int32
    table: Int32
    first: Int64
    second: Int64
    counts: Int64


_STATES = 0
_HEAP = 1  # entries of the two open lists: 1 and 2
_PRIORITY = 3  # of the two open lists: 3 and 4; the lower one is next
_INSERTED = 5
_EXPANDED = 6
_EVALUATED = 7
_BEST = 8  # lowest h so far (gbfs), latest f (astar)
_GOAL = 9  # number of the goal state


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
        self._memory = _first_memory(task.words)

    def gbfs(self, state: State, limits: Limits | None = None, report: Report | None = None) -> SearchResult:
        """Greedy best-first search from ``state``, then action elimination; ``report`` gets ("h", best h, evaluated
        states) now and then."""

        def run(m: Memory, expansions: int) -> int:
            task, buffer, plan = self.task.table, self.buffer, self.plan
            return int(_gbfs_slice(task, self.relaxation, self.scratch, *m, buffer, plan, expansions))

        result = self._search(state, run, limits or Limits(), report, slice_size=100, first_move=_START)
        if not result.operators:
            return result
        needed = without_needless(self.task.table, state, np.array(result.operators, np.int32))
        return replace(result, operators=tuple(needed.tolist()))

    def astar(
        self, state: State, blind: bool = False, limits: Limits | None = None, report: Report | None = None
    ) -> SearchResult:
        """A* with h_max (or ``blind``): a plan of least cost; build the planner with ``unit_cost=False`` for
        costs."""

        def run(m: Memory, expansions: int) -> int:
            task, buffer = self.task.table, self.buffer
            return int(_astar_slice(task, self.relaxation, self.scratch, *m, buffer, expansions, blind))

        return self._search(state, run, limits or Limits(), report, slice_size=1000, first_move=0)

    def _search(
        self,
        state: State,
        run: Callable[[Memory, int], int],
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
        _begin(memory, state, first_move)
        status = Status.BUDGET
        while True:
            outcome = run(memory, slice_size)
            counts = memory.counts
            if report is not None:
                report("h", int(counts[_BEST]), int(counts[_EVALUATED]))
            if outcome == _FOUND:
                status = Status.SOLVED
                break
            if outcome == _EXHAUSTED:
                status = Status.UNSOLVABLE
                break
            if limits.seconds is not None and time.perf_counter() - started > limits.seconds:
                break
            if limits.evaluations is not None and counts[_EVALUATED] >= limits.evaluations:
                break
            crowded = _crowded(memory, outcome == _FULL)
            if _megabytes(memory, crowded) > limits.megabytes:
                break
            memory = _grown(memory, crowded)
        plan = _trace(memory) if status == Status.SOLVED else None
        seconds = time.perf_counter() - started
        return SearchResult(
            status, plan, int(memory.counts[_EXPANDED]), int(memory.counts[_EVALUATED]), seconds
        )


def _first_memory(words: int) -> Memory:
    capacity, places = 1024, 4096
    return Memory(
        states=np.zeros((capacity, words), np.uint64),
        nodes=np.full((capacity, 3), -1, np.int32),
        table=np.full(4 * capacity, -1, np.int32),
        first=np.zeros((places, 4), np.int64),
        second=np.zeros((places, 4), np.int64),
        counts=np.zeros(10, np.int64),
    )


def _begin(memory: Memory, state: State, move: int) -> None:
    """Forget the last search and enter the initial state; ``move`` is the last number of its entry in the open list."""
    memory.table[:] = -1
    memory.counts[:] = 0
    memory.counts[_BEST] = FAR
    memory.counts[_GOAL] = -1
    _find_or_add(memory.states, memory.table, memory.counts, state)
    memory.nodes[0] = -1, -1, 0
    _push(memory.first, memory.counts, 0, 0, 0, 0, move)


_STATE_ARRAYS = ("states", "nodes", "table")


def _crowded(memory: Memory, full: bool) -> tuple[str, ...]:
    """The arrays that are more than half full; if the search stopped for lack of room, all of them."""
    counts = memory.counts
    states = _STATE_ARRAYS if full or 2 * counts[_STATES] > len(memory.nodes) else ()
    first = ("first",) if full or 2 * counts[_HEAP] > len(memory.first) else ()
    second = ("second",) if full or 2 * counts[_HEAP + 1] > len(memory.second) else ()
    return (*states, *first, *second)


def _grown(memory: Memory, crowded: tuple[str, ...]) -> Memory:
    """The memory with the crowded arrays twice as long."""
    filled = {"nodes": -1, "table": -1}
    memory = memory._replace(**{name: _doubled(getattr(memory, name), filled.get(name, 0)) for name in crowded})
    if "table" in crowded:
        memory.table[:] = -1
        _rehash(memory.states, memory.table, memory.counts)
    return memory


def _doubled(array: npt.NDArray[Any], filler: int) -> npt.NDArray[Any]:
    """The array, followed by as many rows of ``filler``."""
    wide = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    wide[: len(array)] = array
    if filler:
        wide[len(array) :] = filler
    return wide


def _megabytes(memory: Memory, crowded: tuple[str, ...]) -> float:
    """What the memory takes while the crowded arrays grow: the old ones and the new ones, twice as long."""
    taken: int = sum(array.nbytes for array in memory) + 2 * sum(getattr(memory, name).nbytes for name in crowded)
    return taken / 1e6


def _trace(memory: Memory) -> tuple[int, ...]:
    operators = []
    state = int(memory.counts[_GOAL])
    while memory.nodes[state, _PARENT] >= 0:
        operators.append(int(memory.nodes[state, _OPERATOR]))
        state = int(memory.nodes[state, _PARENT])
    return tuple(reversed(operators))


@kernel
def _slot(states: npt.NDArray[np.uint64], table: Int32, state: State) -> int:
    """Where in the hash table the state is, or would go."""
    mask = table.shape[0] - 1
    place = np.int64(hash_state(state) & np.uint64(mask))
    while table[place] >= 0:
        same = True
        for w in range(state.shape[0]):
            if states[table[place], w] != state[w]:
                same = False
                break
        if same:
            return int(place)
        place = (place + 1) & mask
    return int(place)


@kernel
def _find_or_add(
    states: npt.NDArray[np.uint64], table: Int32, counts: Int64, state: State
) -> tuple[int, bool]:
    """The state's number, and whether it is new."""
    place = _slot(states, table, state)
    if table[place] >= 0:
        return int(table[place]), False
    number = counts[_STATES]
    counts[_STATES] += 1
    states[number] = state
    table[place] = number
    return number, True


@kernel
def _rehash(states: npt.NDArray[np.uint64], table: Int32, counts: Int64) -> None:
    for number in range(counts[_STATES]):
        table[_slot(states, table, states[number])] = number


@kernel
def _before(heap: Int64, a: int, b: int) -> bool:
    return bool(heap[a, 0] < heap[b, 0] or (heap[a, 0] == heap[b, 0] and heap[a, 1] < heap[b, 1]))


@kernel
def _exchange(heap: Int64, a: int, b: int) -> None:
    for k in range(4):
        entry = heap[a, k]
        heap[a, k] = heap[b, k]
        heap[b, k] = entry


@kernel
def _push(heap: Int64, counts: Int64, which: int, first: int, second: int, number: int, move: int) -> None:
    i = counts[_HEAP + which]
    counts[_HEAP + which] += 1
    heap[i, 0] = first
    heap[i, 1] = second
    heap[i, 2] = number
    heap[i, 3] = move
    while i > 0 and _before(heap, i, (i - 1) >> 1):
        _exchange(heap, i, (i - 1) >> 1)
        i = (i - 1) >> 1


@kernel
def _pop(heap: Int64, counts: Int64, which: int) -> tuple[int, int, int, int]:
    """Remove the first entry and give it."""
    entry = heap[0, 0], heap[0, 1], heap[0, 2], heap[0, 3]
    counts[_HEAP + which] -= 1
    size = counts[_HEAP + which]
    _exchange(heap, 0, size)
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and _before(heap, child + 1, child):
            child += 1
        if not _before(heap, child, i):
            break
        _exchange(heap, i, child)
        i = child
    return entry


@kernel
def _has_room(nodes: Int32, first: Int64, second: Int64, counts: Int64, successors: int) -> bool:
    return bool(
        counts[_STATES] + successors < nodes.shape[0]
        and counts[_HEAP] + successors < first.shape[0]
        and counts[_HEAP + 1] + successors < second.shape[0]
    )


@kernel
def _gbfs_slice(
    task: Int32,
    relaxation: Int32,
    scratch: Int32,
    states: npt.NDArray[np.uint64],
    nodes: Int32,
    table: Int32,
    first: Int64,
    second: Int64,
    counts: Int64,
    buffer: Int32,
    plan: Int32,
    expansions: int,
) -> int:
    state = np.empty(states.shape[1], np.uint64)
    for _ in range(expansions):
        if not _has_room(nodes, first, second, counts, 1):
            return _FULL
        preferred = counts[_HEAP + 1] > 0 and counts[_PRIORITY + 1] <= counts[_PRIORITY]
        which = 1 if preferred or counts[_HEAP] == 0 else 0
        if counts[_HEAP + which] == 0:
            return _EXHAUSTED
        heap = second if which == 1 else first
        key, order, origin, operator = _pop(heap, counts, which)
        state[:] = states[origin]
        if operator == _ALL:
            found = applicable(task, state, buffer)
            if not _has_room(nodes, first, second, counts, found):
                _push(heap, counts, which, key, order, origin, operator)
                return _FULL
            for i in range(found):
                _push(first, counts, 0, key, order + i, origin, buffer[i])
            continue
        number = origin
        if operator != _START:
            progress(task, state, operator)
            number, new = _find_or_add(states, table, counts, state)
            if not new or failure_reached(task, state):
                counts[_PRIORITY + which] += 1
                continue
            nodes[number, _PARENT] = origin
            nodes[number, _OPERATOR] = operator
            if goal_reached(task, state):
                counts[_GOAL] = number
                return _FOUND
        counts[_PRIORITY + which] += 1
        counts[_EVALUATED] += 1
        h, length = relaxed_plan(relaxation, state, scratch, plan)
        if h >= FAR:
            continue
        if not _has_room(nodes, first, second, counts, length + 1):
            if operator != _START:  # take the newest state back: it is expanded when there is room
                table[_slot(states, table, state)] = -1
                counts[_STATES] -= 1
            counts[_PRIORITY + which] -= 1
            counts[_EVALUATED] -= 1
            _push(heap, counts, which, key, order, origin, operator)
            return _FULL
        if h < counts[_BEST]:
            if counts[_BEST] < FAR:
                counts[_PRIORITY + 1] -= _BOOST
            counts[_BEST] = h
        counts[_EXPANDED] += 1
        counts[_INSERTED] += 1
        order = counts[_INSERTED] << 32  # room for the successors in between
        _push(first, counts, 0, h, order, number, _ALL)
        for i in range(length):
            if is_applicable(task, state, plan[i]):
                _push(second, counts, 1, h, order + i, number, plan[i])
    return _RUNNING


@kernel
def _astar_slice(
    task: Int32,
    relaxation: Int32,
    scratch: Int32,
    states: npt.NDArray[np.uint64],
    nodes: Int32,
    table: Int32,
    first: Int64,
    second: Int64,
    counts: Int64,
    buffer: Int32,
    expansions: int,
    blind: bool,
) -> int:
    state = np.empty(states.shape[1], np.uint64)
    for _ in range(expansions):
        if counts[_HEAP] == 0:
            return _EXHAUSTED
        f, h, number, g = _pop(first, counts, 0)
        if g > nodes[number, _DISTANCE]:
            continue  # reached more cheaply since
        state[:] = states[number]
        if goal_reached(task, state):
            counts[_GOAL] = number
            return _FOUND
        found = applicable(task, state, buffer)
        if not _has_room(nodes, first, second, counts, found):
            _push(first, counts, 0, f, h, number, g)
            return _FULL
        counts[_BEST] = f
        counts[_EXPANDED] += 1
        for i in range(found):
            state[:] = states[number]
            progress(task, state, buffer[i])
            if failure_reached(task, state):
                continue
            through = g + task[task[COST] + buffer[i]]
            successor, new = _find_or_add(states, table, counts, state)
            if not new and nodes[successor, _DISTANCE] <= through:
                continue
            nodes[successor, _PARENT] = number
            nodes[successor, _OPERATOR] = buffer[i]
            nodes[successor, _DISTANCE] = through
            estimate = 0
            if not blind:
                counts[_EVALUATED] += 1
                estimate = explore(relaxation, state, True, scratch)
            if estimate < FAR:
                _push(first, counts, 0, through + estimate, estimate, successor, through)
    return _RUNNING
