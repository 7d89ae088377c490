"""Which facts a thing has one of at most, read off the actions: where an item lies or who carries it, where the robot
is. Helmert's invariants (2009), of the simplest form.

An invariant is a set of predicates, each with the argument that is counted for (or none), and what it says is that of
these facts no two hold at once for the same thing. It is one if that is so at first, and if every action that makes one
of these facts true makes another one false, of the same thing, which was true. Where an action does not, a predicate
that it makes false joins the set; if there is none, there is no invariant.

At most one argument is left over, so that what is not in a file that leaves something out does no harm.

Invariant: what is found really is one; not all that there are are found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from commonsense_planning.grounding.grounding import conjuncts
from commonsense_planning.grounding.lifted import Effect, Lifted, Literal, Schema, Terms

Counted = Mapping[int, int | None]  # predicate → the argument that it counts for; None: it counts for the whole task


def invariants(lifted: Lifted) -> Iterator[Counted]:
    """The invariants, each found from one of its predicates."""
    for predicate in sorted(lifted.fluent - lifted.strata.keys()):
        arity = lifted.arities[predicate]
        for key in range(arity) if arity == 2 else [None] if arity == 1 else []:
            if found := _grown(lifted, {predicate: key}):
                yield found


def _grown(lifted: Lifted, parts: dict[int, int | None]) -> Counted | None:
    """The invariant with these parts, and others that are needed; None if there is none."""
    waiting = list(lifted.schemas)
    while waiting:
        schema = waiting.pop()
        added = [e for e in schema.effects if e.literal.positive and e.literal.predicate in parts]
        keys = [counted_for(e.literal, parts) for e in added]
        if len(set(keys)) < len(keys) or any(e.variables for e in added):
            return None
        for key in keys:
            if _freed(schema, key, parts):
                continue
            joining = _joining(schema, key, parts)
            if joining is None:
                return None
            parts[joining[0]] = joining[1]
            waiting = list(lifted.schemas)
            break
    held: set[tuple[int, ...]] = set()
    for predicate, terms in lifted.init:
        if predicate in parts:
            key = counted_for(Literal(predicate, terms), parts)
            if key in held:
                return None
            held.add(key)
    return parts


def counted_for(literal: Literal, parts: Counted) -> Terms:
    """The thing that an atom is counted for."""
    position = parts[literal.predicate]
    return () if position is None else (literal.terms[position],)


def _freed(schema: Schema, key: Terms, parts: Counted) -> bool:
    """Whether the action makes a fact of the thing false that was true, or all of them."""
    if any(d.predicate in parts and counted_for(d, parts) == key for d in _deleted(schema)):
        return True
    emptied = {
        e.literal.predicate
        for e in schema.effects
        if _cleared(e) and e.literal.predicate in parts and counted_for(e.literal, parts) == key
    }
    return emptied == parts.keys()


def _joining(schema: Schema, key: Terms, parts: Counted) -> tuple[int, int | None] | None:
    """A further part of which the action makes a fact of the thing false."""
    for literal in _deleted(schema):
        if literal.predicate not in parts:
            if not key and len(literal.terms) <= 1:
                return literal.predicate, None
            if key and key[0] in literal.terms and len(literal.terms) <= 2:
                return literal.predicate, literal.terms.index(key[0])
    return None


def _deleted(schema: Schema) -> Iterator[Literal]:
    """What the action surely makes false, and was true."""
    true = [part for part in conjuncts(schema.precondition) if isinstance(part, Literal) and part.positive]
    for effect in schema.effects:
        literal = Literal(effect.literal.predicate, effect.literal.terms)
        if not effect.literal.positive and not effect.variables and not conjuncts(effect.condition) and literal in true:
            yield literal


def _cleared(effect: Effect) -> bool:
    """Whether the effect makes an atom false for all objects but the one that is counted for."""
    free = {-1 - variable for variable, _ in effect.variables}
    fixed = sum(term not in free for term in effect.literal.terms)
    return not effect.literal.positive and not conjuncts(effect.condition) and bool(free) and fixed <= 1
