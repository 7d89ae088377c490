"""From VirtualHome's environment graph to a problem of the household domain.

What becomes what:

- **Rooms**: nodes of category ``Rooms``. The robot starts in the character's room.
- **Movables**: nodes with ``GRABBABLE``, as recorded or added by class in the options.
- **Containers**: furniture with ``CONTAINERS``, or with a door (``CAN_OPEN``, an OPEN or CLOSED state, or a
  drawer) and no surface. Without a door a container is open for good and shows its contents (a sink).
- **Surfaces**: furniture with ``SURFACES``, ``SITTABLE`` or ``LIEABLE``, shelves and racks, and whatever
  else a movable lies on. What has neither door nor ``CONTAINERS`` (bookshelf, sofa) holds things *on* it,
  even if recorded INSIDE.
- **Both**: a container with a thing or a goal on it gets a companion surface ``fridge_top_289``; a surface
  with a door (kitchen counter, stove) gets a companion container ``stove_inside_295``.
- Left out: walls, ceilings, floors, doors, windows, curtains, lamps, and furniture that nothing lies in or
  on.

Every movable has one place. The rules, the first that fits:

1. INSIDE a container, the innermost one. Where the same node is also recorded ON, its main use decides.
2. ON furniture; the topmost if several are stacked (mouse mat on desk), a surface before the top of a
   container. Recorded INSIDE a sofa while ON a coffee table is a bounding-box artefact: the coffee table.
3. ON or INSIDE another movable (an apple in a bowl): that one's place.
4. INSIDE furniture without a door (bookshelf), then ON a rug.
5. No relation recorded: the smallest surface of the room that its bounding box touches.
6. Otherwise the wall (``wall_kitchen_201``) if it is recorded ON a wall or hangs more than half a metre up,
   and else the floor of the room (``floor_kitchen_201``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from ..errors import InputError
from .household import Apartment, Furniture, Movable, Relation, render_problem
from .scene_goal import SceneNames, parse_goal, to_pddl
from .scene_graph import Node, SceneGraph

STRUCTURE = frozenset(
    {"Rooms", "Walls", "Ceiling", "Floor", "Floors", "Lamps", "Doors", "Windows", "Characters"}
)
FLAT = frozenset({"rug", "floor", "wall"})  # what furniture stands on: the last choice as a place
SHELVES = frozenset(
    {"bookshelf", "wallshelf", "nightstand", "towelrack", "bathroomshelf", "shelf", "knifeblock"}
)
HANGING = 0.5  # metres above the floor from which an unsupported thing hangs on the wall
TOUCH = 0.1  # metres between a thing and what it stands on or hangs from


@dataclass(frozen=True)
class ImportOptions:
    """``name``: of the problem. ``room``: class or name of the start room, if not the character's.

    ``add_properties``: class → properties that the recording lacks, such as ``{"cupcake": ["GRABBABLE"]}``.
    """

    name: str = "scene"
    room: str | None = None
    add_properties: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ImportedScene:
    """The problem file's text; how many rooms, containers, surfaces and movables it has; what was guessed."""

    problem_text: str
    apartment: Apartment
    counts: Mapping[str, int]
    warnings: list[str]


def import_scene(graph: SceneGraph, goal: str, options: ImportOptions | None = None) -> ImportedScene:
    """Turn ``graph`` into a household problem with ``goal``, e.g. ``(inside salmon fridge)``.

    For the goal's form see :mod:`.scene_goal`. Raises ``InputError`` for a graph without rooms or movables,
    for options that name unknown classes or rooms, and for goals that are ill-formed or name what is not
    there.
    """
    options = options or ImportOptions()
    wanted = parse_goal(goal)
    scene = _Scene(_with_properties(graph, options.add_properties))
    places = {node.id: scene.place_of(node) for node in scene.movables}
    furniture = scene.furniture({place for place in places.values() if place}, wanted.things_on())
    standing = {piece.name for piece in furniture}
    movables = []
    for node in scene.movables:
        place = places[node.id]
        if place not in standing and node.id not in scene.held:
            scene.warnings.append(f"{name_of(node)} is in no room: left out")
            continue
        movables.append(Movable(name_of(node), word(node.class_name), place))
    if not movables:
        raise InputError("nothing in the scene can be moved: no node in a room has the property GRABBABLE")
    rooms = tuple(name_of(room) for room in scene.rooms)
    held = next((name_of(scene.graph.nodes[i]) for i in scene.held), None)
    apartment = Apartment(rooms, furniture, tuple(movables), scene.start(options.room), held)
    names = SceneNames.of(apartment, [word(node.class_name) for node in graph.nodes.values()])
    comment = f"Imported from a VirtualHome environment graph. Goal: {' '.join(goal.split())}"
    counts = {
        "rooms": len(rooms),
        "containers": sum(piece.relation is Relation.INSIDE for piece in furniture),
        "surfaces": sum(piece.relation is Relation.ON for piece in furniture),
        "movables": len(movables),
    }
    text = render_problem(apartment, options.name, to_pddl(wanted, names), comment)
    return ImportedScene(text, apartment, counts, scene.summary())


def word(text: str) -> str:
    """``text`` as a PDDL name: lower case, letters and digits only."""
    cleaned = re.sub(r"[^a-z0-9]+", "", text.lower())
    return cleaned if cleaned[:1].isalpha() else f"x{cleaned}"


def name_of(node: Node) -> str:
    """A node's name in the problem: class and id, ``salmon_311``."""
    return f"{word(node.class_name)}_{node.id}"


def _with_properties(graph: SceneGraph, extra: Mapping[str, Collection[str]]) -> SceneGraph:
    added = {cls.lower(): frozenset(p.upper() for p in properties) for cls, properties in extra.items()}
    missing = set(added) - {node.class_name for node in graph.nodes.values()}
    if missing:
        raise InputError(
            f"properties were given for classes that the scene lacks: {', '.join(sorted(missing))}"
        )
    nodes = {
        i: replace(node, properties=node.properties | added.get(node.class_name, frozenset()))
        for i, node in graph.nodes.items()
    }
    return SceneGraph(nodes, graph.edges)


class _Scene:
    """A graph with its nodes sorted into rooms, movables and furniture; ``warnings`` gathers what was
    guessed.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self.graph = graph
        self.warnings: list[str] = []
        self._guesses: Counter[str] = Counter()
        nodes = graph.nodes.values()
        self.rooms = [node for node in nodes if node.category == "Rooms"]
        if not self.rooms:
            raise InputError("the scene has no room: no node of category 'Rooms'")
        self.characters = [node for node in nodes if node.category == "Characters"]
        self.held = self._held()
        solid = [node for node in nodes if node.category not in STRUCTURE]
        self.movables = [node for node in solid if "GRABBABLE" in node.properties]
        self.fixed = [
            n for n in solid if "GRABBABLE" not in n.properties and "COVER_OBJECT" not in n.properties
        ]
        self._movable_ids = {node.id for node in self.movables}
        self._fixed_ids = {node.id for node in self.fixed}

    def room_of(self, node: Node) -> Node | None:
        return next((t for t in self.graph.targets(node, "INSIDE") if t.category == "Rooms"), None)

    def start(self, wanted: str | None) -> str:
        """The name of the room that the robot starts in."""
        if wanted is not None:
            found = [r for r in self.rooms if word(wanted) in (word(r.class_name), word(name_of(r)))]
            if not found:
                rooms = ", ".join(name_of(room) for room in self.rooms)
                raise InputError(f"the scene has no room {wanted!r}; it has {rooms}")
            return name_of(found[0])
        for character in self.characters:
            room = self.room_of(character)
            if room is not None:
                return name_of(room)
        self.warnings.append(f"no character in a room: the robot starts in {name_of(self.rooms[0])}")
        return name_of(self.rooms[0])

    def furniture(self, used: set[str], goal_surfaces: set[str]) -> tuple[Furniture, ...]:
        """All places: what is furniture by its properties, what is ``used``, what the goal needs a top of."""
        pieces = []
        for node in self.fixed:
            room = self.room_of(node)
            if room is None:
                if is_container(node) or is_surface(node):
                    self.warnings.append(f"{name_of(node)} stands in no room: left out")
                continue
            inside, top = inside_name(node), top_name(node)
            if is_container(node) or (is_surface(node) and has_door(node)):
                opened = "OPEN" in node.states
                pieces.append(Furniture(inside, name_of(room), Relation.INSIDE, has_door(node), opened))
            asked = is_container(node) and not goal_surfaces.isdisjoint(
                {word(node.class_name), name_of(node)}
            )
            if is_surface(node) or top in used or asked:
                pieces.append(Furniture(top, name_of(room), Relation.ON))
        for room in self.rooms:
            for flat in ("floor", "wall"):
                name = f"{flat}_{name_of(room)}"
                if name in used:
                    pieces.append(Furniture(name, name_of(room), Relation.ON))
        return tuple(pieces)

    def place_of(self, node: Node, seen: frozenset[int] = frozenset()) -> str | None:
        """The name of the place where a movable lies; ``None`` if it is held or in no room."""
        if node.id in self.held:
            return None
        on = [t for t in self.graph.targets(node, "ON") if t.id in self._fixed_ids]
        within = [t for t in self.graph.targets(node, "INSIDE") if t.id in self._fixed_ids]
        upright = [t for t in on if t.class_name not in FLAT]
        on_surface = {t.id for t in upright if not is_container(t)}
        boxes = [t for t in within if is_container(t) or (has_door(t) and t.id not in on_surface)]
        if boxes:
            return inside_name(self._innermost(boxes))
        if upright:
            if within:
                self._guesses[
                    "things recorded INSIDE furniture without a door and ON other furniture: ON taken"
                ] += 1
            return top_name(self._topmost(upright))
        for other in [*self.graph.targets(node, "ON"), *self.graph.targets(node, "INSIDE")]:
            if other.id in self._movable_ids and other.id not in seen and other.id != node.id:
                return self.place_of(other, seen | {node.id})
        if within:
            return top_name(min(within, key=_size))
        if on:
            return top_name(on[0])
        return self._guess(node)

    def summary(self) -> list[str]:
        """All warnings, the counted ones last."""
        return [*self.warnings, *(f"{number} {what}" for what, number in self._guesses.items())]

    def _innermost(self, boxes: list[Node]) -> Node:
        outer = {t.id for box in boxes for t in self.graph.targets(box, "INSIDE")}
        return min([box for box in boxes if box.id not in outer] or boxes, key=_size)

    def _topmost(self, supports: list[Node]) -> Node:
        under = {t.id for support in supports for t in self.graph.targets(support, "ON")}
        top = [support for support in supports if support.id not in under] or supports
        return min(top, key=lambda node: (not is_surface(node), is_container(node), node.id))

    def _guess(self, node: Node) -> str | None:
        room = self.room_of(node)
        if room is None:
            return None
        near = [f for f in self.fixed if f.class_name not in FLAT and self.room_of(f) == room]
        touched = [f for f in near if is_surface(f) and _touches(node, f)]
        if touched:
            self._guesses["things without a recorded place: put on the surface that their boxes touch"] += 1
            return top_name(min(touched, key=_size))
        on_wall = any(t.class_name == "wall" for t in self.graph.targets(node, "ON"))
        floor = room.box.low[1] if room.box else 0.0
        if on_wall or (node.box is not None and node.box.low[1] > floor + HANGING):
            self._guesses["things without a recorded place: hung on the wall of their room"] += 1
            return f"wall_{name_of(room)}"
        if not any(t.class_name == "floor" for t in self.graph.targets(node, "ON")):
            self._guesses["things without a recorded place: put on the floor of their room"] += 1
        return f"floor_{name_of(room)}"

    def _held(self) -> list[int]:
        """The ids of what the character holds: at most one, as the household's robot has one hand."""
        held = [
            t.id
            for c in self.characters
            for hand in ("HOLDS_RH", "HOLDS_LH")
            for t in self.graph.targets(c, hand)
        ]
        if len(held) > 1:
            self.warnings.append(
                "the character holds several things, the robot has one hand: the first is kept"
            )
        return held[:1]


def has_door(node: Node) -> bool:
    """Whether the node can be opened: by property, by a recorded OPEN or CLOSED state, or because it is a
    drawer.
    """
    return (
        "CAN_OPEN" in node.properties or bool(node.states & {"OPEN", "CLOSED"}) or "drawer" in node.class_name
    )


def is_container(node: Node) -> bool:
    """Whether the node's main use is to hold things inside."""
    return "CONTAINERS" in node.properties or (has_door(node) and not is_surface(node))


def is_surface(node: Node) -> bool:
    """Whether the node's main use is to have things on it."""
    if "CONTAINERS" in node.properties:
        return False
    return bool(node.properties & {"SURFACES", "SITTABLE", "LIEABLE"}) or node.class_name in SHELVES


def inside_name(node: Node) -> str:
    """The name of the node as a container."""
    return name_of(node) if is_container(node) else f"{word(node.class_name)}_inside_{node.id}"


def top_name(node: Node) -> str:
    """The name of the node as a surface."""
    return f"{word(node.class_name)}_top_{node.id}" if is_container(node) else name_of(node)


def _size(node: Node) -> tuple[float, int]:
    return (node.box.volume if node.box else float("inf"), node.id)


def _touches(thing: Node, support: Node) -> bool:
    """Whether the thing's box, shrunk to its vertical axis, comes within ``TOUCH`` of the support's box."""
    if thing.box is None or support.box is None:
        return False
    x, z = ((thing.box.low[axis] + thing.box.high[axis]) / 2 for axis in (0, 2))
    low, high = (x, thing.box.low[1], z), (x, thing.box.high[1], z)
    return all(
        low[axis] <= support.box.high[axis] + TOUCH and high[axis] >= support.box.low[axis] - TOUCH
        for axis in range(3)
    )
