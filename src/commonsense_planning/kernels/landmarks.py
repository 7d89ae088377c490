"""Landmarks of the delete relaxation, and their count.

A landmark is a proposition that is true at some time in every plan (Porteous, Sebastia and Hoffmann 2001). Propagation
finds those of the relaxation (Zhu and Givan 2003; Keyder, Richter and Helmert 2010): a landmark comes before a
proposition if it comes before all of its achievers, and before an achiever if it comes before one of its conditions.
Every landmark is in every relaxed plan, so only the propositions of one relaxed plan are candidates, and a set of
landmarks is a few words for each proposition, however large the task.

Orders determine when a landmark counts. It is *accepted* on the path to a state if it is true there and all landmarks
before it are accepted (natural orders). An accepted landmark that is false is required *again* if it belongs to the
goal, or is a condition of all first achievers of a landmark that is not accepted yet (greedy-necessary orders). LAMA's
landmark count is the sum of the prices of the landmarks that are not accepted or required again (Richter and Westphal
2010, section 5.2).

A landmark comes *reasonably* before one of the goal if every achiever has a condition that is never true together with
the goal landmark (Hoffmann, Porteous and Sebastia 2004, section 4; Richter and Westphal 2010, section 4.1.2). So a
block does not count as placed while the one below it has to move: otherwise a search would value its place, and then
have to remove it. A goal fact that is initially true is two landmarks, one initially and one at the end: natural orders
apply to the first, reasonable ones to the last.

Invariants: the landmarks are all propositions without which the relaxation cannot reach the goal. One landmark comes
naturally before another if and only if the relaxation cannot reach the other without it. The orders have no cycle: all
reasonable orders on a cycle are left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import copy, holds, join, set_bit
from commonsense_planning.kernels.kernel import ConstSets, ConstState, Flags, Sets, Table, check_signals, kernel
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import true_in


class Landmarks(NamedTuple):
    """Landmarks of a state, and their orders; sets of landmarks are rows of bits, uint64 (landmarks, words).

    ``propositions`` int32 (landmarks,); ``before``: the landmarks that come before each, itself excluded; ``then``: the
    landmarks whose first achievers all have it as a condition; ``final`` 0 or 1 (landmarks,): whether the goal wants
    it; ``price`` int32 (landmarks,): its count while it is missing, initially 1 (``priced``).
    """

    propositions: Int32
    before: Sets
    then: Sets
    final: Flags
    price: Int32


_NONE = np.zeros((0, 1), np.uint64)
NO_LANDMARKS = Landmarks(np.zeros(0, np.int32), _NONE, _NONE, np.zeros(0, np.uint8), np.zeros(0, np.int32))


@kernel
def propagated(x: Table, state: ConstState, candidates: Table, end: Table, wanting: Table) -> tuple[Sets, Flags]:
    """For each proposition the candidates that come before it or equal it, uint64 (propositions, words), and whether it
    is reachable, 0 or 1 (propositions,): the greatest fixed point from the state on. ``end`` (propositions,): the end
    of each row in ``wanting``, the relaxed operators with this condition."""
    propositions, relaxed = x[layout.PROPOSITIONS], x[layout.RELAXED]
    words = (len(candidates) + 63) >> 6
    sets: Sets = np.zeros((propositions, words), np.uint64)
    own: Sets = np.zeros((propositions, words), np.uint64)  # candidate → its bit
    for i in range(len(candidates)):
        set_bit(own[candidates[i]], i)
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
            for k in range(end[p - 1] if p > 0 else 0, end[p]):
                other = wanting[k]
                missing[other] -= not reached[p]
                if missing[other] == 0 and not waiting[other]:
                    queue[(head + size) % relaxed], waiting[other] = other, 1
                    size += 1
            reached[p] = 1
    return np.asarray(sets), np.asarray(reached)


@kernel
def shared_by_achievers(
    x: Table, number: Table, bit: Table, after: ConstSets, brought: ConstSets, possible: Flags, count: int
) -> Sets:
    """For each of ``count`` landmarks the intersection, over its first achievers, of the union of their conditions'
    sets ``brought``.

    By proposition: ``number``, of its landmark or -1; ``after``, the bits of the landmarks that it is or comes after,
    ``bit`` being that of each landmark; ``possible``, 0 or 1. A relaxed operator is a first achiever if all of its
    conditions are possible and none is, or comes after, the landmark.
    """
    words = brought.shape[1]
    shared: Sets = np.zeros((count, words), np.uint64)
    achieved: Flags = np.zeros(count, np.uint8)
    union: State = np.empty(words, np.uint64)
    for r in range(x[layout.RELAXED]):
        check_signals()
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        able = True
        union[:] = 0
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            able = able and possible[x[k]] != 0
            join(brought[x[k]], union)
        for e in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
            j = number[x[e]]
            first = able and j >= 0
            for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
                first = first and not holds(after[x[k]], bit[j])
            if first:
                for w in range(words):
                    shared[j, w] = shared[j, w] & union[w] if achieved[j] else union[w]
                achieved[j] = 1
    return np.asarray(shared)


@kernel
def ordered(x: Table, candidates: Table, sets: ConstSets, reached: Flags) -> tuple[Int32, Sets, Sets, Flags, Int32]:
    """The fields of ``Landmarks``; the first candidate is the goal."""
    goal, count = x[layout.PROPOSITIONS] - 1, 0
    number: Int32 = np.full(x[layout.PROPOSITIONS], -1, np.int32)
    chosen: Int32 = np.zeros(len(candidates) + 1, np.int32)  # landmark → candidate; the last one is the goal
    for i in range(len(candidates)):
        if candidates[i] < x[layout.STATED] and holds(sets[goal], i):
            number[candidates[i]] = count
            chosen[count] = i
            count += 1
    chosen[count] = 0
    number[goal] = count
    words = max(1, (count + 63) >> 6)
    before: Sets = np.zeros((count, words), np.uint64)
    then: Sets = np.zeros((count, words), np.uint64)
    own: Sets = np.zeros((x[layout.PROPOSITIONS], words), np.uint64)
    for j in range(count):
        check_signals()
        set_bit(own[candidates[chosen[j]]], j)
        for i in range(count):
            if i != j and holds(sets[candidates[chosen[j]]], chosen[i]):
                set_bit(before[j], i)
    shared: Sets = shared_by_achievers(x, number, chosen, sets, own, reached, count + 1)
    final: Flags = np.zeros(count, np.uint8)
    for i in range(count):
        check_signals()
        final[i] = holds(shared[count], i)
        for j in range(count):
            if holds(shared[j], i):
                set_bit(then[i], j)
    found = np.asarray(candidates)[np.asarray(chosen)[:count]]
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


def split_goal_landmarks(x: Int32, state: State, marks: Landmarks) -> tuple[Landmarks, Int32]:
    """Splits each landmark of the goal that is initially true into an initial and a final one.

    Returns the landmarks, and for each of ``marks`` the number of its final one, int32 (landmarks,).
    """
    count = len(marks.propositions)
    again = [i for i in range(count) if marks.final[i] and true_in(x, state, marks.propositions[i])]
    last = np.arange(count, dtype=np.int32)
    last[again] = np.arange(count, count + len(again))
    total = count + len(again)
    final = np.zeros(total, np.uint8)
    final[last] = marks.final
    before, then = np.zeros((2, total, max(1, (total + 63) >> 6)), np.uint64)
    before[:count, : marks.before.shape[1]], then[:count, : marks.then.shape[1]] = marks.before, marks.then
    propositions = np.append(marks.propositions, marks.propositions[again])
    return Landmarks(propositions, before, then, final, np.ones(total, np.int32)), last


@kernel
def threatened(x: Table, marks: Landmarks, last: Table, pairs: ConstSets) -> Sets:
    """For each landmark of the goal the landmarks whose first achievers all harm it at the end. ``last``: see
    ``split_goal_landmarks``; ``pairs``: see ``mutexes.non_mutex_pairs``."""
    propositions, facts = x[layout.PROPOSITIONS], len(pairs)
    total, words = marks.before.shape[0], marks.before.shape[1]
    number: Int32 = np.full(propositions, -1, np.int32)
    after: Sets = np.zeros((propositions, words), np.uint64)
    against: Sets = np.zeros((propositions, words), np.uint64)  # fact → landmarks of the goal that are mutex with it
    possible: Flags = np.ones(propositions, np.uint8)
    for f in range(facts):
        possible[f] = holds(pairs[f], f)
    for e in range(len(last)):
        check_signals()
        i = last[e]
        p = marks.propositions[i]
        number[p] = i
        copy(marks.before[i], after[p])
        set_bit(after[p], i)
        if marks.final[i] and p < facts:
            for f in range(facts):
                if not holds(pairs[p], f):
                    set_bit(against[f], i)
    bit: Int32 = np.arange(total, dtype=np.int32)
    harm: Sets = shared_by_achievers(x, number, bit, after, against, possible, total)
    orders: Sets = np.zeros((total, words), np.uint64)
    for j in range(total):
        check_signals()
        for i in range(total):
            if i != j and holds(harm[j], i) and not holds(marks.before[j], i):
                set_bit(orders[i], j)
    return np.asarray(orders)


@kernel
def acyclic(before: ConstSets, orders: ConstSets) -> Sets:
    """The ``orders`` that are on no cycle of ``before`` and ``orders``; a row has the landmarks before one."""
    total = len(before)
    closed: Sets = np.bitwise_or(before, orders)
    for k in range(total):
        check_signals()
        for i in range(total):
            if holds(closed[i], k):
                join(closed[k], closed[i])
    kept: Sets = np.zeros_like(orders)
    for i in range(total):
        for j in range(total):
            if holds(orders[i], j) and not holds(closed[j], i):
                set_bit(kept[i], j)
    return np.asarray(kept)
