"""Homes of the virtualhome domain: all things with their properties and states, the problem that says the same, and
homes from VirtualHome's environment graphs.

Properties and states are VirtualHome's own words (``CAN_OPEN``, ``CLOSED``); :func:`render_home` turns them into the
predicates of ``pddl/virtualhome/domain.pddl``. Of a graph, every node but rooms and characters becomes an item in its
room. What can be grabbed lies where the rules of ``homes/scene_places.py`` say; furniture, walls and lamps only stand
in their rooms. Closeness and facing are left out: the character walks to things. A faucet fills the sink of its room
that is next to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from commonsense_lab.studies.homes.household import Placing, comment_lines, problem_text
from commonsense_lab.studies.homes.scene_graph import SceneGraph, SceneNode
from commonsense_lab.studies.homes.scene_import import NO_OPTIONS, ImportOptions
from commonsense_lab.studies.homes.scene_places import (
    HANDLED,
    ScenePlace,
    SceneRooms,
    has_door,
    is_container,
    is_surface,
    name_of,
    with_properties,
    word,
)
from commonsense_lab.studies.virtualhome.tasks import HouseholdTask, bind
from commonsense_planning.errors import InputError

PREDICATES = {
    "GRABBABLE": "grabbable",
    "SURFACES": "surface",
    "CONTAINERS": "container",
    "CAN_OPEN": "can-open",
    "HAS_SWITCH": "has-switch",
    "HAS_PLUG": "has-plug",
    "SITTABLE": "sittable",
    "LOOKABLE": "lookable",
    "EATABLE": "eatable",
    "DRINKABLE": "drinkable",
    "POURABLE": "pourable",
    "RECIPIENT": "recipient",
}
"""Property → static predicate; other properties say nothing in this domain."""

HEATERS = frozenset({"microwave", "oven", "stove", "toaster"})
OPPOSITES = {"ON": "OFF", "OFF": "ON", "OPEN": "CLOSED", "CLOSED": "OPEN"}


@dataclass(frozen=True)
class Item:
    """A thing: its ``kind`` (class), properties and states in upper case, its room, and what it lies on or inside.

    Without the state OPEN what can be opened is closed, without ON a switch is off, and without PLUGGED_OUT a plug is
    in.
    """

    name: str
    kind: str
    properties: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    room: str | None = None
    place: tuple[Placing, str] | None = None

    @property
    def movable(self) -> bool:
        """Whether it can be grabbed; everything else stands where it is."""
        return "GRABBABLE" in self.properties

    @property
    def type(self) -> str:
        """Its PDDL type."""
        if self.movable:
            return "movable"
        return "receptacle" if self.properties & {"SURFACES", "CONTAINERS"} else "fixture"

    @property
    def opened(self) -> bool:
        """Whether one can reach inside, or pour from it: it stands open, or is a container without a door."""
        return "OPEN" in self.states if "CAN_OPEN" in self.properties else "CONTAINERS" in self.properties


@dataclass(frozen=True)
class SceneHome:
    """A home and everything in it. ``held`` are the names of at most two items; ``fills`` are (faucet, sink) pairs.

    Raises ``InputError`` if names clash or point nowhere, or more than two things are held.
    """

    rooms: tuple[str, ...]
    items: tuple[Item, ...]
    start: str
    held: tuple[str, ...] = ()
    fills: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = {item.name for item in self.items}
        twice = [n for n, times in Counter([*self.rooms, *(i.name for i in self.items)]).items() if times > 1]
        if twice:
            raise InputError(f"a home uses each name once; used twice: {', '.join(sorted(twice))}")
        for room in [self.start, *(i.room for i in self.items if i.room is not None)]:
            if room not in self.rooms:
                raise InputError(f"the home has no room {room!r}; it has {', '.join(self.rooms)}")
        others = [*self.held, *(name for pair in self.fills for name in pair)]
        for name in [*others, *(i.place[1] for i in self.items if i.place is not None)]:
            if name not in names:
                raise InputError(f"{name!r} is no item of the home")
        if len(self.held) > 2:
            raise InputError(f"two hands cannot hold {', '.join(self.held)}")

    def members(self) -> dict[str, list[str]]:
        """Class → the names of its items."""
        found: dict[str, list[str]] = {}
        for item in self.items:
            found.setdefault(item.kind, []).append(item.name)
        return found

    def with_states(self, states: Mapping[str, str]) -> SceneHome:
        """The same home with every item of a class in a state (``{"tv": "ON"}``), its opposite taken away.

        A class that the home lacks is passed over: the adversarial environment is for homes without a bin, too.
        """

        def in_state(item: Item, state: str) -> Item:
            return replace(item, states=item.states - {OPPOSITES.get(state, "")} | {state})

        items = (in_state(item, states[item.kind]) if item.kind in states else item for item in self.items)
        return replace(self, items=tuple(items))


def render_home(home: SceneHome, name: str, task: HouseholdTask, comment: str) -> str:
    """The problem file of ``task`` in ``home``, with the states that the task asks for.

    ``comment`` is the header; the line ``;; description: …`` below it is what an agent is told. Failure conditions
    are PDDL3 constraints. Raises ``InputError`` if the home lacks a class that the task needs.
    """
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


def import_home(graph: SceneGraph, options: ImportOptions = NO_OPTIONS) -> tuple[SceneHome, list[str]]:
    """The home that ``graph`` records, and what had to be guessed.

    The properties of ``LACKING`` need not be added. Raises ``InputError`` for a graph without rooms and for options
    that name unknown classes or rooms.
    """
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
        items.append(Item(name_of(node), word(node.class_name), properties, node.states, where, _place(spot)))
    rooms = tuple(name_of(room) for room in scene.rooms)
    held = tuple(name_of(scene.graph.nodes[i]) for i in scene.held)
    home = SceneHome(rooms, tuple(items), name_of(scene.start(options.room)), held, _faucets(scene))
    return home, scene.summary()


def _place(spot: ScenePlace | None) -> tuple[Placing, str] | None:
    """On the floor or the wall is in the room, and nowhere else."""
    return None if spot is None or spot.flat else (spot.relation, name_of(spot.node))


def _properties(node: SceneNode, movable: bool, used: set[tuple[Placing, int]]) -> frozenset[str]:
    """The node's properties with what its class and use say: nothing lies, or sits, on or inside what can itself be
    moved, only that is grabbed, eaten, drunk or poured, and what something lies on or inside is a surface or a
    container."""
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
