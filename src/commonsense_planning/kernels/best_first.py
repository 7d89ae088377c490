"""The loops of best-first search, Numba kernels: lazy with h_FF and preferred operators, and eager with any of the
compiled heuristics.

``eager_slice`` is A*, weighted A* and greedy search, by the weights of g and h in its evaluation function f. A state
that is reached more cheaply than before is opened again. Its slow twin is ``search.best_first.plain_search``.

``lazy_slice`` is greedy and lazy (a state is evaluated when it is expanded) with two open lists, one for all successors
and one for those that preferred operators reach; progress in h favours the second for a while, as in Richter and
Helmert (2009). All successors of a state wait in the first list as one entry, which becomes one for each only
when its turn comes: where preferred operators lead to the goal, it never does. A state in which a
constraint is violated is a dead end; the heuristics do not know that.

The kernels run in slices of some expansions and keep everything between slices in ``Memory``; Python grows
its arrays, shows progress and watches the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.compiled import COST, State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import (
    applicable,
    failure_reached,
    goal_reached,
    hash_state,
    is_applicable,
    progress,
)
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import BLIND, estimate, relaxed_plan

RUNNING, FOUND, EXHAUSTED, FULL = 0, 1, 2, 3  # how a slice ended
START, ALL = -1, -2  # in place of an operator: the initial state itself, all successors of a state
BOOST = 1000
PARENT, OPERATOR, DISTANCE, BOUND = 0, 1, 2, 3


class Memory(NamedTuple):
    """States and open lists of a search.

    ``states`` uint64 (capacity, words). ``nodes`` int32 (capacity, 4): parent, operator, g of each state, and a lower
    bound of its h (``astar``). ``table`` int32 (power of two,): hash table of state numbers, -1 is empty. An open list
    is a binary heap of int64 (places, 4): first and second key, state, and the operator to apply to it, ``START`` or
    ``ALL`` (``lazy_slice``), its g when it was entered (``eager_slice``), or a row of ``second`` (``astar``). ``first``
    takes all successors, ``second`` those by preferred operators, or what ``astar`` keeps of a state. ``counts`` int64,
    see the constants.
    """

    states: npt.NDArray[np.uint64]
    nodes: Int32
    table: Int32
    first: Int64
    second: Int64
    counts: Int64

    def crowded(self, full: bool) -> tuple[str, ...]:
        """The arrays that are more than half full; if the search stopped for lack of room, all of them."""
        counts = self.counts
        states = STATE_ARRAYS if full or 2 * counts[STATES] > len(self.nodes) else ()
        first = ("first",) if full or 2 * counts[HEAP] > len(self.first) else ()
        second = ("second",) if full or 2 * counts[HEAP + 1] > len(self.second) else ()
        return (*states, *first, *second)

    def replaced(self, arrays: dict[str, npt.NDArray[Any]]) -> Self:
        """With other arrays in place of those of these names."""
        return self._replace(**arrays)


STATES = 0
HEAP = 1  # entries of the two open lists: 1 and 2
PRIORITY = 3  # of the two open lists: 3 and 4; the lower one is next
INSERTED = 5
EXPANDED = 6
EVALUATED = 7
BEST = 8  # lowest h so far (lazy), latest f (eager)
GOAL = 9  # number of the goal state

STATE_ARRAYS = ("states", "nodes", "table")


def first_memory(words: int) -> Memory:
    """A small memory for states of so many words."""
    capacity, places = 1024, 4096
    return Memory(
        states=np.zeros((capacity, words), np.uint64),
        nodes=np.full((capacity, 4), -1, np.int32),
        table=np.full(4 * capacity, -1, np.int32),
        first=np.zeros((places, 4), np.int64),
        second=np.zeros((places, 4), np.int64),
        counts=np.zeros(10, np.int64),
    )


def begin(memory: Memory, state: State, move: int) -> None:
    """Forget the last search and enter the initial state; ``move`` is the last number of its entry in the open list."""
    memory.table[:] = -1
    memory.nodes[:] = -1
    memory.counts[:] = 0
    memory.counts[BEST] = FAR
    memory.counts[GOAL] = -1
    find_or_add(memory.states, memory.table, memory.counts, state)
    memory.nodes[0, DISTANCE] = 0
    push(memory.first, memory.counts, 0, 0, 0, 0, move)


class Arrays(Protocol):
    """The memory of a search, of whatever arrays it is made: a named tuple of ``states``, ``nodes``, ``table`` and
    ``counts`` as ``Memory`` has them, and others, of which ``crowded`` tells which have to grow."""

    @property
    def states(self) -> npt.NDArray[np.uint64]: ...
    @property
    def nodes(self) -> Int32: ...
    @property
    def table(self) -> Int32: ...
    @property
    def counts(self) -> Int64: ...
    def crowded(self, full: bool, /) -> tuple[str, ...]: ...
    def replaced(self, arrays: dict[str, npt.NDArray[Any]], /) -> Self: ...
    def __iter__(self) -> Iterator[npt.NDArray[Any]]: ...


Grown = TypeVar("Grown", bound=Arrays)


def grown(memory: Grown, crowded: tuple[str, ...]) -> Grown:
    """The memory with the crowded arrays twice as long."""
    filled = {"nodes": -1, "table": -1}
    memory = memory.replaced({name: _doubled(getattr(memory, name), filled.get(name, 0)) for name in crowded})
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


def megabytes(memory: Arrays, crowded: tuple[str, ...]) -> float:
    """What the memory takes while the crowded arrays grow: the old ones and the new ones, twice as long."""
    taken: int = sum(array.nbytes for array in memory) + 2 * sum(getattr(memory, name).nbytes for name in crowded)
    return taken / 1e6


def trace(memory: Arrays) -> tuple[int, ...]:
    """The operators that lead to the goal state."""
    operators = []
    state = int(memory.counts[GOAL])
    while memory.nodes[state, PARENT] >= 0:
        operators.append(int(memory.nodes[state, OPERATOR]))
        state = int(memory.nodes[state, PARENT])
    return tuple(reversed(operators))


@njit(cache=True)
def slot_of(states: npt.NDArray[np.uint64], table: Int32, state: State) -> int:
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


@njit(cache=True)
def find_or_add(
    states: npt.NDArray[np.uint64], table: Int32, counts: Int64, state: State
) -> tuple[int, bool]:
    """The state's number, and whether it is new."""
    place = slot_of(states, table, state)
    if table[place] >= 0:
        return int(table[place]), False
    number = counts[STATES]
    counts[STATES] += 1
    states[number] = state
    table[place] = number
    return number, True


@njit(cache=True)
def _rehash(states: npt.NDArray[np.uint64], table: Int32, counts: Int64) -> None:
    for number in range(counts[STATES]):
        table[slot_of(states, table, states[number])] = number


@njit(cache=True)
def _before(heap: Int64, a: int, b: int) -> bool:
    return bool(heap[a, 0] < heap[b, 0] or (heap[a, 0] == heap[b, 0] and heap[a, 1] < heap[b, 1]))


@njit(cache=True)
def _exchange(heap: Int64, a: int, b: int) -> None:
    for k in range(4):
        entry = heap[a, k]
        heap[a, k] = heap[b, k]
        heap[b, k] = entry


@njit(cache=True)
def push(heap: Int64, counts: Int64, which: int, first: int, second: int, number: int, move: int) -> None:
    i = counts[HEAP + which]
    counts[HEAP + which] += 1
    heap[i, 0] = first
    heap[i, 1] = second
    heap[i, 2] = number
    heap[i, 3] = move
    while i > 0 and _before(heap, i, (i - 1) >> 1):
        _exchange(heap, i, (i - 1) >> 1)
        i = (i - 1) >> 1


@njit(cache=True)
def pop(heap: Int64, counts: Int64, which: int) -> tuple[int, int, int, int]:
    """Remove the first entry and give it."""
    entry = heap[0, 0], heap[0, 1], heap[0, 2], heap[0, 3]
    counts[HEAP + which] -= 1
    size = counts[HEAP + which]
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


@njit(cache=True)
def has_room(nodes: Int32, first: Int64, second: Int64, counts: Int64, successors: int) -> bool:
    return bool(
        counts[STATES] + successors < nodes.shape[0]
        and counts[HEAP] + successors < first.shape[0]
        and counts[HEAP + 1] + successors < second.shape[0]
    )


@njit(cache=True, nogil=True)
def lazy_slice(
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
        if not has_room(nodes, first, second, counts, 1):
            return FULL
        preferred = counts[HEAP + 1] > 0 and counts[PRIORITY + 1] <= counts[PRIORITY]
        which = 1 if preferred or counts[HEAP] == 0 else 0
        if counts[HEAP + which] == 0:
            return EXHAUSTED
        heap = second if which == 1 else first
        key, order, origin, operator = pop(heap, counts, which)
        state[:] = states[origin]
        if operator == ALL:
            found = applicable(task, state, buffer)
            if not has_room(nodes, first, second, counts, found):
                push(heap, counts, which, key, order, origin, operator)
                return FULL
            for i in range(found):
                push(first, counts, 0, key, order + i, origin, buffer[i])
            continue
        number = origin
        if operator != START:
            progress(task, state, operator)
            number, new = find_or_add(states, table, counts, state)
            if not new or failure_reached(task, state):
                counts[PRIORITY + which] += 1
                continue
            nodes[number, PARENT] = origin
            nodes[number, OPERATOR] = operator
            if goal_reached(task, state):
                counts[GOAL] = number
                return FOUND
        counts[PRIORITY + which] += 1
        counts[EVALUATED] += 1
        h, length = relaxed_plan(relaxation, state, scratch, plan)
        if h >= FAR:
            continue
        if not has_room(nodes, first, second, counts, length + 1):
            if operator != START:  # take the newest state back: it is expanded when there is room
                table[slot_of(states, table, state)] = -1
                counts[STATES] -= 1
            counts[PRIORITY + which] -= 1
            counts[EVALUATED] -= 1
            push(heap, counts, which, key, order, origin, operator)
            return FULL
        if h < counts[BEST]:
            if counts[BEST] < FAR:
                counts[PRIORITY + 1] -= BOOST
            counts[BEST] = h
        counts[EXPANDED] += 1
        counts[INSERTED] += 1
        order = counts[INSERTED] << 32  # room for the successors in between
        push(first, counts, 0, h, order, number, ALL)
        for i in range(length):
            if is_applicable(task, state, plan[i]):
                push(second, counts, 1, h, order + i, number, plan[i])
    return RUNNING


@njit(cache=True, nogil=True)
def eager_slice(
    task: Int32,
    weights: tuple[int, int, int],
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
    """Expand by f = wg · g + wh · h, of equal f the lowest h first; ``weights``: the heuristic's number, wg, wh."""
    heuristic, g_weight, h_weight = weights
    state = np.empty(states.shape[1], np.uint64)
    for _ in range(expansions):
        if counts[HEAP] == 0:
            return EXHAUSTED
        f, h, number, g = pop(first, counts, 0)
        if g > nodes[number, DISTANCE]:
            continue  # reached more cheaply since
        state[:] = states[number]
        if goal_reached(task, state):
            counts[GOAL] = number
            return FOUND
        found = applicable(task, state, buffer)
        if not has_room(nodes, first, second, counts, found):
            push(first, counts, 0, f, h, number, g)
            return FULL
        counts[BEST] = f
        counts[EXPANDED] += 1
        for i in range(found):
            state[:] = states[number]
            progress(task, state, buffer[i])
            if failure_reached(task, state):
                continue
            through = g + task[task[COST] + buffer[i]]
            successor, new = find_or_add(states, table, counts, state)
            if not new and nodes[successor, DISTANCE] <= through:
                continue
            nodes[successor, PARENT] = number
            nodes[successor, OPERATOR] = buffer[i]
            nodes[successor, DISTANCE] = through
            if heuristic != BLIND:
                counts[EVALUATED] += 1
            cost = estimate(heuristic, relaxation, state, scratch, plan)
            if cost < FAR:
                push(first, counts, 0, g_weight * through + h_weight * cost, cost, successor, through)
    return RUNNING
