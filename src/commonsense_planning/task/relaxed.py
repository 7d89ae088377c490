"""Relaxed plans: h_FF with h_add supporters, and h_max, on the delete relaxation; Numba kernels.

The relaxation has a proposition for every fact (for a hidden one: that it is known to be true), for a fact
that some condition wants false one for its falsity, which deletes achieve, and one for the goal. An operator
becomes one relaxed operator, each conditional effect another one with the condition added. A sensing rule is
a relaxed operator without cost that achieves those of its facts that are true in the state. A disjunct of the
goal is one that achieves the goal. A negative condition on a fact that the operator itself adds only says
that the operator would be idle: it is left out; so are a negative sensing condition, and the knowledge of
what is false. Effects and senses go by the truth of a hidden fact, known or not: such conditions are left out
too.

The exploration is Dijkstra's (generalised to h_add or h_max) with an indexed heap; it stops once a disjunct
of the goal is reached. Invariant: ``missing`` counts the preconditions of a relaxed operator that are not
settled, ``base`` is the sum (maximum) of the settled ones' costs. ``reference.Reference.h_max`` is the
obvious twin.

Like a compiled task (see ``engine``) a relaxation is one int32 array with a header, and so is the working
memory.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.task.engine import Compiled, State, holds, owners_of, trailing_zeros
from commonsense_planning.task.ground_task import Int32, Int64, Lists
from commonsense_planning.task.kernels import kernel

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
PARENT = 8  # relaxed operator → operator, or one of the following two
CONDITIONS, EFFECTS = 9, 10  # relaxed operator → propositions (ragged)
WANTED_BY = 11  # proposition → relaxed operators (ragged)
HALF = 12  # words of one half of a state
HEADER = 13

_GOAL = -1  # parent of a disjunct of the goal
_SENSING = -2  # parent of a sensing rule

Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # (row, item) of every item of ragged rows


def compile_relaxation(task: Compiled, unit_cost: bool = True) -> Int32:
    """The relaxation of a task; with ``unit_cost`` every operator costs 1."""
    ops, goal, observing = task.operators, task.goal, task.observing
    facts = 64 * task.half
    count, effects = task.operator_count, len(ops.cond_pre)
    owner = np.repeat(np.arange(count), ops.effect_end - ops.effect_start)  # conditional effect → operator
    rules, disjuncts = len(observing.when), len(goal.pos)

    def shift(pairs: Pairs, by: int) -> Pairs:
        return pairs[0] + by, pairs[1]

    def truths(rows: Lists) -> Pairs:
        row, item = _pairs(rows)
        return row[item < facts], item[item < facts]

    def open_truths(rows: Lists) -> Pairs:
        row, item = _pairs(rows)
        return row[~task.hidden[item]], item[~task.hidden[item]]

    npre = _minus(_pairs(ops.npre), _pairs(ops.add), facts)
    cond_npre = _minus(_pairs(ops.cond_npre), _pairs(ops.cond_add), facts)
    goal_neg = _pairs(goal.neg)
    negated = np.unique(np.concatenate([npre[1], cond_npre[1], goal_neg[1]]))
    false_at = np.full(facts, -1, np.int64)
    false_at[negated] = facts + np.arange(len(negated))
    goal_at = facts + len(negated)

    def falsity(pairs: Pairs) -> Pairs:
        kept = false_at[pairs[1]] >= 0
        return pairs[0][kept], false_at[pairs[1][kept]]

    pre, false_pre = truths(ops.pre), falsity(npre)
    conditions = [pre, false_pre]
    conditions += [shift(_of_rows(p, owner, count), count) for p in (pre, false_pre)]
    conditions += [shift(p, count) for p in (open_truths(ops.cond_pre), falsity(cond_npre))]
    conditions.append(shift(open_truths(observing.when), count + effects))
    conditions += [shift(p, count + effects + rules) for p in (truths(goal.pos), falsity(goal_neg))]
    achieved = [
        _pairs(ops.add),
        shift(_pairs(ops.cond_add), count),
        shift(_pairs(observing.seen), count + effects),
    ]
    if len(negated):
        achieved += [falsity(_pairs(ops.delete)), shift(falsity(_pairs(ops.cond_delete)), count)]
    last = np.arange(count + effects + rules, count + effects + rules + disjuncts)
    achieved.append((last, np.full(disjuncts, goal_at)))

    parent = np.concatenate([np.arange(count), owner, np.full(rules, _SENSING), np.full(disjuncts, _GOAL)])
    price = np.zeros(len(parent), np.int64)
    real = parent >= 0
    price[real] = 1 if unit_cost else ops.cost[parent[real]]
    size = len(parent)
    return _assemble(
        task.half, goal_at + 1, negated, _rows(conditions, size), _rows(achieved, size), price, parent
    )


def _pairs(rows: Lists) -> Pairs:
    row, item = owners_of(rows)
    return row.astype(np.int64), item.astype(np.int64)


def _minus(pairs: Pairs, others: Pairs, facts: int) -> Pairs:
    """The pairs that are not among the others."""
    kept = ~np.isin(pairs[0] * facts + pairs[1], others[0] * facts + others[1])
    return pairs[0][kept], pairs[1][kept]


def _of_rows(pairs: Pairs, rows: npt.NDArray[np.int64], count: int) -> Pairs:
    """New row ``i`` holds the items of row ``rows[i]`` of the ``count`` rows of ``pairs``."""
    table = _rows([pairs], count)
    return _pairs(Lists(table.start[rows], table.end[rows], table.items))


def _rows(parts: list[Pairs], count: int) -> Lists:
    """Ragged rows, each item once a row and ascending."""
    row = np.concatenate([p[0] for p in parts])
    item = np.concatenate([p[1] for p in parts])
    order = np.lexsort((item, row))
    row, item = row[order], item[order]
    new = np.ones(len(row), np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (item[1:] != item[:-1])
    row, item = row[new], item[new]
    lengths = np.bincount(row, minlength=count).astype(np.int64)
    end = np.cumsum(lengths)
    return Lists(end - lengths, end, item.astype(np.int32))


def _assemble(
    half: int,
    propositions: int,
    negated: npt.NDArray[np.int64],
    conditions: Lists,
    effects: Lists,
    price: Int64,
    parent: npt.NDArray[np.int64],
) -> Int32:
    counts = conditions.end - conditions.start
    owner, item = owners_of(conditions)
    per_item = np.bincount(item, minlength=propositions).astype(np.int64)
    end = np.cumsum(per_item)
    wanted_by = Lists(end - per_item, end, owner[np.argsort(item, kind="stable")])
    idle = np.flatnonzero(counts == 0)
    header = np.zeros(HEADER, np.int32)
    header[HALF], header[PROPOSITIONS], header[RELAXED] = half, propositions, len(parent)
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


@kernel
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


@kernel
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


@kernel
def _give(s: Int32, n: int, given: int, proposition: int) -> int:
    """List a proposition that holds from the start; give their number."""
    s[proposition] = 0
    s[2 * n + proposition] = -1
    s[5 * n + given] = proposition
    return given + 1


@kernel
def _fire(x: Int32, state: State, s: Int32, n: int, size: int, r: int, price: int) -> int:
    """Reach the effects of a relaxed operator at ``price``; give the heap's size."""
    row = x[EFFECTS] + 2 * r
    sensing = x[x[PARENT] + r] == _SENSING
    for k in range(x[row], x[row + 1]):
        if not sensing or holds(state, x[k]):
            size = _reach(s, n, size, x[k], price, r)
    return size


@kernel
def _settle(x: Int32, state: State, s: Int32, n: int, size: int, proposition: int, use_max: bool) -> int:
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
            size = _fire(x, state, s, n, size, r, min(total + x[x[PRICE] + r], FAR - 1))
    return size


@kernel
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
    given = 0  # what holds from the start is settled without the heap
    half = x[HALF]
    for w in range(half):
        word = state[w]
        if state.shape[0] > half:
            word &= state[half + w]
        while word != 0:
            given = _give(s, n, given, (w << 6) + trailing_zeros(word))
            word &= word - np.uint64(1)
    for k in range(x[NEGATED_END] - x[NEGATED]):
        if not holds(state, x[x[NEGATED] + k]):
            given = _give(s, n, given, (half << 6) + k)
    size = 0
    for j in range(x[IDLE], x[IDLE_END]):
        size = _fire(x, state, s, n, size, x[j], x[x[PRICE] + x[j]])
    for k in range(given):
        size = _settle(x, state, s, n, size, s[5 * n + k], use_max)
    while size > 0 and s[n - 1] >= FAR:
        proposition = _take(s, n, size)
        size -= 1
        size = _settle(x, state, s, n, size, proposition, use_max)
    return int(s[n - 1])


@kernel
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
