"""PDDL for "so many of these things stand in this relation to one of these places", and the relations that a goal may
ask for: those that some action brings about."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonsense_planning.grounding.grounding import conjuncts
from commonsense_planning.grounding.lifted import Effect, Lifted, Literal, Schema
from commonsense_planning.pddl.vocabulary import Typed

# Grounding tries all orders of what exists; a disjunction says each choice once, but is long to read.
MOST_BINDINGS = 200


@dataclass(frozen=True)
class BinaryPredicate:
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


@dataclass(frozen=True)
class CountedGoal:
    """At least ``count`` different things shall stand in ``relation`` to one and the same place; ``pairs``: place → the
    things that can."""

    relation: BinaryPredicate
    pairs: Mapping[int, tuple[int, ...]]
    count: int

    @property
    def most(self) -> int:
        """The largest count that can be asked for."""
        return max(map(len, self.pairs.values()))

    @property
    def choices(self) -> int:
        """In how many ways it can be met."""
        return sum(math.comb(len(things), self.count) for things in self.pairs.values())


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
    """The objects that a term of an effect may be: of its type, and as the conditions on it alone want it."""
    if term >= 0:
        return {term}
    types = dict(enumerate(schema.parameters)) | dict(effect.variables)
    values = set(lifted.members[types[-1 - term]])
    for part in (*conjuncts(schema.precondition), *conjuncts(effect.condition)):
        if isinstance(part, Literal) and part.terms == (term,) and part.predicate not in lifted.fluent:
            values = {v for v in values if ((part.predicate, (v,)) in lifted.init) == part.positive}
    return values


def formula(wish: CountedGoal, lifted: Lifted) -> str:
    """The wish as PDDL, in the user's spelling.

    ``exists``, with the fact that tells just these things from others, such as ``(instance-of ?x1 apple)``; where there
    is none, or a count leaves no choice or very much of it, a disjunction of ground atoms.
    """
    pairs = {place: things for place, things in wish.pairs.items() if len(things) >= wish.count}
    same = set(pairs.values())
    first = next(iter(same))
    few = len(first) > wish.count and math.perm(len(first), wish.count) <= MOST_BINDINGS
    variable = lifted.problem.normaliser.vocabulary.predicates[wish.relation.predicate.lower()].parameters[0]
    kind = kind_fact(variable, first, lifted) if few and len(same) == 1 else None

    def hold(names: Sequence[str], place: int) -> list[str]:
        return [f"({wish.relation.predicate} {name} {spelled(place, lifted)})" for name in names]

    if kind is None:
        ways = [
            joined("and", hold([spelled(thing, lifted) for thing in chosen], place))
            for place, things in pairs.items()
            for chosen in itertools.combinations(things, wish.count)
        ]
        return joined("or", ways)
    variables = [f"?x{i}" for i in range(1, wish.count + 1)]
    parts = [kind.atom.format(v) for v in variables]
    parts += [f"(not (= {v} {w}))" for v, w in itertools.combinations(variables, 2)]
    at = [hold(variables, place) for place in pairs]
    parts += at[0] if len(at) == 1 else [joined("or", [joined("and", atoms) for atoms in at])]
    return f"(exists ({' '.join(variables)}{kind.type}) {joined('and', parts)})"


@dataclass(frozen=True)
class KindFact:
    """A fact that never changes and holds of just some things: the atom with ``{}`` for a thing, and the type of the
    variable, such as " - movable"."""

    atom: str
    type: str


def kind_fact(variable: Typed, things: Sequence[int], lifted: Lifted) -> KindFact | None:
    """The fact that tells the things from all other objects, if there is one that the variable can have."""
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
            kind = variable.types[0]
            return KindFact(f"({' '.join(words)})", "" if kind.key == "object" else f" - {kind.text}")
    return None


def spelled(obj: int, lifted: Lifted) -> str:
    """An object's name as the user writes it."""
    return lifted.problem.spell(lifted.objects[obj])


def joined(connective: str, parts: Sequence[str]) -> str:
    """The formulas under ``and`` or ``or``; a single one as it is."""
    return parts[0] if len(parts) == 1 else f"({connective} {' '.join(parts)})"
