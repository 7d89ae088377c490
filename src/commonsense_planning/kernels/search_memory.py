"""What the loops of best-first search remember: states by number in a hash table, and open lists, binary heaps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import hash_state

Sets = npt.NDArray[np.uint64]

LISTS = 5  # open lists at most
RUNNING, FOUND, EXHAUSTED, FULL = 0, 1, 2, 3  # how a slice of a search ended

PARENT, OPERATOR, DISTANCE, BOUND = 0, 1, 2, 3  # of a state: from where it was reached, its g, a lower bound of its h
STATES = 0  # ``counts``: how many there are
INSERTED = 1
EXPANDED = 2
EVALUATED = 3
BEST = 4  # lowest h so far (lazy), latest f (eager)
GOAL = 5  # number of the goal state
FEWEST = 6  # missing landmarks so far (lazy)
WAITING = 7  # states that were reached and wait for their h from outside (eager)
SIZES = 8  # of the open lists
PRIORITIES = SIZES + LISTS  # of the open lists: the one with the lowest is next (lazy)
COUNTS = PRIORITIES + LISTS


OpenLists = tuple[Int64, Int64, Int64, Int64, Int64]


class Memory(NamedTuple):
    """States and open lists of a search.

    ``states`` uint64 (capacity, words). ``nodes`` int32 (capacity, 4): parent, operator, g and bound of each state.
    ``table`` int32 (power of two,): hash table of state numbers, -1 is empty. ``accepted`` uint64 (capacity, words):
    bits of the landmarks accepted on the way to each state. ``seen`` uint64 (classes, words): the facts that were true
    in some state of each class. Both are for searches by landmarks, and empty for others. ``lists``: the open lists,
    int64 (places, 4): first and second key, state, and what the loop wants to know of the entry; a list without places
    is not in use. ``counts`` int64, see the constants.
    """

    states: Sets
    nodes: Int32
    table: Int32
    accepted: Sets
    seen: Sets
    lists: OpenLists
    counts: Int64


@njit(cache=True)
def slot_of(states: Sets, table: Int32, state: State) -> int:
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
def find_or_add(states: Sets, table: Int32, counts: Int64, state: State) -> tuple[int, bool]:
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
def fill_table(states: Sets, table: Int32, counts: Int64) -> None:
    """Fill the hash table anew."""
    table[:] = -1
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
    """Enter a state into the open list number ``which``."""
    i = counts[SIZES + which]
    counts[SIZES + which] += 1
    heap[i, 0] = first
    heap[i, 1] = second
    heap[i, 2] = number
    heap[i, 3] = move
    while i > 0 and _before(heap, i, (i - 1) >> 1):
        _exchange(heap, i, (i - 1) >> 1)
        i = (i - 1) >> 1


@njit(cache=True)
def pop(heap: Int64, counts: Int64, which: int) -> tuple[int, int, int, int]:
    """Remove the first entry of the open list number ``which`` and give it."""
    entry = heap[0, 0], heap[0, 1], heap[0, 2], heap[0, 3]
    counts[SIZES + which] -= 1
    size = counts[SIZES + which]
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
def has_room(nodes: Int32, lists: OpenLists, counts: Int64, states: int, entries: int) -> bool:
    """Whether so many more states fit in, and so many more entries in each open list that is in use."""
    room = counts[STATES] + states < nodes.shape[0]
    for which in range(LISTS):
        places = lists[which].shape[0]
        room = room and (places == 0 or counts[SIZES + which] + entries < places)
    return bool(room)
