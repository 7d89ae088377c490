"""Which relations between two objects a goal may ask for: those that some action brings about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from commonsense_planning.grounding.grounding import conjuncts
from commonsense_planning.grounding.lifted import Effect, Lifted, Literal, Schema


@dataclass(frozen=True)
class Relation:
    """A predicate with two parameters, as the user spells it.

    ``pairs``: place → the things that some action may bring into this relation to it, by the types and by what never
    changes of an object. Objects are numbers of the lifted task.
    """

    predicate: str
    pairs: Mapping[int, tuple[int, ...]]

    @property
    def things(self) -> tuple[int, ...]:
        """All things of any pair, ascending."""
        return tuple(sorted({thing for things in self.pairs.values() for thing in things}))


def relations_of(lifted: Lifted) -> list[Relation]:
    """The relations of a task, in the order of its predicates."""
    pairs: dict[int, dict[int, set[int]]] = {p: {} for p, arity in enumerate(lifted.arities) if arity == 2}
    for schema in lifted.schemas:
        for effect in schema.effects:
            if effect.literal.positive and effect.literal.predicate in pairs:
                things, places = (_values(lifted, schema, effect, term) for term in effect.literal.terms)
                for place in places:
                    pairs[effect.literal.predicate].setdefault(place, set()).update(things)
    relations = []
    for predicate, found in pairs.items():
        held = {place: tuple(sorted(things - {place})) for place, things in sorted(found.items())}
        held = {place: things for place, things in held.items() if things}
        if held:
            relations.append(Relation(lifted.problem.spell(lifted.predicates[predicate]), held))
    return relations


def _values(lifted: Lifted, schema: Schema, effect: Effect, term: int) -> set[int]:
    """The objects that a term of an effect may be: of its type, and as the conditions on it alone want it."""
    if term >= 0:
        return {term}
    types = dict(enumerate(schema.parameters)) | dict(effect.variables)
    values = set(lifted.members[types[-1 - term]])
    for part in (*conjuncts(schema.precondition), *conjuncts(effect.condition)):
        if isinstance(part, Literal) and part.terms == (term,) and part.predicate not in lifted.fluent:
            values = {v for v in values if ((part.predicate, (v,)) in lifted.init) == part.positive}
    return values
