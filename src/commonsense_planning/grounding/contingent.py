"""Grounding the additional parts of a contingent problem: correlated facts, operators that observe, unobserved
effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from commonsense_planning.errors import BudgetError
from commonsense_planning.grounding.ground_task import Bits, CorrelatedFacts, GroundTask, Int32, Lists, lists_of
from commonsense_planning.grounding.lifted import Translator
from commonsense_planning.pddl.worlds import MOST_WORLDS, UnknownPart


def correlated_parts(
    task: GroundTask, parts: Sequence[UnknownPart], fact_of: Callable[[Any], int], hidden: Bits
) -> tuple[tuple[CorrelatedFacts, ...], Bits]:
    """The correlated facts, and whether each conditional effect is unobserved, bool (conditional effects,), empty if
    none is.

    A conditional effect with a condition on hidden facts correlates them with the facts that it changes, which are
    hidden from then on. Parts without correlation are left out, unless an operator may change one of several facts
    without being observed. Raises BudgetError if a part has more worlds than can be listed.
    """
    correlated = [
        CorrelatedFacts(np.array([fact_of(atom) for atom in part.atoms], np.int32), part.worlds, part.choices)
        for part in parts
    ]
    owner = {int(f): i for i, t in enumerate(correlated) for f in t.facts}
    kept = {i for i, part in enumerate(parts) if not part.plain}
    operators = task.operators
    kept |= _changed_unseen(task, hidden, {f: i for f, i in owner.items() if len(parts[i].atoms) > 1})
    effects = [
        (
            np.concatenate([operators.cond_pre.row(e), operators.cond_npre.row(e)]).tolist(),
            np.concatenate([operators.cond_add.row(e), operators.cond_delete.row(e)]).tolist(),
        )
        for e in range(len(operators.cond_pre))
    ]
    unobserved = np.zeros(len(effects), np.bool_)
    waiting = True
    while waiting:
        waiting = False
        for e, (condition, changed) in enumerate(effects):
            about = {owner[f] for f in condition if f in owner}
            if unobserved[e] or not about:
                continue
            unobserved[e] = waiting = True
            together = sorted(about | {owner[f] for f in changed if f in owner})
            new = [f for f in dict.fromkeys(changed) if f not in owner]
            whole = _joined([correlated[i] for i in together], np.array(new, np.int32), task.init[new])
            correlated[together[0]] = whole
            kept = kept - set(together) | {together[0]}
            owner.update((int(f), together[0]) for f in whole.facts)
    return tuple(correlated[i] for i in sorted(kept)), unobserved if unobserved.any() else unobserved[:0]


def _changed_unseen(task: GroundTask, hidden: Bits, part_of: Mapping[int, int]) -> set[int]:
    """The parts of which an operator may change a fact while the others are unknown, so that its new value tells
    nothing about them. ``part_of``: fact → part.

    A part is known after an operator with a condition on one of its facts. So it is known wherever a fact is true that
    only such operators add, directly or in a chain: a thing that is held was taken from its place.
    """
    operators = task.operators
    count = len(operators.pre)
    if not part_of:
        return set()
    follows = {fact: set(part_of.values()) for fact in np.flatnonzero(~(task.init | hidden)).tolist()}
    follows |= dict.fromkeys(operators.cond_add.items.tolist(), set[int]())
    follows |= {fact: {part} for fact, part in part_of.items()}
    while True:
        known = [set().union(*(follows.get(f, ()) for f in operators.pre.row(o).tolist())) for o in range(count)]
        new = dict(follows)
        for o in range(count):
            for fact in operators.add.row(o).tolist():
                if fact not in part_of and fact in new:
                    new[fact] = new[fact] & known[o]
        if new == follows:
            break
        follows = new
    found = set()
    for o in range(count):
        span = operators.effect_start[o], operators.effect_end[o]
        rows = [operators.add.row(o), operators.delete.row(o)]
        rows += [rows.row(e) for e in range(*span) for rows in (operators.cond_add, operators.cond_delete)]
        found |= {part_of[f] for f in np.concatenate(rows).tolist() if f in part_of} - known[o]
    return found


def _joined(parts: Sequence[CorrelatedFacts], new: Int32, init: Bits) -> CorrelatedFacts:
    """The parts as one, with the facts ``new``, initially as in ``init``. Raises BudgetError for more worlds than can
    be listed."""
    facts, worlds, choices = parts[0].facts, parts[0].worlds, list(parts[0].choices)
    for part in parts[1:]:
        if len(worlds) * len(part.worlds) > MOST_WORLDS:
            raise BudgetError(
                f":init and effects correlate facts that may be so in more than {MOST_WORLDS} ways, too many to list"
            )
        choices += [tuple(column + len(facts) for column in columns) for columns in part.choices]
        facts = np.concatenate([facts, part.facts])
        worlds = np.hstack([np.repeat(worlds, len(part.worlds), axis=0), np.tile(part.worlds, (len(worlds), 1))])
    worlds = np.hstack([worlds, np.tile(init, (len(worlds), 1))])
    return CorrelatedFacts(np.concatenate([facts, new]), worlds, tuple(choices))


def observed_facts(task: GroundTask, tr: Translator, fact_of: Callable[[Any], int], hidden: Bits) -> Lists:
    """Operator → the hidden facts that it shows; no rows where no operator shows any."""
    rows: list[Iterable[int]] = [()] * task.operator_count
    for number, name in enumerate(task.schemas):
        atoms = task.problem.observes.get(name, ())
        if not atoms:
            continue
        variables = {v.symbol: i for i, v in enumerate(task.problem.tarski.actions[name].parameters)}
        literals = [tr.literal(atom, variables) for atom in atoms]
        for operator in np.flatnonzero(task.schema == number).tolist():
            values = task.arguments[operator].tolist()
            shown = {
                fact_of((lit.predicate, tuple(t if t >= 0 else values[-1 - t] for t in lit.terms))) for lit in literals
            }
            rows[operator] = sorted(f for f in shown if f >= 0 and hidden[f])
    observed = lists_of([list(row) for row in rows])
    return observed if len(observed.items) else lists_of([])
