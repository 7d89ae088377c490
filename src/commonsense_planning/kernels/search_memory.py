"""The memory of best-first search: states by number in a hash table, and open lists, which are binary heaps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import copy, hash_state
from commonsense_planning.kernels.kernel import (
    ConstSets,
    ConstState,
    Entries,
    Int32Rows,
    Sets,
    Table,
    check_signals,
    kernel,
)

LISTS = 5  # most open lists
RUNNING, FOUND, EXHAUSTED, FULL = 0, 1, 2, 3  # the results of a slice of a search

PARENT, OPERATOR = 0, 1  # of a state in ``nodes``: how it was reached
DISTANCE, BOUND = 0, 1  # of a state in ``costs``: its g, a lower bound of its h
STATES = 0  # ``counts``: the number of states
INSERTED = 1
EXPANDED = 2
EVALUATED = 3
BEST = 4  # lowest h so far (lazy), latest f (eager)
GOAL = 5  # number of the goal state
FEWEST = 6  # missing landmarks so far (lazy)
WAITING = 7  # reached states that wait for their h from outside (eager)
SIZES = 8  # of the open lists
PRIORITIES = SIZES + LISTS  # of the open lists: the one with the lowest is next (lazy)
BEGIN = PRIORITIES + LISTS  # the begin of each open list in ``entries``, and the end of the last one
COUNTS = BEGIN + LISTS + 1


class Memory(NamedTuple):
    """States and open lists of a search.

    ``states`` uint64 (capacity, words). ``nodes`` int32 (capacity, 2): the parent and the operator of each state;
    ``costs`` int64 (capacity, 2): its g and its bound. ``table`` int32 (power of two,): hash table of state numbers, -1
    is empty. ``accepted`` uint64 (capacity, words): the landmarks accepted on the path to each state, as bits. ``seen``
    uint64 (classes, words): the facts that were true in some state of each class. Both are for searches by landmarks,
    and empty for others. ``entries``: the open lists, one after the other, int64 (places, 4): first and second key,
    state, and the loop's payload; a list without places is not in use. ``counts`` int64, see the constants.

    The rest is working memory: ``state`` uint64 (words,), ``met`` uint64 (words of ``accepted``,) and ``work``, see
    ``engine.carry_out``.
    """

    states: Sets
    nodes: Int32Rows
    costs: Entries
    table: Int32
    accepted: Sets
    seen: Sets
    entries: Entries
    counts: Int64
    state: State
    met: State
    work: Int32


@kernel
def slot_of(states: ConstSets, table: Table, state: ConstState) -> int:
    """The place of the state in the hash table, or where it would be inserted."""
    mask = table.shape[0] - 1
    place = int(hash_state(state) & np.uint64(mask))
    while table[place] >= 0:
        same = True
        for w in range(state.shape[0]):
            if states[table[place], w] != state[w]:
                same = False
                break
        if same:
            return place
        place = (place + 1) & mask
    return place


@kernel
def find_or_add(states: Sets, table: Int32, counts: Int64, state: ConstState) -> tuple[int, bool]:
    """The state's number, and whether it is new."""
    place = slot_of(states, table, state)
    if table[place] >= 0:
        return int(table[place]), False
    number = int(counts[STATES])
    counts[STATES] += 1
    copy(state, states[number])
    table[place] = number
    return number, True


@kernel
def fill_table(states: ConstSets, table: Int32, counts: Int64) -> None:
    """Rebuilds the hash table."""
    table[:] = -1
    for number in range(counts[STATES]):
        check_signals()
        table[slot_of(states, table, states[number])] = number


@kernel
def _before(entries: Entries, a: int, b: int) -> bool:
    first, other = entries[a, 0], entries[b, 0]
    return bool(first < other or (first == other and entries[a, 1] < entries[b, 1]))


@kernel
def _exchange(entries: Entries, a: int, b: int) -> None:
    for k in range(4):
        kept = entries[a, k]
        entries[a, k] = entries[b, k]
        entries[b, k] = kept


@kernel
def push(entries: Entries, counts: Int64, which: int, first: int, second: int, number: int, move: int) -> None:
    """Adds a state to the open list number ``which``."""
    begin = counts[BEGIN + which]
    i = counts[SIZES + which]
    counts[SIZES + which] += 1
    entries[begin + i, 0] = first
    entries[begin + i, 1] = second
    entries[begin + i, 2] = number
    entries[begin + i, 3] = move
    while i > 0 and _before(entries, begin + i, begin + ((i - 1) >> 1)):
        _exchange(entries, begin + i, begin + ((i - 1) >> 1))
        i = (i - 1) >> 1


@kernel
def pop(entries: Entries, counts: Int64, which: int) -> tuple[int, int, int, int]:
    """Removes and returns the first entry of the open list number ``which``."""
    begin = counts[BEGIN + which]
    first, second, number, move = entries[begin, 0], entries[begin, 1], entries[begin, 2], entries[begin, 3]
    counts[SIZES + which] -= 1
    size = counts[SIZES + which]
    _exchange(entries, begin, begin + size)
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and _before(entries, begin + child + 1, begin + child):
            child += 1
        if not _before(entries, begin + child, begin + i):
            break
        _exchange(entries, begin + i, begin + child)
        i = child
    return int(first), int(second), int(number), int(move)


@kernel
def has_room(nodes: Int32Rows, counts: Int64, states: int, entries: int) -> bool:
    """Whether this many additional states fit in, and this many additional entries in each open list in use."""
    room = counts[STATES] + states < nodes.shape[0]
    for which in range(LISTS):
        places = counts[BEGIN + which + 1] - counts[BEGIN + which]
        room = room and (places == 0 or counts[SIZES + which] + entries < places)
    return bool(room)
