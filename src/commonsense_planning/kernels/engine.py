"""Kernels on a compiled task: applicable operators, progression with sensing, goal test, uniform roll-out.

``compiled`` defines states and the layout of a compiled task. The slow twin of every kernel is in
``tests/kernels/reference.py``.
"""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import compiled as layout
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.kernel import ConstState, Sets, Table, check_signals, inline, kernel

_ONE = np.uint64(1)
_HALF_WORD = np.uint64(32)


@inline
def holds(state: ConstState, fact: int) -> bool:
    """Whether a bit of the state is set: fact ``f``, or the knowledge of it at ``f + 64 * half``."""
    return bool((state[fact >> 6] >> np.uint64(fact & 63)) & _ONE != 0)


@inline
def set_bit(state: State, fact: int) -> None:
    """Sets a bit of the state, see ``holds``."""
    state[fact >> 6] |= _ONE << np.uint64(fact & 63)


@inline
def copy(source: ConstState, to: State) -> None:
    for w in range(len(source)):
        to[w] = source[w]


@inline
def join(source: ConstState, to: State) -> None:
    """Sets the bits of ``source`` also in ``to``."""
    for w in range(len(source)):
        to[w] |= source[w]


@inline
def _met(t: Table, state: ConstState, true: int, false: int, i: int) -> bool:
    """Whether the facts of row ``i`` of the table ``true`` are true, and those of row ``i`` of ``false`` are false."""
    row = t[true] + 2 * i
    for k in range(t[row], t[row + 1]):
        if not holds(state, t[k]):
            return False
    row = t[false] + 2 * i
    for k in range(t[row], t[row + 1]):
        if holds(state, t[k]):
            return False
    return True


@kernel
def is_applicable(t: Table, state: ConstState, operator: int) -> bool:
    """Whether the operator's preconditions hold, and are known to hold if they are hidden. ``t``: the table."""
    return bool(_met(t, state, layout.PRE, layout.NPRE, operator))


def trailing_zeros(word: np.uint64) -> int:
    """The position of the lowest bit that is set; the word is not zero. In compiled kernels it is one instruction."""
    return (int(word) & -int(word)).bit_length() - 1


@inline
def _ones(word: np.uint64) -> int:
    """The number of bits that are set."""
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inline
def word_at(t: Table, k: int) -> np.uint64:
    """The 64 bits whose low and high halves are at ``k``."""
    return np.uint64(np.uint32(t[k])) | (np.uint64(np.uint32(t[k + 1])) << _HALF_WORD)


@inline
def cost_of(t: Table, operator: int) -> int:
    """The cost of an operator."""
    return int(word_at(t, t[layout.COST] + 2 * operator))


@inline
def _collect(t: Table, state: ConstState, first: int, last: int, out: Int32, count: int) -> int:
    """Appends the operators whose records, from ``first`` to ``last``, hold in the state; returns the new count."""
    k = first
    while k < last:
        operator = t[k]
        end = k + 2 + t[k + 1]
        k += 2
        while k < end and holds(state, t[k] ^ (t[k] >> 31)) == (t[k] >= 0):
            k += 1
        if k == end:
            out[count] = operator
            count += 1
        k = end
    return count


@inline
def _look(t: Table, state: ConstState, first: int, last: int, out: Int32, count: int) -> int:
    """Appends the applicable operators that are indexed under the true pivots of the entries from ``first`` to
    ``last``; returns the new count."""
    known = t[layout.WORDS] - t[layout.HALF]  # like any precondition, a hidden pivot has to be known
    for k in range(first, last, 4):
        pivots = word_at(t, k + 1)
        word = state[t[k]] & state[known + t[k]] & pivots
        while word != 0:
            lowest = word & (~word + _ONE)
            word ^= lowest
            pointer = t[layout.POINTERS] + t[k + 3] + _ones(pivots & (lowest - _ONE))
            count = _collect(t, state, t[layout.RECORDS] + t[pointer], t[layout.RECORDS] + t[pointer + 1], out, count)
    return count


@kernel
def applicable(t: Table, state: ConstState, out: Int32) -> int:
    """Writes the applicable operators to ``out``, int32 (operators,), in arbitrary order; returns their number."""
    count = _collect(t, state, t[layout.FREE], t[layout.FREE_END], out, 0)
    count = _look(t, state, t[layout.UNGATED], t[layout.UNGATED_END], out, count)
    known = t[layout.WORDS] - t[layout.HALF]
    for k in range(t[layout.GATES], t[layout.GATES_END], 3):
        word = state[t[k]] & state[known + t[k]] & word_at(t, k + 1)
        while word != 0:
            row = t[layout.GATED] + 2 * ((t[k] << 6) + trailing_zeros(word))
            word &= word - _ONE
            count = _look(t, state, t[row], t[row + 1], out, count)
    return count


@kernel
def _delete(t: Table, state: State, rows: int, i: int) -> None:
    """Makes the facts of row ``i`` of DELETED or COND_DELETED false and known."""
    row, known = t[rows] + 2 * i, t[layout.WORDS] - t[layout.HALF]
    for k in range(t[row], t[row + 1], 3):
        bits = word_at(t, k + 1)
        state[known + t[k]] |= bits
        state[t[k]] &= ~bits


@kernel
def _add(t: Table, state: State, rows: int, i: int) -> None:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        set_bit(state, t[k])
        if t[t[layout.HIDDEN] + t[k]]:
            set_bit(state, t[k] + 64 * t[layout.HALF])


@kernel
def _sense(t: Table, state: State, rule: int) -> None:
    if _met(t, state, layout.WHEN, layout.WHEN_NOT, rule):
        row = t[layout.SEEN] + 2 * rule
        for k in range(t[row], t[row + 1]):
            set_bit(state, t[k] + 64 * t[layout.HALF])


@kernel
def derive(t: Table, state: State, work: Int32) -> None:
    """Recomputes the derived facts from the others, in place: stratum by stratum, first by the rules that mention no
    fact of their stratum, then by those with a condition that has become true. ``work``: see ``carry_out``."""
    for k in range(t[layout.DERIVED], t[layout.DERIVED_END], 3):
        state[t[k]] &= ~word_at(t, k + 1)
    for stratum in range(t[layout.STRATA]):
        row = t[layout.STARTING] + 2 * stratum
        top = _fire(t, state, t[row], t[row + 1], work, 0)
        while top > 0:
            top -= 1
            row = t[layout.USERS] + 2 * work[top]
            top = _fire(t, state, t[row], t[row + 1], work, top)


@kernel
def remember(t: Table, state: State) -> None:
    """Updates the memory bits of constraints, in place, after everything else in the state."""
    for update in range(t[layout.UPDATES]):
        if _met(t, state, layout.UPDATED, layout.NUPDATED, update):
            bit = t[t[layout.REMEMBERS] + 2 * update]
            if t[t[layout.REMEMBERS] + 2 * update + 1]:
                set_bit(state, bit)
            else:
                state[bit >> 6] &= ~(_ONE << np.uint64(bit & 63))


@inline
def _fire(t: Table, state: State, first: int, last: int, waiting: Int32, top: int) -> int:
    """Adds the facts that the rules from ``first`` to ``last`` derive, and pushes them on the stack; returns its
    size."""
    for k in range(first, last):
        head = t[t[layout.HEAD] + t[k]]
        if _met(t, state, layout.BODY, layout.NBODY, t[k]) and not holds(state, head):
            set_bit(state, head)
            waiting[top] = head
            top += 1
    return top


@kernel
def _start_rules(t: Table, state: State, watch: int, rows: int, i: int) -> None:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        watching = t[watch] + 2 * t[k]
        for j in range(t[watching], t[watching + 1]):
            _sense(t, state, t[j])


@kernel
def sense_all(t: Table, state: State) -> None:
    """Applies every sensing rule, in place: the initial observation in a state."""
    for rule in range(t[layout.RULES]):
        _sense(t, state, rule)


@kernel
def infer_groups_of(t: Table, state: State, facts: np.uint64, w: int) -> None:
    """Infers from exactly-one groups, in place, for ``facts`` of word ``w`` that are known to be true: all of their
    groups are known."""
    half = t[layout.HALF]
    while facts != 0:
        groups = t[layout.GROUPS_OF] + 2 * ((w << 6) + trailing_zeros(facts))
        facts &= facts - _ONE
        for i in range(t[groups], t[groups + 1]):
            row = t[layout.GROUPS] + 2 * t[i]
            for k in range(t[row], t[row + 1], 3):
                state[half + t[k]] |= word_at(t, k + 1)


@kernel
def infer_groups(t: Table, state: State) -> None:
    """Infers from exactly-one groups, in place: if a member is known to be true, all are known."""
    half = t[layout.HALF]
    if t[layout.GROUP_COUNT] == 0 or t[layout.WORDS] == half:
        return
    for w in range(half):
        infer_groups_of(t, state, state[w] & state[half + w], w)


@kernel
def infer_last(t: Table, state: State) -> None:
    """Infers, in place, the last unknown member of each of the first ``EXACT`` groups: it is known if all others are
    and it is true. Where unknown facts are taken to be false, nothing is inferred."""
    half = t[layout.HALF]
    for group in range(t[layout.EXACT]):
        row, count, at, last = t[layout.GROUPS] + 2 * group, 0, 0, np.uint64(0)
        for k in range(t[row], t[row + 1], 3):
            unknown = word_at(t, k + 1) & ~state[half + t[k]]
            if unknown != 0:
                count += 1 if unknown & (unknown - _ONE) == 0 else 2
                at, last = t[k], unknown
        if count == 1 and state[at] & last != 0:
            state[half + at] |= last


@inline
def _all_known(t: Table, state: ConstState, rows: int, i: int) -> bool:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        if not holds(state, t[k] + 64 * t[layout.HALF]):
            return False
    return True


@kernel
def _is_sure(t: Table, state: ConstState, effect: int) -> bool:
    """Whether the agent knows if a conditional effect takes place: it observes the effect, or knows all facts of its
    condition."""
    if t[layout.UNOBSERVED_EFFECTS] == 0 or t[t[layout.UNOBSERVED] + effect] == 0:
        return True
    return _all_known(t, state, layout.COND_PRE, effect) and _all_known(t, state, layout.COND_NPRE, effect)


@kernel
def _change(t: Table, state: State, rows: int, effect: int, fires: bool) -> None:
    """Applies, in place, the adds (COND_ADD) or the deletes (COND_DELETE) of a conditional effect without the agent's
    knowing whether it takes place. A fact remains known only if it already has the new value."""
    row, known = t[rows] + 2 * effect, t[layout.WORDS] - t[layout.HALF]
    for k in range(t[row], t[row + 1]):
        word, bit = t[k] >> 6, _ONE << np.uint64(t[k] & 63)
        if holds(state, t[k]) != (rows == layout.COND_ADD):
            state[known + word] &= ~bit
            if fires:
                state[word] ^= bit


@kernel
def _change_conditionally(t: Table, state: State, operator: int, first: int, last: int, work: Int32) -> None:
    """Applies, in place, the deletes and then the adds of an operator with conditional effects from ``first`` to
    ``last``, and the sensing rules that they trigger. Conditions are evaluated in the old state."""
    for e in range(first, last):  # bit 0: it fires, bit 1: it is known whether
        fires = _met(t, state, layout.COND_PRE, layout.COND_NPRE, e)
        work[e - first] = int(fires) + 2 * int(_is_sure(t, state, e))
    _delete(t, state, layout.DELETED, operator)
    for e in range(first, last):
        if work[e - first] & 2 == 0:
            _change(t, state, layout.COND_DELETE, e, work[e - first] & 1 != 0)
        elif work[e - first] & 1:
            _delete(t, state, layout.COND_DELETED, e)
    _add(t, state, layout.ADD, operator)
    for e in range(first, last):
        if work[e - first] & 2 == 0:
            _change(t, state, layout.COND_ADD, e, work[e - first] & 1 != 0)
        elif work[e - first] & 1:
            _add(t, state, layout.COND_ADD, e)
    if t[layout.RULES] > 0:
        for e in range(first, last):
            if work[e - first] & 1:
                _start_rules(t, state, layout.WATCH, layout.COND_ADD, e)
                _start_rules(t, state, layout.NWATCH, layout.COND_DELETE, e)


@kernel
def progress(t: Table, state: State, operator: int) -> None:
    """``carry_out``, with working memory for this call only."""
    carry_out(t, state, operator, np.empty(t[layout.WORK], np.int32))


@kernel
def carry_out(t: Table, state: State, operator: int, work: Int32) -> None:
    """Applies an operator in place: deletes, then adds, with conditions evaluated in the old state. Then derives facts,
    senses, infers from groups if a condition wants one of their members false, and updates the memory of constraints.
    ``work`` int32 (``WORK``,): working memory.

    The facts that a conditional effect changes are known afterwards, even if its condition was not. If the effect is
    unobserved, only facts with the same value either way are known.
    """
    first = t[t[layout.EFFECTS] + 2 * operator]
    last = t[t[layout.EFFECTS] + 2 * operator + 1]
    if first == last:
        _delete(t, state, layout.DELETED, operator)
        _add(t, state, layout.ADD, operator)
    else:
        _change_conditionally(t, state, operator, first, last, work)
    if t[layout.STRATA] > 0:
        derive(t, state, work)
        for k in range(t[layout.LATE], t[layout.LATE_END]):
            _sense(t, state, t[k])
    if t[layout.UNOBSERVED_EFFECTS]:
        sense_all(t, state)  # what a rule showed before may be unknown now
    elif t[layout.RULES] > 0:
        _start_rules(t, state, layout.WATCH, layout.ADD, operator)
        if t[layout.DELETIONS_WATCHED]:
            _start_rules(t, state, layout.NWATCH, layout.DELETE, operator)
    if t[layout.OBSERVES]:
        row = t[layout.OBSERVED] + 2 * operator
        for k in range(t[row], t[row + 1]):
            set_bit(state, t[k] + 64 * t[layout.HALF])
    if t[layout.CONCLUDES]:
        infer_groups(t, state)
        infer_last(t, state)
    if t[layout.UPDATES] > 0:
        remember(t, state)


@kernel
def applicable_actions(t: Table, state: ConstState, out: Int32) -> int:
    """As ``applicable``, with one operator for each action, its first outcome."""
    count = applicable(t, state, out)
    if t[layout.CHANCES] == 0:
        return count
    kept = 0
    for i in range(count):
        if t[t[layout.FIRST] + out[i]] == out[i]:
            out[kept] = out[i]
            kept += 1
    return kept


@kernel
def draw_outcome(t: Table, operator: int, rng: State) -> int:
    """One of the outcomes of an action, drawn by their probabilities. ``rng``: see ``random_below``."""
    if t[layout.CHANCES] == 0:
        return operator
    operator = t[t[layout.FIRST] + operator]
    left = random_below(rng, layout.CERTAIN)
    while t[t[layout.NEXT] + operator] >= 0 and left >= t[t[layout.CHANCE] + operator]:
        left -= t[t[layout.CHANCE] + operator]
        operator = t[t[layout.NEXT] + operator]
    return operator


@kernel
def states_along(t: Table, state: ConstState, operators: Table, passed: Sets) -> int:
    """Writes ``state`` and the state after each operator, with the conclusions from groups, to ``passed``, uint64
    (1 + operators, words). Stops at an inapplicable operator; returns the number of operators carried out."""
    work: Int32 = np.empty(t[layout.WORK], np.int32)
    copy(state, passed[0])
    for i in range(len(operators)):
        check_signals()
        if not is_applicable(t, passed[i], operators[i]):
            return i
        copy(passed[i], passed[i + 1])
        carry_out(t, passed[i + 1], operators[i], work)
        infer_groups(t, passed[i + 1])
    return len(operators)


@kernel
def progress_all(t: Table, states: Sets, operator: int) -> None:
    """Applies an operator to each of the states, uint64 (states, words), in place."""
    work: Int32 = np.empty(t[layout.WORK], np.int32)
    for i in range(len(states)):
        check_signals()
        carry_out(t, states[i], operator, work)


@kernel
def goal_reached(t: Table, state: ConstState) -> bool:
    """Whether a disjunct of the goal holds, and is known to hold if it is hidden."""
    for d in range(t[layout.DISJUNCTS]):
        if _met(t, state, layout.GOAL, layout.NGOAL, d):
            return True
    return False


@kernel
def failed(t: Table, state: ConstState) -> int:
    """The first disjunct of the failure condition that holds, known or not; -1 if none does."""
    for d in range(t[layout.FAILURES]):
        if _met(t, state, layout.FAILURE, layout.NFAILURE, d):
            return d
    return -1


@kernel
def hash_state(words: ConstState) -> np.uint64:
    """A 64-bit hash of a state or a part of one."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(len(words)):
        h = (h ^ words[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return h


@kernel
def visible_hash(t: Table, state: ConstState) -> np.uint64:
    """A hash of the facts that the agent knows, and their values."""
    if t[layout.WORDS] == t[layout.HALF]:
        return np.uint64(hash_state(state))
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(t[layout.HALF]):
        known = state[t[layout.HALF] + w]
        h = (h ^ (state[w] & known)) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
        h = (h ^ known) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return h


@kernel
def random_below(rng: State, bound: int) -> int:
    """A pseudo-random int in [0, bound) from ``rng``, uint64 (1,), which is advanced (splitmix64)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return int((z >> np.uint64(11)) % np.uint64(bound))


@kernel
def uniform_rollout(t: Table, state: State, horizon: int, discount: float, rng: State, buffer: Int32) -> float:
    """ROLLOUT of Algorithm 1 with a uniform policy: the discounted reward (1 at the goal, else 0) of at most
    ``horizon`` random actions from ``state``, which is modified; 0 if a constraint is violated. ``buffer`` int32
    (operators,)."""
    work: Int32 = np.empty(t[layout.WORK], np.int32)
    value = 1.0
    for _ in range(horizon):
        check_signals()
        count = applicable_actions(t, state, buffer)
        if count == 0:
            return 0.0
        carry_out(t, state, draw_outcome(t, buffer[random_below(rng, count)], rng), work)
        if failed(t, state) >= 0:
            return 0.0
        if goal_reached(t, state):
            return value
        value *= discount
    return 0.0
