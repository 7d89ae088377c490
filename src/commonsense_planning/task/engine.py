"""Numba kernels on a grounded task: applicable operators, progression with sensing, goal test, uniform
roll-out.

A state is uint64 (words,): first the truth of every fact as bits, then, if anything is hidden, as many words
that say whose value is known (see ``observing``).

A task compiled for the kernels is one int32 array: passing one array costs a call next to nothing, passing
forty costs more than most kernels do. Its first entries (``HALF`` … ``FREE_END``) are numbers and the places
of its tables. A table of ragged rows (``PRE`` and so on) holds two numbers a row: from where to where in the
same array the row's items stand.

How operators are filed, so that ``applicable`` looks at few, stands in ``filing``. The obvious twin of every kernel is
in ``reference``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from commonsense_planning.task.filing import file_operators
from commonsense_planning.task.ground_task import Goal, GroundTask, Int32, Lists, Operators, owners_of
from commonsense_planning.task.kernels import inlined, kernel
from commonsense_planning.task.observing import Observing, everything_seen

State = npt.NDArray[np.uint64]
_ONE = np.uint64(1)
_HALF_WORD = np.uint64(32)
# The upper six bits of 2**i times this number differ for all i (a de Bruijn sequence), so they find i in a table:
# branches would be guessed wrong as often as right.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_POSITIONS = np.zeros(64, np.int64)
_POSITIONS[(_DE_BRUIJN << np.arange(64, dtype=np.uint64)) >> np.uint64(58)] = np.arange(64)

# Numbers
HALF = 0  # words of one half of a state
WORDS = 1  # words of a state: HALF, or 2 * HALF if anything is hidden
OPERATORS = 2
DISJUNCTS = 3  # of the goal
RULES = 4  # sensing rules
DELETIONS_WATCHED = 5  # 1 if a sensing rule has a negative condition
# Tables with a single entry a row
COST = 6  # operator → cost
HIDDEN = 7  # fact → 1 if hidden
EFFECTS = 8  # operator → first, one past last conditional effect (two numbers a row)
FREE = 9  # records of the operators without a positive precondition, from here …
FREE_END = 10  # … to here; for these six see ``filing.Filing``
RECORDS = 11
# Tables of ragged rows
PRE, NPRE, ADD, DELETE = 12, 13, 14, 15  # operator → facts (PRE: knowledge bits too)
COND_PRE, COND_NPRE, COND_ADD, COND_DELETE = 16, 17, 18, 19  # conditional effect → facts
GOAL, NGOAL = 20, 21  # disjunct → facts
WHEN, WHEN_NOT, SEEN = 22, 23, 24  # sensing rule → facts
WATCH, NWATCH = 25, 26  # fact → sensing rules that it may start by becoming true, false
GATED = 27  # fact → entries behind it
GROUPS = 28  # exactly-one group → its facts as bits, three numbers a word: which word, low, high 32 bits
GROUP_COUNT = 29
FAILURE, NFAILURE = 30, 31  # disjunct of the failure condition → facts
FAILURES = 32  # number of these disjuncts
GROUPS_OF = 33  # fact → the groups that it is in
POINTERS = 34
UNGATED, UNGATED_END = 35, 36  # entries, from where to where
GATES, GATES_END = 37, 38  # words, from where to where
DELETED, COND_DELETED = 39, 40  # operator, conditional effect → words: what it deletes, as bits
HEADER = 41


@dataclass(frozen=True)
class Compiled:
    """A task as an agent meets it: the ``table`` for the kernels, and what it was made of, as arrays.

    ``operators`` and ``goal`` have the knowledge of hidden facts among their positive conditions, as bit
    ``fact + 64 * half``. The failure condition has not: it is about the world, seen or not.
    """

    table: Int32
    half: int
    words: int
    operators: Operators
    goal: Goal
    hidden: npt.NDArray[np.bool_]
    observing: Observing

    @property
    def operator_count(self) -> int:
        """Number of operators."""
        return int(self.operators.cost.shape[0])


def compile_task(task: GroundTask, observing: Observing | None = None) -> Compiled:
    """Compile a task as the agent of ``observing`` meets it: preconditions and goals on hidden facts also
    want them known. Without ``observing`` everything is seen."""
    observing = observing or everything_seen(task.fact_count)
    half = max(1, (task.fact_count + 63) // 64)
    hidden = np.zeros(64 * half, np.bool_)
    hidden[: task.fact_count] = observing.hidden
    operators, goal = task.operators, task.goal
    if observing.partial:
        operators = operators._replace(pre=_with_knowledge(operators.pre, operators.npre, hidden))
        goal = Goal(_with_knowledge(goal.pos, goal.neg, hidden), goal.neg)
    words = 2 * half if observing.partial else half
    filing = file_operators(operators, half)
    table = [0] * HEADER
    table[HALF], table[WORDS] = half, words
    table[OPERATORS] = len(operators.cost)
    table[DISJUNCTS], table[RULES] = len(goal.pos), len(observing.when)
    table[GROUP_COUNT], table[FAILURES] = len(observing.groups), len(task.failure.pos)
    table[DELETIONS_WATCHED] = int(len(observing.when_not.items) > 0)
    parts = [np.zeros(HEADER, np.int32)]
    size = HEADER

    def place(entry: int, flat: npt.NDArray[np.int32]) -> None:
        nonlocal size
        table[entry] = size
        parts.append(flat)
        size += len(flat)

    def place_rows(entry: int, rows: Lists) -> None:
        place(entry, _flat(rows, size))

    place(COST, operators.cost.astype(np.int32))
    place(HIDDEN, hidden.astype(np.int32))
    place(EFFECTS, np.stack([operators.effect_start, operators.effect_end], axis=1).astype(np.int32).ravel())
    place(FREE, filing.free)
    table[FREE_END] = size
    place(RECORDS, filing.records)
    place(POINTERS, filing.pointers)
    place(UNGATED, filing.ungated)
    table[UNGATED_END] = size
    place(GATES, filing.gates)
    table[GATES_END] = size
    for entry, rows in (
        (PRE, operators.pre),
        (NPRE, operators.npre),
        (ADD, operators.add),
        (DELETE, operators.delete),
        (COND_PRE, operators.cond_pre),
        (COND_NPRE, operators.cond_npre),
        (COND_ADD, operators.cond_add),
        (COND_DELETE, operators.cond_delete),
        (FAILURE, task.failure.pos),
        (NFAILURE, task.failure.neg),
        (WHEN, observing.when),
        (WHEN_NOT, observing.when_not),
        (SEEN, observing.seen),
        (WATCH, _rows_by_item(observing.when, 64 * half)),
        (NWATCH, _rows_by_item(observing.when_not, 64 * half)),
        (GATED, filing.gated),
        (DELETED, _bits_of_spans(operators.delete)),
        (COND_DELETED, _bits_of_spans(operators.cond_delete)),
        (GROUPS, _bits_of_rows(observing.groups)),
        (GROUPS_OF, _rows_by_item(observing.groups, 64 * half)),
        (GOAL, goal.pos),  # last, where ``compile_like`` puts another one
        (NGOAL, goal.neg),
    ):
        place_rows(entry, rows)
    parts[0][:] = table
    return Compiled(np.concatenate(parts), half, words, operators, goal, hidden, observing)


def compile_like(other: Compiled, task: GroundTask) -> Compiled:
    """Compile a task that differs from what ``other`` was made of only in the initial state and the goal."""
    goal = task.goal
    if other.observing.partial:
        goal = Goal(_with_knowledge(goal.pos, goal.neg, other.hidden), goal.neg)
    start = int(other.table[GOAL])
    middle = start + 2 * len(goal.pos) + len(goal.pos.items)
    table = np.concatenate((other.table[:start], _flat(goal.pos, start), _flat(goal.neg, middle)))
    table[DISJUNCTS], table[NGOAL] = len(goal.pos), middle
    return replace(other, table=table, goal=goal)


def _flat(rows: Lists, start: int) -> Int32:
    """The rows as they stand in a table from ``start`` on: where each begins and ends, then the items."""
    items = start + 2 * len(rows)
    pairs = np.stack([rows.start + items, rows.end + items], axis=1).astype(np.int32).ravel()
    return np.concatenate([pairs, rows.items])


def _with_knowledge(positive: Lists, negative: Lists, hidden: npt.NDArray[np.bool_]) -> Lists:
    """Each row of ``positive`` with the knowledge bits of the hidden facts of that row of either list
    appended."""
    owners, items = zip(owners_of(positive), owners_of(negative), strict=True)
    owner, item = np.concatenate(owners), np.concatenate(items)
    secret = hidden[item]
    owner = np.concatenate((owners[0], owner[secret]))
    item = np.concatenate((items[0], item[secret] + np.int32(hidden.shape[0])))
    lengths = np.bincount(owner, minlength=len(positive))
    end = np.cumsum(lengths)
    return Lists(end - lengths, end, item[np.argsort(owner, kind="stable")])


def _rows_by_item(rows: Lists, size: int) -> Lists:
    """Item → the rows that hold it."""
    owner, item = owners_of(rows)
    counts = np.bincount(item, minlength=size)
    end = np.cumsum(counts)
    return Lists(end - counts, end, owner[np.argsort(item, kind="stable")])


def _bits_of_rows(rows: Lists) -> Lists:
    """Rows of facts as bits: of every word with one of them its number, its low and its high 32 bits."""
    owner, item = owners_of(rows)
    places, place = np.unique(np.stack([owner, item >> 6], axis=1), axis=0, return_inverse=True)
    words = np.zeros(len(places), np.uint64)
    np.bitwise_or.at(words, place, _ONE << (item & 63).astype(np.uint64))
    lengths = 3 * np.bincount(places[:, 0], minlength=len(rows))
    end = np.cumsum(lengths)
    numbers = np.column_stack([places[:, 1], words.view(np.int32).reshape(-1, 2)])
    return Lists(end - lengths, end, numbers.astype(np.int32).ravel())


def _bits_of_spans(rows: Lists) -> Lists:
    """As ``_bits_of_rows``, for rows that may share their items: what they share is not written out."""
    spans, which = np.unique(np.stack([rows.start, rows.end], axis=1), axis=0, return_inverse=True)
    bits = _bits_of_rows(Lists(spans[:, 0], spans[:, 1], rows.items))
    return Lists(bits.start[which], bits.end[which], bits.items)


def pack(bits: npt.NDArray[np.bool_], half: int) -> State:
    """Bool (facts,) as the uint64 (half,) of a state's half."""
    padded = np.zeros(64 * half, np.bool_)
    padded[: bits.shape[0]] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)


def unpack(words: State, count: int) -> npt.NDArray[np.bool_]:
    """The first ``count`` bits of a state's half as bool."""
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:count].astype(np.bool_)


def make_state(
    compiled: Compiled, truth: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_] | None = None
) -> State:
    """A state from the truth of each fact, bool (facts,), and what is known; facts that are not hidden always
    are."""
    state = np.zeros(compiled.words, np.uint64)
    state[: compiled.half] = pack(truth, compiled.half)
    if compiled.words > compiled.half:
        seen = ~compiled.hidden
        if known is not None:
            seen[: known.shape[0]] |= known
        state[compiled.half :] = pack(seen, compiled.half)
    return state


@inlined
def holds(state: State, fact: int) -> bool:
    """Whether a bit of the state is set: fact ``f``, or the knowledge of it at ``f + 64 * half``."""
    return bool((state[fact >> 6] >> np.uint64(fact & 63)) & _ONE != 0)


@inlined
def set_bit(state: State, fact: int) -> None:
    """Set a bit of the state, see ``holds``."""
    state[fact >> 6] |= _ONE << np.uint64(fact & 63)


@inlined
def _all_true(t: Int32, state: State, rows: int, i: int) -> bool:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        if not holds(state, t[k]):
            return False
    return True


@inlined
def _all_false(t: Int32, state: State, rows: int, i: int) -> bool:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        if holds(state, t[k]):
            return False
    return True


@kernel
def is_applicable(t: Int32, state: State, operator: int) -> bool:
    """Whether the operator's preconditions hold, and are known to hold where they are hidden. ``t``: the
    table."""
    return bool(_all_true(t, state, PRE, operator) and _all_false(t, state, NPRE, operator))


@inlined
def trailing_zeros(word: np.uint64) -> int:
    """The position of the lowest bit that is set; the word is not zero."""
    return int(_POSITIONS[(word & (~word + _ONE)) * _DE_BRUIJN >> np.uint64(58)])


@inlined
def _ones(word: np.uint64) -> int:
    """How many bits are set."""
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def _bits(t: Int32, k: int) -> np.uint64:
    """The 64 bits whose low and high half stand at ``k``."""
    return np.uint64(np.uint32(t[k])) | (np.uint64(np.uint32(t[k + 1])) << _HALF_WORD)


@inlined
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


@inlined
def _look(t: Int32, state: State, first: int, last: int, out: Int32, count: int) -> int:
    """Append what is applicable of the operators filed under the true pivots of the entries from ``first`` to
    ``last``; give the new count."""
    known = t[WORDS] - t[HALF]  # a pivot that is hidden has to be known too, as every precondition
    for k in range(first, last, 4):
        pivots = _bits(t, k + 1)
        word = state[t[k]] & state[known + t[k]] & pivots
        while word != 0:
            lowest = word & (~word + _ONE)
            word ^= lowest
            pointer = t[POINTERS] + t[k + 3] + _ones(pivots & (lowest - _ONE))
            count = _collect(t, state, t[RECORDS] + t[pointer], t[RECORDS] + t[pointer + 1], out, count)
    return count


@kernel
def applicable(t: Int32, state: State, out: Int32) -> int:
    """Write the applicable operators into ``out``, int32 (operators,), in no order of meaning; give their
    number."""
    count = _collect(t, state, t[FREE], t[FREE_END], out, 0)
    count = _look(t, state, t[UNGATED], t[UNGATED_END], out, count)
    known = t[WORDS] - t[HALF]
    for k in range(t[GATES], t[GATES_END], 3):
        word = state[t[k]] & state[known + t[k]] & _bits(t, k + 1)
        while word != 0:
            row = t[GATED] + 2 * ((t[k] << 6) + trailing_zeros(word))
            word &= word - _ONE
            count = _look(t, state, t[row], t[row + 1], out, count)
    return count


@kernel
def _delete(t: Int32, state: State, rows: int, i: int) -> None:
    """Make the facts of row ``i`` of DELETED or COND_DELETED false, and known."""
    row, known = t[rows] + 2 * i, t[WORDS] - t[HALF]
    for k in range(t[row], t[row + 1], 3):
        bits = _bits(t, k + 1)
        state[known + t[k]] |= bits
        state[t[k]] &= ~bits


@kernel
def _add(t: Int32, state: State, rows: int, i: int) -> None:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        set_bit(state, t[k])
        if t[t[HIDDEN] + t[k]]:
            set_bit(state, t[k] + 64 * t[HALF])


@kernel
def _sense(t: Int32, state: State, rule: int) -> None:
    if _all_true(t, state, WHEN, rule) and _all_false(t, state, WHEN_NOT, rule):
        row = t[SEEN] + 2 * rule
        for k in range(t[row], t[row + 1]):
            set_bit(state, t[k] + 64 * t[HALF])


@kernel
def _start_rules(t: Int32, state: State, watch: int, rows: int, i: int) -> None:
    row = t[rows] + 2 * i
    for k in range(t[row], t[row + 1]):
        watching = t[watch] + 2 * t[k]
        for j in range(t[watching], t[watching + 1]):
            _sense(t, state, t[j])


@kernel
def sense_all(t: Int32, state: State) -> None:
    """Apply every sensing rule, in place: what the agent sees on waking up."""
    for rule in range(t[RULES]):
        _sense(t, state, rule)


@kernel
def infer_groups(t: Int32, state: State) -> None:
    """Draw the conclusion from exactly-one groups, in place: where a member is known to be true, all are
    known."""
    half = t[HALF]
    if t[GROUP_COUNT] == 0 or t[WORDS] == half:
        return
    for w in range(half):
        word = state[w] & state[half + w]
        while word != 0:
            groups = t[GROUPS_OF] + 2 * ((w << 6) + trailing_zeros(word))
            word &= word - _ONE
            for i in range(t[groups], t[groups + 1]):
                row = t[GROUPS] + 2 * t[i]
                for k in range(t[row], t[row + 1], 3):
                    state[half + t[k]] |= _bits(t, k + 1)


@kernel
def progress(t: Int32, state: State, operator: int) -> None:
    """Apply an operator in place (deletes, then adds; conditions are those of the old state), then sense.

    What a conditional effect changes is known afterwards, also if its condition was not.
    """
    first = t[t[EFFECTS] + 2 * operator]
    last = t[t[EFFECTS] + 2 * operator + 1]
    fires = np.zeros(last - first, np.bool_)
    for e in range(first, last):
        fires[e - first] = _all_true(t, state, COND_PRE, e) and _all_false(t, state, COND_NPRE, e)
    _delete(t, state, DELETED, operator)
    for e in range(first, last):
        if fires[e - first]:
            _delete(t, state, COND_DELETED, e)
    _add(t, state, ADD, operator)
    for e in range(first, last):
        if fires[e - first]:
            _add(t, state, COND_ADD, e)
    if t[RULES] > 0:
        _start_rules(t, state, WATCH, ADD, operator)
        if t[DELETIONS_WATCHED]:
            _start_rules(t, state, NWATCH, DELETE, operator)
        for e in range(first, last):
            if fires[e - first]:
                _start_rules(t, state, WATCH, COND_ADD, e)
                _start_rules(t, state, NWATCH, COND_DELETE, e)


@kernel
def goal_reached(t: Int32, state: State) -> bool:
    """Whether a disjunct of the goal holds, and is known to hold where it is hidden."""
    for d in range(t[DISJUNCTS]):
        if _all_true(t, state, GOAL, d) and _all_false(t, state, NGOAL, d):
            return True
    return False


@kernel
def failed(t: Int32, state: State) -> int:
    """The first disjunct of the failure condition that holds, known or not; -1 if none does."""
    for d in range(t[FAILURES]):
        if _all_true(t, state, FAILURE, d) and _all_false(t, state, NFAILURE, d):
            return d
    return -1


@kernel
def failure_reached(t: Int32, state: State) -> bool:
    """Whether a constraint is violated in the state."""
    return failed(t, state) >= 0


@kernel
def hash_state(words: State) -> np.uint64:
    """A 64-bit hash of a state or a part of one."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for word in words:
        h = (h ^ word) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return h


@kernel
def visible_hash(t: Int32, state: State) -> np.uint64:
    """A hash of what the agent sees: the values of the facts that it knows, and which these are."""
    if t[WORDS] == t[HALF]:
        return np.uint64(hash_state(state))
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(t[HALF]):
        known = state[t[HALF] + w]
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
def uniform_rollout(
    t: Int32, state: State, horizon: int, discount: float, rng: State, buffer: Int32
) -> float:
    """ROLLOUT of Algorithm 1 with a uniform policy: the discounted reward (1 at the goal, else 0) of at most
    ``horizon`` random actions from ``state``, which is changed; 0 once a constraint is violated. ``buffer``
    int32 (operators,)."""
    value = 1.0
    for _ in range(horizon):
        count = applicable(t, state, buffer)
        if count == 0:
            return 0.0
        progress(t, state, buffer[random_below(rng, count)])
        if failure_reached(t, state):
            return 0.0
        if goal_reached(t, state):
            return value
        value *= discount
    return 0.0
