"""LM-cut (Helmert and Domshlak 2009), an admissible heuristic on the delete relaxation; a Numba kernel.

The idea: cuts in the graph of each relaxed operator's dearest condition (its supporter, by h_max) are disjunctive
action landmarks: every plan needs an operator of each. The heuristic is the sum of their costs. A cut takes its cost
off its operators before the next one is looked for, so that no operator pays twice; a conditional effect's relaxed
operator shares the cost of its operator. It ends when h_max of the goal is 0.

The array of a task: a header, the facts whose falsity is a proposition, a record for each relaxed operator (see
``relaxation``), then for each proposition who wants it, and who achieves it. The last proposition is always true: it is
the condition of relaxed operators that have none, so that each has a supporter. The working memory, one int32 array,
holds the tables that ``lm_cut`` names. Only for tasks in which nothing is hidden.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64, Lists, owners_of
from commonsense_planning.kernels import relaxation as relaxed_task
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import holds
from commonsense_planning.kernels.relaxation import (
    CONDITIONS,
    CONDITIONS_END,
    EFFECTS,
    EFFECTS_END,
    FAR,
    OPERATOR_SIZE,
    PARENT,
    PRICE,
)

# The header
_FACTS = 0  # propositions that are facts, 64 a word
_PROPOSITIONS = 1  # facts, falsities, broken rules, the goal, and what is always true
_RELAXED = 2
_OPERATORS = 3
_NEGATED = 4  # where the facts stand whose falsity is a proposition
_RECORDS = 5
_WANTED_BY = 6  # proposition → relaxed operators
_ACHIEVED_BY = 7
_STATED = 8  # propositions before this one are facts and falsities, which a state says; then come broken rules
_HEADER = 9

_GOAL_ZONE, _BEFORE = 1, 2


def compile_lm_cut(relaxation: Int32) -> Int32:
    """The array of a task, from its relaxation."""
    x = relaxation
    facts, count = int(x[relaxed_task.HALF]) << 6, int(x[relaxed_task.RELAXED])
    propositions = int(x[relaxed_task.PROPOSITIONS]) + 1
    at = int(x[relaxed_task.OPERATORS])
    records = x[at : at + OPERATOR_SIZE * count].reshape(count, OPERATOR_SIZE).astype(np.int64)
    wants = _rows(x, records[:, CONDITIONS], records[:, CONDITIONS_END], empty=propositions - 1)
    achieves = _rows(x, records[:, EFFECTS], records[:, EFFECTS_END])
    stated = int(x[relaxed_task.STATED])
    negated = x[x[relaxed_task.NEGATED] :][: stated - facts]
    header = np.zeros(_HEADER, np.int64)
    header[[_FACTS, _PROPOSITIONS, _RELAXED, _STATED]] = facts, propositions, count, stated
    header[_OPERATORS] = int(records[:, PARENT].max(initial=-1)) + 1
    parts: list[npt.NDArray[np.signedinteger]] = [header, negated]
    size = _HEADER + len(negated)
    header[_NEGATED], header[_RECORDS] = _HEADER, size
    size += OPERATOR_SIZE * count
    own = records.copy()
    for rows, start, end in ((wants, CONDITIONS, CONDITIONS_END), (achieves, EFFECTS, EFFECTS_END)):
        own[:, start], own[:, end] = rows.start + size, rows.end + size
        size += len(rows.items)
    parts += [own.ravel(), wants.items, achieves.items]
    for entry, rows in ((_WANTED_BY, wants), (_ACHIEVED_BY, achieves)):
        owner, item = owners_of(rows)
        ends = np.cumsum(np.bincount(item, minlength=propositions))
        header[entry] = size
        size += 2 * propositions
        parts.append(np.stack([np.append(0, ends[:-1]) + size, ends + size], axis=1).ravel())
        parts.append(owner[np.argsort(item, kind="stable")])
        size += len(owner)
    return np.concatenate([part.astype(np.int32) for part in parts])


def _rows(x: Int32, start: Int64, end: Int64, empty: int | None = None) -> Lists:
    """Stretches of ``x`` as rows; one that holds nothing holds ``empty`` instead."""
    rows = [x[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    if empty is not None:
        rows = [row if len(row) else np.array([empty], np.int32) for row in rows]
    lengths = np.array([len(row) for row in rows], np.int64)
    ends = np.cumsum(lengths)
    return Lists(ends - lengths, ends, np.concatenate([*rows, np.zeros(0, np.int32)]).astype(np.int32))


def memory_for(task: Int32) -> Int32:
    """Working memory for one estimate at a time."""
    return np.zeros(5 * int(task[_PROPOSITIONS]) + 4 * int(task[_RELAXED]) + 2 * int(task[_OPERATORS]), np.int32)


@njit(cache=True, inline="always")
def _reach(cost: Int32, place: Int32, heap: Int32, size: int, p: int, value: int) -> int:
    """Lower a proposition's cost to ``value`` if that is less; give the heap's size."""
    if value >= cost[p]:
        return size
    cost[p] = value
    i = place[p]
    if i < 0:
        i = size
        size += 1
    while i > 0 and cost[heap[(i - 1) >> 1]] > value:
        heap[i] = heap[(i - 1) >> 1]
        place[heap[i]] = i
        i = (i - 1) >> 1
    heap[i] = p
    place[p] = i
    return size


@njit(cache=True, inline="always")
def _take(cost: Int32, place: Int32, heap: Int32, size: int) -> int:
    """Remove the cheapest proposition; the heap had ``size`` entries."""
    first = heap[0]
    place[first] = -1
    size -= 1
    if size > 0:
        item = heap[size]
        i = 0
        while True:
            child = 2 * i + 1
            if child >= size:
                break
            if child + 1 < size and cost[heap[child + 1]] < cost[heap[child]]:
                child += 1
            if cost[heap[child]] >= cost[item]:
                break
            heap[i] = heap[child]
            place[heap[i]] = i
            i = child
        heap[i] = item
        place[item] = i
    return int(first)


@njit(cache=True)
def lm_cut(x: Int32, state: State, s: Int32) -> int:
    """The cost of the landmarks from ``state`` to the goal, or FAR. ``x``: the task; ``s``: its working memory."""
    facts, propositions, relaxed, operators = x[_FACTS], x[_PROPOSITIONS], x[_RELAXED], x[_OPERATORS]
    goal, records, wanted_by, achieved_by = propositions - 2, x[_RECORDS], x[_WANTED_BY], x[_ACHIEVED_BY]
    cost, place = s[:propositions], s[propositions : 2 * propositions]  # h_max; place in the heap or -1
    heap, zone = s[2 * propositions : 3 * propositions], s[3 * propositions : 4 * propositions]
    stack = s[4 * propositions : 5 * propositions]
    rest = s[5 * propositions :]
    missing, supporter = rest[:relaxed], rest[relaxed : 2 * relaxed]  # conditions not reached; dearest condition
    base, cut = rest[2 * relaxed : 3 * relaxed], rest[3 * relaxed : 4 * relaxed]  # the supporter's cost; a cut
    left = rest[4 * relaxed : 4 * relaxed + operators]  # what is left of an operator's cost
    paid = rest[4 * relaxed + operators : 4 * relaxed + 2 * operators]  # number of the last cut that it paid for

    cost[:] = FAR
    place[:] = -1
    paid[:] = 0
    size = _reach(cost, place, heap, 0, propositions - 1, 0)
    for p in range(x[_STATED]):
        true = holds(state, p) if p < facts else not holds(state, x[x[_NEGATED] + p - facts])
        if true:
            size = _reach(cost, place, heap, size, p, 0)
    for r in range(relaxed):
        record = records + OPERATOR_SIZE * r
        missing[r] = x[record + CONDITIONS_END] - x[record + CONDITIONS]
        if x[record + PARENT] >= 0:
            left[x[record + PARENT]] = x[record + PRICE]
    while size > 0:  # h_max by Dijkstra's algorithm: the condition that is reached last is the dearest
        p = _take(cost, place, heap, size)
        size -= 1
        for k in range(x[wanted_by + 2 * p], x[wanted_by + 2 * p + 1]):
            r = x[k]
            missing[r] -= 1
            if missing[r] == 0:
                supporter[r], base[r] = p, cost[p]
                record = records + OPERATOR_SIZE * r
                value = cost[p] + (left[x[record + PARENT]] if x[record + PARENT] >= 0 else 0)
                for e in range(x[record + EFFECTS], x[record + EFFECTS_END]):
                    size = _reach(cost, place, heap, size, x[e], value)
    if cost[goal] >= FAR:
        return FAR

    total, cuts = 0, 0
    while cost[goal] > 0:
        zone[:] = 0
        zone[goal] = _GOAL_ZONE
        stack[0] = goal
        top = 1
        while top > 0:  # backwards from the goal over what costs nothing any more
            top -= 1
            for k in range(x[achieved_by + 2 * stack[top]], x[achieved_by + 2 * stack[top] + 1]):
                r = x[k]
                parent = x[records + OPERATOR_SIZE * r + PARENT]
                if missing[r] == 0 and (parent < 0 or left[parent] == 0) and zone[supporter[r]] == 0:
                    zone[supporter[r]] = _GOAL_ZONE
                    stack[top] = supporter[r]
                    top += 1
        zone[propositions - 1] = _BEFORE
        stack[0] = propositions - 1
        top = 1
        for p in range(x[_STATED]):
            if (holds(state, p) if p < facts else not holds(state, x[x[_NEGATED] + p - facts])) and zone[p] == 0:
                zone[p] = _BEFORE
                stack[top] = p
                top += 1
        found, least = 0, FAR
        while top > 0:  # forwards from the state as far as the goal zone
            top -= 1
            p = stack[top]
            for k in range(x[wanted_by + 2 * p], x[wanted_by + 2 * p + 1]):
                r = x[k]
                if missing[r] > 0 or supporter[r] != p:
                    continue
                record = records + OPERATOR_SIZE * r
                crosses = False
                for e in range(x[record + EFFECTS], x[record + EFFECTS_END]):
                    crosses = crosses or zone[x[e]] == _GOAL_ZONE
                if crosses:
                    cut[found] = r
                    found += 1
                    least = min(least, left[x[record + PARENT]])
                    continue
                for e in range(x[record + EFFECTS], x[record + EFFECTS_END]):
                    if zone[x[e]] == 0:
                        zone[x[e]] = _BEFORE
                        stack[top] = x[e]
                        top += 1
        total += least
        cuts += 1
        for i in range(found):
            parent = x[records + OPERATOR_SIZE * cut[i] + PARENT]
            if paid[parent] != cuts:
                paid[parent] = cuts
                left[parent] -= least
        for r in range(relaxed):  # h_max again, where it has become less
            record = records + OPERATOR_SIZE * r
            if missing[r] > 0 or x[record + PARENT] < 0 or paid[x[record + PARENT]] != cuts:
                continue
            value = base[r] + left[x[record + PARENT]]
            for e in range(x[record + EFFECTS], x[record + EFFECTS_END]):
                size = _reach(cost, place, heap, size, x[e], value)
        while size > 0:
            p = _take(cost, place, heap, size)
            size -= 1
            for k in range(x[wanted_by + 2 * p], x[wanted_by + 2 * p + 1]):
                r = x[k]
                if missing[r] > 0 or supporter[r] != p or base[r] <= cost[p]:
                    continue
                record = records + OPERATOR_SIZE * r
                dearest = p
                for c in range(x[record + CONDITIONS], x[record + CONDITIONS_END]):
                    if cost[x[c]] > cost[dearest]:
                        dearest = x[c]
                supporter[r] = dearest
                if cost[dearest] < base[r]:
                    base[r] = cost[dearest]
                    parent = x[record + PARENT]
                    value = base[r] + (left[parent] if parent >= 0 else 0)
                    for e in range(x[record + EFFECTS], x[record + EFFECTS_END]):
                        size = _reach(cost, place, heap, size, x[e], value)
    return total
