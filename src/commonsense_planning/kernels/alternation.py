"""The loop of best-first search with several open lists in turn, greedy or weighted A*, a Numba kernel.

It is lazy (a state is evaluated when it is expanded) and looks at a state in three ways, as no one of them is right
everywhere: by h_FF, by how many landmarks are missing (both as LAMA does, Richter and Westphal 2010), and by whether it
is new: whether some fact is true in it that was true in no state before of the same h_FF and as many missing landmarks
(novelty 1, Lipovetzky and Geffner 2017). For h_FF and for the landmarks there are two open lists each, one for all
successors and one for those that preferred operators reach; progress in either estimate favours the latter for a while.
The fifth list takes all successors of new states, first come, first served, before those of the others: where the
estimates lead into dead ends or across plateaus, it goes on elsewhere.

Weighted A* adds g of the state that is reached to the estimates of the one that it is reached from, in the four lists
that have an estimate; opens a state again that is reached more cheaply than before; and enters nothing that costs as
much as a bound (Richter and Westphal 2010, section 5.3).

All successors of a state wait as one entry, which becomes one for each only when its turn comes: where preferred
operators lead to the goal, it never does. A state in which a constraint is violated is a dead end; the heuristics do
not know that.

Invariants: of an expanded state every list of all successors holds all of them that cost less than the bound, or held
them; so when all lists are empty there is no plan that does. A state's row of ``accepted`` is the landmarks accepted on
the way by which it was reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.best_first import (
    ALL,
    BEST,
    BOUND,
    DISTANCE,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FOUND,
    FULL,
    GOAL,
    HEAP,
    INSERTED,
    OPERATOR,
    PARENT,
    RUNNING,
    START,
    STATE_ARRAYS,
    STATES,
    find_or_add,
    pop,
    push,
    slot_of,
)
from commonsense_planning.kernels.compiled import COST, State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import applicable, failure_reached, goal_reached, is_applicable, progress
from commonsense_planning.kernels.landmarks import Landmarks, Sets, count_missing
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import relaxed_plan
from commonsense_planning.kernels.relaxed_forwards import Rows, relaxed_plan_forwards

_LISTS = 5
_BY_FF, _BY_FF_PREFERRED, _BY_LANDMARKS, _BY_LANDMARKS_PREFERRED, _BY_NOVELTY = range(_LISTS)
_NAMES = ("by_ff", "by_ff_preferred", "by_landmarks", "by_landmarks_preferred", "by_novelty")  # in ``Memory``
_SIZES = HEAP  # in ``queues``, where ``push`` and ``pop`` keep them
_PRIORITIES = HEAP + _LISTS  # the list with the lowest one is next
_FEWEST = HEAP + 2 * _LISTS  # missing landmarks so far
_BOOST = 1000
GREEDY = (0, 1, np.iinfo(np.int64).max, 0)  # the weights of greedy search
_CLASSES = 1024  # of states with the same h_FF and as many missing landmarks, by hash


OpenLists = tuple[Int64, Int64, Int64, Int64, Int64]


class Memory(NamedTuple):
    """States and open lists of a search, most of it as ``best_first.Memory`` has it.

    ``accepted`` uint64 (capacity, words): bits of the landmarks accepted on the way to each state. ``by_…`` int64
    (places, 4): the open lists, each of which grows by itself; ``queues`` int64: their sizes, priorities, and the
    fewest landmarks that were missing. ``seen`` uint64 (classes, words): the facts that were true in some state of each
    class.
    """

    states: npt.NDArray[np.uint64]
    nodes: Int32
    table: Int32
    accepted: Sets
    by_ff: Int64
    by_ff_preferred: Int64
    by_landmarks: Int64
    by_landmarks_preferred: Int64
    by_novelty: Int64
    seen: Sets
    queues: Int64
    counts: Int64

    @property
    def lists(self) -> OpenLists:
        """The open lists, by their numbers."""
        return self.by_ff, self.by_ff_preferred, self.by_landmarks, self.by_landmarks_preferred, self.by_novelty

    def crowded(self, full: bool) -> tuple[str, ...]:
        """The arrays that are more than half full; if the search stopped for lack of room, and none is, all of them."""
        states = (*STATE_ARRAYS, "accepted") if 2 * self.counts[STATES] > len(self.nodes) else ()
        sizes = zip(_NAMES, self.lists, self.queues[_SIZES:], strict=False)
        found = (*states, *(name for name, places, size in sizes if 2 * size > len(places)))
        return found or ((*STATE_ARRAYS, "accepted", *_NAMES) if full else ())

    def replaced(self, arrays: dict[str, npt.NDArray[Any]]) -> Self:
        """With other arrays in place of those of these names."""
        return self._replace(**arrays)


def memory_at(state: State, landmarks: Landmarks) -> Memory:
    """A small memory with the initial state entered."""
    capacity, places = 1024, 4096
    memory = Memory(
        states=np.zeros((capacity, len(state)), np.uint64),
        nodes=np.full((capacity, 4), -1, np.int32),
        table=np.full(4 * capacity, -1, np.int32),
        accepted=np.zeros((capacity, landmarks.before.shape[1]), np.uint64),
        by_ff=np.zeros((places, 4), np.int64),
        by_ff_preferred=np.zeros((places, 4), np.int64),
        by_landmarks=np.zeros((places, 4), np.int64),
        by_landmarks_preferred=np.zeros((places, 4), np.int64),
        by_novelty=np.zeros((places, 4), np.int64),
        seen=np.zeros((_CLASSES, len(state)), np.uint64),
        queues=np.zeros(_FEWEST + 1, np.int64),
        counts=np.zeros(10, np.int64),
    )
    memory.counts[BEST], memory.counts[GOAL], memory.queues[_FEWEST] = FAR, -1, FAR
    find_or_add(memory.states, memory.table, memory.counts, state)
    memory.nodes[0, DISTANCE] = 0
    push(memory.by_ff, memory.queues, _BY_FF, 0, 0, 0, START)
    return memory


@njit(cache=True)
def _has_room(memory: Memory, lists: OpenLists, successors: int) -> bool:
    room = memory.counts[STATES] + 1 < memory.nodes.shape[0]
    for q in range(_LISTS):
        room = room and memory.queues[_SIZES + q] + successors < lists[q].shape[0]
    return bool(room)


@njit(cache=True)
def _is_new(seen: Sets, h: int, missing: int, state: State) -> bool:
    """Whether a state has a fact that none of its class had; the class has it from now on."""
    key = np.uint64(h * 8191 + missing) * np.uint64(0x9E3779B97F4A7C15)
    facts = seen[key >> np.uint64(54)]
    new = False
    for w in range(len(state)):
        new = new or (state[w] & ~facts[w]) != 0
        facts[w] |= state[w]
    return new


@njit(cache=True)
def _mixed(number: int, ties: int) -> int:
    """A place in the order of equals as if drawn by chance, with room for the successors in between."""
    mixed = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15) * np.uint64(2 * ties + 1)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return int((mixed >> np.uint64(33)) << np.uint64(32))


@njit(cache=True, nogil=True)
def alternating_slice(
    task: Int32,
    weights: tuple[int, int, int, int],
    relaxation: Int32,
    scratch: Int32,
    rows: Rows,
    landmarks: Landmarks,
    memory: Memory,
    buffer: Int32,
    plan: Int32,
    entries: int,
) -> int:
    """Take so many entries of the open lists. ``weights``: wg, wh, the bound, and how ties are broken: 0 is first come,
    first served, other numbers another order each. With wg 0, which is greedy search, no state is opened again. A
    state's ``BOUND`` is FAR where it is known to be a dead end."""
    g_weight, h_weight, bound, ties = weights
    nodes = memory.nodes
    queues, counts = memory.queues, memory.counts
    first, second = memory.by_ff, memory.by_ff_preferred
    lists = first, second, memory.by_landmarks, memory.by_landmarks_preferred, memory.by_novelty
    state, accepted = np.empty(memory.states.shape[1], np.uint64), np.empty(memory.accepted.shape[1], np.uint64)
    for _ in range(entries):
        which = -1
        for q in range(_LISTS):
            if queues[_SIZES + q] > 0 and (which < 0 or queues[_PRIORITIES + q] < queues[_PRIORITIES + which]):
                which = q
        if which < 0:
            return EXHAUSTED
        if not _has_room(memory, lists, 1):
            return FULL
        key, order, origin, operator = pop(lists[which], queues, which)
        state[:] = memory.states[origin]
        if operator == ALL:
            found = applicable(task, state, buffer)
            if not _has_room(memory, lists, found):
                push(lists[which], queues, which, key, order, origin, operator)
                return FULL
            weight = 0 if which == _BY_NOVELTY else g_weight
            for i in range(found):
                cost = task[task[COST] + buffer[i]]
                if nodes[origin, DISTANCE] + cost < bound:
                    push(lists[which], queues, which, key + weight * cost, order + i, origin, buffer[i])
            continue
        number, g, new, before = origin, 0, True, 0
        if operator != START:
            g = nodes[origin, DISTANCE] + task[task[COST] + operator]
            if g >= bound:
                continue
            progress(task, state, operator)
            number, new = find_or_add(memory.states, memory.table, counts, state)
            before = nodes[number, DISTANCE]
            if not new and (g_weight == 0 or before <= g or nodes[number, BOUND] >= FAR):
                queues[_PRIORITIES + which] += 1
                continue
            nodes[number, PARENT] = origin
            nodes[number, OPERATOR] = operator
            nodes[number, DISTANCE] = g
            if failure_reached(task, state):
                nodes[number, BOUND] = FAR
                queues[_PRIORITIES + which] += 1
                continue
            if goal_reached(task, state):
                counts[GOAL] = number
                return FOUND
        if len(rows.first) > 0:
            h, length = relaxed_plan_forwards(relaxation, rows, state, scratch, plan)
        else:
            h, length = relaxed_plan(relaxation, state, scratch, plan)
        if h < FAR and not _has_room(memory, lists, length + 1):
            nodes[number, DISTANCE] = before  # take the state back: it is expanded when there is room
            if new and operator != START:
                memory.table[slot_of(memory.states, memory.table, state)] = -1
                counts[STATES] -= 1
            push(lists[which], queues, which, key, order, origin, operator)
            return FULL
        queues[_PRIORITIES + which] += 1
        counts[EVALUATED] += 1
        if h >= FAR:
            nodes[number, BOUND] = FAR
            continue
        accepted[:] = memory.accepted[origin]
        missing = count_missing(relaxation, landmarks, state, accepted)
        memory.accepted[number] = accepted
        if operator != START and (h < counts[BEST] or missing < queues[_FEWEST]):
            queues[_PRIORITIES + _BY_FF_PREFERRED] -= _BOOST
            queues[_PRIORITIES + _BY_LANDMARKS_PREFERRED] -= _BOOST
        counts[BEST] = min(counts[BEST], h)
        queues[_FEWEST] = min(queues[_FEWEST], missing)
        counts[EXPANDED] += 1
        counts[INSERTED] += 1
        order = _mixed(counts[INSERTED], ties) if ties > 0 else counts[INSERTED] << 32  # room for the successors
        old = not _is_new(memory.seen, h, missing, state)
        by_ff, by_landmarks = g_weight * g + h_weight * h, g_weight * g + h_weight * missing
        push(lists[_BY_FF], queues, _BY_FF, by_ff, order, number, ALL)
        push(lists[_BY_LANDMARKS], queues, _BY_LANDMARKS, by_landmarks, order, number, ALL)
        push(lists[_BY_NOVELTY], queues, _BY_NOVELTY, int(old), order, number, ALL)
        for i in range(length):
            if is_applicable(task, state, plan[i]):
                more = g_weight * task[task[COST] + plan[i]]
                which = _BY_FF_PREFERRED
                push(lists[which], queues, which, by_ff + more, order + i, number, plan[i])
                which = _BY_LANDMARKS_PREFERRED
                push(lists[which], queues, which, by_landmarks + more, order + i, number, plan[i])
    return RUNNING
