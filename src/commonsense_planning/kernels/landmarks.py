"""Landmarks of the delete relaxation, and their count.

A landmark is a proposition that is true at some time in every plan (Porteous, Sebastia and Hoffmann 2001). Those of the
relaxation are found by propagation (Zhu and Givan 2003; Keyder, Richter and Helmert 2010): what comes before a
proposition is what comes before all of its achievers, and before an achiever whatever comes before its conditions.
Since a landmark is in every relaxed plan, only the propositions of one relaxed plan are candidates. So a set of
landmarks is a few words for each proposition, however large the task.

Orders determine when a landmark counts. It is *accepted* on the path to a state if it is true there and all that come
before it are accepted (natural orders; ``reasonable_orders`` has more). An accepted one that is false is required
*again* if it belongs to the goal, or is a condition of all first achievers of a landmark that is not accepted yet
(greedy-necessary orders). The number of those not accepted or required again, each times its price, is LAMA's landmark
count (Richter and Westphal 2010, section 5.2).

Invariant: the landmarks are all propositions without which the relaxation cannot reach the goal. One landmark comes
before another if and only if the relaxation cannot reach the other without it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import copy, holds, join, set_bit
from commonsense_planning.kernels.kernel import ConstSets, ConstState, Flags, Int64, Sets, Table, check_signals, kernel
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import true_in


class Landmarks(NamedTuple):
    """Landmarks of a state, and their orders; sets of landmarks are rows of bits, uint64 (landmarks, words).

    ``propositions`` int32 (landmarks,); ``before``: those that come before each, itself excluded; ``then``: those of
    which it is a condition whenever they are first achieved; ``final`` 0 or 1 (landmarks,): whether the goal wants it;
    ``price`` int32 (landmarks,): what it counts while it is missing, initially 1 (``priced``).
    """

    propositions: Int32
    before: Sets
    then: Sets
    final: Flags
    price: Int32


_NONE = np.zeros((0, 1), np.uint64)
NO_LANDMARKS = Landmarks(np.zeros(0, np.int32), _NONE, _NONE, np.zeros(0, np.uint8), np.zeros(0, np.int32))


@kernel
def propagated(x: Table, state: ConstState, candidates: Table) -> tuple[Sets, Flags]:
    """For each proposition the candidates that come before it or are it, uint64 (propositions, words), and whether it
    is reachable, 0 or 1 (propositions,): the greatest fixed point, from the state on."""
    propositions, relaxed = x[layout.PROPOSITIONS], x[layout.RELAXED]
    words = (len(candidates) + 63) >> 6
    sets: Sets = np.zeros((propositions, words), np.uint64)
    own: Sets = np.zeros((propositions, words), np.uint64)  # candidate → its bit
    for i in range(len(candidates)):
        set_bit(own[candidates[i]], i)
    first: Int64 = np.zeros(propositions + 1, np.int64)  # begin of the relaxed operators that want a proposition
    for r in range(relaxed):
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            first[x[k] + 1] += 1
    for p in range(propositions):
        first[p + 1] += first[p]
    wanting: Int32 = np.empty(x[layout.CONDITION_COUNT], np.int32)
    place: Int64 = np.array(first)
    missing: Int32 = np.zeros(relaxed, np.int32)
    given: Flags = np.zeros(propositions, np.uint8)
    reached: Flags = np.zeros(propositions, np.uint8)
    for p in range(x[layout.STATED]):
        if true_in(x, state, p):
            given[p] = 1
            reached[p] = 1
            copy(own[p], sets[p])
    waiting: Flags = np.zeros(relaxed, np.uint8)
    queue: Int32 = np.empty(max(1, relaxed), np.int32)
    head, size = 0, 0
    for r in range(relaxed):
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            check_signals()
            wanting[place[x[k]]] = r
            place[x[k]] += 1
            missing[r] += not given[x[k]]
        if missing[r] == 0:
            queue[size], waiting[r] = r, 1
            size += 1
    union: State = np.empty(words, np.uint64)
    while size > 0:
        check_signals()
        r = queue[head]
        head, size, waiting[r] = (head + 1) % relaxed, size - 1, 0
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        union[:] = 0
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            join(sets[x[k]], union)
        for e in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
            p = x[e]
            if given[p]:
                continue
            changed = not reached[p]
            for w in range(words):
                now = union[w] | own[p, w]
                if reached[p]:
                    now &= sets[p, w]
                changed = changed or now != sets[p, w]
                sets[p, w] = now
            if not changed:
                continue
            for k in range(first[p], first[p + 1]):
                other = wanting[k]
                missing[other] -= not reached[p]
                if missing[other] == 0 and not waiting[other]:
                    queue[(head + size) % relaxed], waiting[other] = other, 1
                    size += 1
            reached[p] = 1
    return np.asarray(sets), np.asarray(reached)


@kernel
def ordered(x: Table, candidates: Table, sets: ConstSets, reached: Flags) -> tuple[Int32, Sets, Sets, Flags, Int32]:
    """The fields of ``Landmarks``."""
    goal = x[layout.PROPOSITIONS] - 1
    number: Int32 = np.full(x[layout.PROPOSITIONS], -1, np.int32)
    chosen: Int32 = np.empty(len(candidates), np.int32)  # landmark → candidate
    count = 0
    for i in range(len(candidates)):
        if candidates[i] < x[layout.STATED] and holds(sets[goal], i):
            number[candidates[i]] = count
            chosen[count] = i
            count += 1
    chosen = chosen[:count]
    words = max(1, (count + 63) >> 6)
    before: Sets = np.zeros((count, words), np.uint64)
    then: Sets = np.zeros((count, words), np.uint64)
    shared: Sets = np.zeros((count + 1, words), np.uint64)  # what all first achievers want; last, those of the goal
    achieved: Flags = np.zeros(count + 1, np.uint8)
    for j in range(count):
        check_signals()
        for i in range(count):
            if i != j and holds(sets[candidates[chosen[j]]], chosen[i]):
                set_bit(before[j], i)
    wanted: State = np.empty(words, np.uint64)
    for r in range(x[layout.RELAXED]):
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        check_signals()
        possible = True
        wanted[:] = 0
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            possible = possible and reached[x[k]]
            if number[x[k]] >= 0:
                set_bit(wanted, number[x[k]])
        for e in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
            j = count if x[e] == goal else number[x[e]]
            first = possible and j >= 0
            for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
                first = first and (j == count or not holds(sets[x[k]], chosen[j]))
            if first:
                for w in range(words):
                    shared[j, w] = shared[j, w] & wanted[w] if achieved[j] else wanted[w]
                achieved[j] = 1
    final: Flags = np.zeros(count, np.uint8)
    for i in range(count):
        check_signals()
        final[i] = holds(shared[count], i)
        for j in range(count):
            if holds(shared[j], i):
                set_bit(then[i], j)
    found = np.asarray(candidates)[np.asarray(chosen)]
    return found, np.asarray(before), np.asarray(then), np.asarray(final), np.ones(count, np.int32)


@kernel
def prices(x: Table, propositions: Table) -> Int32:
    """The least price of an achiever of each proposition, at least 1, int32 (propositions,)."""
    price: Int32 = np.full(x[layout.PROPOSITIONS], FAR, np.int32)
    for r in range(x[layout.RELAXED]):
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        for e in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
            price[x[e]] = min(price[x[e]], max(1, x[record + layout.PRICE]))
    found: Int32 = np.ones(len(propositions), np.int32)
    for i in range(len(propositions)):
        if price[propositions[i]] < FAR:  # otherwise initially true, and never achieved
            found[i] = price[propositions[i]]
    return np.asarray(found)


@kernel
def count_missing(x: Table, marks: Landmarks, state: ConstState, accepted: State) -> int:
    """The landmark count of a state, below FAR. ``accepted``, bits, uint64 (words,): the landmarks accepted on the path
    to it; those accepted in it are added."""
    words, missing, more = len(accepted), 0, True
    while more:
        missing, more = 0, False
        for i in range(len(marks.propositions)):
            if holds(accepted, i):
                continue
            ready = true_in(x, state, marks.propositions[i])
            for w in range(words):
                ready = ready and (marks.before[i, w] & ~accepted[w]) == 0
            if ready:
                set_bit(accepted, i)
                more = True
            else:
                missing += marks.price[i]
    for i in range(len(marks.propositions)):
        if holds(accepted, i) and not true_in(x, state, marks.propositions[i]):
            again = marks.final[i] != 0
            for w in range(words):
                again = again or (marks.then[i, w] & ~accepted[w]) != 0
            if again:
                missing += marks.price[i]
    return min(missing, FAR - 1)
