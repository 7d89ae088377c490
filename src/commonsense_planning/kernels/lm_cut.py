"""LM-cut (Helmert and Domshlak 2009), an admissible heuristic on the delete relaxation.

Each relaxed operator has a supporter: its most expensive condition by h_max, of equal ones the last. Cuts in the graph
from supporters to effects are disjunctive action landmarks: every plan needs an operator of each. The heuristic is the
sum of their costs. A cut's cost is subtracted from its operators before the next cut is sought, so that no operator
pays twice; the relaxed operators of an operator's conditional effects share its cost. The computation ends when h_max
of the goal is 0. The payment of an operator (``spent``) is the cost of the landmarks that contain it: the others remain
after it, which bounds the h of its successor from below.

A relaxed operator without an operator (the goal's, a rule's) costs nothing, and so is in no cut.

The array of a task has a header, the facts whose falsity is a proposition, then tables of ragged rows, each with one
more start than rows. The last proposition is always true: it is the condition of relaxed operators without conditions,
so that each has a supporter. The working memory is an int32 and an int64 array with the tables named in ``lm_cut``.
Only for tasks in which nothing is hidden.

Costs that would reach ``UNREACHABLE`` end just below it. That lowers h_max and the sum, so the heuristic is still
admissible; the cuts are landmarks whichever condition is the supporter.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import UNREACHABLE
from commonsense_planning.kernels.engine import holds, trailing_zeros
from commonsense_planning.kernels.kernel import ConstState, Int64, Table, check_signals, inline, kernel

# The header
HALF = 0  # words of a state
PROPOSITIONS = 1  # facts, falsities, broken rules, the goal, and one that is always true
RELAXED = 2
OPERATORS = 3
NEGATED = 4  # the places of the facts whose falsity is a proposition
PARENTS = 5  # of relaxed operators
MISSING = 6  # number of conditions of relaxed operators
CONDITIONS, EFFECTS = 7, 8  # relaxed operator → propositions
WANTED_BY, ACHIEVED_BY = 9, 10  # proposition → relaxed operators
SIBLINGS = 11  # operator → relaxed operators
STATED = 12  # propositions before this one are facts and falsities, given by a state; then come broken rules
HEADER = 13

QUEUES = 64  # of ``_insert``


@inline
def spent(costs: Int64, operator: int) -> int:
    """The cost of the landmarks that contain the operator, in the last call of ``lm_cut`` with this memory."""
    return int(costs[operator])


@inline
def _insert(heads: Int32, links: Int32, cost: Int64, least: int, p: int, value: int) -> None:
    """Lowers a proposition's cost to ``value``, and queues it by that cost.

    The queue is a radix heap (Ahuja and others 1990): ``least`` is at most every cost in it. A cost whose highest bit
    that differs from ``least`` is bit i is in queue i + 1, which is doubly linked.
    """
    if links[3 * p + 2] >= 0:
        _unlink(heads, links, p)
    cost[p] = value
    differs, queue = value ^ least, 0
    while differs > 0:
        differs >>= 1
        queue += 1
    after = heads[queue]
    links[3 * p], links[3 * p + 1], links[3 * p + 2] = after, -1, queue
    if after >= 0:
        links[3 * after + 1] = p
    heads[queue] = p


@inline
def _unlink(heads: Int32, links: Int32, p: int) -> None:
    after, before = links[3 * p], links[3 * p + 1]
    if before >= 0:
        links[3 * before] = after
    else:
        heads[links[3 * p + 2]] = after
    if after >= 0:
        links[3 * after + 1] = before
    links[3 * p + 2] = -1


@inline
def _next(heads: Int32, links: Int32, cost: Int64, least: int) -> tuple[int, int]:
    """Removes and returns a proposition of the least cost in the queue, and that cost; -1 if the queue is empty.
    ``least``: the last such cost."""
    p = heads[0]
    if p >= 0:
        _unlink(heads, links, p)
        return int(p), least
    queue = 1
    while queue < QUEUES and heads[queue] < 0:
        queue += 1
    if queue == QUEUES:
        return -1, least
    least, p = UNREACHABLE, heads[queue]
    while p >= 0:
        least = min(least, cost[p])
        p = links[3 * p]
    p = heads[queue]
    heads[queue] = -1
    while p >= 0:
        after = links[3 * p]
        links[3 * p + 2] = -1
        _insert(heads, links, cost, least, p, cost[p])
        p = after
    p = heads[0]
    _unlink(heads, links, p)
    return int(p), int(least)


@kernel
def lm_cut(x: Table, state: ConstState, s: Int32, costs: Int64) -> int:
    """The cost of the landmarks from ``state`` to the goal, or UNREACHABLE. ``x``: the task; ``s`` and ``costs``: its
    working memory, in which the last table of ``costs``, the relaxed operators' prices, is never changed."""
    propositions, relaxed, operators = x[PROPOSITIONS], x[RELAXED], x[OPERATORS] + 1
    goal = propositions - 2
    parents: Table = x[x[PARENTS] :]
    conditions: Table = x[x[CONDITIONS] :]
    effects: Table = x[x[EFFECTS] :]
    siblings: Table = x[x[SIBLINGS] :]
    wanted_by: Table = x[x[WANTED_BY] :]
    achieved_by: Table = x[x[ACHIEVED_BY] :]
    spent: Int64 = costs[:operators]
    costs = costs[operators:]
    cost: Int64 = costs[:propositions]  # h_max
    costs = costs[propositions:]
    base: Int64 = costs[:relaxed]  # the supporter's cost
    costs = costs[relaxed:]
    left: Int64 = costs[:relaxed]  # the remaining cost
    prices: Int64 = costs[relaxed:]
    paid: Int32 = s[:operators]  # number of the last cut that an operator paid for
    s = s[operators:]
    heads: Int32 = s[:QUEUES]
    s = s[QUEUES:]
    zone: Int32 = s[:propositions]  # 2 c: before the zone of cut c, 2 c + 1: in its goal zone
    s = s[propositions:]
    stack: Int32 = s[:propositions]
    s = s[propositions:]
    given: Int32 = s[:propositions]  # the true ones
    s = s[propositions:]
    links: Int32 = s[: 3 * propositions]  # next, previous, queue or -1
    s = s[3 * propositions :]
    supporter: Int32 = s[:relaxed]  # most expensive condition, -1: unreached
    s = s[relaxed:]
    missing: Int32 = s[:relaxed]  # unreached conditions
    s = s[relaxed:]
    cut: Int32 = s[:relaxed]

    spent[:] = 0
    paid[:] = 0
    heads[:] = -1
    cost[:] = UNREACHABLE
    zone[:] = 0
    links[:] = -1
    supporter[:] = -1
    for r in range(relaxed):
        missing[r] = x[x[MISSING] + r]
        left[r] = prices[r]
    truths = _write_given(x, state, given)
    for i in range(truths):
        cost[given[i]] = 0

    least, next_given = 0, 0
    while True:  # h_max by Dijkstra's algorithm: the condition that is reached last is the most expensive
        if next_given < truths:
            p = given[next_given]
            next_given += 1
        else:
            p, least = _next(heads, links, cost, least)
            if p < 0:
                break
        for k in range(wanted_by[p], wanted_by[p + 1]):
            r = x[k]
            missing[r] -= 1
            if missing[r] == 0:
                for c in range(conditions[r], conditions[r + 1]):
                    if cost[x[c]] == least:
                        supporter[r] = max(supporter[r], x[c])
                base[r] = least
                value = min(least + left[r], UNREACHABLE - 1)
                for e in range(effects[r], effects[r + 1]):
                    if value < cost[x[e]]:
                        _insert(heads, links, cost, least, x[e], value)
    if cost[goal] >= UNREACHABLE:
        return UNREACHABLE

    total, cuts = 0, 0
    while cost[goal] > 0:
        check_signals()
        cuts += 1
        before_zone, goal_zone = 2 * cuts, 2 * cuts + 1
        zone[goal] = goal_zone
        stack[0] = goal
        top = 1
        while top > 0:  # backwards from the goal along operators without remaining cost
            top -= 1
            p = stack[top]
            for k in range(achieved_by[p], achieved_by[p + 1]):
                r = x[k]
                if left[r] == 0 and supporter[r] >= 0 and zone[supporter[r]] != goal_zone:
                    zone[supporter[r]] = goal_zone
                    stack[top] = supporter[r]
                    top += 1
        top = 0
        for i in range(truths):
            if zone[given[i]] != goal_zone:
                zone[given[i]] = before_zone
                stack[top] = given[i]
                top += 1
        found, price = 0, UNREACHABLE
        while top > 0:  # forwards from the state as far as the goal zone
            top -= 1
            p = stack[top]
            for k in range(wanted_by[p], wanted_by[p + 1]):
                r = x[k]
                if supporter[r] != p:
                    continue
                first = top
                for e in range(effects[r], effects[r + 1]):
                    q = x[e]
                    if zone[q] == goal_zone:
                        cut[found] = r
                        found += 1
                        price = min(price, left[r])
                        while top > first:  # its other effects are not before the zone
                            top -= 1
                            zone[stack[top]] = 0
                        break
                    if zone[q] != before_zone:
                        zone[q] = before_zone
                        stack[top] = q
                        top += 1
        total = min(total + price, UNREACHABLE - 1)
        for i in range(found):
            parent = parents[cut[i]]
            if paid[parent] != cuts:
                paid[parent] = cuts
                spent[parent] += price
                for k in range(siblings[parent], siblings[parent + 1]):  # updates h_max where it decreases
                    r = x[k]
                    left[r] -= price
                    if supporter[r] >= 0:
                        value = min(base[r] + left[r], UNREACHABLE - 1)
                        for e in range(effects[r], effects[r + 1]):
                            if value < cost[x[e]]:
                                _insert(heads, links, cost, 0, x[e], value)
        least = 0
        while True:
            p, least = _next(heads, links, cost, least)
            if p < 0:
                break
            for k in range(wanted_by[p], wanted_by[p + 1]):
                r = x[k]
                if supporter[r] != p or base[r] <= least:
                    continue
                dearest, most = p, least
                for c in range(conditions[r], conditions[r + 1]):
                    if cost[x[c]] > most or (cost[x[c]] == most and x[c] > dearest):
                        dearest, most = x[c], cost[x[c]]
                supporter[r] = dearest
                if most < base[r]:
                    base[r] = most
                    value = min(most + left[r], UNREACHABLE - 1)
                    for e in range(effects[r], effects[r + 1]):
                        if value < cost[x[e]]:
                            _insert(heads, links, cost, least, x[e], value)
    return total


@inline
def _write_given(x: Table, state: ConstState, given: Int32) -> int:
    """Writes the propositions that are true, without duplicates; returns their number."""
    facts, goal = x[HALF] << 6, x[PROPOSITIONS] - 2
    given[0] = goal + 1
    count = 1
    for w in range(x[HALF]):
        word = state[w]
        while word != 0:
            given[count] = (w << 6) + trailing_zeros(word)
            word &= word - np.uint64(1)
            count += 1
    for p in range(facts, x[STATED]):
        if not holds(state, x[x[NEGATED] + p - facts]):
            given[count] = p
            count += 1
    return count
