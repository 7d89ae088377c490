"""The loop of eager best-first search: A*, weighted A* and greedy search, by the weights of g and h in f.

A state is evaluated when it is reached, and reopened if it is reached more cheaply. The values of a heuristic that is
not compiled come from outside: the reached states wait, and the caller of the loop pushes them.

A* with LM-cut evaluates a state *late*, when its turn comes, since LM-cut takes nearly all of the time, and most
reached states are never expanded. So a successor waits with a lower bound that needs no computation: the landmarks of
its parent that do not contain its operator remain. Its f is then that of the parent plus the operator's cost that is
left after the cuts. When its turn comes, it is evaluated, and waits again if its f has become more than that of another
entry (Pommerening and Helmert 2013 inherit landmarks; Tolpin and others 2013 evaluate late).

Invariants of late evaluation: a state's ``BOUND`` is at most the cost from it to the goal, and so is the h of an entry.
So the first goal state that is removed is reached by a cheapest plan.

A g or h that would reach ``UNREACHABLE`` ends just below it. It is then too low, never too high: a plan that costs less
than ``UNREACHABLE`` is still a cheapest one.
"""

from __future__ import annotations

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels import search_memory as layout
from commonsense_planning.kernels.compiled import UNREACHABLE
from commonsense_planning.kernels.engine import applicable, carry_out, copy, cost_of, failed, goal_reached
from commonsense_planning.kernels.kernel import ConstState, Entries, Table, check_signals, inline, kernel
from commonsense_planning.kernels.lm_cut import lm_cut, spent
from commonsense_planning.kernels.relaxation import FAR, UNIT
from commonsense_planning.kernels.relaxed import explore, relaxed_plan
from commonsense_planning.kernels.search_memory import Memory, find_or_add, has_room, pop, push

BLIND, H_MAX, H_ADD, H_FF, LM_CUT, OUTSIDE = range(6)  # heuristics; the values of the last come from outside
NEW = 0  # in place of a row of stored costs, plus 1: the state was not evaluated since it was reached
UNKNOWN = 65535  # in place of a larger cost
KEPT = 1  # the list that stores the costs of states evaluated late, in place of a second open list


@kernel
def estimate(heuristic: int, x: Table, state: ConstState, s: Int32, costs: Int64, plan: Int32) -> int:
    """The value of heuristic number ``heuristic`` for a state, or UNREACHABLE; the other arguments are those of
    ``relaxed_plan`` or ``lm_cut``."""
    if heuristic == BLIND:
        return 0
    if heuristic == LM_CUT:
        return lm_cut(x, state, s, costs)
    if heuristic == H_FF:
        cost, _ = relaxed_plan(x, state, s, plan)
    else:
        cost = explore(x, state, heuristic == H_MAX, s)
    return min(cost * x[UNIT], UNREACHABLE - 1) if cost < FAR else UNREACHABLE


@kernel
def eager_slice(
    task: Table,
    heuristic: int,
    g_weight: int,
    h_weight: int,
    late: bool,
    relaxation: Table,
    scratch: Int32,
    wide: Int64,
    memory: Memory,
    buffer: Int32,
    plan: Int32,
    reached: Int32,
    met: Int64,
    expansions: int,
) -> int:
    """Processes a number of entries of the open list, by f = wg · g + wh · h, ties by the lowest h.

    ``late``: whether LM-cut is evaluated late; then both weights are 1, and an entry's payload is the row of stored
    costs, plus 1, or ``NEW``; otherwise it is g at its insertion. ``relaxation``, ``scratch``, ``wide`` (``costs``
    there), ``plan``: as for ``estimate``. ``reached`` int32 (operators,): with a heuristic from ``OUTSIDE``, a slice
    ends with the first state that has successors, which are the first ``WAITING`` of it. ``met`` int64 (operators,):
    the cost of the landmarks that contain each applicable operator.
    """
    states, nodes, table, counts = memory.states, memory.nodes, memory.table, memory.counts
    costs, entries, state = memory.costs, memory.entries, memory.state
    for _ in range(expansions):
        check_signals()
        if counts[layout.SIZES] == 0:
            return layout.EXHAUSTED
        f, h, number, entry = pop(entries, counts, 0)
        g = f - h if late else entry
        if g > costs[number, layout.DISTANCE]:
            continue  # reached more cheaply since
        bound = costs[number, layout.BOUND]
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
        if late and entry == NEW:
            counts[layout.EVALUATED] += 1
            cost = lm_cut(relaxation, state, scratch, wide)
            bound = max(cost, bound)
            costs[number, layout.BOUND] = bound
            if bound >= UNREACHABLE:
                continue
            for i in range(found):
                met[i] = min(spent(wide, buffer[i]), UNKNOWN)
            if bound > h and _comes_later(entries, counts, g, bound):
                entry = 1 + save(entries, counts, cost, met, found)
                push(entries, counts, 0, g + bound, bound, number, entry)
                continue
        elif late:
            cost = restore(entries, counts, entry - 1, met, found)
        counts[layout.EXPANDED] += 1
        for i in range(found):
            check_signals()
            copy(states[number], state)
            carry_out(task, state, buffer[i], memory.work)
            if failed(task, state) >= 0:
                continue
            price = cost_of(task, buffer[i])
            through, after = min(g + price, UNREACHABLE - 1), 0
            successor, new = find_or_add(states, table, counts, state)
            if late:
                after = max(0, costs[successor, layout.BOUND], bound - price)
                if met[i] < UNKNOWN:
                    after = max(after, cost - met[i])
                costs[successor, layout.BOUND] = after
            if after >= UNREACHABLE or (not new and costs[successor, layout.DISTANCE] <= through):
                continue
            nodes[successor, layout.PARENT] = number
            nodes[successor, layout.OPERATOR] = buffer[i]
            costs[successor, layout.DISTANCE] = through
            if heuristic == OUTSIDE:
                reached[counts[layout.WAITING]] = successor
                counts[layout.WAITING] += 1
                continue
            if not late:
                counts[layout.EVALUATED] += heuristic != BLIND
                after = estimate(heuristic, relaxation, state, scratch, wide, plan)
            if after < UNREACHABLE:
                f = g_weight * through + h_weight * after
                push(entries, counts, 0, f, after, successor, NEW if late else through)
        if counts[layout.WAITING] > 0:
            return layout.RUNNING
    return layout.RUNNING


@inline
def _comes_later(entries: Entries, counts: Int64, g: int, h: int) -> bool:
    """Whether the first waiting entry comes before one with this g and h."""
    f, second = entries[0, 0], entries[0, 1]  # the first list is the open one
    return bool(counts[layout.SIZES] > 0 and (f < g + h or (f == g + h and second < h)))


@kernel
def save(entries: Entries, counts: Int64, cost: int, met: Int64, found: int) -> int:
    """Writes the landmarks' cost, and each operator's share of it, four per number; returns the row."""
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
    """Reads the row that ``save`` wrote; returns the landmarks' cost."""
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
