"""Lifted invariants: sets of facts of which at most one is true per thing, such as the places where an item lies and
the agents who carry it. They are Helmert's invariants (2009), of the simplest form.

An invariant is a set of predicates, each with the argument that it is counted for (or none): no two of its facts hold
at once for the same thing. It holds initially, and every action that adds one of its facts deletes another one, of the
same thing, that was true. For an action that does not, a predicate that it deletes joins the set; if none can, there is
no invariant. At most one argument is not counted for, so information that a file lacks does no harm.

The method is sound, not complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from commonsense_planning.grounding.lifted import Effect, Lifted, Literal, Schema, Terms, conjuncts

MOST_TRIED = 300  # sets of parts, from each predicate

Counted = Mapping[int, int | None]  # predicate → the argument that it counts for; None: it counts for the whole task


def invariants(lifted: Lifted) -> Iterator[Counted]:
    """One invariant that starts from each predicate and argument, where there is one."""
    for predicate in sorted(lifted.fluent - lifted.strata.keys()):
        arity = lifted.arities[predicate]
        for key in range(arity) if arity == 2 else [None] if arity == 1 else []:
            if found := _grown(lifted, {predicate: key}, set()):
                yield found


def _grown(
    lifted: Lifted, parts: dict[int, int | None], tried: set[frozenset[tuple[int, int | None]]]
) -> Counted | None:
    """The first invariant found that contains these parts; None if there is none. ``tried``: sets of parts that are in
    no invariant, at most ``MOST_TRIED``."""
    tried.add(frozenset(parts.items()))
    if not _holds_initially(lifted, parts):
        return None
    for schema in reversed(lifted.schemas):
        added = [e for e in schema.effects if e.literal.positive and e.literal.predicate in parts]
        keys = [counted_for(e.literal, parts) for e in added]
        if len(set(keys)) < len(keys) or any(e.variables for e in added):
            return None
        for key in (key for key in keys if not _freed(lifted, schema, key, parts)):
            for predicate, counted in _joining(schema, key, parts):
                more = {**parts, predicate: counted}
                untried = frozenset(more.items()) not in tried and len(tried) < MOST_TRIED
                if untried and (found := _grown(lifted, more, tried)):
                    return found
            return None
    return parts


def _holds_initially(lifted: Lifted, parts: Counted) -> bool:
    held: set[Terms] = set()
    for predicate, terms in lifted.init:
        if predicate in parts:
            key = counted_for(Literal(predicate, terms), parts)
            if key in held:
                return False
            held.add(key)
    return True


def counted_for(literal: Literal, parts: Counted) -> Terms:
    """The thing that an atom is counted for, as a tuple of no or one object."""
    position = parts[literal.predicate]
    return () if position is None else (literal.terms[position],)


def _freed(lifted: Lifted, schema: Schema, key: Terms, parts: Counted) -> bool:
    """Whether the action deletes a fact of the thing that was true, or all of them."""
    if any(d.predicate in parts and counted_for(d, parts) == key for d in _deleted(schema)):
        return True
    emptied = {
        e.literal.predicate
        for e in schema.effects
        if e.literal.predicate in parts
        and counted_for(e.literal, parts) == key
        and _cleared(lifted, e, parts[e.literal.predicate])
    }
    return emptied == parts.keys()


def _joining(schema: Schema, key: Terms, parts: Counted) -> Iterator[tuple[int, int | None]]:
    """The further parts of which the action deletes a fact of the thing."""
    for literal in _deleted(schema):
        if literal.predicate not in parts:
            if not key and len(literal.terms) <= 1:
                yield literal.predicate, None
            if key and key[0] in literal.terms and len(literal.terms) <= 2:
                yield literal.predicate, literal.terms.index(key[0])


def _deleted(schema: Schema) -> Iterator[Literal]:
    """The facts that were true and that the action deletes in any case."""
    true = [part for part in conjuncts(schema.precondition) if isinstance(part, Literal) and part.positive]
    for effect in schema.effects:
        literal = Literal(effect.literal.predicate, effect.literal.terms)
        if not effect.literal.positive and not effect.variables and not conjuncts(effect.condition) and literal in true:
            yield literal


def _cleared(lifted: Lifted, effect: Effect, counted: int | None) -> bool:
    """Whether the effect deletes all atoms that the counted term leaves open."""
    literal, types = effect.literal, dict(effect.variables)
    others = [(place, -1 - term) for place, term in enumerate(literal.terms) if place != counted]
    variables = {variable for _, variable in others}
    if literal.positive or conjuncts(effect.condition) or not types or len(variables) < len(others):
        return False
    if not variables <= types.keys() or (counted is not None and -1 - literal.terms[counted] in types):
        return False
    return all(_objects_at(lifted, literal.predicate, place) <= {*lifted.members[types[v]]} for place, v in others)


def _objects_at(lifted: Lifted, predicate: int, place: int) -> set[int]:
    """The objects that atoms of a predicate may have at a place, by the initial state and the effects."""
    found = {terms[place] for number, terms in lifted.init if number == predicate}
    for schema in lifted.schemas:
        for effect in (e for e in schema.effects if e.literal.positive and e.literal.predicate == predicate):
            term, types = effect.literal.terms[place], {**dict(enumerate(schema.parameters)), **dict(effect.variables)}
            found |= {term} if term >= 0 else {*lifted.members[types[-1 - term]]}
    return found
