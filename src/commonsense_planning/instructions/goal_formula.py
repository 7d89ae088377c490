"""The relations that a goal may ask for, which some action achieves, and the facts that define kinds of things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonsense_planning.grounding.lifted import Effect, Lifted, Literal, Schema, conjuncts
from commonsense_planning.pddl.vocabulary import Typed

# For ``exists`` over different things, grounding tries all orders; a disjunction has each choice once, but is long.
MOST_BINDINGS = 200


@dataclass(frozen=True)
class BinaryPredicate:
    """A predicate with two parameters, in the user's spelling.

    ``pairs``: place → the things that some action may bring into this relation to it, by types and static facts of
    single objects. Objects are numbers of the lifted task.
    """

    predicate: str
    pairs: Mapping[int, tuple[int, ...]]

    @property
    def things(self) -> tuple[int, ...]:
        """All things in any pair, ascending."""
        return tuple(sorted({thing for things in self.pairs.values() for thing in things}))


def relations_of(lifted: Lifted) -> list[BinaryPredicate]:
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
            relations.append(BinaryPredicate(lifted.problem.spell(lifted.predicates[predicate]), held))
    return relations


def _values(lifted: Lifted, schema: Schema, effect: Effect, term: int) -> set[int]:
    """The possible objects for a term of an effect, by its type and the static conditions on it alone."""
    if term >= 0:
        return {term}
    types = dict(enumerate(schema.parameters)) | dict(effect.variables)
    values = set(lifted.members[types[-1 - term]])
    for part in (*conjuncts(schema.precondition), *conjuncts(effect.condition)):
        if isinstance(part, Literal) and part.terms == (term,) and part.predicate not in lifted.fluent:
            values = {v for v in values if ((part.predicate, (v,)) in lifted.init) == part.positive}
    return values


def kind_fact(variable: Typed, things: Sequence[int], lifted: Lifted) -> str | None:
    """The static fact that holds for exactly these things, with ``{}`` for one of them, if there is one with a
    parameter that fits the variable."""
    if len(variable.types) > 1:
        return None
    vocabulary = lifted.problem.normaliser.vocabulary
    extensions: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for predicate, terms in sorted(lifted.init):
        if predicate not in lifted.fluent and len(terms) in (1, 2):
            extensions.setdefault((predicate, terms[1:]), set()).add(terms[0])
    for (predicate, others), found in extensions.items():
        signature = vocabulary.predicates.get(lifted.problem.spell(lifted.predicates[predicate]).lower())
        if found != set(things) or signature is None:
            continue
        if vocabulary.fits(Typed(variable.symbol, variable.types), signature.parameters[0].types):
            words = [signature.symbol.text, "{}", *(spelled(o, lifted) for o in others)]
            return f"({' '.join(words)})"
    return None


def spelled(obj: int, lifted: Lifted) -> str:
    """An object's name in the user's spelling."""
    return lifted.problem.spell(lifted.objects[obj])
