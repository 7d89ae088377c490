"""Relaxed plans: h_FF with h_add supporters, and h_max, on the delete relaxation.

The time depends on how much of the task is relevant to the goal, not on the size of the task. First, everything that
may help to reach the goal is requested backwards from it: the achievers of each requested proposition that does not
hold, then their conditions. Then Dijkstra's algorithm (generalised to h_add or h_max) goes forwards over these only,
with an indexed heap, until the goal is the cheapest.

Invariants: a proposition or relaxed operator takes part in this exploration if and only if its ``STAMP`` is the number
of the exploration, so that nothing has to be cleared. ``MISSING`` is the number of conditions of a relaxed operator
that neither hold nor are settled, ``BASE`` the sum (maximum) of the settled ones' costs. The rest would not change the
cost of the goal, which is that of the slow twin, ``Reference`` in the tests.

The working memory is one int32 array, like a relaxation (see ``relaxation``).
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.engine import holds
from commonsense_planning.kernels.kernel import ConstState, Flags, Table, inline, kernel
from commonsense_planning.kernels.relaxation import FAR

# The working memory: the number of the exploration, the places of the parts, a record per proposition, a record per
# relaxed operator, a heap and a stack of propositions, a list of relaxed operators, cells (relaxed operator, next cell)
# of the lists of waiting relaxed operators, and the propositions that hold initially, as bits
_EXPLORATION, RELAXED_AT, HEAP, _STACK, _LISTED, _CELLS, GIVEN = range(7)
_RECORDS = 7

STAMP = 0
COST, SUPPORTER, _WAITING, PLACE, _WANTED = 1, 2, 3, 4, 5  # proposition; PLACE: in the heap
_PROPOSITION_SIZE = 6
MISSING, BASE, _USED = 1, 2, 3  # relaxed operator
RELAXED_SIZE = 4


def scratch_for(relaxation: Int32) -> Int32:
    """Working memory for explorations of this relaxation, one at a time: int32."""
    propositions, relaxed = int(relaxation[layout.PROPOSITIONS]), int(relaxation[layout.RELAXED])
    sizes = [_PROPOSITION_SIZE * propositions, RELAXED_SIZE * relaxed, propositions, propositions, relaxed]
    sizes += [2 * int(relaxation[layout.CONDITION_COUNT]), propositions // 32 + 1]
    places = np.cumsum([_RECORDS, *sizes])
    scratch = np.zeros(places[-1], np.int32)
    scratch[RELAXED_AT:_RECORDS] = places[1:-1]
    return scratch


@inline
def proposition_at(p: int) -> int:
    """The place of a proposition's record in the working memory."""
    return _RECORDS + _PROPOSITION_SIZE * p


@inline
def relaxed_at(s: Int32, r: int) -> int:
    """The place of a relaxed operator's record in the working memory."""
    return int(s[RELAXED_AT] + RELAXED_SIZE * r)


@inline
def true_in(x: Table, state: ConstState, p: int) -> bool:
    """Whether a proposition is true in the state, known or not."""
    facts = x[layout.HALF] << 6
    if p < facts:
        return bool(holds(state, p))
    return bool(p < x[layout.STATED] and not holds(state, x[x[layout.NEGATED] + p - facts]))


@kernel
def write_given(x: Table, state: ConstState, s: Int32) -> None:
    """Records the propositions that are true initially, facts only if they are known to be."""
    half, given = x[layout.HALF], s[GIVEN]
    for w in range(half):
        word = state[w] & state[half + w] if state.shape[0] > half else state[w]
        s[given + 2 * w] = np.int32(np.uint32(word & np.uint64(0xFFFFFFFF)))
        s[given + 2 * w + 1] = np.int32(np.uint32(word >> np.uint64(32)))
    for w in range(2 * half, (x[layout.PROPOSITIONS] >> 5) + 1):
        s[given + w] = 0
    for p in range(half << 6, x[layout.STATED]):
        if true_in(x, state, p):
            s[given + (p >> 5)] |= np.int32(np.uint32(1) << np.uint32(p & 31))


@inline
def is_given(s: Table, given: int, p: int) -> bool:
    return bool((s[given + (p >> 5)] >> (p & 31)) & 1 != 0)


@inline
def _call(s: Int32, exploration: int, stack: int, top: int, p: int) -> int:
    """Requests a proposition that does not hold; returns the stack's size."""
    at = proposition_at(p)
    s[at + STAMP] = exploration
    s[at + COST] = FAR
    s[at + SUPPORTER] = -1
    s[at + _WAITING] = -1
    s[at + PLACE] = -1
    s[stack + top] = p
    return top + 1


@kernel
def _collect(x: Table, state: ConstState, s: Int32) -> int:
    """Requests all that may help to reach the goal; lists the relaxed operators without missing conditions, and returns
    their number."""
    write_given(x, state, s)
    exploration, stack, listed, given = s[_EXPLORATION], s[_STACK], s[_LISTED], s[GIVEN]
    achieved, operators, records = x[layout.ACHIEVED], x[layout.OPERATORS], relaxed_at(s, 0)
    ready, cell = 0, s[_CELLS]
    top = _call(s, exploration, stack, 0, x[layout.PROPOSITIONS] - 1)
    while top > 0:
        top -= 1
        groups = achieved + 2 * s[stack + top]
        for g in range(x[groups], x[groups + 1], layout.GROUP_SIZE):
            if x[g + layout.GUARD] >= 0 and not true_in(x, state, x[g + layout.GUARD]):
                continue
            for m in range(x[g + layout.MEMBERS], x[g + layout.MEMBERS_END]):
                r = x[m]
                at = records + RELAXED_SIZE * r
                if s[at + STAMP] == exploration:
                    continue
                s[at + STAMP] = exploration
                s[at + BASE] = 0
                missing = 0
                record = operators + layout.OPERATOR_SIZE * r
                for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
                    p = x[k]
                    if is_given(s, given, p):
                        continue
                    missing += 1
                    wanted = proposition_at(p)
                    if s[wanted + STAMP] != exploration:
                        top = _call(s, exploration, stack, top, p)
                    s[cell] = r
                    s[cell + 1] = s[wanted + _WAITING]
                    s[wanted + _WAITING] = cell
                    cell += 2
                s[at + MISSING] = missing
                if missing == 0:
                    s[listed + ready] = r
                    ready += 1
    return ready


@inline
def reach(s: Int32, exploration: int, heap: int, size: int, p: int, cost: int, supporter: int) -> int:
    """Lowers a proposition's cost to ``cost`` if that is less; returns the heap's size."""
    at = proposition_at(p)
    if s[at + STAMP] != exploration or cost >= s[at + COST]:
        return size
    s[at + COST] = cost
    s[at + SUPPORTER] = supporter
    i = s[at + PLACE]
    if i < 0:
        i = size
        size += 1
    while i > 0:
        above = (i - 1) >> 1
        other = proposition_at(s[heap + above])
        if s[other + COST] <= cost:
            break
        s[heap + i] = s[heap + above]
        s[other + PLACE] = i
        i = above
    s[heap + i] = p
    s[at + PLACE] = i
    return size


@inline
def take(s: Int32, heap: int, size: int) -> int:
    """Removes and returns the cheapest proposition; the heap had ``size`` entries."""
    first = s[heap]
    size -= 1
    item = s[heap + size]
    at = proposition_at(item)
    cost = s[at + COST]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        below = proposition_at(s[heap + child])
        if child + 1 < size:
            right = proposition_at(s[heap + child + 1])
            if s[right + COST] < s[below + COST]:
                child += 1
                below = right
        if s[below + COST] >= cost:
            break
        s[heap + i] = s[heap + child]
        s[below + PLACE] = i
        i = child
    s[heap + i] = item
    s[at + PLACE] = i
    return int(first)


@inline
def _fire(x: Table, s: Int32, exploration: int, heap: int, size: int, r: int, base: int) -> int:
    """Reaches the effects of a relaxed operator without missing conditions; returns the heap's size."""
    record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
    cost = min(base + x[record + layout.PRICE], FAR - 1)
    for k in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
        size = reach(s, exploration, heap, size, x[k], cost, r)
    return size


@kernel
def next_exploration(s: Int32) -> int:
    """Begins an exploration; returns its number."""
    if s[_EXPLORATION] == FAR:  # starts again before the numbers run out
        s[_RECORDS:] = 0
        s[_EXPLORATION] = 0
    s[_EXPLORATION] += 1
    return int(s[_EXPLORATION])


@kernel
def taking_part(x: Table, s: Int32) -> int:
    """The number of relaxed operators that took part in the last exploration."""
    count = 0
    for r in range(x[layout.RELAXED]):
        count += s[relaxed_at(s, r) + STAMP] == s[_EXPLORATION]
    return count


@kernel
def explore(x: Table, state: ConstState, use_max: bool, s: Int32) -> int:
    """The h_add (``use_max``: h_max) cost of the goal from ``state``, or FAR.

    ``x``: the relaxation; ``s``: its working memory.
    """
    exploration, heap, listed = next_exploration(s), s[HEAP], s[_LISTED]
    goal, records = x[layout.PROPOSITIONS] - 1, relaxed_at(s, 0)
    size = 0
    for i in range(_collect(x, state, s)):
        size = _fire(x, s, exploration, heap, size, s[listed + i], 0)
    while size > 0 and s[heap] != goal:
        settled = proposition_at(take(s, heap, size))
        size -= 1
        cost = s[settled + COST]
        cell = s[settled + _WAITING]
        while cell >= 0:
            r = s[cell]
            at = records + RELAXED_SIZE * r
            missing = s[at + MISSING] - 1
            base = max(s[at + BASE], cost) if use_max else min(s[at + BASE] + cost, FAR - 1)
            s[at + MISSING] = missing
            s[at + BASE] = base
            if missing == 0:
                size = _fire(x, s, exploration, heap, size, r, base)
            cell = s[cell + 1]
    return int(s[proposition_at(goal) + COST])


@kernel
def relaxed_plan(x: Table, state: ConstState, s: Int32, plan: Int32) -> tuple[int, int]:
    """h_FF of a state: (sum of the operators' prices, at most FAR - 1; FAR at a dead end; length). Writes the relaxed
    plan's operators to ``plan``, int32 (operators,), without duplicates, those first whose preconditions are reached
    most cheaply."""
    if explore(x, state, False, s) >= FAR:
        return FAR, 0
    return extract(x, s, plan)


@kernel
def extract(x: Table, s: Int32, plan: Int32) -> tuple[int, int]:
    """The result of ``relaxed_plan``, after an exploration that reached the goal."""
    exploration, stack, listed, given = s[_EXPLORATION], s[_STACK], s[_LISTED], s[GIVEN]
    top = 1
    s[stack] = x[layout.PROPOSITIONS] - 1
    length = 0
    while top > 0:
        top -= 1
        r = s[proposition_at(s[stack + top]) + SUPPORTER]
        at = relaxed_at(s, r)
        if s[at + _USED] == exploration:
            continue
        s[at + _USED] = exploration
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            if is_given(s, given, x[k]):
                continue
            wanted = proposition_at(x[k]) + _WANTED
            if s[wanted] != exploration:
                s[wanted] = exploration
                s[stack + top] = x[k]
                top += 1
        if x[record + layout.PARENT] >= 0:
            base = s[at + BASE]
            i = length  # insertion sort: relaxed plans are short
            while i > 0:
                other = s[listed + i - 1]
                before = s[relaxed_at(s, other) + BASE]
                if before < base or (before == base and other < r):
                    break
                s[listed + i] = other
                i -= 1
            s[listed + i] = r
            length += 1
    value, distinct = 0, 0
    for i in range(length):
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * s[listed + i]
        operator = x[record + layout.PARENT]
        repeated = False
        for k in range(distinct):
            repeated = repeated or plan[k] == operator
        if not repeated:
            plan[distinct] = operator
            distinct += 1
            value += x[record + layout.PRICE]
    return min(value, FAR - 1), distinct


@kernel
def needed_propositions(x: Table, state: ConstState, s: Int32, needed: Int32) -> int:
    """Writes the propositions of a relaxed plan, including conditions that hold, to ``needed``, int32 (propositions,);
    returns their number, 0 at a dead end."""
    if explore(x, state, False, s) >= FAR:
        return 0
    given = s[GIVEN]
    needed[0], count, i = x[layout.PROPOSITIONS] - 1, 1, 0
    seen: Flags = np.zeros(x[layout.PROPOSITIONS], np.uint8)
    while i < count:
        p = needed[i]
        i += 1
        if is_given(s, given, p):
            continue
        record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * s[proposition_at(p) + SUPPORTER]
        for k in range(x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]):
            if not seen[x[k]]:
                seen[x[k]] = 1
                needed[count] = x[k]
                count += 1
    return count


@inline
def _spread(x: Table, s: Int32, r: int, but: int, turn: int, reached: Int32, queue: Int32, size: int) -> int:
    """Adds those effects of a relaxed operator to the queue that are requested and new in this turn; returns its
    size."""
    record = x[layout.OPERATORS] + layout.OPERATOR_SIZE * r
    for k in range(x[record + layout.EFFECTS], x[record + layout.EFFECTS_END]):
        p = x[k]
        if p != but and reached[p] != turn and s[proposition_at(p) + STAMP] == s[_EXPLORATION]:
            reached[p] = turn
            queue[size] = p
            size += 1
    return size


@kernel
def first_achievers(x: Table, state: ConstState, s: Int32, chosen: Flags) -> None:
    """Writes the relaxed operators relevant to the goal to ``chosen``, 0 or 1 (relaxed operators,): backwards from the
    goal, the first achievers of each proposition that is wanted and does not hold (Porteous and Cresswell 2002).

    A first achiever of ``p`` is reachable without ``p``. For example, taking the salmon out of the fridge puts one near
    it. So does putting it into a drawer and walking there, but one must have been near it before. An achiever is left
    out if its conditions include the single condition of another one (putting the salmon anywhere frees the hand, but
    so does dropping it). If there is a relaxed plan, there is one of chosen operators that costs no more.
    """
    next_exploration(s)
    ready = _collect(x, state, s)
    achieved, operators, records = x[layout.ACHIEVED], x[layout.OPERATORS], relaxed_at(s, 0)
    listed, given, propositions = s[_LISTED], s[GIVEN], x[layout.PROPOSITIONS]
    reached: Int32 = np.zeros(propositions, np.int32)
    queue: Int32 = np.empty(propositions, np.int32)
    missing: Int32 = np.empty(x[layout.RELAXED], np.int32)
    turn_of: Int32 = np.zeros(x[layout.RELAXED], np.int32)
    wanted: Flags = np.zeros(propositions, np.uint8)
    stack: Int32 = np.empty(propositions, np.int32)
    alone: Int32 = np.zeros(propositions, np.int32)  # the turn in which a proposition is an achiever's only condition
    chosen[:] = 0
    stack[0] = propositions - 1
    top, turn = 1, 0
    while top > 0:
        top -= 1
        p, turn, first, size = stack[top], turn + 1, 0, 0
        for i in range(ready):  # everything reachable without p
            turn_of[s[listed + i]], missing[s[listed + i]] = turn, 0
            size = _spread(x, s, s[listed + i], p, turn, reached, queue, size)
        while first < size:
            cell = s[proposition_at(queue[first]) + _WAITING]
            first += 1
            while cell >= 0:
                r = s[cell]
                if turn_of[r] != turn:
                    turn_of[r], missing[r] = turn, s[records + RELAXED_SIZE * r + MISSING]
                missing[r] -= 1
                if missing[r] == 0:
                    size = _spread(x, s, r, p, turn, reached, queue, size)
                cell = s[cell + 1]
        groups = achieved + 2 * p
        for rest in range(2):
            simple = rest == 0
            for g in range(x[groups], x[groups + 1], layout.GROUP_SIZE):
                if x[g + layout.GUARD] >= 0 and not true_in(x, state, x[g + layout.GUARD]):
                    continue
                for m in range(x[g + layout.MEMBERS], x[g + layout.MEMBERS_END]):
                    r = x[m]
                    if turn_of[r] != turn or missing[r] > 0:
                        continue
                    record = operators + layout.OPERATOR_SIZE * r
                    first, last = x[record + layout.CONDITIONS], x[record + layout.CONDITIONS_END]
                    if (last - first == 1) != simple:
                        continue
                    redundant = False
                    for k in range(first, last):
                        if simple:
                            alone[x[k]] = turn
                        redundant = redundant or (not simple and alone[x[k]] == turn)
                    if redundant:
                        continue
                    chosen[r] = 1
                    for k in range(first, last):
                        if not wanted[x[k]] and not is_given(s, given, x[k]):
                            wanted[x[k]] = 1
                            stack[top] = x[k]
                            top += 1
