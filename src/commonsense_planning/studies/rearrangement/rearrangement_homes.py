"""The two homes of the rearrangement experiment: apartments of our own, or recorded ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import Furniture, Movable, Relation
from commonsense_planning.studies.homes.scene_graph import SceneGraph
from commonsense_planning.studies.homes.virtualhome import ImportOptions, scene_apartment
from commonsense_planning.studies.rearrangement.rearrangement_goals import Goals, goals_in
from commonsense_planning.studies.rearrangement.rearrangement_home import Home
from commonsense_planning.studies.rearrangement.rearrangement_table import Inventory, Placements, Table, table


@dataclass(frozen=True)
class Homes:
    """The home of the training tasks, and another one."""

    seen: Home
    unseen: Home

    @cached_property
    def goals(self) -> dict[str, Goals]:
        """What tasks can ask for in the home called "seen" and in the one called "unseen"."""
        return {home.name: goals_in(home, self.seen) for home in (self.seen, self.unseen)}

    def named(self, name: str) -> Home:
        """The home called "seen" or "unseen". Raises ``InputError`` for any other name."""
        homes = {home.name: home for home in (self.seen, self.unseen)}
        if name not in homes:
            raise InputError(f"there is no home {name!r}; there are {' and '.join(homes)}")
        return homes[name]


def own_homes() -> Homes:
    """The two apartments that ship with the package."""
    entries = table()
    return Homes(_own_home("seen", entries.seen, entries), _own_home("unseen", entries.unseen, entries))


def scene_homes(seen: SceneGraph, unseen: SceneGraph) -> Homes:
    """VirtualHome's graphs as homes, with all containers closed; in the paper these are TestScene4 and TestScene2.

    Raises ``InputError`` for a graph without rooms or movables.
    """
    return Homes(
        _scene_home("seen", seen, table().seen.places), _scene_home("unseen", unseen, table().unseen.places)
    )


def _own_home(name: str, inventory: Inventory, entries: Table) -> Home:
    furniture: list[Furniture] = []
    numbers: dict[str, int] = {}
    for room, classes in inventory.furniture.items():
        for kind in [kind for kind, count in classes.items() for _ in range(count)]:
            numbers[kind] = numbers.get(kind, 0) + 1
            container = kind in entries.containers
            relation = Relation.INSIDE if container else Relation.ON
            furniture.append(Furniture(f"{kind}_{numbers[kind]}", room, relation, openable=container))
    things = tuple(
        Movable(f"{kind}_{number}", kind, None)
        for kind, count in inventory.things.items()
        for number in range(1, count + 1)
    )
    return Home(name, tuple(inventory.furniture), tuple(furniture), things, inventory.places)


def _scene_home(name: str, graph: SceneGraph, placements: Placements) -> Home:
    apartment, _ = scene_apartment(graph, ImportOptions())
    furniture = tuple(replace(piece, opened=False) for piece in apartment.furniture)
    return Home(name, apartment.rooms, furniture, apartment.movables, placements)
