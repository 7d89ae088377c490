"""The index of the successor generator, for listing the applicable operators without testing most others.

With tens of thousands of operators, testing each takes too long. Each operator is indexed under the positive
precondition that the fewest operators share (its pivot), and only operators with a true pivot are tested. Some facts
are true one at a time, such as the agent's place: every operator that makes one true makes the others false. So many
more operators delete such a fact than add it. An operator with one besides its pivot is indexed behind it (its gate).
Behind a gate only the pivots there are tested, whole words of facts at a time. So for a robot at one of a hundred
places, actions at the other places are not tested.

Invariant: an applicable operator is indexed under a true pivot, behind a true gate or none, or has no positive
precondition and is one of the free ones. Each operator is indexed once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Lists, Operators, owners_of

GATE = 1 / 3  # of the operators that add or delete a gate, at most this share adds it

_ONE = np.uint64(1)


class SuccessorIndex(NamedTuple):
    """Int32 arrays, as in a compiled table.

    A record is the operator, the number of its other preconditions, and these: ``fact`` if it has to be true, ``~fact``
    if false. ``free``: the records of operators without a positive precondition, ``records``: those of the others; from
    ``pointers[i]`` to ``pointers[i + 1]`` are the records of pivot number i, counted gate by gate.

    An entry is a word of the state, the low and the high 32 bits of the pivots in it, and the number of the first of
    these; ``ungated``: the entries without a gate, ``gated``: those behind each fact, ``gates`` (word, low, high): the
    facts that are gates.
    """

    free: Int32
    records: Int32
    pointers: Int32
    ungated: Int32
    gated: Lists
    gates: Int32


def index_operators(operators: Operators, half: int) -> SuccessorIndex:
    """Indexes the operators, whose preconditions are facts and, from 64 * ``half`` on, knowledge of facts."""
    size, count = 64 * half, len(operators.cost)
    owner, item = owners_of(operators.pre)
    added, deleted = _mentions(operators.add, size), _mentions(operators.delete, size)
    share = np.ones(2 * size + 1)  # of operators that add a fact; at the end: for what has to be false
    share[:size] = added / np.maximum(1, added + deleted)

    truth = item < size
    frequency = np.bincount(item, minlength=2 * size)
    pivot = _least(owner, item, frequency[item], truth, count)
    may_gate = truth & (item != pivot[owner]) & (share[item] <= GATE) & (deleted[np.minimum(item, size - 1)] > 0)
    gate = _least(owner, item, share[item], may_gate, count)

    rest = (item != pivot[owner]) & (item != gate[owner])
    never_owner, never = owners_of(operators.npre)
    owner, literal = np.concatenate((owner[rest], never_owner)), np.concatenate((item[rest], ~never))
    order = np.lexsort((pivot, gate))  # stable: without a gate first, and of these the free ones
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    sizes = 2 + np.bincount(owner, minlength=count)[order]
    starts = np.cumsum(sizes) - sizes
    # Facts that are rarely true come first, then facts that have to be false, and knowledge.
    by_place = np.lexsort((share[np.where(literal < 0, 2 * size, literal)], place[owner]))
    records = np.empty(int(sizes.sum()), np.int32)
    heads = np.zeros(len(records), np.bool_)
    heads[starts], heads[starts + 1] = True, True
    records[starts], records[starts + 1] = order, sizes - 2
    records[~heads] = literal[by_place]

    free = int((pivot < 0).sum())
    end_of_free = int(sizes[:free].sum())
    filed = np.stack((gate[order[free:]], pivot[order[free:]]), axis=1)
    first = np.flatnonzero((np.diff(filed, axis=0, prepend=-2) != 0).any(axis=1))
    pointers = np.append(starts[free:][first], len(records)) - end_of_free
    behind, under = filed[first].T
    entry = np.flatnonzero((np.diff(behind, prepend=-2) != 0) | (np.diff(under >> 6, prepend=-1) != 0))
    entries = np.column_stack((under[entry] >> 6, _halves(under, entry), entry)).astype(np.int32)
    ungated = int((behind[entry] < 0).sum())
    lengths = 4 * np.bincount(behind[entry][ungated:], minlength=size)
    end = np.cumsum(lengths)
    gated = Lists(end - lengths, end, entries[ungated:].ravel())
    gates = np.flatnonzero(lengths)
    first = np.flatnonzero(np.diff(gates >> 6, prepend=-1))
    return SuccessorIndex(
        records[:end_of_free],
        records[end_of_free:],
        pointers.astype(np.int32),
        entries[:ungated].ravel(),
        gated,
        np.column_stack((gates[first] >> 6, _halves(gates, first))).astype(np.int32).ravel(),
    )


def _least(
    owner: Int32, item: Int32, cost: npt.NDArray[np.generic], allowed: npt.NDArray[np.bool_], count: int
) -> npt.NDArray[np.int64]:
    """For each owner its allowed item of least cost, the lowest of equal ones; -1 if there is none."""
    owner, item, cost = owner[allowed], item[allowed], cost[allowed]
    order = np.lexsort((item, cost, owner))
    first = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    found = np.full(count, -1, np.int64)
    found[owner[first]] = item[first]
    return found


def _halves(facts: npt.NDArray[np.int64], first: npt.NDArray[np.int64]) -> Int32:
    """The bits of the facts from each of ``first`` to the next as low and high 32 bits, int32 (words, 2)."""
    words = np.zeros(len(first), np.uint64)
    if len(first):
        words = np.bitwise_or.reduceat(_ONE << (facts & 63).astype(np.uint64), first)
    return words.view(np.int32).reshape(-1, 2)


def _mentions(rows: Lists, size: int) -> npt.NDArray[np.int64]:
    """Item → the number of rows with it. Rows may share their items, and are not expanded."""
    starts, ends = (np.bincount(ends, minlength=len(rows.items) + 1) for ends in (rows.start, rows.end))
    weights = np.cumsum(starts - ends)[: len(rows.items)]
    return np.bincount(rows.items, weights, size).astype(np.int64)
