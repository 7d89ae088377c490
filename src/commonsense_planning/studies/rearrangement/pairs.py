"""What rearrangement tasks ask for: pairs of a thing and a place, and which of them training tasks never ask for.

``rearrangement.toml`` has them, with the apartments and where things lie there; it is fixed, whatever the seed and the
homes. A pair is a training pair or a novel one. Two training pairs of different things are a training composition if
the sum of their places in the table is divisible by ``APART``; all other compositions are novel.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from commonsense_planning.studies.homes.household import Relation
from commonsense_planning.studies.homes.scene_import import Wish

TABLE = Path(__file__).with_name("rearrangement.toml")

Placements = Mapping[str, Mapping[str, float]]
"""Class of things → class of furniture → weight."""


@dataclass(frozen=True)
class Inventory:
    """``furniture``: room → class → how many; ``things``: class → how many; ``places``: where things may be."""

    furniture: Mapping[str, Mapping[str, int]]
    things: Mapping[str, int]
    places: Placements


@dataclass(frozen=True)
class Table:
    """``containers``: classes of furniture with things inside; ``alike``: class of a scene → class of the table;
    ``words``: class → English, where not the class itself; ``training`` and ``novel``: class of things → wanted
    places."""

    containers: frozenset[str]
    alike: Mapping[str, str]
    words: Mapping[str, str]
    training: Mapping[str, Sequence[str]]
    novel: Mapping[str, Sequence[str]]
    seen: Inventory
    unseen: Inventory


@cache
def table() -> Table:
    """The table that ships with the package."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return Table(
        frozenset(entries["containers"]),
        entries["alike"],
        entries["words"],
        entries["training"],
        entries["novel"],
        Inventory(**entries["seen"]),
        Inventory(**entries["unseen"]),
    )


APART = 12  # one in so many compositions is a training composition


@dataclass(frozen=True)
class Pairs:
    """Wishes in the words of the table: ``training`` in an order that counts, and ``novel``."""

    training: tuple[Wish, ...]
    novel: tuple[Wish, ...]

    def compositions(self) -> list[tuple[Wish, Wish]]:
        """The training compositions."""
        numbered = list(enumerate(self.training))
        return [
            (first, second)
            for (i, first), (j, second) in combinations(numbered, 2)
            if (i + j) % APART == 0 and first.thing != second.thing
        ]


@cache
def all_pairs() -> Pairs:
    """The pairs of the table."""
    entries = table()
    return Pairs(_wishes(entries, entries.training), _wishes(entries, entries.novel))


def different_things(wishes: Sequence[Wish]) -> bool:
    """Whether no two wishes are about the same class of things."""
    return len({wish.thing for wish in wishes}) == len(wishes)


def instruction(wishes: Sequence[Wish]) -> str:
    """The wishes in the paper's wording: "Put one apple inside the fridge and one plate on the kitchen table"."""
    words = table().words
    parts = [f"one {words.get(w.thing, w.thing)} {w.relation} the {words.get(w.place, w.place)}" for w in wishes]
    return f"Put {' and '.join(parts)}"


def _wishes(entries: Table, places: Mapping[str, Sequence[str]]) -> tuple[Wish, ...]:
    return tuple(
        Wish(Relation.INSIDE if place in entries.containers else Relation.ON, thing, place)
        for thing, wanted in places.items()
        for place in wanted
    )
