"""From VirtualHome's environment graph to a home of the virtualhome domain, with all objects of the graph.

Every node but rooms and characters becomes an item in its room. What can be grabbed lies where the rules of
:mod:`.scene_places` say; furniture, walls and lamps only stand in their rooms. Closeness and facing are left out: the
character walks to things. A faucet fills the sink of its room that is next to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from commonsense_planning.studies.homes.household import Relation
from commonsense_planning.studies.homes.scene_graph import Node, SceneGraph
from commonsense_planning.studies.homes.scene_places import (
    Scene,
    Spot,
    has_door,
    is_container,
    is_surface,
    name_of,
    with_properties,
    word,
)
from commonsense_planning.studies.virtualhome.virtualhome_home import Home, Item

EDIBLE = ("GRABBABLE", "EATABLE")
LACKING: Mapping[str, tuple[str, ...]] = {
    # what the ten tasks need
    "breadslice": EDIBLE,  # recorded as an appliance without properties
    "chips": EDIBLE,
    "cupcake": EDIBLE,
    "salmon": EDIBLE,
    "apple": EDIBLE,
    "toaster": ("HAS_SWITCH", "CONTAINERS"),  # it has the state OFF, but nothing that could turn it on
    "toothpaste": ("CAN_OPEN",),  # closed at first, as in the paper's section 4.3
    "toothbrush": ("RECIPIENT",),
    "faucet": ("HAS_SWITCH",),  # not in every scene
    "sink": ("CONTAINERS",),
    "garbagecan": ("CAN_OPEN", "CONTAINERS"),
    "lightswitch": ("HAS_SWITCH",),
    "coffeepot": ("GRABBABLE",),
    "plate": ("GRABBABLE",),
    # more food, and drinks
    "bananas": EDIBLE,
    "bellpepper": EDIBLE,
    "candybar": EDIBLE,
    "carrot": EDIBLE,
    "cereal": EDIBLE,
    "chicken": EDIBLE,
    "crackers": EDIBLE,
    "creamybuns": EDIBLE,
    "lime": EDIBLE,
    "pancake": EDIBLE,
    "peach": EDIBLE,
    "pear": EDIBLE,
    "pie": EDIBLE,
    "plum": EDIBLE,
    "poundcake": EDIBLE,
    "pudding": EDIBLE,
    "juice": ("GRABBABLE", "DRINKABLE", "POURABLE"),
    "milk": ("GRABBABLE", "DRINKABLE", "POURABLE"),
    "wine": ("GRABBABLE", "DRINKABLE", "POURABLE"),
}
"""Class → properties that it has in any home, but not in every recording."""


@dataclass(frozen=True)
class HomeOptions:
    """``room``: class or name of the start room, if not the character's. ``add_properties``: class → properties that
    the recording and :data:`LACKING` lack."""

    room: str | None = None
    add_properties: Mapping[str, Collection[str]] = field(default_factory=dict)


def import_home(graph: SceneGraph, options: HomeOptions | None = None) -> tuple[Home, list[str]]:
    """The home that ``graph`` records, and what had to be guessed.

    Raises ``InputError`` for a graph without rooms and for options that name unknown classes or rooms.
    """
    options = options or HomeOptions()
    known = {node.class_name for node in graph.nodes.values()}
    complete = with_properties(graph, {name: words for name, words in LACKING.items() if name in known})
    scene = Scene(with_properties(complete, options.add_properties), hands=2)
    movable = {node.id for node in scene.movables}
    spots = {node.id: scene.place_of(node) for node in scene.movables}
    used = {(spot.relation, spot.node.id) for spot in spots.values() if spot is not None and not spot.flat}
    skipped = {node.id for node in (*scene.rooms, *scene.characters)}
    items = []
    for node in scene.graph.nodes.values():
        if node.id in skipped:
            continue
        room = scene.room_of(node)
        if room is None:
            scene.warnings.append(f"{name_of(node)} is in no room")
        properties = _properties(node, node.id in movable, used)
        where = name_of(room) if room else None
        items.append(
            Item(name_of(node), word(node.class_name), properties, node.states, where, _place(spots.get(node.id)))
        )
    rooms = tuple(name_of(room) for room in scene.rooms)
    held = tuple(name_of(scene.graph.nodes[i]) for i in scene.held)
    home = Home(rooms, tuple(items), name_of(scene.start(options.room)), held, _faucets(scene))
    return home, scene.summary()


def _place(spot: Spot | None) -> tuple[Relation, str] | None:
    """On the floor or the wall is in the room, and nowhere else."""
    return None if spot is None or spot.flat else (spot.relation, name_of(spot.node))


def _properties(node: Node, movable: bool, used: set[tuple[Relation, int]]) -> frozenset[str]:
    """The node's properties with what its class and use say: nothing lies on or inside what can itself be moved, and
    what something lies on or inside is a surface or a container."""
    kept = node.properties - {"SURFACES", "CONTAINERS"} - (set() if movable else {"GRABBABLE"})
    if has_door(node):
        kept |= {"CAN_OPEN"}
    if movable:
        return kept
    if is_surface(node) or (Relation.ON, node.id) in used:
        kept |= {"SURFACES"}
    if is_container(node) or (is_surface(node) and has_door(node)) or (Relation.INSIDE, node.id) in used:
        kept |= {"CONTAINERS"}
    return kept


def _faucets(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Each faucet with the nearest sink of its room; the first where the recording has no boxes."""
    nodes = scene.graph.nodes.values()
    sinks = [node for node in nodes if node.class_name == "sink"]
    pairs = []
    for faucet in nodes:
        near = [sink for sink in sinks if scene.room_of(sink) == scene.room_of(faucet)]
        if faucet.class_name == "faucet" and near:
            pairs.append((name_of(faucet), name_of(min(near, key=lambda sink: _distance(faucet, sink)))))
    return tuple(pairs)


def _distance(one: Node, other: Node) -> float:
    """Squared metres between the middles of two boxes."""
    if one.box is None or other.box is None:
        return float("inf")
    bounds = zip(one.box.low, one.box.high, other.box.low, other.box.high, strict=True)
    return sum(((low + high) / 2 - (lower + higher) / 2) ** 2 for low, high, lower, higher in bounds)
