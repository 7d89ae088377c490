"""The loop of A* with LM-cut, a Numba kernel: a state is evaluated when its turn comes, not when it is reached.

LM-cut takes nearly all of the time, and most states that are reached are never expanded. So a successor waits with a
lower bound for which nothing is computed: the landmarks of its parent that its operator is in no part of are still to
be met. By f that is the parent's, and what is left of the operator's cost after the cuts. When its turn comes, it is
evaluated, and waits again if f has become more than what else waits (Pommerening and Helmert 2013 inherit landmarks;
Tolpin and others 2013 evaluate late).

Invariants: a state's ``BOUND`` is at most the cost from it to the goal, and so is the h of an entry. So the first goal
state that comes out is reached by a cheapest plan.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.best_first import (
    BEST,
    BOUND,
    DISTANCE,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FOUND,
    FULL,
    GOAL,
    HEAP,
    OPERATOR,
    PARENT,
    RUNNING,
    find_or_add,
    has_room,
    pop,
    push,
)
from commonsense_planning.kernels.compiled import COST
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import applicable, failure_reached, goal_reached, progress
from commonsense_planning.kernels.lm_cut import lm_cut, spent
from commonsense_planning.kernels.relaxation import FAR

NEW = -1  # in place of a row of ``second``: the state was not evaluated since it was reached
UNKNOWN = 65535  # in place of a larger cost


@njit(cache=True, nogil=True)
def astar_slice(
    task: Int32,
    landmarks: Int32,
    scratch: Int32,
    states: npt.NDArray[np.uint64],
    nodes: Int32,
    table: Int32,
    first: Int64,
    second: Int64,
    counts: Int64,
    buffer: Int32,
    expansions: int,
) -> int:
    """Take so many entries of the open list. ``landmarks``, ``scratch``: as ``lm_cut`` takes them."""
    state = np.empty(states.shape[1], np.uint64)
    met = np.empty(len(buffer), np.int64)  # of the landmarks, by each applicable operator
    for _ in range(expansions):
        if counts[HEAP] == 0:
            return EXHAUSTED
        f, h, number, saved = pop(first, counts, 0)
        g = f - h
        if g > nodes[number, DISTANCE]:
            continue  # reached more cheaply since
        bound = nodes[number, BOUND]
        if bound > h and _comes_later(first, counts, g, bound):
            push(first, counts, 0, g + bound, bound, number, saved)
            continue
        state[:] = states[number]
        if goal_reached(task, state):
            counts[GOAL] = number
            return FOUND
        found = applicable(task, state, buffer)
        if not has_room(nodes, first, second, counts, found + 1):
            push(first, counts, 0, f, h, number, saved)
            return FULL
        counts[BEST] = f
        if saved == NEW:
            counts[EVALUATED] += 1
            cost = lm_cut(landmarks, state, scratch)
            bound = max(cost, bound)
            nodes[number, BOUND] = bound
            if bound >= FAR:
                continue
            for i in range(found):
                met[i] = min(spent(scratch, buffer[i]), UNKNOWN)
            if bound > h and _comes_later(first, counts, g, bound):
                push(first, counts, 0, g + bound, bound, number, save(second, counts, cost, met, found))
                continue
        else:
            cost = restore(second, saved, met, found)
        counts[EXPANDED] += 1
        for i in range(found):
            state[:] = states[number]
            progress(task, state, buffer[i])
            if failure_reached(task, state):
                continue
            price = task[task[COST] + buffer[i]]
            successor, new = find_or_add(states, table, counts, state)
            after = max(nodes[successor, BOUND], bound - price)
            if met[i] < UNKNOWN:
                after = max(after, cost - met[i])
            nodes[successor, BOUND] = after
            if after >= FAR or (not new and nodes[successor, DISTANCE] <= g + price):
                continue
            nodes[successor, PARENT] = number
            nodes[successor, OPERATOR] = buffer[i]
            nodes[successor, DISTANCE] = g + price
            push(first, counts, 0, g + price + after, after, successor, NEW)
    return RUNNING


@njit(cache=True, inline="always")
def _comes_later(first: Int64, counts: Int64, g: int, h: int) -> bool:
    """Whether an entry waits that comes before one of this g and h."""
    return bool(counts[HEAP] > 0 and (first[0, 0] < g + h or (first[0, 0] == g + h and first[0, 1] < h)))


@njit(cache=True)
def save(second: Int64, counts: Int64, cost: int, met: Int64, found: int) -> int:
    """Write the landmarks' cost, and what of it each operator meets, four a number; give the row."""
    row = counts[HEAP + 1]
    flat, at = second.reshape(-1), 4 * row
    flat[at] = cost
    for i in range(found):
        at += i & 3 == 0
        flat[at] = flat[at] << 16 | met[i] if i & 3 else met[i]
    counts[HEAP + 1] += ((found + 3) >> 2) // 4 + 1
    return int(row)


@njit(cache=True)
def restore(second: Int64, row: int, met: Int64, found: int) -> int:
    """Read what ``save`` wrote; give the landmarks' cost."""
    flat, at = second.reshape(-1), 4 * row + ((found + 3) >> 2)
    left = flat[at] if found else 0
    for i in range(found - 1, -1, -1):
        met[i] = left & UNKNOWN
        left >>= 16
        if i & 3 == 0 and i > 0:
            at -= 1
            left = flat[at]
    return int(flat[4 * row])
