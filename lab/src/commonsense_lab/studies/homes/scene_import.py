"""From VirtualHome's environment graph to a problem of the household domain, with a goal in the words of the scene:
``(and (inside salmon fridge) (on apple kitchentable 2))``.

    goal  ::= (and goal …) | (inside THING PLACE [COUNT]) | (on THING PLACE [COUNT])

THING is a class (``salmon``: any instance) or one thing (``salmon_311``); PLACE is a class (any instance) or one piece
of furniture. COUNT, for classes only, asks for that many different things.

What becomes what:

- **Rooms**: nodes of category ``Rooms``. The robot starts in the character's room.
- **Movables**: nodes with ``GRABBABLE``, as recorded or added by class in the options.
- **Containers**: furniture with ``CONTAINERS``, or with a door (``CAN_OPEN``, an OPEN or CLOSED state, or a drawer) and
  no surface. Without a door a container is always open and shows its contents (a sink).
- **Surfaces**: furniture with ``SURFACES``, ``SITTABLE`` or ``LIEABLE``, shelves and racks, and whatever else a movable
  lies on. What has neither door nor ``CONTAINERS`` (bookshelf, sofa) holds things *on* it, even if recorded INSIDE.
- **Both**: a container with a thing or a goal on it gets a companion surface ``fridge_top_289``; a surface with a door
  (kitchen counter, stove) gets a companion container ``stove_inside_295``.
- Left out: walls, ceilings, floors, doors, windows, curtains, lamps, and furniture that nothing lies in or on.

Every movable has one place; the rules are those of :mod:`.scene_places`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from commonsense_lab.studies.homes.household import (
    Apartment,
    Furniture,
    Movable,
    Placing,
    class_goal,
    joined,
    place_goal,
    render_problem,
)
from commonsense_lab.studies.homes.scene_graph import SceneGraph, SceneNode
from commonsense_lab.studies.homes.scene_places import (
    ScenePlace,
    SceneRooms,
    has_door,
    is_container,
    is_surface,
    name_of,
    with_properties,
    word,
)
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.conditions import conjuncts
from commonsense_planning.pddl.nodes import Node, render
from commonsense_planning.pddl.syntax import parse

FORM = "expected (and …), (inside THING PLACE [COUNT]) or (on THING PLACE [COUNT])"
_WISH = re.compile(r"\((inside|on) ([^\s()]+) ([^\s()]+)(?: ([^\s()]+))?\)")


@dataclass(frozen=True)
class GoalWish:
    """``count`` of ``thing`` (class or one thing) shall be ``relation`` ``place`` (class or one piece)."""

    relation: Placing
    thing: str
    place: str
    count: int = 1


@dataclass(frozen=True)
class SceneNames:
    """What a goal may name. Each table maps a class to its members and a single name to itself."""

    things: dict[str, list[str]]
    places: dict[Placing, dict[str, list[str]]]
    classes: frozenset[str]  # of all nodes of the scene, movable or not

    @staticmethod
    def of(apartment: Apartment, classes: Iterable[str]) -> SceneNames:
        things: dict[str, list[str]] = {}
        for movable in apartment.movables:
            things.setdefault(movable.kind, []).append(movable.name)
            things[movable.name] = [movable.name]
        places: dict[Placing, dict[str, list[str]]] = {relation: {} for relation in Placing}
        for piece in apartment.furniture:
            kind, *companion, number = piece.name.split("_")
            table = places[piece.relation]
            table[piece.name] = [piece.name]
            table.setdefault(kind, []).append(piece.name)
            if companion and kind not in ("floor", "wall"):
                table[f"{kind}_{number}"] = [piece.name]  # fridge_289 for fridge_top_289
        return SceneNames(things, places, frozenset(classes))


def parse_goal(text: str) -> tuple[GoalWish, ...]:
    """Reads a goal. Raises ``InputError`` with the offending part for anything but the form above."""
    wishes = tuple(map(_wish, conjuncts(parse(text.lower(), "the goal", define=False).root)))
    if not wishes:
        raise InputError(f"the goal asks for nothing: {FORM}")
    return wishes


def to_pddl(wishes: Iterable[GoalWish], names: SceneNames) -> str:
    """Returns all wishes as PDDL of the household domain. Raises ``InputError`` for names that the scene lacks."""
    return joined("and", [_wish_to_pddl(wish, names) for wish in wishes])


def _wish(node: Node) -> GoalWish:
    written = render(node)
    found = _WISH.fullmatch(written)
    if found is None:
        raise InputError(f"the goal cannot be read at {written}: {FORM}")
    relation, thing, place, count = found.groups(default="1")
    if not count.isascii() or not count.isdigit() or len(count) > 9 or int(count) < 1:
        raise InputError(f"{written}: the count {count!r} must be a whole number from 1, of at most 9 digits")
    return GoalWish(Placing(relation), thing, place, int(count))


def _wish_to_pddl(wish: GoalWish, names: SceneNames) -> str:
    things = _things(wish, names)
    places = _places(wish, names)
    if wish.thing in things:
        if wish.count > 1:
            raise InputError(f"{wish.thing} is one thing: it cannot be {wish.count}; name its class to count")
        return place_goal(wish.relation, wish.thing, places)
    if wish.count > len(things):
        raise InputError(f"the goal asks for {wish.count} of {wish.thing}; the scene has {len(things)}")
    return class_goal(wish.relation, wish.thing, places, wish.count)


def _things(wish: GoalWish, names: SceneNames) -> list[str]:
    if wish.thing in names.things:
        return names.things[wish.thing]
    if wish.thing in names.classes:
        raise InputError(
            f"the scene has {wish.thing}, but it cannot be grabbed; to move it, add the property GRABBABLE to its class"
        )
    raise InputError(f"nothing movable is called {wish.thing!r}{_near(wish.thing, names.things)}")


def _places(wish: GoalWish, names: SceneNames) -> list[str]:
    table = names.places[wish.relation]
    if wish.place in table:
        return table[wish.place]
    other = Placing.ON if wish.relation is Placing.INSIDE else Placing.INSIDE
    if wish.place in names.places[other]:
        raise InputError(f"nothing can be put {wish.relation} {wish.place}; use ({other} {wish.thing} {wish.place})")
    if wish.place in names.classes:
        raise InputError(f"the scene has {wish.place}, but nothing can be put {wish.relation} it")
    known = {**names.places[Placing.INSIDE], **names.places[Placing.ON]}
    raise InputError(f"no furniture is called {wish.place!r}{_near(wish.place, known)}")


def _near(name: str, known: Iterable[str]) -> str:
    """Suggests names for ``name``: classes before single things, near spellings and then longer names."""
    ranked = sorted(known, key=lambda other: (other[-1:].isdigit(), other))
    close = get_close_matches(name, ranked, n=5, cutoff=0.6)
    close += [other for other in ranked if name in other and other not in close]
    close.sort(key=lambda other: other[-1:].isdigit())
    return f"; did you mean {', '.join(close[:5])}?" if close else ""


@dataclass(frozen=True)
class ImportOptions:
    """``room``: class or name of the start room, if not the character's.

    ``add_properties``: class → properties that the recording lacks, such as ``{"cupcake": ["GRABBABLE"]}``."""

    room: str | None = None
    add_properties: Mapping[str, Collection[str]] = field(default_factory=dict)


NO_OPTIONS = ImportOptions()


@dataclass(frozen=True)
class ImportedScene:
    """A problem file's text, how many things of each sort it has, and what was guessed."""

    text: str
    counts: Mapping[str, int]
    warnings: list[str]


def import_scene(
    graph: SceneGraph, goal: str, options: ImportOptions = NO_OPTIONS, name: str = "scene"
) -> ImportedScene:
    """Turns ``graph`` into a household problem of that name with ``goal``, e.g. ``(inside salmon fridge)``. Raises
    ``InputError`` for a graph without rooms or movables, for options that name unknown classes or rooms, and for goals
    that are ill-formed or name what is not there."""
    wanted = parse_goal(goal)
    tops = {wish.place for wish in wanted if wish.relation is Placing.ON}
    apartment, warnings = scene_apartment(graph, options, tops)
    names = SceneNames.of(apartment, [word(node.class_name) for node in graph.nodes.values()])
    comment = f"Imported from a VirtualHome environment graph. Goal: {' '.join(goal.split())}"
    counts = {
        "rooms": len(apartment.rooms),
        "containers": sum(piece.relation is Placing.INSIDE for piece in apartment.furniture),
        "surfaces": sum(piece.relation is Placing.ON for piece in apartment.furniture),
        "movables": len(apartment.movables),
    }
    return ImportedScene(render_problem(apartment, name, to_pddl(wanted, names), comment), counts, warnings)


def scene_apartment(
    graph: SceneGraph, options: ImportOptions = NO_OPTIONS, tops: Collection[str] = ()
) -> tuple[Apartment, list[str]]:
    """Returns the apartment of ``graph``, and what was guessed; ``tops``: classes or names of containers that get a
    surface on top, whether or not a thing is there. Raises ``InputError`` for a graph without rooms or movables and for
    options that name unknown classes or rooms."""
    scene = SceneRooms(with_properties(graph, options.add_properties), hands=1)
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
        told = "nothing in the scene can be moved: no node in a room has the property GRABBABLE"
        raise InputError(f"{graph.source}: {told}")
    rooms = tuple(name_of(room) for room in scene.rooms)
    held = next((name_of(scene.graph.nodes[i]) for i in scene.held), None)
    apartment = Apartment(rooms, furniture, tuple(movables), name_of(scene.start(options.room)), held)
    return apartment, scene.summary()


def _furniture(scene: SceneRooms, used: set[str], goal_surfaces: set[str]) -> tuple[Furniture, ...]:
    """Returns all places: furniture by its properties, what is ``used``, and tops that the goal needs."""
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
            pieces.append(Furniture(inside, name_of(room), Placing.INSIDE, has_door(node), opened))
        asked = is_container(node) and not goal_surfaces.isdisjoint({word(node.class_name), name_of(node)})
        if is_surface(node) or top in used or asked:
            pieces.append(Furniture(top, name_of(room), Placing.ON))
    for room in scene.rooms:
        for flat in ("floor", "wall"):
            name = f"{flat}_{name_of(room)}"
            if name in used:
                pieces.append(Furniture(name, name_of(room), Placing.ON))
    return tuple(pieces)


def _place_name(spot: ScenePlace | None) -> str | None:
    if spot is None:
        return None
    if spot.flat:
        return f"{spot.flat}_{name_of(spot.node)}"
    return inside_name(spot.node) if spot.relation is Placing.INSIDE else top_name(spot.node)


def inside_name(node: SceneNode) -> str:
    """Returns the name of the node as a container."""
    return name_of(node) if is_container(node) else f"{word(node.class_name)}_inside_{node.id}"


def top_name(node: SceneNode) -> str:
    """Returns the name of the node as a surface."""
    return f"{word(node.class_name)}_top_{node.id}" if is_container(node) else name_of(node)
