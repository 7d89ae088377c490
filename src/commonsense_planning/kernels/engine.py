"""Numba kernels on a compiled task: applicable operators, progression with sensing, goal test, uniform roll-out.

What a state is and what stands where in a compiled task is in ``compiled``. The obvious twin of every kernel is in
``tests/kernels/reference.py``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels import compiled as layout
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.compiling import njit

_ONE = np.uint64(1)
_HALF_WORD = np.uint64(32)
# The upper six bits of 2**i times this number differ for all i (a de Bruijn sequence), so they find i in a table:
# branches would be guessed wrong as often as right.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_POSITIONS = np.zeros(64, np.int64)
_POSITIONS[(_DE_BRUIJN << np.arange(64, dtype=np.uint64)) >> np.uint64(58)] = np.arange(64)


@njit(cache=True, inline="always")
def holds(state: State, fact: int) -> bool:
    """Whether a bit of the state is set: fact ``f``, or the knowledge of it at ``f + 64 * half``."""
    return bool((state[fact >> 6] >> np.uint64(fact & 63)) & _ONE != 0)


@njit(cache=True, inline="always")
def set_bit(state: State, fact: int) -> None:
    """Set a bit of the state, see ``holds``."""
    state[fact >> 6] |= _ONE << np.uint64(fact & 63)


@njit(cache=True, inline="always")
def _all_true(t: Int32, state: State, rows: int, i: int) -> bool:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        if not holds(state, t[k]):
            return False
    return True


@njit(cache=True, inline="always")
def _all_false(t: Int32, state: State, rows: int, i: int) -> bool:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        if holds(state, t[k]):
            return False
    return True


@njit(cache=True)
def is_applicable(t: Int32, state: State, operator: int) -> bool:
    """Whether the operator's preconditions hold, and are known to hold where they are hidden. ``t``: the
    table."""
    return bool(_all_true(t, state, layout.PRE, operator) and _all_false(t, state, layout.NPRE, operator))


@njit(cache=True, inline="always")
def trailing_zeros(word: np.uint64) -> int:
    """The position of the lowest bit that is set; the word is not zero."""
    return int(_POSITIONS[(word & (~word + _ONE)) * _DE_BRUIJN >> np.uint64(58)])


@njit(cache=True, inline="always")
def _ones(word: np.uint64) -> int:
    """How many bits are set."""
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, inline="always")
def word_at(t: Int32, k: int) -> np.uint64:
    """The 64 bits whose low and high half stand at ``k``."""
    return np.uint64(np.uint32(t[k])) | (np.uint64(np.uint32(t[k + 1])) << _HALF_WORD)


@njit(cache=True, inline="always")
def _collect(t: Int32, state: State, first: int, last: int, out: Int32, count: int) -> int:
    """Append the operators whose records, from ``first`` to ``last``, hold in the state; give the new count."""
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


@njit(cache=True, inline="always")
def _look(t: Int32, state: State, first: int, last: int, out: Int32, count: int) -> int:
    """Append what is applicable of the operators filed under the true pivots of the entries from ``first`` to
    ``last``; give the new count."""
    known = t[layout.WORDS] - t[layout.HALF]  # a pivot that is hidden has to be known too, as every precondition
    for k in range(first, last, 4):
        pivots = word_at(t, k + 1)
        word = state[t[k]] & state[known + t[k]] & pivots
        while word != 0:
            lowest = word & (~word + _ONE)
            word ^= lowest
            pointer = t[layout.POINTERS] + t[k + 3] + _ones(pivots & (lowest - _ONE))
            count = _collect(t, state, t[layout.RECORDS] + t[pointer], t[layout.RECORDS] + t[pointer + 1], out, count)
    return count


@njit(cache=True)
def applicable(t: Int32, state: State, out: Int32) -> int:
    """Write the applicable operators into ``out``, int32 (operators,), in no order of meaning; give their
    number."""
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


@njit(cache=True)
def _delete(t: Int32, state: State, rows: int, i: int) -> None:
    """Make the facts of row ``i`` of DELETED or COND_DELETED false, and known."""
    row, known = t[rows] + 2 * i, t[layout.WORDS] - t[layout.HALF]
    for k in range(t[row], t[row + 1], 3):
        bits = word_at(t, k + 1)
        state[known + t[k]] |= bits
        state[t[k]] &= ~bits


@njit(cache=True)
def _add(t: Int32, state: State, rows: int, i: int) -> None:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        set_bit(state, t[k])
        if t[t[layout.HIDDEN] + t[k]]:
            set_bit(state, t[k] + 64 * t[layout.HALF])


@njit(cache=True)
def _sense(t: Int32, state: State, rule: int) -> None:
    if _all_true(t, state, layout.WHEN, rule) and _all_false(t, state, layout.WHEN_NOT, rule):
        row = t[layout.SEEN] + 2 * rule
        for k in range(t[row], t[row + 1]):
            set_bit(state, t[k] + 64 * t[layout.HALF])


@njit(cache=True)
def derive(t: Int32, state: State) -> None:
    """Have just those derived facts be true that follow from the others, in place: stratum by stratum, first the rules
    that wait for no fact of their own stratum, then those that wait for one that has become true."""
    for k in range(t[layout.DERIVED], t[layout.DERIVED_END], 3):
        state[t[k]] &= ~word_at(t, k + 1)
    waiting = np.empty(64 * t[layout.HALF], np.int32)
    for stratum in range(t[layout.STRATA]):
        row = t[layout.STARTING] + 2 * stratum
        top = _fire(t, state, t[row], t[row + 1], waiting, 0)
        while top > 0:
            top -= 1
            row = t[layout.USERS] + 2 * waiting[top]
            top = _fire(t, state, t[row], t[row + 1], waiting, top)


@njit(cache=True)
def remember(t: Int32, state: State) -> None:
    """Bring the bits that remember for constraints up to date, in place, once all else in the state is settled."""
    for update in range(t[layout.UPDATES]):
        if _all_true(t, state, layout.UPDATED, update) and _all_false(t, state, layout.NUPDATED, update):
            bit = t[t[layout.REMEMBERS] + 2 * update]
            if t[t[layout.REMEMBERS] + 2 * update + 1]:
                set_bit(state, bit)
            else:
                state[bit >> 6] &= ~(_ONE << np.uint64(bit & 63))


@njit(cache=True, inline="always")
def _fire(t: Int32, state: State, first: int, last: int, waiting: Int32, top: int) -> int:
    """Make true what the rules that stand from ``first`` to ``last`` derive; put it on the stack, and give its size."""
    for k in range(first, last):
        head = t[t[layout.HEAD] + t[k]]
        body = _all_true(t, state, layout.BODY, t[k]) and _all_false(t, state, layout.NBODY, t[k])
        if body and not holds(state, head):
            set_bit(state, head)
            waiting[top] = head
            top += 1
    return top


@njit(cache=True)
def _start_rules(t: Int32, state: State, watch: int, rows: int, i: int) -> None:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        watching = t[watch] + 2 * t[k]
        for j in range(t[watching], t[watching + 1]):
            _sense(t, state, t[j])


@njit(cache=True)
def sense_all(t: Int32, state: State) -> None:
    """Apply every sensing rule, in place: the initial observation in a state."""
    for rule in range(t[layout.RULES]):
        _sense(t, state, rule)


@njit(cache=True)
def infer_groups_of(t: Int32, state: State, facts: np.uint64, w: int) -> None:
    """Draw the conclusion from exactly-one groups, in place, for ``facts`` of word ``w`` that are known to be true: all
    of their groups are known."""
    half = t[layout.HALF]
    while facts != 0:
        groups = t[layout.GROUPS_OF] + 2 * ((w << 6) + trailing_zeros(facts))
        facts &= facts - _ONE
        for i in range(t[groups], t[groups + 1]):
            row = t[layout.GROUPS] + 2 * t[i]
            for k in range(t[row], t[row + 1], 3):
                state[half + t[k]] |= word_at(t, k + 1)


@njit(cache=True)
def infer_groups(t: Int32, state: State) -> None:
    """Draw the conclusion from exactly-one groups, in place: where a member is known to be true, all are
    known."""
    half = t[layout.HALF]
    if t[layout.GROUP_COUNT] == 0 or t[layout.WORDS] == half:
        return
    for w in range(half):
        infer_groups_of(t, state, state[w] & state[half + w], w)


@njit(cache=True)
def _is_sure(t: Int32, state: State, effect: int) -> bool:
    """Whether it is known if a conditional effect takes place: it is observed, or all is known that it hangs on."""
    if t[layout.UNOBSERVED_EFFECTS] == 0 or t[t[layout.UNOBSERVED] + effect] == 0:
        return True
    known = 64 * t[layout.HALF]
    for rows in (layout.COND_PRE, layout.COND_NPRE):
        row = t[rows] + 2 * effect
        for k in range(t[row], t[row + 1]):
            if not holds(state, t[k] + known):
                return False
    return True


@njit(cache=True)
def _change(t: Int32, state: State, rows: int, effect: int, fires: bool) -> None:
    """What a conditional effect makes true (COND_ADD) or false (COND_DELETE), in place, where nobody knows whether it
    takes place: a fact stays known only if it is so already."""
    row, known = t[rows] + 2 * effect, t[layout.WORDS] - t[layout.HALF]
    for k in range(t[row], t[row + 1]):
        word, bit = t[k] >> 6, _ONE << np.uint64(t[k] & 63)
        if holds(state, t[k]) != (rows == layout.COND_ADD):
            state[known + word] &= ~bit
            if fires:
                state[word] ^= bit


@njit(cache=True)
def _change_conditionally(t: Int32, state: State, operator: int, first: int, last: int) -> None:
    """Deletes, then adds, of an operator with conditional effects from ``first`` to ``last``, in place; the rules that
    these start. Conditions are those of the old state."""
    fires, sure = np.zeros(last - first, np.bool_), np.ones(last - first, np.bool_)
    for e in range(first, last):
        fires[e - first] = _all_true(t, state, layout.COND_PRE, e) and _all_false(t, state, layout.COND_NPRE, e)
        sure[e - first] = _is_sure(t, state, e)
    _delete(t, state, layout.DELETED, operator)
    for e in range(first, last):
        if not sure[e - first]:
            _change(t, state, layout.COND_DELETE, e, fires[e - first])
        elif fires[e - first]:
            _delete(t, state, layout.COND_DELETED, e)
    _add(t, state, layout.ADD, operator)
    for e in range(first, last):
        if not sure[e - first]:
            _change(t, state, layout.COND_ADD, e, fires[e - first])
        elif fires[e - first]:
            _add(t, state, layout.COND_ADD, e)
    if t[layout.RULES] > 0:
        for e in range(first, last):
            if fires[e - first]:
                _start_rules(t, state, layout.WATCH, layout.COND_ADD, e)
                _start_rules(t, state, layout.NWATCH, layout.COND_DELETE, e)


@njit(cache=True)
def progress(t: Int32, state: State, operator: int) -> None:
    """Apply an operator in place (deletes, then adds; conditions are those of the old state), derive what follows, then
    sense, then remember for the constraints.

    What a conditional effect changes is known afterwards, also if its condition was not; but where the effect is
    unobserved, only what would be as it is either way.
    """
    first = t[t[layout.EFFECTS] + 2 * operator]
    last = t[t[layout.EFFECTS] + 2 * operator + 1]
    if first == last:
        _delete(t, state, layout.DELETED, operator)
        _add(t, state, layout.ADD, operator)
    else:
        _change_conditionally(t, state, operator, first, last)
    if t[layout.STRATA] > 0:
        derive(t, state)
        for k in range(t[layout.LATE], t[layout.LATE_END]):
            _sense(t, state, t[k])
    if t[layout.RULES] > 0:
        _start_rules(t, state, layout.WATCH, layout.ADD, operator)
        if t[layout.DELETIONS_WATCHED]:
            _start_rules(t, state, layout.NWATCH, layout.DELETE, operator)
    if t[layout.OBSERVES]:
        row = t[layout.OBSERVED] + 2 * operator
        for k in range(t[row], t[row + 1]):
            set_bit(state, t[k] + 64 * t[layout.HALF])
    if t[layout.UPDATES] > 0:
        remember(t, state)


@njit(cache=True)
def applicable_actions(t: Int32, state: State, out: Int32) -> int:
    """As ``applicable``, with one operator for each action, the first of its outcomes."""
    count = applicable(t, state, out)
    if t[layout.CHANCES] == 0:
        return count
    kept = 0
    for i in range(count):
        if t[t[layout.FIRST] + out[i]] == out[i]:
            out[kept] = out[i]
            kept += 1
    return kept


@njit(cache=True)
def draw_outcome(t: Int32, operator: int, rng: State) -> int:
    """One of the outcomes of an action, by their probabilities. ``rng``: see ``random_below``."""
    if t[layout.CHANCES] == 0:
        return operator
    operator = t[t[layout.FIRST] + operator]
    left = random_below(rng, layout.CERTAIN)
    while t[t[layout.NEXT] + operator] >= 0 and left >= t[t[layout.CHANCE] + operator]:
        left -= t[t[layout.CHANCE] + operator]
        operator = t[t[layout.NEXT] + operator]
    return operator


@njit(cache=True)
def states_along(t: Int32, state: State, operators: Int32, passed: npt.NDArray[np.uint64]) -> int:
    """Write ``state`` and those after each of the operators, with what can be inferred there, into ``passed``, uint64
    (1 + operators, words). How many operators were carried out: those up to the first that is not applicable."""
    passed[0] = state
    for i in range(len(operators)):
        if not is_applicable(t, passed[i], operators[i]):
            return i
        passed[i + 1] = passed[i]
        progress(t, passed[i + 1], operators[i])
        infer_groups(t, passed[i + 1])
    return len(operators)


@njit(cache=True)
def progress_all(t: Int32, states: npt.NDArray[np.uint64], operator: int) -> None:
    """Apply an operator to each of the states, uint64 (states, words), in place."""
    for i in range(len(states)):
        progress(t, states[i], operator)


@njit(cache=True)
def goal_reached(t: Int32, state: State) -> bool:
    """Whether a disjunct of the goal holds, and is known to hold where it is hidden."""
    for d in range(t[layout.DISJUNCTS]):
        if _all_true(t, state, layout.GOAL, d) and _all_false(t, state, layout.NGOAL, d):
            return True
    return False


@njit(cache=True)
def failed(t: Int32, state: State) -> int:
    """The first disjunct of the failure condition that holds, known or not; -1 if none does."""
    for d in range(t[layout.FAILURES]):
        if _all_true(t, state, layout.FAILURE, d) and _all_false(t, state, layout.NFAILURE, d):
            return d
    return -1


@njit(cache=True)
def failure_reached(t: Int32, state: State) -> bool:
    """Whether a constraint is violated in the state."""
    return failed(t, state) >= 0


@njit(cache=True)
def hash_state(words: State) -> np.uint64:
    """A 64-bit hash of a state or a part of one."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for word in words:
        h = (h ^ word) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return h


@njit(cache=True)
def visible_hash(t: Int32, state: State) -> np.uint64:
    """A hash of what the agent sees: the values of the facts that it knows, and which these are."""
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


@njit(cache=True)
def random_below(rng: State, bound: int) -> int:
    """A pseudo-random int in [0, bound) from ``rng``, uint64 (1,), which is advanced (splitmix64)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return int(np.int64((z >> np.uint64(11)) % np.uint64(bound)))


@njit(cache=True)
def uniform_rollout(
    t: Int32, state: State, horizon: int, discount: float, rng: State, buffer: Int32
) -> float:
    """ROLLOUT of Algorithm 1 with a uniform policy: the discounted reward (1 at the goal, else 0) of at most
    ``horizon`` random actions from ``state``, which is changed; 0 once a constraint is violated. ``buffer``
    int32 (operators,)."""
    value = 1.0
    for _ in range(horizon):
        count = applicable_actions(t, state, buffer)
        if count == 0:
            return 0.0
        progress(t, state, draw_outcome(t, buffer[random_below(rng, count)], rng))
        if failure_reached(t, state):
            return 0.0
        if goal_reached(t, state):
            return value
        value *= discount
    return 0.0
