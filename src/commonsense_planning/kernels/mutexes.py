"""Mutexes: pairs of facts that are never true together, by h² of the initial state (Haslum and Geffner 2000).

A pair of facts is *reached* if both are true initially, or if an operator adds one or both of them without deleting the
other, and its preconditions were reached pairwise, each also with the other fact. Two facts that are not reached
together are mutex. Negative preconditions are ignored, and a conditional effect only adds: so too many pairs may count
as reached, but every mutex is one. Derived facts, and the memory bits of constraints, are mutex with nothing.

The facts compatible with a fact are a row of bits, so an operator extends whole rows at a time.

Invariant: the table is symmetric, and a fact is reached if and only if it is compatible with itself.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.kernels import compiled as layout
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.engine import copy, holds, join, set_bit, trailing_zeros, word_at
from commonsense_planning.kernels.kernel import ConstSets, ConstState, Int64, Sets, Table, check_signals, kernel

_ALL = np.uint64(2**64 - 1)


def free_facts(task: Compiled) -> State:
    """The facts that are mutex with nothing, as bits: uint64 (words,)."""
    free = np.zeros(task.half, np.uint64)
    for f in (*task.rules.head.tolist(), *task.monitors.bit.tolist()):
        set_bit(free, f)
    return free


@kernel
def non_mutex_pairs(t: Table, state: ConstState, free: ConstState) -> Sets:
    """For each fact the facts that it is not mutex with, as bits: uint64 (facts, words). ``t``: the table of a task in
    which nothing is hidden; ``free``: see ``free_facts``."""
    words = t[layout.HALF]
    pairs: Sets = np.zeros((64 * words, words), np.uint64)
    for f in range(len(pairs)):
        if holds(free, f):
            pairs[f, :] = _ALL
        else:
            copy(free, pairs[f])
            if holds(state, f):
                join(state, pairs[f])
    turn, grown = 0, True
    changed: Int64 = np.zeros(len(pairs), np.int64)  # fact → the turn in which its row last grew
    done: Int64 = np.full(t[layout.OPERATORS], -1, np.int64)  # operator → the turn in which it was last applied
    allowed: State = np.empty(words, np.uint64)
    after: State = np.empty(words, np.uint64)
    while grown:
        grown = False
        for o in range(t[layout.OPERATORS]):
            row, effects = t[layout.PRE] + 2 * o, t[layout.EFFECTS] + 2 * o
            new = done[o] < 0
            for k in range(t[row], t[row + 1]):
                new = new or changed[t[k]] > done[o]
            for e in range(t[effects], t[effects + 1]):
                inner = t[layout.COND_PRE] + 2 * e
                for k in range(t[inner], t[inner + 1]):
                    new = new or changed[t[k]] > done[o]
            if not new:
                continue
            turn += 1
            check_signals()
            done[o] = turn - (t[effects] < t[effects + 1])  # one effect may enable another
            allowed[:] = _ALL
            if _narrowed(t, row, pairs, allowed):
                grown = _widened(t, pairs, changed, turn, o, allowed, after) or grown
    return np.asarray(pairs)


@kernel
def _narrowed(t: Table, row: int, pairs: ConstSets, allowed: State) -> bool:
    """Restricts ``allowed`` to the facts compatible with every fact of a row; whether the row's own facts remain."""
    for k in range(t[row], t[row + 1]):
        for w in range(len(allowed)):
            allowed[w] &= pairs[t[k], w]
    possible = True
    for k in range(t[row], t[row + 1]):
        possible = possible and holds(allowed, t[k])
    return possible


@kernel
def _widened(t: Table, pairs: Sets, changed: Int64, turn: int, o: int, allowed: ConstState, after: State) -> bool:
    """Adds the pairs that an operator reaches from ``allowed``, the facts compatible with all its preconditions;
    whether any is new."""
    grown = False
    effects = t[layout.EFFECTS] + 2 * o
    own, deleted = t[layout.ADD] + 2 * o, t[layout.DELETED] + 2 * o
    for e in range(t[effects] - 1, t[effects + 1]):
        copy(allowed, after)
        adding = own
        if e >= t[effects]:
            adding = t[layout.COND_ADD] + 2 * e
            if not _narrowed(t, t[layout.COND_PRE] + 2 * e, pairs, after):
                continue
        for k in range(t[deleted], t[deleted + 1], 3):
            after[t[k]] &= ~word_at(t, k + 1)
        for k in range(t[own], t[own + 1]):
            set_bit(after, t[k])
        for other in range(t[effects], t[effects + 1]):
            row = t[layout.COND_ADD] + 2 * other
            for k in range(t[row], t[row + 1]):
                set_bit(after, t[k])
        for k in range(t[adding], t[adding + 1]):
            f = t[k]
            for w in range(len(after)):
                fresh = after[w] & ~pairs[f, w]
                if fresh == 0:
                    continue
                pairs[f, w] |= fresh
                changed[f] = turn
                grown = True
                while fresh != 0:
                    g = (w << 6) + trailing_zeros(fresh)
                    fresh &= fresh - np.uint64(1)
                    set_bit(pairs[g], f)
                    changed[g] = turn
    return grown
