"""Small random grounded tasks for Hypothesis, built without PDDL."""

from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from commonsense_planning import GroundTask, Problem
from commonsense_planning.grounding.ground_task import (
    Goal,
    GroundSensors,
    Lists,
    Operators,
    Rules,
    closed,
    fully_observable,
    lists_of,
)
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state

MOST_FACTS = 7


def no_problem() -> Problem:
    """A problem that nothing was read from, for tasks that never look at it."""
    texts = "", ""
    return Problem(Path("d"), Path("p"), "d", "p", None, {}, frozenset(), None, texts, texts, (None, None))  # no words


OPERATORS = st.lists(st.binary(min_size=21, max_size=21), max_size=8)
CONDITIONS = st.lists(st.binary(min_size=4, max_size=4), max_size=2)
TRUTHS = st.integers(0, 2**MOST_FACTS - 1)
HIDDEN = st.binary(min_size=1, max_size=6)
RULES = st.lists(st.binary(min_size=5, max_size=5), max_size=4)
GROUP = st.binary(max_size=4)
DERIVING = st.lists(st.binary(min_size=5, max_size=5), min_size=1, max_size=8)
MOST_DERIVED = 4
"""What random tasks are made of. Bytes, because Hypothesis draws and shrinks twenty as fast as one number."""


def _literals(facts: int, code: bytes) -> tuple[list[int], list[int]]:
    """Consistent (positive, negative) facts, ascending: one for about half of the bytes, none for zeros."""
    signs: dict[int, bool] = {}
    for byte in code:
        literal = byte % (4 * facts) - 2 * facts
        if literal >= 0:
            signs.setdefault(literal // 2, literal % 2 == 0)
    return sorted(f for f in signs if signs[f]), sorted(f for f in signs if not signs[f])


def _wish(facts: int, code: bytes) -> tuple[list[int], list[int]]:
    """The same, of at least one fact: few tasks would have to be solved if many goals were empty."""
    return _literals(facts, bytes([2 * facts + code[0] % (2 * facts)]) + code[1:])


def _subset(facts: int, code: bytes) -> list[int]:
    """Facts, ascending: one for about half of the bytes, none for zeros."""
    return sorted({byte % (2 * facts) - facts for byte in code if byte % (2 * facts) >= facts})


def _effects(facts: int, code: bytes) -> list[tuple[list[int], list[int], list[int], list[int]]]:
    """Up to two conditional effects of 13 bytes: what it wants true and false, adds, deletes."""
    parts = (code[1:7], code[7:13])[: code[0] % 3]
    return [(*_literals(facts, p[:2]), _subset(facts, p[2:4]), _subset(facts, p[4:])) for p in parts]


@st.composite
def tasks(draw: st.DrawFn, least_cost: int = 0) -> GroundTask:
    """Up to 7 facts and 8 operators: negative preconditions, conditional effects, a disjunctive goal, costs,
    often a failure condition. The facts lie apart in the bit vector in some examples, so that states have
    several words."""
    facts = draw(st.integers(2, MOST_FACTS))
    spread = draw(st.sampled_from([1, 40]))
    wide = lambda rows: [[spread * f for f in row] for row in rows]  # noqa: E731
    codes = draw(OPERATORS)
    count = len(codes)
    conditions = [_literals(facts, code[:3]) for code in codes]
    effects = [_effects(facts, code[7:20]) for code in codes]
    ends = np.cumsum([len(e) for e in effects]).astype(np.int64)
    flat = [e for group in effects for e in group]
    operators = Operators(
        pre=lists_of(wide(c[0] for c in conditions)),
        npre=lists_of(wide(c[1] for c in conditions)),
        add=lists_of(wide(_subset(facts, code[3:5]) for code in codes)),
        delete=lists_of(wide(_subset(facts, code[5:7]) for code in codes)),
        effect_start=ends - np.array([len(e) for e in effects], np.int64),
        effect_end=ends,
        cond_pre=lists_of(wide(e[0] for e in flat)),
        cond_npre=lists_of(wide(e[1] for e in flat)),
        cond_add=lists_of(wide(e[2] for e in flat)),
        cond_delete=lists_of(wide(e[3] for e in flat)),
        cost=np.array([least_cost + code[20] % (5 - least_cost) for code in codes], np.int64),
    )
    goals = [_wish(facts, code) for code in draw(CONDITIONS)]
    failures = [_wish(facts, code) for code in draw(CONDITIONS)] if draw(st.booleans()) else []
    total = spread * (facts - 1) + 1
    init = np.zeros(total, np.bool_)
    true = draw(TRUTHS) & draw(TRUTHS)
    init[::spread] = [true >> f & 1 for f in range(facts)]
    return GroundTask(
        problem=no_problem(),
        objects=(),
        facts=tuple((f"f{i}", ()) for i in range(total)),
        init=init,
        operators=operators,
        goal=Goal(lists_of(wide(g[0] for g in goals)), lists_of(wide(g[1] for g in goals))),
        schemas=("a",),
        arities=(0,),
        schema=np.zeros(count, np.int32),
        arguments=np.zeros((count, 0), np.int32),
        failure=Goal(lists_of(wide(f[0] for f in failures)), lists_of(wide(f[1] for f in failures))),
        violates=tuple(range(len(failures))),
    )


@st.composite
def derived_tasks(draw: st.DrawFn, least_cost: int = 0) -> GroundTask:
    """A task with up to 4 derived facts in up to three strata: rules with negations, in circles; operators, effects and
    the goal want derived facts true or false."""
    task = draw(tasks(least_cost=least_cost))
    basic, count = task.fact_count, draw(st.integers(1, MOST_DERIVED))
    stratum = [fact * 3 // MOST_DERIVED for fact in range(count)]
    rules = []
    for code in draw(DERIVING):
        head = code[0] % count
        pos, neg = _literals(basic, code[1:3])
        more, less = _literals(count, code[3:])
        pos += [basic + f for f in more if stratum[f] <= stratum[head] and f != head]
        neg += [basic + f for f in less if stratum[f] < stratum[head]]
        rules.append((stratum[head], basic + head, pos, neg))
    rules.sort()

    def mixed(pos: Lists, neg: Lists) -> tuple[Lists, Lists]:
        codes = draw(st.binary(min_size=2 * len(pos), max_size=2 * len(pos)))
        rows = [_literals(count, codes[2 * i : 2 * i + 2]) for i in range(len(pos))]
        parts = zip((pos, neg), zip(*rows, strict=True) if rows else ((), ()), strict=True)
        both = [
            lists_of([[*lists.row(i).tolist(), *(basic + f for f in row)] for i, row in enumerate(more)])
            for lists, more in parts
        ]
        return both[0], both[1]

    ops = task.operators
    pre, npre = mixed(ops.pre, ops.npre)
    cond_pre, cond_npre = mixed(ops.cond_pre, ops.cond_npre)
    found = Rules(
        np.array([head for _, head, _, _ in rules], np.int32),
        lists_of(pos for _, _, pos, _ in rules),
        lists_of(neg for _, _, _, neg in rules),
        np.array([level for level, _, _, _ in rules], np.int32),
    )
    return replace(
        task,
        facts=tuple((f"f{i}", ()) for i in range(basic + count)),
        init=closed(found, np.append(task.init, np.zeros(count, np.bool_))),
        operators=ops._replace(pre=pre, npre=npre, cond_pre=cond_pre, cond_npre=cond_npre),
        goal=Goal(*mixed(task.goal.pos, task.goal.neg)),
        failure=Goal(*mixed(task.failure.pos, task.failure.neg)),
        rules=found,
    )


def task_of(
    facts: int,
    operators: list[tuple[list[int], list[int], list[int], list[int], int]],
    goal: list[int],
    true: list[int] | None = None,
    effects: dict[int, tuple[list[int], list[int], list[int], list[int]]] | None = None,
    failure: list[int] | None = None,
) -> GroundTask:
    """A task by hand. An operator: facts that it wants true, false, that it adds, deletes, and its cost;
    ``effects``: the conditional effect of some of them, likewise; ``true``: facts of the initial state;
    ``failure``: facts of which none may ever be true."""
    effects = effects or {}
    counts = np.array([int(o in effects) for o in range(len(operators))], np.int64)
    ends = np.cumsum(counts).astype(np.int64)
    ordered = [effects[o] for o in sorted(effects)]
    columns = [lists_of(o[k] for o in operators) for k in range(4)]  # type: ignore[misc]
    conditional = [lists_of(e[k] for e in ordered) for k in range(4)]
    init = np.zeros(facts, np.bool_)
    init[true or []] = True
    cost = np.array([o[4] for o in operators], np.int64)
    return GroundTask(
        problem=no_problem(),
        objects=(),
        facts=tuple((f"f{i}", ()) for i in range(facts)),
        init=init,
        operators=Operators(*columns, ends - counts, ends, *conditional, cost),
        goal=Goal(lists_of([goal]), lists_of([[]])),
        schemas=("a",),
        arities=(0,),
        schema=np.zeros(len(operators), np.int32),
        arguments=np.zeros((len(operators), 0), np.int32),
        failure=Goal(lists_of([f] for f in failure or []), lists_of([] for _ in failure or [])),
        violates=tuple(range(len(failure or []))),
    )


def compiled_at(task: GroundTask, sensors: GroundSensors | None = None) -> tuple[Compiled, State]:
    """The task for the kernels, and its initial state."""
    compiled = compile_task(task, sensors)
    return compiled, make_state(compiled, task.init)


def sensors_of(
    facts: int, hidden: list[int], groups: list[list[int]], *rules: tuple[list[int], list[int]]
) -> GroundSensors:
    """Sensors by hand: exactly-one groups, and rules: the facts that must be true, and what is seen then."""
    when, seen = ([rule[side] for rule in rules] for side in (0, 1))
    flags = np.isin(np.arange(facts), hidden)
    return GroundSensors(flags, lists_of(groups), lists_of(when), lists_of([] for _ in rules), lists_of(seen))


def moving_task(rng: np.random.Generator) -> GroundTask:
    """Three things that are each at one of three places; for most moves another thing has to be somewhere. So what the
    goal wants, and may be true at first, often has to be undone on the way."""
    operators: list[tuple[list[int], list[int], list[int], list[int], int]] = []
    for thing, (start, end) in product(range(3), permutations(range(3), 2)):
        other, place = (thing + int(rng.integers(1, 3))) % 3, int(rng.integers(3))
        also = [3 * other + place] if rng.random() < 0.7 else []
        operators.append(([3 * thing + start, *also], [], [3 * thing + end], [3 * thing + start], 1))
    first, last = rng.integers(3, size=(2, 3)).tolist()
    return task_of(9, operators, [3 * t + p for t, p in enumerate(last)], [3 * t + p for t, p in enumerate(first)])


def blocks(below: list[int], wanted: list[int]) -> GroundTask:
    """Blocks, each with the number of what is below it at first and in the end; the table's is how many there are. An
    operator moves a block that is clear."""
    count = len(below)
    operators: list[tuple[list[int], list[int], list[int], list[int], int]] = []

    def clear(things: list[int]) -> list[int]:
        return [count * (count + 1) + thing for thing in things if thing < count]

    for block, start, end in permutations(range(count + 1), 3):
        if block < count:
            at = block * (count + 1)
            operators.append(
                ([at + start, *clear([block, end])], [], [at + end, *clear([start])], [at + start, *clear([end])], 1)
            )
    first, last = ([block * (count + 1) + under for block, under in enumerate(row)] for row in (below, wanted))
    true = [*first, *clear([block for block in range(count) if block not in below])]
    return task_of(count * (count + 2), operators, last, true)


@st.composite
def observed_tasks(draw: st.DrawFn, derived: bool = False) -> tuple[GroundTask, GroundSensors]:
    """A task with hidden facts, sensing rules with negative conditions, and an exactly-one group that the
    initial state respects. With ``derived`` facts, which depend on none that is hidden."""
    task = draw(derived_tasks() if derived else tasks())
    derivable = set(task.rules.head.tolist())
    some = sorted({0, *task.operators.add.items.tolist(), *np.flatnonzero(task.init).tolist()} | derivable)
    hidden = np.zeros(task.fact_count, np.bool_)
    hidden[[some[byte % len(some)] for byte in draw(HIDDEN)]] = True
    for facts in (task.rules.head, task.rules.pos.items, task.rules.neg.items):
        hidden[facts] = False
    if not hidden.any():
        return task, fully_observable(task.fact_count)
    secret = np.flatnonzero(hidden).tolist()
    rules = []
    for code in draw(RULES):
        signs = [[some[i] for i in side] for side in _literals(len(some), code[:2])]
        rules.append((*signs, sorted({secret[byte % len(secret)] for byte in code[2:]})))
    group = [secret[byte % len(secret)] for byte in draw(GROUP)]
    if len(set(group)) > 1:
        task.init[group] = False
        task.init[group[0]] = True
    return task, GroundSensors(
        hidden=hidden,
        groups=lists_of([sorted(set(group))] if len(set(group)) > 1 else []),
        when=lists_of(r[0] for r in rules),
        when_not=lists_of(r[1] for r in rules),
        seen=lists_of(r[2] for r in rules),
    )
