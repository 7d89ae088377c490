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

Every movable has one place; the rules are those of :mod:`.scene_places`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import Apartment, Furniture, Movable, Relation, render_problem
from commonsense_planning.studies.homes.scene_goal import SceneNames, parse_goal, to_pddl
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
    apartment, warnings = scene_apartment(graph, options, wanted.things_on())
    names = SceneNames.of(apartment, [word(node.class_name) for node in graph.nodes.values()])
    comment = f"Imported from a VirtualHome environment graph. Goal: {' '.join(goal.split())}"
    counts = {
        "rooms": len(apartment.rooms),
        "containers": sum(piece.relation is Relation.INSIDE for piece in apartment.furniture),
        "surfaces": sum(piece.relation is Relation.ON for piece in apartment.furniture),
        "movables": len(apartment.movables),
    }
    text = render_problem(apartment, options.name, to_pddl(wanted, names), comment)
    return ImportedScene(text, apartment, counts, warnings)


def scene_apartment(
    graph: SceneGraph, options: ImportOptions, tops: Collection[str] = ()
) -> tuple[Apartment, list[str]]:
    """The apartment of ``graph``, and what was guessed; ``tops``: classes or names of containers that get a surface on
    top, whether or not a thing is there.

    Raises ``InputError`` for a graph without rooms or movables and for options that name unknown classes or rooms.
    """
    scene = Scene(with_properties(graph, options.add_properties), hands=1)
    places = {node.id: _place_name(scene.place_of(node)) for node in scene.movables}
    furniture = _furniture(scene, {place for place in places.values() if place}, set(tops))
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
    apartment = Apartment(rooms, furniture, tuple(movables), name_of(scene.start(options.room)), held)
    return apartment, scene.summary()


def _furniture(scene: Scene, used: set[str], goal_surfaces: set[str]) -> tuple[Furniture, ...]:
    """All places: what is furniture by its properties, what is ``used``, what the goal needs a top of."""
    pieces = []
    for node in scene.fixed:
        room = scene.room_of(node)
        if room is None:
            if is_container(node) or is_surface(node):
                scene.warnings.append(f"{name_of(node)} stands in no room: left out")
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
    for room in scene.rooms:
        for flat in ("floor", "wall"):
            name = f"{flat}_{name_of(room)}"
            if name in used:
                pieces.append(Furniture(name, name_of(room), Relation.ON))
    return tuple(pieces)


def _place_name(spot: Spot | None) -> str | None:
    if spot is None:
        return None
    if spot.flat:
        return f"{spot.flat}_{name_of(spot.node)}"
    return inside_name(spot.node) if spot.relation is Relation.INSIDE else top_name(spot.node)


def inside_name(node: Node) -> str:
    """The name of the node as a container."""
    return name_of(node) if is_container(node) else f"{word(node.class_name)}_inside_{node.id}"


def top_name(node: Node) -> str:
    """The name of the node as a surface."""
    return f"{word(node.class_name)}_top_{node.id}" if is_container(node) else name_of(node)
