"""Homes of the virtualhome domain: all things with their properties and states, their problem files, and homes from
VirtualHome's environment graphs.

Properties and states are VirtualHome's own words (``CAN_OPEN``, ``CLOSED``); :func:`render_home` turns them into the
predicates of ``pddl/virtualhome/domain.pddl``. Every node of a graph but rooms and characters becomes an item in its
room. The rules of ``homes/scene_places.py`` place what can be grabbed; furniture, walls and lamps have only a room.
Closeness and facing are left out: the character walks to things. A faucet fills the nearest sink of its room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from commonsense_lab.studies.homes.household import Placing, comment_lines, problem_text
from commonsense_lab.studies.homes.scene_graph import SceneGraph, SceneNode
from commonsense_lab.studies.homes.scene_import import NO_OPTIONS, ImportedScene, ImportOptions
from commonsense_lab.studies.homes.scene_places import (
    HANDLED,
    SceneRooms,
    has_door,
    is_container,
    is_surface,
    name_of,
    with_properties,
    word,
)
from commonsense_lab.studies.virtualhome.tasks import HouseholdTask, bind

_PROPERTIES = (
    "GRABBABLE SURFACES CONTAINERS CAN_OPEN HAS_SWITCH HAS_PLUG SITTABLE LOOKABLE EATABLE DRINKABLE POURABLE RECIPIENT"
)
PREDICATES = {name: name.lower().replace("_", "-") for name in _PROPERTIES.split()}
PREDICATES |= {"SURFACES": "surface", "CONTAINERS": "container"}
"""Property → static predicate; this domain ignores other properties."""

FROM_GRAPH = "Imported from a VirtualHome environment graph."
HEATERS = frozenset({"microwave", "oven", "stove", "toaster"})
OPPOSITES = {"ON": "OFF", "OFF": "ON", "OPEN": "CLOSED", "CLOSED": "OPEN"}


@dataclass(frozen=True)
class Item:
    """A thing: its ``kind`` (class), properties and states in upper case, its room, and what it lies on or inside.

    Without the state OPEN it is closed, without ON switched off, and without PLUGGED_OUT plugged in, if it can be."""

    name: str
    kind: str
    properties: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    room: str | None = None
    place: tuple[Placing, str] | None = None

    @property
    def movable(self) -> bool:
        """Whether it can be grabbed; everything else stays where it is."""
        return "GRABBABLE" in self.properties

    @property
    def type(self) -> str:
        """Its PDDL type."""
        if self.movable:
            return "movable"
        return "receptacle" if self.properties & {"SURFACES", "CONTAINERS"} else "fixture"

    @property
    def opened(self) -> bool:
        """Whether one can reach inside, or pour from it: it is open, or is a container without a door."""
        return "OPEN" in self.states if "CAN_OPEN" in self.properties else "CONTAINERS" in self.properties


@dataclass(frozen=True)
class SceneHome:
    """A home and everything in it. ``held`` are the names of at most two items; ``fills`` are (faucet, sink) pairs."""

    rooms: tuple[str, ...]
    items: tuple[Item, ...]
    start: str
    held: tuple[str, ...] = ()
    fills: tuple[tuple[str, str], ...] = ()

    def members(self) -> dict[str, list[str]]:
        """Class → the names of its items."""
        found: dict[str, list[str]] = {}
        for item in self.items:
            found.setdefault(item.kind, []).append(item.name)
        return found

    def with_states(self, states: Mapping[str, str]) -> SceneHome:
        """Returns the same home with every item of a class in a state (``{"tv": "ON"}``) in place of the opposite one.
        Classes that the home lacks are ignored."""
        items = (
            replace(item, states=item.states - {OPPOSITES.get(state, "")} | {state}) if state else item
            for item in self.items
            for state in [states.get(item.kind)]
        )
        return replace(self, items=tuple(items))


def render_home(home: SceneHome, name: str, task: HouseholdTask, comment: str) -> str:
    """Returns the problem file of ``task`` in ``home``, with the states that the task asks for.

    ``comment`` is the header; the line ``;; description: …`` below it is for the agent. Failure conditions are PDDL3
    constraints. Raises ``InputError`` if the home lacks a class that the task needs."""
    home = home.with_states(task.states)
    members = home.members()
    kinds = ("receptacle", "fixture", "movable")
    objects = {kind: [item.name for item in home.items if item.type == kind] for kind in kinds}
    head = [*comment_lines(comment), f";; description: {task.description}"]
    failure = f"(always (not {bind(task.failure, members)}))" if task.failure else ""
    goal = bind(task.goal, members)
    return problem_text(head, name, "virtualhome", {"room": home.rooms, **objects}, _init(home), goal, failure)


def _init(home: SceneHome) -> list[list[str]]:
    """The true atoms, in groups that are written as paragraphs."""
    items = home.items
    switched_on = [i.name for i in items if "ON" in i.states]
    shut = {i.name for i in items if "CAN_OPEN" in i.properties and not i.opened}
    hands = ["(hand-free)"] * (len(home.held) < 2) + ["(hands-empty)"] * (not home.held)
    held = [atom for name in home.held for atom in (f"(held {name})", f"(near {name})")]
    static = [
        _each(predicate, (i.name for i in items if word in i.properties)) for word, predicate in PREDICATES.items()
    ]
    return [
        [f"(character-in {home.start})", *hands, *held],
        [f"(located {i.name} {i.room})" for i in items if not i.movable and i.room is not None],
        *static,
        _each("heats", (i.name for i in items if i.kind in HEATERS and "CONTAINERS" in i.properties)),
        [f"(fills {faucet} {sink})" for faucet, sink in home.fills],
        _each("opened", (i.name for i in items if i.opened)),
        _each("switched-on", switched_on),
        _each("filled", (sink for faucet, sink in home.fills if faucet in switched_on)),
        _each("plugged-in", (i.name for i in items if "HAS_PLUG" in i.properties and "PLUGGED_OUT" not in i.states)),
        [f"(in-room {i.name} {i.room})" for i in items if i.movable and i.room and i.name not in home.held],
        [f"({i.place[0]} {i.name} {i.place[1]})" for i in items if i.place is not None],
        _each("shut-away", (i.name for i in items if i.place and i.place[0] is Placing.INSIDE and i.place[1] in shut)),
    ]


def _each(predicate: str, names: Iterable[str]) -> list[str]:
    return [f"({predicate} {name})" for name in names]


FOOD = (
    "apple bananas bellpepper breadslice candybar carrot cereal chicken chips crackers creamybuns cupcake lime pancake "
    "peach pear pie plum poundcake pudding salmon"
)
DRINKS = "juice milk wine"
LACKING: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(FOOD.split(), ("GRABBABLE", "EATABLE")),
    **dict.fromkeys(DRINKS.split(), ("GRABBABLE", "DRINKABLE", "POURABLE")),
    **dict.fromkeys(("coffeepot", "plate"), ("GRABBABLE",)),
    **dict.fromkeys(("faucet", "lightswitch"), ("HAS_SWITCH",)),
    "toaster": ("HAS_SWITCH", "CONTAINERS"),  # it has the state OFF, but nothing that could turn it on
    "toothpaste": ("CAN_OPEN",),  # closed at first, as in the paper's section 4.3
    "toothbrush": ("RECIPIENT",),
    "sink": ("CONTAINERS",),
    "garbagecan": ("CAN_OPEN", "CONTAINERS"),
}
"""Class → properties that it has in any home, but not in every recording."""


def import_home(graph: SceneGraph, options: ImportOptions = NO_OPTIONS) -> tuple[SceneHome, list[str]]:
    """Returns the home that ``graph`` records, with the properties of ``LACKING``, and what had to be guessed. Raises
    ``InputError`` for a graph without rooms and for options that name unknown classes or rooms."""
    known = {node.class_name for node in graph.nodes.values()}
    complete = with_properties(graph, {name: words for name, words in LACKING.items() if name in known})
    scene = SceneRooms(with_properties(complete, options.add_properties), hands=2)
    movable = {node.id for node in scene.movables}
    spots = {node.id: scene.place_of(node) for node in scene.movables}
    used = {(spot.relation, spot.node.id) for spot in spots.values() if spot is not None and not spot.flat}
    skipped = {node.id for node in (*scene.rooms, *scene.characters)}
    items = []
    for node in scene.graph.nodes.values():
        if node.id in skipped:
            continue
        spot = spots.get(node.id)
        room = scene.room_of(node if spot is None or spot.flat else spot.node)
        if room is None:
            scene.warnings.append(f"{name_of(node)} is in no room")
        properties = _properties(node, node.id in movable, used)
        where = name_of(room) if room else None
        place = None if spot is None or spot.flat else (spot.relation, name_of(spot.node))  # the floor is the room
        items.append(Item(name_of(node), word(node.class_name), properties, node.states, where, place))
    rooms = tuple(name_of(room) for room in scene.rooms)
    held = tuple(name_of(scene.graph.nodes[i]) for i in scene.held)
    home = SceneHome(rooms, tuple(items), name_of(scene.start(options.room)), held, _faucets(scene))
    return home, scene.summary()


def import_problem(
    graph: SceneGraph, task: HouseholdTask, name: str | None, options: ImportOptions, states: Mapping[str, str]
) -> ImportedScene:
    """Turns ``graph`` into a problem of ``task`` with further ``states``; ``name``: of the problem, by default the
    task's. Raises as ``import_home`` and ``render_home`` do."""
    home, warnings = import_home(graph, options)
    text = render_home(home, name or task.name, replace(task, states={**task.states, **states}), FROM_GRAPH)
    movables = sum(item.movable for item in home.items)
    counts = {"rooms": len(home.rooms), "fixtures": len(home.items) - movables, "movables": movables}
    return ImportedScene(text, counts, warnings)


def _properties(node: SceneNode, movable: bool, used: set[tuple[Placing, int]]) -> frozenset[str]:
    """Adds the properties that follow from a node's class and use: nothing lies, or sits, on or inside a movable, only
    a movable is grabbed, eaten, drunk or poured, and what something lies on or inside is a surface or a container."""
    kept = node.properties - {"SURFACES", "CONTAINERS"}
    if has_door(node):
        kept |= {"CAN_OPEN"}
    if movable:
        return kept - {"SITTABLE"}
    kept -= {"GRABBABLE", *HANDLED}
    if is_surface(node) or (Placing.ON, node.id) in used:
        kept |= {"SURFACES"}
    if is_container(node) or (is_surface(node) and has_door(node)) or (Placing.INSIDE, node.id) in used:
        kept |= {"CONTAINERS"}
    return kept


def _faucets(scene: SceneRooms) -> tuple[tuple[str, str], ...]:
    """Each faucet with the nearest sink of its room; the first where the recording has no boxes."""
    sinks = [node for node in scene.fixed if node.class_name == "sink"]
    pairs = []
    for faucet in scene.fixed:
        near = [sink for sink in sinks if scene.room_of(sink) == scene.room_of(faucet)]
        if faucet.class_name == "faucet" and near:
            pairs.append((name_of(faucet), name_of(min(near, key=lambda sink: _distance(faucet, sink)))))
    return tuple(pairs)


def _distance(one: SceneNode, other: SceneNode) -> float:
    """Squared metres between the middles of two boxes."""
    if one.box is None or other.box is None:
        return float("inf")
    bounds = zip(one.box.low, one.box.high, other.box.low, other.box.high, strict=True)
    return sum(((low + high) / 2 - (lower + higher) / 2) ** 2 for low, high, lower, higher in bounds)
