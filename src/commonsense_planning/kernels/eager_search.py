"""The loop of eager best-first search: A*, weighted A* and greedy search, by the weights of g and h in f.

A state is evaluated when it is reached, and opened again where it is reached more cheaply than before. Of a heuristic
that is not compiled the values come from outside: the states that were reached wait, and whoever runs the loop pushes
them.

A* with LM-cut evaluates a state *late*, when its turn comes. LM-cut takes nearly all of the time, and most states that
are reached are never expanded. So a successor waits with a lower bound for which nothing is computed: the landmarks of
its parent that its operator is in no part of are still to be met. By f that is the parent's, and what is left of the
operator's cost after the cuts. When its turn comes, it is evaluated, and waits again if f has become more than what
else waits (Pommerening and Helmert 2013 inherit landmarks; Tolpin and others 2013 evaluate late).

Invariants of that: a state's ``BOUND`` is at most the cost from it to the goal, and so is the h of an entry. So the
first goal state that comes out is reached by a cheapest plan.
"""

from __future__ import annotations

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels import search_memory as layout
from commonsense_planning.kernels.compiled import COST
from commonsense_planning.kernels.engine import applicable, carry_out, copy, failure_reached, goal_reached
from commonsense_planning.kernels.kernel import ConstState, Entries, Table, inline, kernel
from commonsense_planning.kernels.lm_cut import lm_cut, spent
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import explore, relaxed_plan
from commonsense_planning.kernels.search_memory import Memory, find_or_add, has_room, pop, push

BLIND, H_MAX, H_ADD, H_FF, LM_CUT, OUTSIDE = range(6)  # heuristics; of the last the values come from outside
NEW = -1  # in place of a row of what is kept: the state was not evaluated since it was reached
UNKNOWN = 65535  # in place of a larger cost
KEPT = 1  # in place of a second open list: what is kept of the states that were evaluated late


@kernel
def estimate(heuristic: int, x: Table, state: ConstState, s: Int32, plan: Int32) -> int:
    """The heuristic of that number of a state, or FAR; arguments as for ``relaxed_plan``, or ``lm_cut``."""
    if heuristic == BLIND:
        return 0
    if heuristic == LM_CUT:
        return lm_cut(x, state, s)
    if heuristic == H_FF:
        cost, _ = relaxed_plan(x, state, s, plan)
        return cost
    return explore(x, state, heuristic == H_MAX, s)


@inline
def entry_of(g: int, row: int) -> int:
    """The payload of an entry of the open list: g when it was entered, and the row of what is kept, or ``NEW``."""
    return int(g) << 32 | row + 1


@kernel
def eager_slice(
    task: Table,
    heuristic: int,
    g_weight: int,
    h_weight: int,
    late: bool,
    relaxation: Table,
    scratch: Int32,
    memory: Memory,
    buffer: Int32,
    plan: Int32,
    reached: Int32,
    met: Int64,
    expansions: int,
) -> int:
    """Take a number of entries of the open list, by f = wg · g + wh · h, of equal f the lowest h first.

    ``late``: it is LM-cut and evaluates late, for which both weights are 1.
    ``relaxation``, ``scratch``, ``plan``: as ``estimate`` takes them. ``reached`` int32 (operators,): with a heuristic
    from ``OUTSIDE``, a slice ends with the first state that has successors, and these are the first ``WAITING``.
    ``met`` int64 (operators,): the cost of the landmarks that each applicable operator meets.
    """
    states, nodes, table, counts = memory.states, memory.nodes, memory.table, memory.counts
    entries, state = memory.entries, memory.state
    for _ in range(expansions):
        if counts[layout.SIZES] == 0:
            return layout.EXHAUSTED
        f, h, number, entry = pop(entries, counts, 0)
        g = entry >> 32
        row = entry - (g << 32) - 1
        if g > nodes[number, layout.DISTANCE]:
            continue  # reached more cheaply since
        bound = nodes[number, layout.BOUND]
        if late and bound > h and _comes_later(entries, counts, g, bound):
            push(entries, counts, 0, g + bound, bound, number, entry)
            continue
        copy(states[number], state)
        if goal_reached(task, state):
            counts[layout.GOAL] = number
            return layout.FOUND
        found, cost = applicable(task, state, buffer), 0
        if not has_room(nodes, counts, found, found + 1):
            push(entries, counts, 0, f, h, number, entry)
            return layout.FULL
        counts[layout.BEST] = f
        if late and row == NEW:
            counts[layout.EVALUATED] += 1
            cost = lm_cut(relaxation, state, scratch)
            bound = max(cost, bound)
            nodes[number, layout.BOUND] = bound
            if bound >= FAR:
                continue
            for i in range(found):
                met[i] = min(spent(scratch, buffer[i]), UNKNOWN)
            if bound > h and _comes_later(entries, counts, g, bound):
                entry = entry_of(g, save(entries, counts, cost, met, found))
                push(entries, counts, 0, g + bound, bound, number, entry)
                continue
        elif late:
            cost = restore(entries, counts, row, met, found)
        counts[layout.EXPANDED] += 1
        for i in range(found):
            copy(states[number], state)
            carry_out(task, state, buffer[i], memory.work)
            if failure_reached(task, state):
                continue
            price = task[task[COST] + buffer[i]]
            through, after = g + price, 0
            successor, new = find_or_add(states, table, counts, state)
            if late:
                after = max(nodes[successor, layout.BOUND], bound - price)
                if met[i] < UNKNOWN:
                    after = max(after, cost - met[i])
                nodes[successor, layout.BOUND] = after
            if after >= FAR or (not new and nodes[successor, layout.DISTANCE] <= through):
                continue
            nodes[successor, layout.PARENT] = number
            nodes[successor, layout.OPERATOR] = buffer[i]
            nodes[successor, layout.DISTANCE] = through
            if heuristic == OUTSIDE:
                reached[counts[layout.WAITING]] = successor
                counts[layout.WAITING] += 1
                continue
            if not late:
                counts[layout.EVALUATED] += heuristic != BLIND
                after = estimate(heuristic, relaxation, state, scratch, plan)
            if after < FAR:
                f = g_weight * through + h_weight * after
                push(entries, counts, 0, f, after, successor, entry_of(through, NEW))
        if counts[layout.WAITING] > 0:
            return layout.RUNNING
    return layout.RUNNING


@inline
def _comes_later(entries: Entries, counts: Int64, g: int, h: int) -> bool:
    """Whether an entry waits that comes before one of this g and h."""
    f, second = entries[0, 0], entries[0, 1]  # the first list is the open one
    return bool(counts[layout.SIZES] > 0 and (f < g + h or (f == g + h and second < h)))


@kernel
def save(entries: Entries, counts: Int64, cost: int, met: Int64, found: int) -> int:
    """Write the landmarks' cost, and what of it each operator meets, four a number; give the row."""
    row = int(counts[layout.SIZES + KEPT])
    at = 4 * (counts[layout.BEGIN + KEPT] + row)
    entries[at >> 2, at & 3] = cost
    for i in range(found):
        if i & 3 == 0:
            at += 1
            entries[at >> 2, at & 3] = met[i]
        else:
            entries[at >> 2, at & 3] = entries[at >> 2, at & 3] << 16 | met[i]
    counts[layout.SIZES + KEPT] += ((found + 3) >> 2) // 4 + 1
    return row


@kernel
def restore(entries: Entries, counts: Int64, row: int, met: Int64, found: int) -> int:
    """Read what ``save`` wrote; give the landmarks' cost."""
    begin = counts[layout.BEGIN + KEPT] + row
    at = 4 * begin + ((found + 3) >> 2)
    left = entries[at >> 2, at & 3] if found > 0 else 0
    for i in range(found - 1, -1, -1):
        met[i] = left & UNKNOWN
        left >>= 16
        if i & 3 == 0 and i > 0:
            at -= 1
            left = entries[at >> 2, at & 3]
    return int(entries[begin, 0])
