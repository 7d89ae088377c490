"""What of a grounded task can matter for its goal: the rest is in no one's way, and a search is quicker without it.

A fact matters if the goal, a constraint or what remembers for one looks at it, or a condition of what matters; an
operator, an effect or a rule matters if it changes a fact that matters (Nebel, Dimopoulos and Koehler 1997). What does
not matter can be left out of any plan, since nothing that matters looks at what it changes. So two states that differ
in nothing that matters are one, and a crate that is in nobody's way need not be tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from commonsense_planning.grounding.ground_task import (
    Bits,
    Goal,
    GroundTask,
    Int32,
    Lists,
    Operators,
    Rules,
    owners_of,
)


@dataclass(frozen=True)
class PrunedTask:
    """``task``: with what matters alone, numbered anew; ``operators`` int32 (operators of ``task``,): their numbers in
    the whole task."""

    task: GroundTask
    operators: Int32


def relevant(task: GroundTask) -> PrunedTask:
    """What matters for the goal of ``task``; ``task`` itself where all of it does."""
    operators, rules, monitors = task.operators, task.rules, task.monitors
    conditions, changes = _entries(operators.pre, operators.npre), _entries(operators.add, operators.delete)
    effect_conditions = _entries(operators.cond_pre, operators.cond_npre)
    effect_changes = _entries(operators.cond_add, operators.cond_delete)
    bodies = _entries(rules.pos, rules.neg)
    facts = np.zeros(task.fact_count, np.bool_)
    for rows in (*task.goal, *task.failure, monitors.pos, monitors.neg):
        facts[owners_of(rows)[1]] = True
    facts[monitors.bit] = True
    chosen, effects = np.zeros(task.operator_count, np.bool_), np.zeros(len(operators.cond_pre), np.bool_)
    known = -1
    while known < np.count_nonzero(facts):
        known = int(np.count_nonzero(facts))
        effects[effect_changes[0][facts[effect_changes[1]]]] = True
        chosen[changes[0][facts[changes[1]]]] = True
        before = np.concatenate([[0], np.cumsum(effects)])
        chosen |= before[operators.effect_start] < before[operators.effect_end]
        for (owner, fact), matters in (
            (conditions, chosen),
            (effect_conditions, effects),
            (bodies, facts[rules.head]),
        ):
            facts[fact[matters[owner]]] = True
    if facts.all() and chosen.all():
        return PrunedTask(task, np.arange(task.operator_count, dtype=np.int32))
    return restricted(task, facts, chosen)


def _entries(*lists: Lists) -> tuple[Int32, Int32]:
    """(row, item) of every item of the rows of all ``lists``, of which each has as many."""
    entries = [owners_of(rows) for rows in lists]
    return np.concatenate([rows for rows, _ in entries]), np.concatenate([items for _, items in entries])


def restricted(task: GroundTask, facts: Bits, chosen: Bits) -> PrunedTask:
    """The task with those ``facts`` and the ``chosen`` operators alone; rules of other facts are left out, and so are
    conditional effects that change no such fact. Constraints look at no other facts."""
    number = np.cumsum(facts) - 1
    kept = np.flatnonzero(chosen).astype(np.int32)

    def rows(lists: Lists, which: Int32 | slice = slice(None)) -> Lists:
        before = np.concatenate([[0], np.cumsum(facts[lists.items])])
        items = number[lists.items[facts[lists.items]]].astype(np.int32)
        return Lists(before[lists.start[which]], before[lists.end[which]], items)

    old, rules, monitors = task.operators, task.rules, task.monitors
    cond_add, cond_delete = rows(old.cond_add), rows(old.cond_delete)
    changing = (cond_add.start < cond_add.end) | (cond_delete.start < cond_delete.end)
    effects, before = np.flatnonzero(changing).astype(np.int32), np.concatenate([[0], np.cumsum(changing)])
    operators = Operators(
        pre=rows(old.pre, kept),
        npre=rows(old.npre, kept),
        add=rows(old.add, kept),
        delete=rows(old.delete, kept),
        effect_start=before[old.effect_start[kept]],
        effect_end=before[old.effect_end[kept]],
        cond_pre=rows(old.cond_pre, effects),
        cond_npre=rows(old.cond_npre, effects),
        cond_add=rows(old.cond_add, effects),
        cond_delete=rows(old.cond_delete, effects),
        cost=old.cost[kept],
    )
    deriving = np.flatnonzero(facts[rules.head]).astype(np.int32)
    smaller = replace(
        task,
        facts=tuple(task.facts[fact] for fact in np.flatnonzero(facts)),
        init=task.init[facts],
        operators=operators,
        goal=Goal(*map(rows, task.goal)),
        schema=task.schema[kept],
        arguments=task.arguments[kept],
        failure=Goal(*map(rows, task.failure)),
        rules=Rules(
            number[rules.head[deriving]].astype(np.int32),
            rows(rules.pos, deriving),
            rows(rules.neg, deriving),
            rules.stratum[deriving],
        ),
        monitors=monitors._replace(
            pos=rows(monitors.pos), neg=rows(monitors.neg), bit=number[monitors.bit].astype(np.int32)
        ),
        instantiator=None,
    )
    return PrunedTask(smaller, kept)
