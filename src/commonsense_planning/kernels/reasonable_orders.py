"""Reasonable orders of landmarks: a fact that the goal wants does not count before another one that would destroy it.

A landmark comes *reasonably* before one of the goal if it cannot be achieved without harm to that: every achiever has a
condition that is never true together with what the goal wants (Hoffmann, Porteous and Sebastia 2004, section 4; Richter
and Westphal 2010, section 4.1.2). So a block does not count as placed as long as the one below it has to move:
otherwise a search would value its place, and then have to remove it.

A goal fact that is initially true is two landmarks, one initially and one at the end: natural orders apply to the
first, reasonable ones to the last.

Invariant: the orders have no cycle. All reasonable orders on a cycle are left out.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.engine import holds, join, set_bit
from commonsense_planning.kernels.kernel import ConstSets, Flags, Sets, Table, check_signals, kernel
from commonsense_planning.kernels.landmarks import Landmarks
from commonsense_planning.kernels.relaxed import true_in


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
    """For each landmark of the goal those that cannot be achieved without harm to it at the end. Only first achievers
    of a landmark count: none of their conditions is the landmark, or comes after it."""
    total, words, facts = marks.before.shape[0], marks.before.shape[1], len(pairs)
    number: Int32 = np.full(x[layout.PROPOSITIONS], -1, np.int32)
    against: Sets = np.zeros((facts, words), np.uint64)  # fact → landmarks of the goal that are never true with it
    for e in range(len(last)):
        check_signals()
        i = last[e]
        number[marks.propositions[i]] = i
        if marks.final[i] and marks.propositions[i] < facts:
            for f in range(facts):
                if not holds(pairs[marks.propositions[i]], f):
                    set_bit(against[f], i)
    harm: Sets = np.zeros((total, words), np.uint64)  # landmark → those of the goal that all its achievers harm
    achieved: Flags = np.zeros(total, np.uint8)
    goals: State = np.empty(words, np.uint64)
    for r in range(x[layout.RELAXED]):
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        check_signals()
        possible = True
        goals[:] = 0
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            if x[k] < facts:
                possible = possible and holds(pairs[x[k]], x[k])
                join(against[x[k]], goals)
        for e in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
            j = number[x[e]]
            first = possible and j >= 0
            for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
                i = number[x[k]]
                first = first and i != j and (i < 0 or not holds(marks.before[i], j))
            if first:
                for w in range(words):
                    harm[j, w] = harm[j, w] & goals[w] if achieved[j] else goals[w]
                achieved[j] = 1
    orders: Sets = np.zeros((total, words), np.uint64)
    for j in range(total):
        check_signals()
        for i in range(total):
            if i != j and holds(harm[j], i) and not holds(marks.before[j], i):
                set_bit(orders[i], j)
    return np.asarray(orders)


@kernel
def acyclic(before: ConstSets, orders: ConstSets) -> Sets:
    """Those of ``orders`` that are on no cycle of ``before`` and ``orders``; rows are what comes before each."""
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
