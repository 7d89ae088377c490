"""Relaxed plans: h_FF with h_add supporters, and h_max, on the delete relaxation; Numba kernels.

The relaxation has a proposition for every bit of a state (truth, and knowledge where facts are hidden), for a
fact that some condition wants false one for its falsity, which deletes achieve, and one for the goal. An
operator becomes one relaxed operator, each conditional effect another one with the condition added; each
sensing rule and each disjunct of the goal is a relaxed operator without cost. A negative condition on a fact
that the operator itself adds only says that the operator would be idle: it is left out; so is a negative
sensing condition.

The exploration is Dijkstra's (generalised to h_add or h_max) with an indexed heap; it stops once the goal is
settled. Invariant: ``missing`` counts the preconditions of a relaxed operator that are not settled, ``base``
is the sum (maximum) of the settled ones' costs. ``reference.Reference.h_max`` is the obvious twin.

Like a compiled task (see ``engine``) a relaxation is one int32 array with a header, and so is the working
memory.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from commonsense_planning.task.engine import Compiled, State, holds, trailing_zeros
from commonsense_planning.task.ground_task import Int32, Int64, Lists, lists_of

FAR = 2**30

# The header of a relaxation
PROPOSITIONS = 0
RELAXED = 1  # number of relaxed operators
NEGATED = 2  # facts whose falsity is a proposition, from here …
NEGATED_END = 3  # … to here
IDLE = 4  # relaxed operators without preconditions, from here …
IDLE_END = 5  # … to here
COUNT = 6  # relaxed operator → number of preconditions
PRICE = 7  # relaxed operator → cost
PARENT = 8  # relaxed operator → operator, or -1 (sensing, goal)
CONDITIONS, EFFECTS = 9, 10  # relaxed operator → propositions (ragged)
WANTED_BY = 11  # proposition → relaxed operators (ragged)
HEADER = 12


def compile_relaxation(task: Compiled, unit_cost: bool = True) -> Int32:
    """The relaxation of a task; with ``unit_cost`` every operator costs 1."""
    ops, goal, observing = task.operators, task.goal, task.observing
    size = np.int32(64 * task.half)
    count = task.operator_count
    npre = [_without(ops.npre.row(o), ops.add.row(o)) for o in range(count)]
    cond_npre = [_without(ops.cond_npre.row(e), ops.cond_add.row(e)) for e in range(len(ops.cond_npre))]
    negated = np.unique(np.concatenate([*npre, *cond_npre, goal.neg.items])).astype(np.int32)
    false_at = np.full(size, -1, np.int32)
    false_at[negated] = 64 * task.words + np.arange(len(negated), dtype=np.int32)
    goal_at = 64 * task.words + len(negated)

    def achieved(add: Int32, delete: Int32) -> Int32:
        parts = [add]
        if task.words > task.half:
            parts.append(add[task.hidden[add]] + size)
        if len(negated):
            parts.append(false_at[delete][false_at[delete] >= 0])
        return np.concatenate(parts)

    conditions: list[Int32] = []
    effects: list[Int32] = []
    parent: list[int] = []
    for o in range(count):
        own = np.concatenate([ops.pre.row(o), false_at[npre[o]]])
        conditions.append(own)
        effects.append(achieved(ops.add.row(o), ops.delete.row(o)))
        parent.append(o)
        for e in range(ops.effect_start[o], ops.effect_end[o]):
            conditions.append(np.unique(np.concatenate([own, ops.cond_pre.row(e), false_at[cond_npre[e]]])))
            effects.append(achieved(ops.cond_add.row(e), ops.cond_delete.row(e)))
            parent.append(o)
    for rule in range(len(observing.when)):
        conditions.append(observing.when.row(rule))
        effects.append(observing.seen.row(rule) + size)
        parent.append(-1)
    for d in range(len(goal.pos)):
        conditions.append(np.concatenate([goal.pos.row(d), false_at[goal.neg.row(d)]]))
        effects.append(np.array([goal_at], np.int32))
        parent.append(-1)
    parents = np.array(parent, np.int32)
    price = np.where(parents < 0, 0, 1 if unit_cost else ops.cost[np.maximum(parents, 0)] if count else 0)
    return _assemble(
        goal_at + 1, negated, lists_of(conditions), lists_of(effects), price.astype(np.int64), parents
    )


def _without(row: Int32, others: Int32) -> Int32:
    return row if len(row) == 0 else row[~np.isin(row, others)]


def _assemble(
    propositions: int, negated: Int32, conditions: Lists, effects: Lists, price: Int64, parent: Int32
) -> Int32:
    counts = (conditions.end - conditions.start).astype(np.int32)
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    per_item = np.bincount(conditions.items, minlength=propositions)
    end = np.cumsum(per_item)
    wanted_by = Lists(end - per_item, end, owner[np.argsort(conditions.items, kind="stable")])
    idle = np.flatnonzero(counts == 0).astype(np.int32)
    header = np.zeros(HEADER, np.int32)
    header[PROPOSITIONS], header[RELAXED] = propositions, len(parent)
    parts = [header]
    size = HEADER
    for entry, flat in ((NEGATED, negated), (IDLE, idle), (COUNT, counts), (PRICE, price), (PARENT, parent)):
        header[entry] = size
        parts.append(flat.astype(np.int32))
        size += len(flat)
    header[NEGATED_END] = header[NEGATED] + len(negated)
    header[IDLE_END] = header[IDLE] + len(idle)
    for entry, rows in ((CONDITIONS, conditions), (EFFECTS, effects), (WANTED_BY, wanted_by)):
        header[entry] = size
        items = size + 2 * len(rows)
        parts += [
            np.stack([rows.start + items, rows.end + items], axis=1).astype(np.int32).ravel(),
            rows.items,
        ]
        size = items + len(rows.items)
    return np.concatenate(parts)


def scratch_for(relaxation: Int32) -> Int32:
    """Working memory for explorations of this relaxation, one at a time.

    Per proposition: cost, position in the heap, supporter, heap, mark, stack. Per relaxed operator: missing,
    base, used, plan.
    """
    return np.empty(6 * int(relaxation[PROPOSITIONS]) + 4 * int(relaxation[RELAXED]), np.int32)


@njit(cache=True)
def _reach(s: Int32, n: int, size: int, proposition: int, price: int, supporter: int) -> int:
    """Lower a proposition's cost to ``price`` if that is less; give the heap's size."""
    if price >= s[proposition]:
        return size
    s[proposition] = price
    s[2 * n + proposition] = supporter
    i = s[n + proposition]
    if i < 0:
        i = size
        size += 1
    while i > 0:
        above = (i - 1) >> 1
        other = s[3 * n + above]
        if s[other] <= price:
            break
        s[3 * n + i] = other
        s[n + other] = i
        i = above
    s[3 * n + i] = proposition
    s[n + proposition] = i
    return size


@njit(cache=True)
def _take(s: Int32, n: int, size: int) -> int:
    """Remove the cheapest proposition; the heap had ``size`` entries."""
    first = s[3 * n]
    item = s[3 * n + size - 1]
    price = s[item]
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and s[s[3 * n + child + 1]] < s[s[3 * n + child]]:
            child += 1
        other = s[3 * n + child]
        if s[other] >= price:
            break
        s[3 * n + i] = other
        s[n + other] = i
        i = child
    s[3 * n + i] = item
    s[n + item] = i
    return int(first)


@njit(cache=True)
def _give(s: Int32, n: int, given: int, proposition: int) -> int:
    """List a proposition that holds from the start; give their number."""
    s[proposition] = 0
    s[2 * n + proposition] = -1
    s[5 * n + given] = proposition
    return given + 1


@njit(cache=True)
def _fire(x: Int32, s: Int32, n: int, size: int, r: int, price: int) -> int:
    """Reach the effects of a relaxed operator at ``price``; give the heap's size."""
    row = x[EFFECTS] + 2 * r
    for k in range(x[row], x[row + 1]):
        size = _reach(s, n, size, x[k], price, r)
    return size


@njit(cache=True)
def _settle(x: Int32, s: Int32, n: int, size: int, proposition: int, use_max: bool) -> int:
    """Count a settled proposition where it is wanted; give the heap's size."""
    price = s[proposition]
    missing, base = 6 * n, 6 * n + x[RELAXED]
    wanted = x[WANTED_BY] + 2 * proposition
    for j in range(x[wanted], x[wanted + 1]):
        r = x[j]
        s[missing + r] -= 1
        total = max(s[base + r], price) if use_max else min(s[base + r] + price, FAR - 1)
        s[base + r] = total
        if s[missing + r] == 0:
            size = _fire(x, s, n, size, r, min(total + x[x[PRICE] + r], FAR - 1))
    return size


@njit(cache=True)
def explore(x: Int32, state: State, use_max: bool, s: Int32) -> int:
    """Settle propositions from ``state`` until the goal is; give its h_add (``use_max``: h_max) cost, or FAR.

    ``x``: the relaxation; ``s``: its working memory.
    """
    n, count = x[PROPOSITIONS], x[RELAXED]
    missing, base = 6 * n, 6 * n + count
    s[:n] = FAR
    s[n : 2 * n] = -1
    s[missing:base] = x[x[COUNT] : x[COUNT] + count]
    s[base : base + count] = 0
    given = 0  # what costs nothing from the start is settled without the heap
    for w in range(state.shape[0]):
        word = state[w]
        while word != 0:
            given = _give(s, n, given, (w << 6) + trailing_zeros(word))
            word &= word - np.uint64(1)
    for k in range(x[NEGATED_END] - x[NEGATED]):
        if not holds(state, x[x[NEGATED] + k]):
            given = _give(s, n, given, (state.shape[0] << 6) + k)
    size = 0
    for j in range(x[IDLE], x[IDLE_END]):
        size = _fire(x, s, n, size, x[j], x[x[PRICE] + x[j]])
    for k in range(given):
        size = _settle(x, s, n, size, s[5 * n + k], use_max)
    while size > 0:
        proposition = _take(s, n, size)
        size -= 1
        if proposition == n - 1:
            return int(s[proposition])
        size = _settle(x, s, n, size, proposition, use_max)
    return FAR


@njit(cache=True)
def relaxed_plan(x: Int32, state: State, s: Int32, plan: Int32) -> tuple[int, int]:
    """h_FF of a state: (sum of the operators' costs or FAR, length). The relaxed plan's operators go to
    ``plan``, int32 (operators,), each once, those first whose preconditions are reached most cheaply."""
    if explore(x, state, False, s) >= FAR:
        return FAR, 0
    n, count = x[PROPOSITIONS], x[RELAXED]
    supporter, mark, stack = 2 * n, 4 * n, 5 * n
    base, used, chosen = 6 * n + count, 6 * n + 2 * count, 6 * n + 3 * count
    s[mark : mark + n] = 0
    s[used : used + count] = 0
    top = 1
    s[stack] = n - 1
    s[mark + n - 1] = 1
    length = 0
    while top > 0:
        top -= 1
        r = s[supporter + s[stack + top]]
        if r < 0 or s[used + r]:
            continue
        s[used + r] = 1
        row = x[CONDITIONS] + 2 * r
        for k in range(x[row], x[row + 1]):
            if not s[mark + x[k]]:
                s[mark + x[k]] = 1
                s[stack + top] = x[k]
                top += 1
        if x[x[PARENT] + r] >= 0:
            i = length  # insertion sort: relaxed plans are short
            while i > 0 and (
                s[base + s[chosen + i - 1]] > s[base + r]
                or (s[base + s[chosen + i - 1]] == s[base + r] and s[chosen + i - 1] > r)
            ):
                s[chosen + i] = s[chosen + i - 1]
                i -= 1
            s[chosen + i] = r
            length += 1
    value, distinct = 0, 0
    for i in range(length):
        r = s[chosen + i]
        operator = x[x[PARENT] + r]
        repeated = False
        for k in range(distinct):
            repeated = repeated or plan[k] == operator
        if not repeated:
            plan[distinct] = operator
            distinct += 1
            value += x[x[PRICE] + r]
    return value, distinct
