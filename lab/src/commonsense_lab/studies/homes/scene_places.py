"""Where the things of a VirtualHome scene are, by rules that household and virtualhome problems share.

Every movable has one place. The rules, the first that fits:

1. INSIDE a container, the innermost one. Where the same node is also recorded ON, its main use decides.
2. ON furniture; the topmost if several are stacked (mouse mat on desk), a surface before the top of a
   container. Recorded INSIDE a sofa while ON a coffee table is a bounding-box artefact: the coffee table.
3. ON or INSIDE another movable (an apple in a bowl): that one's place.
4. INSIDE furniture without a door (bookshelf), then ON a rug.
5. No relation recorded: the smallest surface of the room that its bounding box touches.
6. Otherwise the wall (``wall_kitchen_201``) if it is recorded ON a wall or hangs more than half a metre up,
   and else the floor of the room (``floor_kitchen_201``).

What is eaten, drunk or poured is taken in the hand for it: it is movable, whether or not the recording says GRABBABLE.
The robot is the first character that is in a room."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from commonsense_lab.studies.homes.household import Placing
from commonsense_lab.studies.homes.scene_graph import SceneGraph, SceneNode
from commonsense_planning.errors import InputError

STRUCTURE = frozenset({"Rooms", "Walls", "Ceiling", "Floor", "Floors", "Lamps", "Doors", "Windows", "Characters"})
FLAT = frozenset({"rug", "floor", "wall"})  # what furniture stands on: the last choice as a place
SHELVES = frozenset({"bookshelf", "wallshelf", "nightstand", "towelrack", "bathroomshelf", "shelf", "knifeblock"})
HANDLED = frozenset({"EATABLE", "DRINKABLE", "POURABLE"})
"""What only a movable can be."""
HANGING = 0.5  # metres above the floor from which an unsupported thing is on the wall
TOUCH = 0.1  # metres between a thing and what it stands on or hangs from


@dataclass(frozen=True)
class ScenePlace:
    """A thing is ``relation`` ``node``; or, if ``flat`` is "floor" or "wall", on that of the room ``node``."""

    relation: Placing
    node: SceneNode
    flat: str = ""


def word(text: str) -> str:
    """``text`` as a PDDL name: lower case, letters and digits only."""
    cleaned = re.sub(r"[^a-z0-9]+", "", text.lower())
    return cleaned if cleaned[:1].isalpha() else f"x{cleaned}"


def name_of(node: SceneNode) -> str:
    """A node's name in the problem: class and id, ``salmon_311``."""
    return f"{word(node.class_name)}_{node.id}"


def with_properties(graph: SceneGraph, extra: Mapping[str, Collection[str]]) -> SceneGraph:
    """``graph`` with properties added, by class. Raises ``InputError`` for a class that the graph lacks."""
    added = {cls.lower(): frozenset(p.upper() for p in properties) for cls, properties in extra.items()}
    missing = set(added) - {node.class_name for node in graph.nodes.values()}
    if missing:
        names = ", ".join(sorted(missing))
        raise InputError(f"{graph.source}: properties were given for classes that the scene lacks: {names}")
    nodes = {
        i: replace(node, properties=node.properties | added.get(node.class_name, frozenset()))
        for i, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)


class SceneRooms:
    """A graph with its nodes sorted into rooms, movables and furniture; ``warnings`` gathers what was guessed."""

    def __init__(self, graph: SceneGraph, hands: int) -> None:
        self.warnings: list[str] = []
        self._guesses: Counter[str] = Counter()
        self.graph = graph = replace(graph, nodes={i: self._graspable(node) for i, node in graph.nodes.items()})
        nodes = graph.nodes.values()
        self.rooms = [node for node in nodes if node.category == "Rooms"]
        if not self.rooms:
            raise InputError(f"{graph.source}: the scene has no room: no node of category 'Rooms'")
        self.characters = [node for node in nodes if node.category == "Characters"]
        solid = [node for node in nodes if node.category not in STRUCTURE]
        self.movables = [node for node in solid if "GRABBABLE" in node.properties]
        self.fixed = [n for n in solid if "GRABBABLE" not in n.properties and "COVER_OBJECT" not in n.properties]
        self._movable_ids = {node.id for node in self.movables}
        self._fixed_ids = {node.id for node in self.fixed}
        self.robot = self._robot()
        self.held = self._held(hands)

    def room_of(self, node: SceneNode) -> SceneNode | None:
        return next((t for t in self.graph.targets(node, "INSIDE") if t.category == "Rooms"), None)

    def start(self, wanted: str | None) -> SceneNode:
        """The room to start in: the one called ``wanted``, else the character's, else the first."""
        if wanted is not None:
            found = [r for r in self.rooms if word(wanted) in (word(r.class_name), word(name_of(r)))]
            if not found:
                rooms = ", ".join(name_of(room) for room in self.rooms)
                raise InputError(f"{self.graph.source}: the scene has no room {wanted!r}; it has {rooms}")
            return found[0]
        room = self.room_of(self.robot) if self.robot else None
        if room is not None:
            return room
        self.warnings.append(f"no character in a room: the robot starts in {name_of(self.rooms[0])}")
        return self.rooms[0]

    def place_of(self, node: SceneNode) -> ScenePlace | None:
        """Where a movable lies; ``None`` if it is held or in no room."""
        seen: set[int] = set()
        while node.id not in self.held:
            firm = self._firm_place(node)
            if firm is not None:
                return firm
            seen.add(node.id)
            below = (*self.graph.targets(node, "ON"), *self.graph.targets(node, "INSIDE"))
            bearer = next((other for other in below if other.id in self._movable_ids and other.id not in seen), None)
            if bearer is None:
                within, on = self._furniture(node, "INSIDE"), self._furniture(node, "ON")
                if within or on:  # rule 4
                    return ScenePlace(Placing.ON, min(within, key=_size) if within else on[0])
                return self._guess(node)
            node = bearer
        return None

    def summary(self) -> list[str]:
        """All warnings, the counted ones last."""
        return [*self.warnings, *(f"{number} {what}" for what, number in self._guesses.items())]

    def _firm_place(self, node: SceneNode) -> ScenePlace | None:
        """Rules 1 and 2."""
        within = self._furniture(node, "INSIDE")
        upright = [t for t in self._furniture(node, "ON") if t.class_name not in FLAT]
        on_surface = {t.id for t in upright if not is_container(t)}
        boxes = [t for t in within if is_container(t) or (has_door(t) and t.id not in on_surface)]
        if boxes:
            outer = {t.id for box in boxes for t in self.graph.targets(box, "INSIDE")}
            innermost = [box for box in boxes if box.id not in outer] or boxes
            return ScenePlace(Placing.INSIDE, min(innermost, key=_size))
        if not upright:
            return None
        if within:
            self._guesses["things recorded INSIDE furniture without a door and ON other furniture: ON taken"] += 1
        under = {t.id for support in upright for t in self.graph.targets(support, "ON")}
        top = [support for support in upright if support.id not in under] or upright
        return ScenePlace(Placing.ON, min(top, key=lambda t: (not is_surface(t), is_container(t), t.id)))

    def _furniture(self, node: SceneNode, relation: str) -> list[SceneNode]:
        return [target for target in self.graph.targets(node, relation) if target.id in self._fixed_ids]

    def _guess(self, node: SceneNode) -> ScenePlace | None:
        """Rules 5 and 6."""
        room = self.room_of(node)
        if room is None:
            return None
        near = [f for f in self.fixed if f.class_name not in FLAT and self.room_of(f) == room]
        touched = [f for f in near if is_surface(f) and _touches(node, f)]
        if touched:
            self._guesses["things without a recorded place: put on the surface that their boxes touch"] += 1
            return ScenePlace(Placing.ON, min(touched, key=_size))
        on_wall = any(t.class_name == "wall" for t in self.graph.targets(node, "ON"))
        floor = room.box.low[1] if room.box else 0.0
        if on_wall or (node.box is not None and node.box.low[1] > floor + HANGING):
            self._guesses["things without a recorded place: hung on the wall of their room"] += 1
            return ScenePlace(Placing.ON, room, "wall")
        if not any(t.class_name == "floor" for t in self.graph.targets(node, "ON")):
            self._guesses["things without a recorded place: put on the floor of their room"] += 1
        return ScenePlace(Placing.ON, room, "floor")

    def _graspable(self, node: SceneNode) -> SceneNode:
        """The node, movable if it is there to be eaten, drunk or poured."""
        if node.category in STRUCTURE or "GRABBABLE" in node.properties or not node.properties & HANDLED:
            return node
        self._guesses["things to eat, drink or pour without GRABBABLE: taken as movable"] += 1
        return replace(node, properties=node.properties | {"GRABBABLE"})

    def _robot(self) -> SceneNode | None:
        """The first character in a room, or else the first; the others are left out."""
        placed = [character for character in self.characters if self.room_of(character) is not None]
        robot = next(iter(placed or self.characters), None)
        if robot is not None and len(self.characters) > 1:
            self.warnings.append(f"{len(self.characters)} characters: the robot is {name_of(robot)}")
        return robot

    def _held(self, hands: int) -> list[int]:
        """The ids of what the robot holds: movables, at most one thing a hand."""
        if self.robot is None:
            return []
        grips = [t for hand in ("HOLDS_RH", "HOLDS_LH") for t in self.graph.targets(self.robot, hand)]
        for node in grips:
            if node.id not in self._movable_ids:
                self.warnings.append(f"{name_of(node)} is held and cannot be grabbed: taken as not held")
        held = list(dict.fromkeys(node.id for node in grips if node.id in self._movable_ids))
        if len(held) > hands:
            number = "one hand" if hands == 1 else f"{hands} hands"
            self.warnings.append(f"the character holds {len(held)} things, the robot has {number}: the first kept")
        return held[:hands]


def has_door(node: SceneNode) -> bool:
    """Whether the node can be opened: by property, by a recorded OPEN or CLOSED state, or because it is a drawer."""
    return "CAN_OPEN" in node.properties or bool(node.states & {"OPEN", "CLOSED"}) or "drawer" in node.class_name


def is_container(node: SceneNode) -> bool:
    """Whether the node's main use is to hold things inside."""
    return "CONTAINERS" in node.properties or (has_door(node) and not is_surface(node))


def is_surface(node: SceneNode) -> bool:
    """Whether the node's main use is to have things on it."""
    if "CONTAINERS" in node.properties:
        return False
    return bool(node.properties & {"SURFACES", "SITTABLE", "LIEABLE"}) or node.class_name in SHELVES


def _size(node: SceneNode) -> tuple[float, int]:
    return (node.box.volume if node.box else float("inf"), node.id)


def _touches(thing: SceneNode, support: SceneNode) -> bool:
    """Whether the thing's box, shrunk to its vertical axis, comes within ``TOUCH`` of the support's box."""
    if thing.box is None or support.box is None:
        return False
    x, z = ((thing.box.low[axis] + thing.box.high[axis]) / 2 for axis in (0, 2))
    low, high = (x, thing.box.low[1], z), (x, thing.box.high[1], z)
    return all(
        low[axis] <= support.box.high[axis] + TOUCH and high[axis] >= support.box.low[axis] - TOUCH for axis in range(3)
    )
