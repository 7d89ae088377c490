"""Goals that exclude each other: parts of the goal that never hold together, by an invariant or because one negates the
other, and what they compete for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from commonsense_planning.grounding import lifted as logic
from commonsense_planning.grounding.ground_task import Bits, GroundTask, Int32, Lists, owners_of
from commonsense_planning.grounding.invariants import Counted, counted_for, invariants
from commonsense_planning.grounding.lifted import Lifted, Terms


def exclusive_goals(lifted: Lifted) -> str:
    """The message that two parts of the goal never hold together, and why; empty if none are known."""
    literals = [part for part in logic.conjuncts(lifted.goal) if isinstance(part, logic.Literal)]
    wanted = [part for part in literals if part.positive]
    for literal in wanted:
        if replace(literal, positive=False) in literals:
            text = lifted.text(literal.predicate, literal.terms)
            return f"{text} and (not {text}) of the goal are never so at once: one negates the other"
    for found in invariants(lifted) if len(wanted) > 1 else ():
        held: dict[Terms, logic.Literal] = {}
        for literal in (part for part in wanted if part.predicate in found):
            other = held.setdefault(counted_for(literal, found), literal)
            if other != literal:
                first, second = (lifted.text(part.predicate, part.terms) for part in (other, literal))
                said = f"{first} and {second} of the goal are never so at once"
                return f"{said}: {_competing(lifted, found, counted_for(literal, found))}"
    return ""


def exclusive_facts(task: GroundTask, facts: Int32, mutex: Bits) -> str:
    """The message that two of the goal's facts, int32 (n,), never hold together; empty if none are mutex. ``mutex``
    bool (facts, facts)."""
    pairs = np.argwhere(mutex[np.ix_(facts, facts)])
    if not len(pairs):
        return ""
    first, second = (task.fact_step(int(facts[place])) for place in pairs[0])
    return f"{first} and {second} of the goal are never so at once: whatever makes one true leaves the other false"


def _competing(lifted: Lifted, found: Counted, key: Terms) -> str:
    """What the facts of an invariant compete for."""
    spell = lifted.problem.spell

    def fact(predicate: int, counted: int | None) -> str:
        others = (f"?x{n}" if lifted.arities[predicate] > 2 else "?x" for n in range(lifted.arities[predicate]))
        terms = [spell(lifted.objects[key[0]]) if n == counted else other for n, other in enumerate(others)]
        return f"({' '.join([spell(lifted.predicates[predicate]), *terms])})"

    facts = [fact(predicate, counted) for predicate, counted in sorted(found.items())]
    if len(facts) == 1:
        return f"{facts[0]} is true for one ?x at most"
    return f"of {', '.join(facts[:-1])} and {facts[-1]}, one at most is true at any time"


def excluded(rows: Lists, mutex: Bits) -> Bits:
    """Whether two facts of each row are mutex, bool (rows,). ``mutex`` bool (facts, facts)."""
    found = np.zeros(len(rows), np.bool_)
    owner, fact = owners_of(rows)
    ever: Bits = np.asarray(mutex.any(axis=1))
    for row in np.unique(owner[ever[fact]]).tolist():
        facts = rows.row(row)
        found[row] = mutex[np.ix_(facts, facts)].any()
    return found
