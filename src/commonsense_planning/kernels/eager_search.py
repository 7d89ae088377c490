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

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels import search_memory as layout
from commonsense_planning.kernels.compiled import COST, State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import applicable, failure_reached, goal_reached, progress
from commonsense_planning.kernels.lm_cut import lm_cut, spent
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import explore, relaxed_plan
from commonsense_planning.kernels.search_memory import Memory, find_or_add, has_room, pop, push

BLIND, H_MAX, H_ADD, H_FF, LM_CUT, OUTSIDE = range(6)  # heuristics; of the last the values come from outside
NEW = -1  # in place of a row of what is kept: the state was not evaluated since it was reached
UNKNOWN = 65535  # in place of a larger cost
KEPT = 1  # in place of a second open list: what is kept of the states that were evaluated late


@njit(cache=True)
def estimate(heuristic: int, x: Int32, state: State, s: Int32, plan: Int32) -> int:
    """The heuristic of that number of a state, or FAR; arguments as for ``relaxed_plan``, or ``lm_cut``."""
    if heuristic == BLIND:
        return 0
    if heuristic == LM_CUT:
        return lm_cut(x, state, s)
    if heuristic == H_FF:
        return relaxed_plan(x, state, s, plan)[0]
    return explore(x, state, heuristic == H_MAX, s)


@njit(cache=True, inline="always")
def entry_of(g: int, row: int) -> int:
    """What stands in an entry of the open list: g when it was entered, and the row of what is kept, or ``NEW``."""
    return g << 32 | row + 1


@njit(cache=True, nogil=True)
def eager_slice(
    task: Int32,
    how: tuple[int, int, int, bool],
    relaxation: Int32,
    scratch: Int32,
    memory: Memory,
    buffer: Int32,
    plan: Int32,
    reached: Int32,
    expansions: int,
) -> int:
    """Take so many entries of the open list, by f = wg · g + wh · h, of equal f the lowest h first.

    ``how``: the heuristic's number, wg, wh, and whether it is LM-cut and evaluates late, for which both weights are 1.
    ``relaxation``, ``scratch``, ``plan``: as ``estimate`` takes them. ``reached`` int32 (operators,): with a heuristic
    from ``OUTSIDE``, a slice ends with the first state that has successors, and these are the first ``WAITING``.
    """
    heuristic, g_weight, h_weight, late = how
    states, nodes, table, counts = memory.states, memory.nodes, memory.table, memory.counts
    first, kept = memory.lists[0], memory.lists[KEPT]
    state = np.empty(states.shape[1], np.uint64)
    met = np.empty(len(buffer), np.int64)  # of the landmarks, by each applicable operator
    for _ in range(expansions):
        if counts[layout.SIZES] == 0:
            return layout.EXHAUSTED
        f, h, number, entry = pop(first, counts, 0)
        g, row = entry >> 32, (entry & 0xFFFFFFFF) - 1
        if g > nodes[number, layout.DISTANCE]:
            continue  # reached more cheaply since
        bound = nodes[number, layout.BOUND]
        if late and bound > h and _comes_later(first, counts, g, bound):
            push(first, counts, 0, g + bound, bound, number, entry)
            continue
        state[:] = states[number]
        if goal_reached(task, state):
            counts[layout.GOAL] = number
            return layout.FOUND
        found, cost = applicable(task, state, buffer), 0
        if not has_room(nodes, memory.lists, counts, found, found + 1):
            push(first, counts, 0, f, h, number, entry)
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
            if bound > h and _comes_later(first, counts, g, bound):
                entry = entry_of(g, save(kept, counts, cost, met, found))
                push(first, counts, 0, g + bound, bound, number, entry)
                continue
        elif late:
            cost = restore(kept, row, met, found)
        counts[layout.EXPANDED] += 1
        for i in range(found):
            state[:] = states[number]
            progress(task, state, buffer[i])
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
                push(first, counts, 0, f, after, successor, entry_of(through, NEW))
        if counts[layout.WAITING] > 0:
            return layout.RUNNING
    return layout.RUNNING


@njit(cache=True, inline="always")
def _comes_later(first: Int64, counts: Int64, g: int, h: int) -> bool:
    """Whether an entry waits that comes before one of this g and h."""
    return bool(counts[layout.SIZES] > 0 and (first[0, 0] < g + h or (first[0, 0] == g + h and first[0, 1] < h)))


@njit(cache=True)
def save(kept: Int64, counts: Int64, cost: int, met: Int64, found: int) -> int:
    """Write the landmarks' cost, and what of it each operator meets, four a number; give the row."""
    row = counts[layout.SIZES + KEPT]
    flat, at = kept.reshape(-1), 4 * row
    flat[at] = cost
    for i in range(found):
        at += i & 3 == 0
        flat[at] = flat[at] << 16 | met[i] if i & 3 else met[i]
    counts[layout.SIZES + KEPT] += ((found + 3) >> 2) // 4 + 1
    return int(row)


@njit(cache=True)
def restore(kept: Int64, row: int, met: Int64, found: int) -> int:
    """Read what ``save`` wrote; give the landmarks' cost."""
    flat, at = kept.reshape(-1), 4 * row + ((found + 3) >> 2)
    left = flat[at] if found else 0
    for i in range(found - 1, -1, -1):
        met[i] = left & UNKNOWN
        left >>= 16
        if i & 3 == 0 and i > 0:
            at -= 1
            left = flat[at]
    return int(flat[4 * row])
