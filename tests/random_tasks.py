"""Small random grounded tasks for Hypothesis, built without PDDL."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from commonsense_planning.pddl.problem import Problem
from commonsense_planning.task.ground_task import Goal, GroundTask, Operators, lists_of
from commonsense_planning.task.observing import Observing

MOST_FACTS = 7


def no_problem() -> Problem:
    """A problem that nothing was read from, for tasks that never look at it."""
    return Problem(Path("d"), Path("p"), "d", "p", None, {}, frozenset())


def _literals(facts: int, most: int) -> st.SearchStrategy[tuple[list[int], list[int]]]:
    """Consistent (positive, negative) facts, ascending."""
    signs = st.dictionaries(st.integers(0, facts - 1), st.booleans(), max_size=most)
    return signs.map(lambda s: (sorted(f for f in s if s[f]), sorted(f for f in s if not s[f])))


def _subset(facts: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.sets(st.integers(0, facts - 1), max_size=most).map(sorted)


@st.composite
def tasks(draw: st.DrawFn, least_cost: int = 0) -> GroundTask:
    """Up to 7 facts and 8 operators: negative preconditions, conditional effects, a disjunctive goal, costs,
    often a failure condition. The facts lie apart in the bit vector in some examples, so that states have
    several words."""
    facts = draw(st.integers(2, MOST_FACTS))
    spread = draw(st.sampled_from([1, 40]))
    count = draw(st.integers(0, 8))
    wide = lambda rows: [[spread * f for f in row] for row in rows]  # noqa: E731
    pre, npre, add, delete, effects, cost = [], [], [], [], [], []
    for _ in range(count):
        positive, negative = draw(_literals(facts, 3))
        pre.append(positive)
        npre.append(negative)
        add.append(draw(_subset(facts, 2)))
        delete.append(draw(_subset(facts, 2)))
        effects.append(
            [
                (*draw(_literals(facts, 2)), draw(_subset(facts, 2)), draw(_subset(facts, 2)))
                for _ in range(draw(st.integers(0, 2)))
            ]
        )
        cost.append(draw(st.integers(least_cost, 4)))
    ends = np.cumsum([len(e) for e in effects]).astype(np.int64)
    flat = [e for group in effects for e in group]
    operators = Operators(
        pre=lists_of(wide(pre)),
        npre=lists_of(wide(npre)),
        add=lists_of(wide(add)),
        delete=lists_of(wide(delete)),
        effect_start=ends - np.array([len(e) for e in effects], np.int64),
        effect_end=ends,
        cond_pre=lists_of(wide(e[0] for e in flat)),
        cond_npre=lists_of(wide(e[1] for e in flat)),
        cond_add=lists_of(wide(e[2] for e in flat)),
        cond_delete=lists_of(wide(e[3] for e in flat)),
        cost=np.array(cost, np.int64),
    )
    goals = [draw(_literals(facts, 3)) for _ in range(draw(st.integers(0, 2)))]
    failures = [draw(_literals(facts, 3)) for _ in range(draw(st.sampled_from([0, 0, 1, 2])))]
    total = spread * (facts - 1) + 1
    init = np.zeros(total, np.bool_)
    init[[spread * f for f in draw(_subset(facts, facts))]] = True
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


@st.composite
def observed_tasks(draw: st.DrawFn) -> tuple[GroundTask, Observing]:
    """A task with hidden facts, sensing rules with negative conditions, and an exactly-one group that the
    initial state respects."""
    task = draw(tasks())
    some = sorted(set(task.operators.add.items.tolist()) | set(np.flatnonzero(task.init).tolist()) | {0})
    hidden = np.zeros(task.fact_count, np.bool_)
    hidden[draw(st.lists(st.sampled_from(some), min_size=1, max_size=4))] = True
    rules = []
    secret = np.flatnonzero(hidden).tolist()
    if secret:
        for _ in range(draw(st.integers(0, 4))):
            signs = draw(st.dictionaries(st.sampled_from(some), st.booleans(), max_size=2))
            seen = draw(st.sets(st.sampled_from(secret), min_size=1, max_size=3))
            rules.append(([f for f in signs if signs[f]], [f for f in signs if not signs[f]], sorted(seen)))
    group = draw(st.lists(st.sampled_from(secret), unique=True, max_size=3)) if secret else []
    if len(group) > 1:
        task.init[group] = False
        task.init[draw(st.sampled_from(group))] = True
    return task, Observing(
        hidden=hidden,
        groups=lists_of([sorted(group)] if len(group) > 1 else []),
        when=lists_of(r[0] for r in rules),
        when_not=lists_of(r[1] for r in rules),
        seen=lists_of(r[2] for r in rules),
    )
