"""The two homes of the rearrangement experiment, where things lie in them, and what tasks can ask for.

The furniture and the things of a home never change. The place of a thing is drawn for every task: by the weights of its
class in the table; if the home has none of these places, from where the recording has things of the class; and if there
are none either, or the task asks for all of them, from all surfaces.

Tasks ask for pairs of a thing and a place. ``rearrangement.toml`` has them, with the apartments and where things lie
there; it does not depend on seed and homes. A pair is a training pair or a novel one. Two training pairs of different
things are a training composition if the sum of their places in the table is divisible by ``APART``; all other
compositions are novel."""

from __future__ import annotations

import math
import tomllib
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from itertools import accumulate, combinations
from pathlib import Path

import numpy as np

from commonsense_lab.studies.homes.household import Furniture, Movable, Placing
from commonsense_lab.studies.homes.scene_graph import SceneGraph
from commonsense_lab.studies.homes.scene_import import GoalWish, scene_apartment
from commonsense_planning.errors import InputError

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
    """Reads the table that ships with the package."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    homes = {name: Inventory(**entries[name]) for name in ("seen", "unseen")}
    return Table(**{**entries, **homes, "containers": frozenset(entries["containers"])})


APART = 12  # one composition in 12 is for training


@dataclass(frozen=True)
class HomePairs:
    """Wishes in the words of the table: ``training`` in an order that counts, and ``novel``."""

    training: tuple[GoalWish, ...]
    novel: tuple[GoalWish, ...]


@cache
def all_pairs() -> HomePairs:
    """Returns the pairs of the table."""
    entries = table()
    return HomePairs(_wishes(entries, entries.training), _wishes(entries, entries.novel))


def _wishes(entries: Table, places: Mapping[str, Sequence[str]]) -> tuple[GoalWish, ...]:
    return tuple(
        GoalWish(Placing.INSIDE if place in entries.containers else Placing.ON, thing, place)
        for thing, wanted in places.items()
        for place in wanted
    )


Weights = Mapping[str, float]


@dataclass(frozen=True)
class TaskHome:
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
        return Counter(thing.kind for thing in self.things)

    @cached_property
    def pieces(self) -> dict[tuple[Placing, str], list[str]]:
        """Relation and class of furniture → the pieces of that class that things can be ``relation``."""
        found: dict[tuple[Placing, str], list[str]] = {}
        for piece in self.furniture:
            found.setdefault((piece.relation, piece.name.split("_")[0]), []).append(piece.name)
        return found

    def local(self, wish: GoalWish) -> GoalWish | None:
        """Translates a wish from the words of the table to those of the home; ``None`` if it has no such thing or
        place."""
        if wish.thing not in self.instances:
            return None
        alike = [own for own, general in table().alike.items() if general == wish.place]
        place = next((p for p in (wish.place, *alike) if (wish.relation, p) in self.pieces), None)
        return None if place is None else replace(wish, place=place)

    def ways(self, wishes: Iterable[GoalWish]) -> int:
        """Counts the ways in which the wishes, in the words of the home, can come true together."""
        return math.prod(self.instances[w.thing] * len(self.pieces[w.relation, w.place]) for w in wishes)

    def arranged(self, wishes: Collection[GoalWish], rng: np.random.Generator) -> tuple[Movable, ...]:
        """Returns the things at places drawn with ``rng``, such that none of the wishes is true yet."""
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
        """Returns the weights of pieces of furniture for a thing of the class, without those ``taken``."""
        for weights in (self._by_table(kind), self._recorded[kind], self._surfaces):
            left = {name: weight for name, weight in weights.items() if name not in taken}
            if left:
                return left
        raise InputError(f"the {self.name} home has no place for {kind} that a task does not ask for; add a surface")

    def _by_table(self, kind: str) -> Weights:
        weights: dict[str, float] = {}
        for place, weight in self.placements.get(kind, {}).items():
            relation = Placing.INSIDE if place in table().containers else Placing.ON
            wish = self.local(GoalWish(relation, kind, place))
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
        return {piece.name: 1.0 for piece in self.furniture if piece.relation is Placing.ON}


def _cumulated(weights: Weights) -> tuple[list[str], list[float]]:
    return list(weights), list(accumulate(weights.values()))


MOST_WAYS = 2000  # in which the wishes of a task may come true; a goal has a disjunct for each
TRIES = 10_000  # to draw a novel composition

Wishes = tuple[GoalWish, ...]


class TaskSetting(StrEnum):
    """The settings of the paper's table 1, in its order (appendix A.2)."""

    SIMPLE = "simple"
    COMP = "comp"
    NOVEL_SIMPLE = "novel-simple"
    NOVEL_COMP_2 = "novel-comp-2"
    NOVEL_COMP_3 = "novel-comp-3"


@dataclass(frozen=True)
class Goals:
    """What tasks can ask for in a home, in its own words. ``pairs`` and ``compositions`` are those of training tasks;
    no training task asks for a pair that is ``novel``."""

    home: TaskHome
    pairs: tuple[GoalWish, ...]
    compositions: tuple[Wishes, ...]
    novel: tuple[GoalWish, ...]

    def trained(self, setting: TaskSetting) -> list[Wishes]:
        """Returns what training tasks ask for in the setting, SIMPLE or COMP. Raises ``InputError`` if that is
        nothing."""
        single: list[Wishes] = [(pair,) for pair in self.pairs]
        possible = list(self.compositions) if setting is TaskSetting.COMP else single
        if not possible:
            raise self._nothing(setting)
        return possible

    def draw(self, setting: TaskSetting, rng: np.random.Generator) -> Wishes:
        """Draws the wishes of one task. Raises ``InputError`` if the home has nothing that the setting could ask
        for."""
        if setting is TaskSetting.NOVEL_COMP_2:
            return self._novel_composition(setting, 2, rng)
        if setting is TaskSetting.NOVEL_COMP_3:
            return self._novel_composition(setting, 3, rng)
        novel: list[Wishes] = [(pair,) for pair in self.novel]
        possible = novel if setting is TaskSetting.NOVEL_SIMPLE else self.trained(setting)
        if not possible:
            raise self._nothing(setting)
        return possible[int(rng.integers(len(possible)))]

    def _novel_composition(self, setting: TaskSetting, size: int, rng: np.random.Generator) -> Wishes:
        trained = {frozenset(wishes) for wishes in self.compositions}
        for _ in range(TRIES if len(self.pairs) >= size else 0):
            chosen = rng.choice(len(self.pairs), size, replace=False).tolist()
            wishes = tuple(self.pairs[i] for i in chosen)
            different = len({wish.thing for wish in wishes}) == size
            if different and frozenset(wishes) not in trained and self.home.ways(wishes) <= MOST_WAYS:
                return wishes
        raise self._nothing(setting)

    def _nothing(self, setting: TaskSetting) -> InputError:
        return InputError(
            f"the {self.home.name} home has too few of the things and places of the experiment for a task of the "
            f"setting {setting}; take another scene"
        )


def goals_in(home: TaskHome, seen: TaskHome) -> Goals:
    """Returns what tasks can ask for in ``home``; training tasks are those of the ``seen`` one.

    A pair or a composition of training tasks is one that both homes have. A novel pair's thing and place are each in
    some pair of the training tasks."""
    pairs = all_pairs()
    known = [pair for pair in pairs.training if seen.local(pair)]
    things, places = {pair.thing for pair in known}, {pair.place for pair in known}
    trained = {pair: own for pair in known if (own := home.local(pair))}
    compositions = []
    for (i, first), (j, second) in combinations(enumerate(pairs.training), 2):
        parts = first, second
        if (i + j) % APART or first.thing == second.thing or not trained.keys() >= set(parts):
            continue
        there = [local for part in parts if (local := seen.local(part))]
        here = tuple(trained[part] for part in parts)
        if max(seen.ways(there), home.ways(here)) <= MOST_WAYS:
            compositions.append(here)
    novel = [pair for pair in pairs.novel if pair.thing in things and pair.place in places]
    return Goals(
        home, tuple(trained.values()), tuple(compositions), tuple(own for pair in novel if (own := home.local(pair)))
    )


@dataclass(frozen=True)
class Homes:
    """The home of the training tasks, and another one."""

    seen: TaskHome
    unseen: TaskHome

    @cached_property
    def goals(self) -> dict[str, Goals]:
        """What tasks can ask for in the homes "seen" and "unseen"."""
        return {home.name: goals_in(home, self.seen) for home in (self.seen, self.unseen)}

    def named(self, name: str) -> TaskHome:
        """Returns the home called "seen" or "unseen". Raises ``InputError`` for any other name."""
        homes = {home.name: home for home in (self.seen, self.unseen)}
        if name not in homes:
            raise InputError(f"there is no home {name!r}; there are {' and '.join(homes)}")
        return homes[name]


def own_homes() -> Homes:
    """Returns the two apartments that ship with the package."""
    entries = table()
    return Homes(home_of("seen", entries.seen, entries), home_of("unseen", entries.unseen, entries))


def scene_homes(seen: SceneGraph, unseen: SceneGraph) -> Homes:
    """Returns VirtualHome's graphs as homes; in the paper these are TestScene4 and TestScene2. Raises ``InputError``
    for a graph without rooms or movables."""
    return Homes(scene_home("seen", seen), scene_home("unseen", unseen))


def scene_home(name: str, graph: SceneGraph) -> TaskHome:
    """Returns a graph of VirtualHome as a home, with all containers closed. Things lie where the table's home of that
    name has them, by default its unseen home. Raises ``InputError`` for a graph without rooms or movables."""
    apartment, _ = scene_apartment(graph)
    furniture = tuple(replace(piece, opened=False) for piece in apartment.furniture)
    placements = (table().seen if name == "seen" else table().unseen).places
    return TaskHome(name, apartment.rooms, furniture, apartment.movables, placements)


def home_of(name: str, inventory: Inventory, entries: Table) -> TaskHome:
    """Returns the home of an inventory of the table."""
    furniture: list[Furniture] = []
    numbers: Counter[str] = Counter()
    for room, classes in inventory.furniture.items():
        for kind in Counter(classes).elements():
            numbers[kind] += 1
            container = kind in entries.containers
            relation = Placing.INSIDE if container else Placing.ON
            furniture.append(Furniture(f"{kind}_{numbers[kind]}", room, relation, openable=container))
    things = tuple(
        Movable(f"{kind}_{number}", kind, None)
        for kind, count in inventory.things.items()
        for number in range(1, count + 1)
    )
    return TaskHome(name, tuple(inventory.furniture), tuple(furniture), things, inventory.places)
