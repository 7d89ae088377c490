"""PDDL for "so many of these things stand in this relation to one of these places"."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonsense_planning.grounding.lifted import Lifted
from commonsense_planning.instructions.goal_formula import MOST_BINDINGS, BinaryPredicate, kind_fact, spelled


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


def joined(connective: str, parts: Sequence[str]) -> str:
    """The formulas under ``and`` or ``or``; a single one as it is."""
    return parts[0] if len(parts) == 1 else f"({connective} {' '.join(parts)})"
