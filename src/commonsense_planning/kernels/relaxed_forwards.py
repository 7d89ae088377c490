"""Relaxed plans in large tasks where most relaxed operators are relevant to the goal.

There, finding the relevant ones (``relaxed.explore``) takes longer than it saves. So all relaxed operators take part:
Dijkstra's algorithm, generalised to h_add, goes forwards from the state until the goal is the cheapest proposition.

Two things make this fast. The relaxed operators that wait for a proposition are the same in every state, and are stored
in rows. Costs are small, so there is a list for each cost, and only higher costs go into the heap.

Invariants: the cost of the goal is that of ``relaxed.explore``, its slow twin. A proposition is in the list of each
cost that it had below ``_LISTS``; the lowest one counts. Of achievers with the same cost that have a price, the last
one is the supporter; without a price, two could support each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Lists, by_item, owners_of
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.kernel import ConstState, Int32Rows, Table, inline, kernel
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import (
    BASE,
    COST,
    GIVEN,
    HEAP,
    MISSING,
    PLACE,
    RELAXED_SIZE,
    STAMP,
    SUPPORTER,
    explore,
    extract,
    is_given,
    next_exploration,
    proposition_at,
    reach,
    relaxed_at,
    take,
    taking_part,
    write_given,
)

_LISTS = 4096
_LARGE = 10_000  # relaxed operators: in smaller tasks both ways are fast
_PART = 4  # all take part if at least one in four relaxed operators matters


class Rows(NamedTuple):
    """The relaxed operators with each condition, the effects of each relaxed operator, and working memory; all int32.

    ``first`` (propositions + 1,): the begin of each row in ``who``, (conditions,), relaxed operators; ``begin``
    (relaxed operators + 1,): the begin of each row in ``effects``, propositions that no better achiever dominates;
    ``heads`` (costs,) and ``cells`` (effects, 2): the lists by cost, a cell is (proposition, next cell).
    """

    first: Int32
    who: Int32
    begin: Int32
    effects: Int32
    heads: Int32
    cells: Int32Rows


_NONE = np.zeros(0, np.int32)
NO_ROWS = Rows(_NONE, _NONE, _NONE, _NONE, _NONE, np.zeros((0, 2), np.int32))


def rows_for(relaxation: Int32, state: State, scratch: Int32) -> Rows:
    """The rows of a relaxation; empty if it is small, or most of it does not matter for the goal from ``state``."""
    explore(relaxation, state, False, scratch)
    if relaxation[layout.RELAXED] < _LARGE or _PART * taking_part(relaxation, scratch) < relaxation[layout.RELAXED]:
        return NO_ROWS
    propositions, relaxed = int(relaxation[layout.PROPOSITIONS]), int(relaxation[layout.RELAXED])
    first, last = relaxation[int(relaxation[layout.ACHIEVED]) :][: 2 * propositions].reshape(-1, 2).T
    achieved = np.repeat(np.arange(propositions, dtype=np.int32), (last - first) // layout.GROUP_SIZE)
    groups = relaxation[first[0] : last[-1]].reshape(-1, layout.GROUP_SIZE).astype(np.int64)
    group, achiever = owners_of(Lists(groups[:, layout.MEMBERS], groups[:, layout.MEMBERS_END], relaxation))
    who, effects = layout.wanted_by(relaxation), by_item(achieved[group], achiever, relaxed)
    return Rows(
        np.append(0, who.end).astype(np.int32),
        who.items,
        np.append(0, effects.end).astype(np.int32),
        effects.items,
        heads=np.full(_LISTS, -1, np.int32),
        cells=np.zeros((len(group), 2), np.int32),
    )


@kernel
def relaxed_plan_forwards(x: Table, rows: Rows, state: ConstState, s: Int32, plan: Int32) -> tuple[int, int]:
    """As ``relaxed.relaxed_plan``."""
    if explore_forwards(x, rows, state, s) >= FAR:
        return FAR, 0
    return extract(x, s, plan)


@kernel
def explore_forwards(x: Table, rows: Rows, state: ConstState, s: Int32) -> int:
    """The h_add cost of the goal from ``state``, or FAR; the supporters are left for ``relaxed.extract``."""
    first, who, heads, cells = rows.first, rows.who, rows.heads, rows.cells
    exploration, given, heap = next_exploration(s), s[GIVEN], s[HEAP]
    records, goal = relaxed_at(s, 0), x[layout.PROPOSITIONS] - 1
    write_given(x, state, s)
    heads[:] = -1
    for r in range(x[layout.RELAXED]):
        record, at = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r, relaxed_at(s, r)
        s[at + MISSING] = x[record + layout.CONDITIONS_END] - x[record + layout.CONDITIONS]
        s[at + BASE] = 0
    for p in range(x[layout.PROPOSITIONS]):
        at, holds = proposition_at(p), is_given(s, given, p)
        s[at + STAMP] = exploration
        s[at + PLACE] = -1
        s[at + COST] = 0 if holds else FAR
        if holds:
            for k in range(first[p], first[p + 1]):
                s[records + RELAXED_SIZE * who[k] + MISSING] -= 1
    size, used, cost = 0, 0, 0
    for r in range(x[layout.RELAXED]):
        if s[relaxed_at(s, r) + MISSING] == 0:
            size, used = _fire(x, rows, s, exploration, heap, size, used, r, 0)
    while True:
        while cost < len(heads) and heads[cost] < 0:
            cost += 1
        if cost < len(heads):
            cell = heads[cost]
            heads[cost] = cells[cell, 1]
            p = cells[cell, 0]
            if s[proposition_at(p) + COST] < cost:
                continue
        elif size > 0:
            p = take(s, heap, size)
            size -= 1
            if s[proposition_at(p) + COST] < len(heads):
                continue
        else:
            break
        if p == goal:
            break
        price = s[proposition_at(p) + COST]
        for k in range(first[p], first[p + 1]):
            at = records + RELAXED_SIZE * who[k]
            base = min(s[at + BASE] + price, FAR - 1)
            s[at + MISSING] -= 1
            s[at + BASE] = base
            if s[at + MISSING] == 0:
                size, used = _fire(x, rows, s, exploration, heap, size, used, who[k], base)
    return int(s[proposition_at(goal) + COST])


@inline
def _fire(
    x: Table, rows: Rows, s: Int32, exploration: int, heap: int, size: int, used: int, r: int, base: int
) -> tuple[int, int]:
    """Reaches the effects of a relaxed operator without missing conditions; returns the used sizes of the heap and the
    cells."""
    price = x[x[layout.OPERATORS] + layout.OPERATOR_SIZE * r + layout.PRICE]
    cost = min(base + price, FAR - 1)
    for k in range(rows.begin[r], rows.begin[r + 1]):
        p = rows.effects[k]
        at = proposition_at(p)
        if cost == s[at + COST] and price > 0:
            s[at + SUPPORTER] = max(s[at + SUPPORTER], r)
        if cost >= s[at + COST]:
            continue
        if cost >= len(rows.heads) or s[at + PLACE] >= 0:
            size = reach(s, exploration, heap, size, p, cost, r)
        s[at + COST] = cost
        s[at + SUPPORTER] = r
        if cost < len(rows.heads):
            rows.cells[used, 0] = p
            rows.cells[used, 1] = rows.heads[cost]
            rows.heads[cost] = used
            used += 1
    return size, used
