"""The loop of lazy weighted A* with h_FF and preferred operators, a Numba kernel: plans that cost less than a bound.

As ``best_first.lazy_slice``, but by f = wg · g + wh · h, with g of the state that is reached and h of the one that it
is reached from, as in LAMA (Richter and Westphal 2010, section 5.3). A state that is reached more cheaply than before
is opened again; what costs as much as the bound is not entered at all. So where the open lists run empty, no plan costs
less than the bound: h_FF is infinite only where there is no plan.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.best_first import (
    ALL,
    BEST,
    BOOST,
    BOUND,
    DISTANCE,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FOUND,
    FULL,
    GOAL,
    HEAP,
    INSERTED,
    OPERATOR,
    PARENT,
    PRIORITY,
    RUNNING,
    START,
    find_or_add,
    has_room,
    pop,
    push,
)
from commonsense_planning.kernels.compiled import COST
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import applicable, failure_reached, goal_reached, is_applicable, progress
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import relaxed_plan

_MOST = 200  # preferred operators of a state, in the order of the relaxed plan


@njit(cache=True, nogil=True)
def weighted_slice(
    task: Int32,
    weights: tuple[int, int, int],
    relaxation: Int32,
    scratch: Int32,
    states: npt.NDArray[np.uint64],
    nodes: Int32,
    table: Int32,
    first: Int64,
    second: Int64,
    counts: Int64,
    buffer: Int32,
    plan: Int32,
    entries: int,
) -> int:
    """Take so many entries of the open lists. ``weights``: wg, wh, and the bound. A state's ``BOUND`` is FAR where it
    is known to be a dead end."""
    g_weight, h_weight, bound = weights
    state = np.empty(states.shape[1], np.uint64)
    for _ in range(entries):
        if not has_room(nodes, first, second, counts, _MOST + 1):
            return FULL
        which = 1 if counts[HEAP + 1] > 0 and counts[PRIORITY + 1] <= counts[PRIORITY] else 0
        which = 1 if counts[HEAP] == 0 else which
        if counts[HEAP + which] == 0:
            return EXHAUSTED
        key, order, origin, operator = pop(second if which == 1 else first, counts, which)
        state[:] = states[origin]
        if operator == ALL:
            found = applicable(task, state, buffer)
            if not has_room(nodes, first, second, counts, found):
                push(first, counts, 0, key, order, origin, operator)
                return FULL
            for i in range(found):
                cost = task[task[COST] + buffer[i]]
                if nodes[origin, DISTANCE] + cost < bound:
                    push(first, counts, 0, key + g_weight * cost, order + i, origin, buffer[i])
            continue
        number, g = origin, 0
        if operator != START:
            g = nodes[origin, DISTANCE] + task[task[COST] + operator]
            if g >= bound:
                continue
            progress(task, state, operator)
            number, new = find_or_add(states, table, counts, state)
            if not new and (nodes[number, DISTANCE] <= g or nodes[number, BOUND] >= FAR):
                continue
            nodes[number, PARENT] = origin
            nodes[number, OPERATOR] = operator
            nodes[number, DISTANCE] = g
            if failure_reached(task, state):
                nodes[number, BOUND] = FAR
                continue
            if goal_reached(task, state):
                counts[GOAL] = number
                return FOUND
        counts[PRIORITY + which] += 1
        counts[EVALUATED] += 1
        h, length = relaxed_plan(relaxation, state, scratch, plan)
        if h >= FAR:
            nodes[number, BOUND] = FAR
            continue
        if h < counts[BEST]:
            if counts[BEST] < FAR:
                counts[PRIORITY + 1] -= BOOST
            counts[BEST] = h
        counts[EXPANDED] += 1
        counts[INSERTED] += 1
        f, order = g_weight * g + h_weight * h, counts[INSERTED] << 32  # room for the successors in between
        push(first, counts, 0, f, order, number, ALL)
        for i in range(min(length, _MOST)):
            if is_applicable(task, state, plan[i]):
                cost = task[task[COST] + plan[i]]
                push(second, counts, 1, f + g_weight * cost, order + i, number, plan[i])
    return RUNNING
