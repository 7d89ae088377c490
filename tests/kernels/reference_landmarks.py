"""The slow, obvious twin of the kernels in ``landmarks`` and ``mutexes``: sets, no tricks."""

from collections.abc import Iterable
from typing import NamedTuple

from tests.kernels.reference import Key, Reference, relaxed_facts, row_of

Node = Key | tuple[int, bool | None, bool]
"""A landmark; with True at the end, one in the end that is true at first, too."""


class Mark(NamedTuple):
    """The orders of a landmark: those before it, those that it is a condition of, whether the goal wants it."""

    before: frozenset[Node]
    then: frozenset[Node]
    final: bool


def landmarks(task: Reference, true: frozenset[int]) -> dict[Node, Mark]:
    """What every relaxed plan from a fully observable state passes through, as in ``landmarks``: without it, the goal
    is out of reach. Nothing at a dead end."""
    end: Key = (-1, None)
    operators = [*task.relaxed_operators(), *((None, wants, {end}) for wants in task.goals())]
    given = task.given(true)
    found = relaxed_facts(operators, given, None)
    keys = [key for key in found if key[1] is not None]
    without = {key: relaxed_facts(operators, given - {key}, key) for key in keys}
    marks = [key for key in keys if end not in without[key]] if end in found else []
    wanted = {}  # by every operator that may achieve a landmark first
    for mark in [*marks, end]:
        could = without.get(mark, found)
        wants = [wants for _, wants, effects in operators if mark in effects and wants <= could]
        wanted[mark] = set.intersection(*wants) if wants else set()
    return {
        mark: Mark(
            frozenset(m for m in marks if m != mark and mark not in without[m]),
            frozenset(m for m in marks if mark in wanted[m]),
            mark in wanted[end],
        )
        for mark in marks
    }


def count_missing(
    task: Reference, marks: dict[Node, Mark], accepted: frozenset[Node], true: frozenset[int]
) -> tuple[int, frozenset[Node]]:
    """The landmark count of a state, and the landmarks accepted up to it; ``accepted``: up to the state before."""
    given = task.given(true)
    met = {mark for mark in marks if mark[:2] in given}
    now, size = accepted, -1
    while size != (size := len(now)):
        now |= {mark for mark in met if marks[mark].before <= now}
    again = [mark for mark in now - met if marks[mark].final or marks[mark].then - now]
    return len(marks) - len(now) + len(again), now


def non_mutex_pairs(task: Reference, true: frozenset[int]) -> set[tuple[int, int]]:
    """The pairs of facts that are reached together, in both orders, a fact with itself, too."""
    ops, facts = task.task.operators, range(task.task.fact_count)
    free = {*task.task.rules.head.tolist(), *task.task.monitors.bit.tolist()}
    pairs = {(f, g) for f in facts for g in facts if {f, g} <= true or {f, g} & free}

    def together(conditions: Iterable[int], f: int) -> bool:
        return all((condition, f) in pairs for condition in conditions)

    size = -1
    while size != (size := len(pairs)):
        for o in range(task.task.operator_count):
            parts = range(ops.effect_start[o], ops.effect_end[o])
            added = row_of(ops.add, o).union(*(row_of(ops.cond_add, e) for e in parts))
            for conditions, adds in (
                (row_of(ops.pre, o), row_of(ops.add, o)),
                *((row_of(ops.pre, o) | row_of(ops.cond_pre, e), row_of(ops.cond_add, e)) for e in parts),
            ):
                if all(together(conditions, condition) for condition in conditions):
                    after = {f for f in facts if together(conditions, f)} - row_of(ops.delete, o) | added
                    pairs |= {pair for f in adds for g in after for pair in ((f, g), (g, f))}
    return pairs


def with_reasonable_orders(task: Reference, true: frozenset[int], marks: dict[Node, Mark]) -> dict[Node, Mark]:
    """The landmarks with these orders, too; unchanged without any."""
    given, pairs = task.given(true), non_mutex_pairs(task, true)
    last: dict[Node, Node] = {
        key: (key[0], key[1], True) if mark.final and key in given else key for key, mark in marks.items()
    }
    doubled = {node: Mark(frozenset(), frozenset(), True) for node in last.values()}
    doubled |= {key: mark._replace(final=mark.final and last[key] == key) for key, mark in marks.items()}
    goals = {node[0]: node for key, node in last.items() if key[1] and doubled[node].final}
    orders = set[tuple[Node, Node]]()
    for key, node in last.items():
        harmed = [
            {goal for g, goal in goals.items() if any(value and (f, g) not in pairs for f, value in wants)}
            for _, wants, effects in task.relaxed_operators()
            if key in effects
            and not any(value and (f, f) not in pairs for f, value in wants)
            and not any(want == key or (want in last and node in doubled[last[want]].before) for want in wants)
        ]
        for goal in set.intersection(*harmed) if harmed else ():
            if goal != node and goal not in doubled[node].before:
                orders.add((node, goal))
    edges = orders | {(a, b) for b, mark in doubled.items() for a in mark.before}
    kept = {(a, b) for a, b in orders if a not in _after(edges, b)}
    if not kept:
        return marks
    return {
        node: mark._replace(before=mark.before | {a for a, b in kept if b == node}) for node, mark in doubled.items()
    }


def _after(edges: set[tuple[Node, Node]], start: Node) -> set[Node]:
    found, size = {start}, -1
    while size != (size := len(found)):
        found |= {b for a, b in edges if a in found}
    return found
