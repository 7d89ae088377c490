"""The loop of lazy best-first search, greedy or weighted A*: a state is evaluated when it is expanded.

With two open lists, the search uses h_FF: one list is for all successors, one for those by preferred operators;
progress in h gives priority to the second for a while (Richter and Helmert 2009). With five open lists, it combines
three estimates, as none is right everywhere: h_FF, the number of missing landmarks (both as in LAMA, Richter and
Westphal 2010), and novelty: whether some fact is true that was true in no earlier state with the same h_FF and as many
missing landmarks (novelty 1, Lipovetzky and Geffner 2017). For h_FF and for landmarks there are two open lists each.
The fifth list has all successors in the order of insertion, those of novel states first: where the estimates lead into
dead ends or across plateaus, it continues elsewhere.

Weighted A* adds g of the reached state to the estimates of its parent, in the lists with estimates. It reopens a state
that is reached more cheaply than before, and does not insert successors that cost as much as a bound (Richter and
Westphal 2010, section 5.3).

All successors of a state wait as one entry, which is replaced by one entry each only when its turn comes: if preferred
operators lead to the goal, it never is. A state that violates a constraint is a dead end; the heuristics ignore
constraints.

Invariants: for an expanded state, every list of all successors contains, or contained, all of them that cost less than
the bound. So when all lists are empty, there is no plan that does. A state's row of ``accepted`` has the landmarks
accepted on the path by which it was reached.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import search_memory as layout
from commonsense_planning.kernels.compiled import UNREACHABLE
from commonsense_planning.kernels.engine import (
    applicable,
    carry_out,
    copy,
    cost_of,
    failed,
    goal_reached,
    is_applicable,
)
from commonsense_planning.kernels.kernel import ConstState, Sets, Table, check_signals, kernel
from commonsense_planning.kernels.landmarks import Landmarks, count_missing
from commonsense_planning.kernels.relaxation import FAR, UNIT
from commonsense_planning.kernels.relaxed import relaxed_plan
from commonsense_planning.kernels.relaxed_forwards import Rows, relaxed_plan_forwards
from commonsense_planning.kernels.search_memory import Memory, find_or_add, has_room, pop, push, slot_of

START, ALL = -1, -2  # in place of an operator: the initial state itself, all successors of a state
BY_FF, BY_FF_PREFERRED, BY_LANDMARKS, BY_LANDMARKS_PREFERRED, BY_NOVELTY = range(layout.LISTS)
CLASSES = 1024  # of states with the same h_FF and as many missing landmarks, by hash
_BOOST = 1000


@kernel
def _is_new(seen: Sets, h: int, missing: int, state: ConstState) -> bool:
    """Whether a state has a fact that no state of its class had; the fact is then added to the class."""
    key = np.uint64(int(h) * 8191 + int(missing)) * np.uint64(0x9E3779B97F4A7C15)
    row = int(key >> np.uint64(54))
    new = False
    for w in range(len(state)):
        new = new or (state[w] & ~seen[row, w]) != 0
        seen[row, w] |= state[w]
    return new


@kernel
def _mixed(number: int, ties: int) -> int:
    """A pseudo-random position among ties, with space for the successors in between."""
    mixed = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15) * np.uint64(2 * ties + 1)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return int((mixed >> np.uint64(33)) << np.uint64(32))


@kernel
def lazy_slice(
    task: Table,
    g_weight: int,
    h_weight: int,
    bound: int,
    ties: int,
    relaxation: Table,
    scratch: Int32,
    rows: Rows,
    landmarks: Landmarks,
    memory: Memory,
    buffer: Int32,
    plan: Int32,
    entries: int,
) -> int:
    """Processes a number of entries of the open lists. ``ties``: the order of ties: 0 is first come, first served,
    every other number is another order. With wg 0, which is greedy search, no state is reopened. A state's ``BOUND`` is
    UNREACHABLE if it is known to be a dead end, and h and the landmark count are in the relaxation's unit."""
    states, nodes, costs, table = memory.states, memory.nodes, memory.costs, memory.table
    lists, counts = memory.entries, memory.counts
    by_turns = len(memory.seen) > 0
    state, accepted, weight = memory.state, memory.met, h_weight * relaxation[UNIT]
    for _ in range(entries):
        check_signals()
        which = -1
        for q in range(layout.LISTS):
            sooner = which < 0 or counts[layout.PRIORITIES + q] < counts[layout.PRIORITIES + which]
            if sooner and counts[layout.SIZES + q] > 0:
                which = q
        if which < 0:
            return layout.EXHAUSTED
        if not has_room(nodes, counts, 1, 1):
            return layout.FULL
        key, order, origin, operator = pop(lists, counts, which)
        copy(states[origin], state)
        if operator == ALL:
            found = applicable(task, state, buffer)
            if not has_room(nodes, counts, 1, found):
                push(lists, counts, which, key, order, origin, operator)
                return layout.FULL
            per_cost = 0 if which == BY_NOVELTY else g_weight
            for i in range(found):
                cost = cost_of(task, buffer[i])
                if costs[origin, layout.DISTANCE] + cost < bound:
                    push(lists, counts, which, key + per_cost * cost, order + i, origin, buffer[i])
            continue
        number, g, new, before = origin, 0, True, 0
        if operator != START:
            g = min(costs[origin, layout.DISTANCE] + cost_of(task, operator), UNREACHABLE - 1)
            if g >= bound:
                continue
            carry_out(task, state, operator, memory.work)
            number, new = find_or_add(states, table, counts, state)
            before = costs[number, layout.DISTANCE]
            if not new and (g_weight == 0 or before <= g or costs[number, layout.BOUND] >= UNREACHABLE):
                counts[layout.PRIORITIES + which] += 1
                continue
            nodes[number, layout.PARENT] = origin
            nodes[number, layout.OPERATOR] = operator
            costs[number, layout.DISTANCE] = g
            if failed(task, state) >= 0:
                costs[number, layout.BOUND] = UNREACHABLE
                counts[layout.PRIORITIES + which] += 1
                continue
            if goal_reached(task, state):
                counts[layout.GOAL] = number
                return layout.FOUND
        if len(rows.first) > 0:
            h, length = relaxed_plan_forwards(relaxation, rows, state, scratch, plan)
        else:
            h, length = relaxed_plan(relaxation, state, scratch, plan)
        if h < FAR and not has_room(nodes, counts, 1, length + 1):
            costs[number, layout.DISTANCE] = before  # undo: the state is expanded when there is room
            if new and operator != START:
                table[slot_of(states, table, state)] = -1
                counts[layout.STATES] -= 1
            push(lists, counts, which, key, order, origin, operator)
            return layout.FULL
        counts[layout.PRIORITIES + which] += 1
        counts[layout.EVALUATED] += 1
        if h >= FAR:
            costs[number, layout.BOUND] = UNREACHABLE
            continue
        missing = counts[layout.FEWEST]
        if by_turns:
            copy(memory.accepted[origin], accepted)
            missing = count_missing(relaxation, landmarks, state, accepted)
            copy(accepted, memory.accepted[number])
        if operator != START and (h < counts[layout.BEST] or missing < counts[layout.FEWEST]):
            counts[layout.PRIORITIES + BY_FF_PREFERRED] -= _BOOST
            counts[layout.PRIORITIES + BY_LANDMARKS_PREFERRED] -= _BOOST
        counts[layout.BEST] = min(counts[layout.BEST], h)
        counts[layout.FEWEST] = min(counts[layout.FEWEST], missing)
        counts[layout.EXPANDED] += 1
        counts[layout.INSERTED] += 1
        order = int(counts[layout.INSERTED])
        order = _mixed(order, ties) if ties > 0 else order << 32  # space for the successors in between
        by_ff, by_landmarks = g_weight * g + weight * h, g_weight * g + weight * missing
        push(lists, counts, BY_FF, by_ff, order, number, ALL)
        if by_turns:
            old = not _is_new(memory.seen, h, missing, state)
            push(lists, counts, BY_LANDMARKS, by_landmarks, order, number, ALL)
            push(lists, counts, BY_NOVELTY, int(old), order, number, ALL)
        for i in range(length):
            if is_applicable(task, state, plan[i]):
                more = g_weight * cost_of(task, plan[i])
                which = BY_FF_PREFERRED
                push(lists, counts, which, by_ff + more, order + i, number, plan[i])
                if by_turns:
                    which = BY_LANDMARKS_PREFERRED
                    push(lists, counts, which, by_landmarks + more, order + i, number, plan[i])
    return layout.RUNNING
