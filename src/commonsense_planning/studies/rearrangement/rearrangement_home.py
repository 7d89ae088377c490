"""A home that rearrangement tasks are drawn in, and where things lie in it.

What stands in a home and which things are there never changes. Where a thing is, is drawn for every task: from the
weights of its class in the table; if none of these places stands there, from where the recording has things of the
class; and if there is none either, or the task asks for all of these places, from all surfaces.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import Furniture, Movable, Relation
from commonsense_planning.studies.homes.scene_goal import Wish
from commonsense_planning.studies.rearrangement.rearrangement_table import Placements, table

Weights = Mapping[str, float]


@dataclass(frozen=True)
class Home:
    """``things`` are where the recording has them, ``None`` where there is none; ``placements`` says where tasks may
    have them. ``name`` is "seen" or "unseen"."""

    name: str
    rooms: tuple[str, ...]
    furniture: tuple[Furniture, ...]
    things: tuple[Movable, ...]
    placements: Placements

    @cached_property
    def instances(self) -> dict[str, int]:
        """Class of things → how many there are."""
        counts: dict[str, int] = {}
        for thing in self.things:
            counts[thing.kind] = counts.get(thing.kind, 0) + 1
        return counts

    @cached_property
    def pieces(self) -> dict[tuple[Relation, str], list[str]]:
        """Relation and class of furniture → the pieces of that class that things can be ``relation``."""
        found: dict[tuple[Relation, str], list[str]] = {}
        for piece in self.furniture:
            found.setdefault((piece.relation, piece.name.split("_")[0]), []).append(piece.name)
        return found

    def local(self, wish: Wish) -> Wish | None:
        """The wish, which is in the words of the table, in those of the home; ``None`` if it has no such thing or
        place."""
        if wish.thing not in self.instances:
            return None
        alike = [own for own, general in table().alike.items() if general == wish.place]
        place = next((p for p in (wish.place, *alike) if (wish.relation, p) in self.pieces), None)
        return None if place is None else replace(wish, place=place)

    def ways(self, wishes: Iterable[Wish]) -> int:
        """In how many ways the wishes, in the words of the home, can come true together."""
        ways = 1
        for wish in wishes:
            ways *= self.instances[wish.thing] * len(self.pieces[wish.relation, wish.place])
        return ways

    def arranged(self, wishes: Collection[Wish], rng: np.random.Generator) -> tuple[Movable, ...]:
        """The things at places drawn with ``rng``, such that none of the wishes is true yet."""
        taken = {wish.thing: set(self.pieces[wish.relation, wish.place]) for wish in wishes}
        drawn = rng.random(len(self.things)).tolist()
        wished = {kind: _cumulated(self.likely(kind, places)) for kind, places in taken.items()}
        arranged = []
        for thing, number in zip(self.things, drawn, strict=True):
            names, sums = wished.get(thing.kind) or self._cumulated[thing.kind]
            place = names[min(bisect(sums, number * sums[-1]), len(names) - 1)]
            arranged.append(Movable(thing.name, thing.kind, place))
        return tuple(arranged)

    @cached_property
    def _cumulated(self) -> dict[str, tuple[list[str], list[float]]]:
        return {kind: _cumulated(self.likely(kind)) for kind in self.instances}

    def likely(self, kind: str, taken: Collection[str] = ()) -> Weights:
        """Weights of pieces of furniture for a thing of the class, without those ``taken``."""
        for weights in (self._by_table(kind), self._recorded[kind], self._surfaces):
            left = {name: weight for name, weight in weights.items() if name not in taken}
            if left:
                return left
        raise InputError(f"the {self.name} home has no place for {kind} that a task does not ask for; add a surface")

    def _by_table(self, kind: str) -> Weights:
        weights: dict[str, float] = {}
        for place, weight in self.placements.get(kind, {}).items():
            relation = Relation.INSIDE if place in table().containers else Relation.ON
            wish = self.local(Wish(relation, kind, place))
            names = self.pieces[relation, wish.place] if wish else []
            weights |= {name: weight / len(names) for name in names}
        return weights

    @cached_property
    def _recorded(self) -> dict[str, Weights]:
        found: dict[str, dict[str, float]] = {}
        for thing in self.things:
            here = found.setdefault(thing.kind, {})
            if thing.place is not None:
                here[thing.place] = here.get(thing.place, 0.0) + 1.0
        return dict(found)

    @cached_property
    def _surfaces(self) -> Weights:
        return {piece.name: 1.0 for piece in self.furniture if piece.relation is Relation.ON}


def _cumulated(weights: Weights) -> tuple[list[str], list[float]]:
    return list(weights), list(accumulate(weights.values()))
