"""A grounded task compiled for the kernels, and states as bits.

A state is uint64 (words,). Bit ``f`` of its first half is whether fact ``f`` is true. If anything is hidden, there is a
second half: its bit ``f`` is whether the agent knows the value of fact ``f``; sensing that is certain sets it.

A compiled task is one int32 array: passing one array to a call takes almost no time, passing forty takes more than most
kernels do. Its first entries (``HALF`` … ``UNOBSERVED``) are numbers and the places of its tables. A table of ragged
rows (``PRE`` and so on) has two numbers per row: the start and the end of the row's items in the same array.
``successor_index`` describes how operators are indexed in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import (
    ROWS,
    ChanceOutcomes,
    Goal,
    GroundSensors,
    GroundTask,
    Int32,
    Int64,
    Lists,
    Monitors,
    Operators,
    Rules,
    by_item,
    fully_observable,
    lists_of,
    owners_of,
)
from commonsense_planning.kernels.successor_index import index_operators

State = npt.NDArray[np.uint64]
_ONE = np.uint64(1)

# Numbers
HALF = 0  # words of one half of a state
WORDS = 1  # words of a state: HALF, or 2 * HALF if anything is hidden
OPERATORS = 2
DISJUNCTS = 3  # of the goal
RULES = 4  # sensing rules
DELETIONS_WATCHED = 5  # 1 if a sensing rule has a negative condition
GROUP_COUNT = 6  # exactly-one groups
FAILURES = 7  # disjuncts of the failure condition
# Tables, with these entries per row
COST = 8  # operator → its cost, the low and the high 32 bits, see ``engine.cost_of``
HIDDEN = 9  # fact → 1 if hidden
EFFECTS = 10  # operator → first, one past last conditional effect
# Arrays, each with its begin and end, see ``successor_index.SuccessorIndex``
FREE, FREE_END = 11, 12
RECORDS = 13
POINTERS = 14
UNGATED, UNGATED_END = 15, 16
GATES, GATES_END = 17, 18
# Tables of ragged rows
PRE, NPRE, ADD, DELETE = 19, 20, 21, 22  # operator → facts (PRE: knowledge bits too), in the order of ``ROWS``
COND_PRE, COND_NPRE, COND_ADD, COND_DELETE = 23, 24, 25, 26  # conditional effect → facts
GOAL, NGOAL = 27, 28  # disjunct → facts
FAILURE, NFAILURE = 29, 30  # disjunct of the failure condition → facts
WHEN, WHEN_NOT, SEEN = 31, 32, 33  # sensing rule → facts
WATCH, NWATCH = 34, 35  # fact → sensing rules, except for late ones, that it may trigger by becoming true, false
GATED = 36  # fact → the entries behind it, see ``successor_index.SuccessorIndex``
GROUPS_OF = 37  # fact → the exactly-one groups that it is in
# … of facts as bits, three numbers per word: its index, its low and its high 32 bits
GROUPS = 38  # exactly-one group
DELETED, COND_DELETED = 39, 40  # operator, conditional effect: its deletes
# For contingent problems
OBSERVES = 41  # 1 if operators observe
OBSERVED = 42  # operator → hidden facts that it shows
UNOBSERVED_EFFECTS = 43  # 1 if conditional effects are unobserved
UNOBSERVED = 44  # conditional effect → 1 if it is unobserved
# Derived facts
STRATA = 45  # number of strata of their rules
DERIVED, DERIVED_END = 46, 47  # begin and end: all derived facts as bits, three numbers per word
HEAD = 48  # rule → the fact that it derives
BODY, NBODY = 49, 50  # rule → facts
STARTING = 51  # stratum → its rules that want no derived fact of this stratum true
USERS = 52  # fact → the rules of its own stratum that want it true
LATE, LATE_END = 53, 54  # begin and end: the sensing rules that depend on derived facts
# The memory of constraints: bits, and their updates
UPDATES = 55  # number of updates
REMEMBERS = 56  # update → the bit, and 1 if it becomes true
UPDATED, NUPDATED = 57, 58  # update → facts (UPDATED: knowledge bits too)
# Outcomes by chance
CHANCES = 59  # 1 if an action has several
FIRST, NEXT = 60, 61  # operator → the first outcome of its action; its next outcome, -1 after the last
CHANCE = 62  # operator → its probability, times CERTAIN
WORK = 63  # the size of the working memory for carrying out an operator
CONCLUDES = 64  # 1 if what follows from exactly-one groups is concluded after each operator
EXACT = 65  # of how many groups, the first ones, exactly one member is true until an operator changes one
HEADER = 66

CERTAIN = 2**30
UNREACHABLE = 2**60  # the cost of unreachable states and goals in searches; sums end just below it


@dataclass(frozen=True)
class Compiled:
    """A task as its agent meets it: the ``table`` for the kernels, and its sources as arrays.

    ``operators`` and ``goal`` have the knowledge of hidden facts among their positive conditions, as bit ``fact + 64 *
    half``. The failure condition does not: it is about the world, known or not. Derived facts are not hidden, and
    depend on no hidden fact. ``monitors`` require that the facts that help them are known, as operators do.
    """

    table: Int32
    half: int
    words: int
    operators: Operators
    goal: Goal
    failure: Goal
    hidden: npt.NDArray[np.bool_]
    sensors: GroundSensors
    rules: Rules
    monitors: Monitors
    outcomes: ChanceOutcomes

    @property
    def operator_count(self) -> int:
        """Number of operators."""
        return int(self.operators.cost.shape[0])


def compile_task(task: GroundTask, sensors: GroundSensors | None = None) -> Compiled:
    """Compiles a task as the agent with these ``sensors`` meets it: preconditions and goals on hidden facts also
    require knowledge of them. Without ``sensors`` everything is observed."""
    sensors = sensors or fully_observable(task.fact_count)
    half = max(1, (task.fact_count + 63) // 64)
    hidden = np.zeros(64 * half, np.bool_)
    hidden[: task.fact_count] = sensors.hidden
    operators, goal, rules, monitors = task.operators, task.goal, task.rules, task.monitors
    if sensors.partial:
        operators = operators._replace(pre=_with_knowledge(operators.pre, operators.npre, hidden))
        goal = Goal(_with_knowledge(goal.pos, goal.neg, hidden), goal.neg)
        monitors = monitors._replace(pos=_with_knowledge(monitors.pos, monitors.neg, hidden))
    words = 2 * half if sensors.partial else half
    index = index_operators(operators, half)
    table = [0] * HEADER
    table[HALF], table[WORDS] = half, words
    table[OPERATORS] = len(operators.cost)
    table[DISJUNCTS], table[RULES] = len(goal.pos), len(sensors.when)
    table[GROUP_COUNT], table[FAILURES] = len(sensors.groups), len(task.failure.pos)
    table[DELETIONS_WATCHED] = int(len(sensors.when_not.items) > 0)
    table[CONCLUDES], table[EXACT] = _concludes(sensors, operators, goal, monitors), sensors.exact
    table[OBSERVES], table[UNOBSERVED_EFFECTS] = int(len(sensors.observed) > 0), int(len(sensors.unobserved) > 0)
    parts = [np.zeros(HEADER, np.int32)]
    size = HEADER

    def place(entry: int, flat: Int32, end: int | None = None) -> None:
        nonlocal size
        table[entry] = size
        parts.append(flat)
        size += len(flat)
        if end is not None:
            table[end] = size

    outcomes = task.outcomes
    table[CHANCES] = int((outcomes.next >= 0).any())
    if table[CHANCES]:
        place(FIRST, outcomes.first)
        place(NEXT, outcomes.next)
        place(CHANCE, np.rint(outcomes.chance * CERTAIN).astype(np.int32))
    place(COST, operators.cost.astype(np.int64).view(np.int32))
    place(HIDDEN, hidden.astype(np.int32))
    place(EFFECTS, np.stack([operators.effect_start, operators.effect_end], axis=1).astype(np.int32).ravel())
    place(UNOBSERVED, sensors.unobserved.astype(np.int32))
    place(FREE, index.free, FREE_END)
    place(RECORDS, index.records)
    place(POINTERS, index.pointers)
    place(UNGATED, index.ungated, UNGATED_END)
    place(GATES, index.gates, GATES_END)
    derived = np.zeros(64 * half, np.bool_)
    derived[rules.head] = True
    late = np.zeros(len(sensors.when.start), np.bool_)
    for owner, item in map(owners_of, (sensors.when, sensors.when_not)):
        late[owner[derived[item]]] = True
    place(DERIVED, _bits_of_rows(lists_of([np.flatnonzero(derived).astype(np.int32)])).items, DERIVED_END)
    place(HEAD, rules.head)
    table[UPDATES] = len(monitors.bit)
    place(REMEMBERS, np.stack([monitors.bit, monitors.value], axis=1).astype(np.int32).ravel())
    place(LATE, np.flatnonzero(late).astype(np.int32), LATE_END)
    starting, users = _rules_by_start(rules, 64 * half)
    table[STRATA] = len(starting)
    for entry, rows in (
        *zip(range(PRE, COND_DELETE + 1), (getattr(operators, name) for name in ROWS), strict=True),
        (FAILURE, task.failure.pos),
        (NFAILURE, task.failure.neg),
        (WHEN, sensors.when),
        (WHEN_NOT, sensors.when_not),
        (SEEN, sensors.seen),
        (OBSERVED, sensors.observed),
        (WATCH, by_item(*owners_of(_without(sensors.when, late)), 64 * half)),
        (NWATCH, by_item(*owners_of(_without(sensors.when_not, late)), 64 * half)),
        (BODY, rules.pos),
        (NBODY, rules.neg),
        (UPDATED, monitors.pos),
        (NUPDATED, monitors.neg),
        (STARTING, starting),
        (USERS, users),
        (GATED, index.gated),
        (DELETED, _bits_of_spans(operators.delete)),
        (COND_DELETED, _bits_of_spans(operators.cond_delete)),
        (GROUPS, _bits_of_rows(sensors.groups)),
        (GROUPS_OF, by_item(*owners_of(sensors.groups), 64 * half)),
        (GOAL, goal.pos),  # last, so that ``compile_like`` can replace it
        (NGOAL, goal.neg),
    ):
        place(entry, _flat(rows, size))
    most = int((operators.effect_end - operators.effect_start).max(initial=0))
    table[WORK] = max(most, 64 * half if table[STRATA] else 0)
    parts[0][:] = table
    flat = np.concatenate(parts)
    return Compiled(flat, half, words, operators, goal, task.failure, hidden, sensors, rules, monitors, outcomes)


def compile_like(other: Compiled, task: GroundTask) -> Compiled:
    """Compiles a task that differs from that of ``other`` only in the initial state and the goal."""
    goal = task.goal
    if other.sensors.partial:
        goal = Goal(_with_knowledge(goal.pos, goal.neg, other.hidden), goal.neg)
    start = int(other.table[GOAL])
    middle = start + 2 * len(goal.pos) + len(goal.pos.items)
    table = np.concatenate((other.table[:start], _flat(goal.pos, start), _flat(goal.neg, middle)))
    table[DISJUNCTS], table[NGOAL] = len(goal.pos), middle
    table[CONCLUDES] = _concludes(other.sensors, other.operators, goal, other.monitors)
    return replace(other, table=table, goal=goal)


def _concludes(sensors: GroundSensors, operators: Operators, goal: Goal, monitors: Monitors) -> int:
    """1 if a condition wants a member of an exactly-one group false, 0 otherwise."""
    unwanted = np.concatenate([goal.neg.items, operators.npre.items, operators.cond_npre.items, monitors.neg.items])
    return int(np.isin(sensors.groups.items, unwanted).any())


def _flat(rows: Lists, start: int) -> Int32:
    """The rows as in a table from ``start`` on: the begin and the end of each, then the items."""
    items = start + 2 * len(rows)
    pairs = np.stack([rows.start + items, rows.end + items], axis=1).astype(np.int32).ravel()
    return np.concatenate([pairs, rows.items])


def _with_knowledge(positive: Lists, negative: Lists, hidden: npt.NDArray[np.bool_]) -> Lists:
    """Each row of ``positive``, followed by the knowledge bits of the hidden facts in that row of either list."""
    owners, items = zip(owners_of(positive), owners_of(negative), strict=True)
    owner, item = np.concatenate(owners), np.concatenate(items)
    unseen = hidden[item]
    owner = np.concatenate((owners[0], owner[unseen]))
    item = np.concatenate((items[0], item[unseen] + np.int32(hidden.shape[0])))
    return by_item(item, owner, len(positive))


def _without(rows: Lists, emptied: npt.NDArray[np.generic]) -> Lists:
    """The rows, without the items of the rows ``emptied``."""
    end = rows.end.copy()
    end[emptied] = rows.start[emptied]
    return Lists(rows.start, end, rows.items)


def _rules_by_start(rules: Rules, size: int) -> tuple[Lists, Lists]:
    """Stratum → its rules that want none of its facts true; fact → the rules of its stratum that want it true."""
    stratum = np.full(size, -1, np.int64)
    stratum[rules.head] = rules.stratum
    row, item = owners_of(rules.pos)
    own = stratum[item] == rules.stratum[row]
    waits = np.zeros(len(rules.head), np.bool_)
    waits[row[own]] = True
    every = np.arange(len(rules.head), dtype=np.int32)
    starting = lists_of([every[(rules.stratum == level) & ~waits] for level in sorted({*rules.stratum.tolist()})])
    return starting, by_item(row[own], item[own], size)


def _bits_of_rows(rows: Lists) -> Lists:
    """Rows of facts as bits: for every word with any of them its index, its low and its high 32 bits."""
    owner, item = owners_of(rows)
    first, word, place = _unique_pairs(owner, item >> 6)
    words = np.zeros(len(first), np.uint64)
    np.bitwise_or.at(words, place, _ONE << (item & 63).astype(np.uint64))
    lengths = 3 * np.bincount(first, minlength=len(rows))
    end = np.cumsum(lengths)
    numbers = np.column_stack([word, words.view(np.int32).reshape(-1, 2)])
    return Lists(end - lengths, end, numbers.astype(np.int32).ravel())


def _unique_pairs(first: Int32 | Int64, second: Int32 | Int64) -> tuple[Int64, Int64, Int64]:
    """The pairs of numbers, none negative, without duplicates and in order, and the place of each pair among them."""
    base = int(second.max(initial=0)) + 1
    pairs, which = np.unique(first.astype(np.int64) * base + second, return_inverse=True)
    return pairs // base, pairs % base, which


def _bits_of_spans(rows: Lists) -> Lists:
    """Like ``_bits_of_rows``, for rows that may share their items; those are not repeated."""
    start, end, which = _unique_pairs(rows.start, rows.end)
    bits = _bits_of_rows(Lists(start, end, rows.items))
    return Lists(bits.start[which], bits.end[which], bits.items)


def pack(bits: npt.NDArray[np.bool_], half: int) -> State:
    """Bits, bool (facts,), as one half of a state, uint64 (half,)."""
    padded = np.zeros(64 * half, np.bool_)
    padded[: bits.shape[0]] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)


def unpack(words: State, count: int) -> npt.NDArray[np.bool_]:
    """The first ``count`` bits of a state's half as bool."""
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:count].astype(np.bool_)


def make_state(compiled: Compiled, truth: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_] | None = None) -> State:
    """A state from the truth of each fact, bool (facts,), and whether it is ``known``, bool (facts,), by default not;
    facts that are not hidden always are."""
    state = np.zeros(compiled.words, np.uint64)
    state[: compiled.half] = pack(truth, compiled.half)
    if compiled.words > compiled.half:
        seen = ~compiled.hidden
        if known is not None:
            seen[: known.shape[0]] |= known
        state[compiled.half :] = pack(seen, compiled.half)
    return state
