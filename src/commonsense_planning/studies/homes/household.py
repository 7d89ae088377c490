"""Apartments of the household domain: rooms, furniture, things, and the PDDL problem that says the same.

An apartment is plain data; :func:`render_problem` writes it as a problem file, :func:`random_apartment`
makes one of any size. Where things lie in a random apartment comes from :mod:`.furnishing`, a short list of
its own, so that a model that guesses places is never judged by its own table.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.furnishing import CONTAINERS, PLACEMENTS, ROOMS, SURFACES
from commonsense_planning.studies.homes.layout import block, comment_lines, goal_lines, typed


class Relation(StrEnum):
    """How a thing stands to its place; the values are the predicates of the household domain."""

    INSIDE = "inside"
    ON = "on"


@dataclass(frozen=True)
class Furniture:
    """A place: ``INSIDE`` makes it a container, ``ON`` a surface.

    A container that is not ``openable`` has no lid: it shows its contents, whatever ``opened`` says.
    """

    name: str
    room: str
    relation: Relation
    openable: bool = False
    opened: bool = False


@dataclass(frozen=True)
class Movable:
    """A thing of class ``kind`` at the furniture called ``place``, or nowhere at all if that is ``None``."""

    name: str
    kind: str
    place: str | None


@dataclass(frozen=True)
class Apartment:
    """A home and where everything in it is; ``held`` is the movable in the robot's hand, whose place is
    ``None``.

    Raises ``InputError`` if names clash or point nowhere.
    """

    rooms: tuple[str, ...]
    furniture: tuple[Furniture, ...]
    movables: tuple[Movable, ...]
    robot_room: str
    held: str | None = None

    def __post_init__(self) -> None:
        names = [*self.rooms, *self.kinds()]
        names += [f.name for f in self.furniture]
        names += [m.name for m in self.movables]
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise InputError(f"an apartment uses each name once; used twice: {', '.join(sorted(twice))}")
        for room in [self.robot_room, *(f.room for f in self.furniture)]:
            if room not in self.rooms:
                raise InputError(f"the apartment has no room {room!r}; it has {', '.join(self.rooms)}")
        places = {f.name for f in self.furniture}
        for movable in self.movables:
            if movable.place is not None and movable.place not in places:
                raise InputError(f"{movable.name} is at {movable.place!r}, which is no furniture here")
        if self.held is not None and all((m.name, m.place) != (self.held, None) for m in self.movables):
            raise InputError(f"the robot holds {self.held!r}, which is no movable, or lies somewhere else")

    def kinds(self) -> list[str]:
        """The classes of the movables, in order of first appearance."""
        return list(dict.fromkeys(m.kind for m in self.movables))

    def moved(self, name: str, place: str | None) -> Apartment:
        """The same apartment with the movable ``name`` at ``place``."""
        return replace(
            self, movables=tuple(replace(m, place=place) if m.name == name else m for m in self.movables)
        )


def class_goal(relation: Relation, kind: str, places: Sequence[str], count: int = 1) -> str:
    """PDDL for "``count`` things of class ``kind`` are ``relation`` (any of) ``places``"."""
    variables = [f"?m{i}" for i in range(1, count + 1)]
    parts = [f"(instance-of {v} {kind})" for v in variables]
    parts += [f"(not (= {v} {w}))" for i, v in enumerate(variables) for w in variables[i + 1 :]]
    parts += [place_goal(relation, v, places) for v in variables]
    return f"(exists ({' '.join(variables)} - movable) (and {' '.join(parts)}))"


def place_goal(relation: Relation, movable: str, places: Sequence[str]) -> str:
    """PDDL for "``movable`` is ``relation`` (any of) ``places``"."""
    atoms = [f"({relation} {movable} {place})" for place in places]
    return atoms[0] if len(atoms) == 1 else f"(or {' '.join(atoms)})"


def render_problem(apartment: Apartment, name: str, goal: str, comment: str = "") -> str:
    """The problem file: ``comment`` as header, its objects and init, ``goal`` (PDDL) as it is."""
    containers = [f.name for f in apartment.furniture if f.relation is Relation.INSIDE]
    surfaces = [f.name for f in apartment.furniture if f.relation is Relation.ON]
    lines = comment_lines(comment)
    lines += [f"(define (problem {name})", "  (:domain household)", "  (:objects"]
    lines += typed(apartment.rooms, "room") + typed(containers, "container") + typed(surfaces, "surface")
    lines += typed([m.name for m in apartment.movables], "movable") + typed(apartment.kinds(), "class")
    lines[-1] += ")"
    lines.append("  (:init")
    lines += block(initial_atoms(apartment))
    lines[-1] += ")"
    lines.append("  (:goal")
    lines += goal_lines(goal)
    lines[-1] += "))"
    return "\n".join(lines) + "\n"


def random_apartment(
    rng: random.Random, *, movables: int, containers: int, surfaces: int, rooms: Sequence[str] = ROOMS
) -> Apartment:
    """An apartment of the given size, with things at sensible places drawn with ``rng``.

    Every class of furniture and of things comes once before any comes twice; names count from 1
    (``apple_1``). ``rooms`` is a part of :data:`.furnishing.ROOMS`. Raises ``InputError`` if a size is
    negative, there are things but no furniture, or no furniture stands in the rooms.
    """
    if min(movables, containers, surfaces) < 0 or (movables and not containers + surfaces):
        size = f"{movables} movables, {containers} containers, {surfaces} surfaces"
        raise InputError(f"no apartment has {size}")
    furniture = _furnish(rng, CONTAINERS, containers, Relation.INSIDE, rooms)
    furniture += _furnish(rng, SURFACES, surfaces, Relation.ON, rooms)
    by_class: dict[str, list[str]] = {}
    for piece in furniture:
        by_class.setdefault(piece.name.rpartition("_")[0], []).append(piece.name)
    things = []
    for kind, name in _numbered(rng, list(PLACEMENTS), movables):
        there = [place for place in PLACEMENTS[kind] if place in by_class] or list(by_class)
        things.append(Movable(name, kind, rng.choice(by_class[rng.choice(there)])))
    return Apartment(tuple(rooms), tuple(furniture), tuple(things), rng.choice(list(rooms)))


def _furnish(
    rng: random.Random,
    catalogue: dict[str, tuple[str, ...]],
    number: int,
    relation: Relation,
    rooms: Sequence[str],
) -> list[Furniture]:
    fitting = {kind: [r for r in where if r in rooms] for kind, where in catalogue.items()}
    kinds = [kind for kind, where in fitting.items() if where]
    if number and not kinds:
        raise InputError(f"no furniture is known for the rooms {', '.join(rooms)}; known: {', '.join(ROOMS)}")
    openable = relation is Relation.INSIDE
    return [
        Furniture(name, rng.choice(fitting[kind]), relation, openable)
        for kind, name in _numbered(rng, kinds, number)
    ]


def _numbered(rng: random.Random, kinds: Sequence[str], number: int) -> list[tuple[str, str]]:
    """``number`` pairs (class, name): every class once, in the order given, then classes at random."""
    chosen = list(kinds[:number])
    chosen += [rng.choice(kinds) for _ in range(number - len(chosen))]
    seen: Counter[str] = Counter()
    named = []
    for kind in chosen:
        seen[kind] += 1
        named.append((kind, f"{kind}_{seen[kind]}"))
    return named


def initial_atoms(apartment: Apartment) -> list[list[str]]:
    """The atoms that are true at first, such as ``(hand-empty)``, in groups that are written as paragraphs."""
    relation = {f.name: f.relation for f in apartment.furniture}
    lidless = [f for f in apartment.furniture if f.relation is Relation.INSIDE and not f.openable]
    opened = [f for f in apartment.furniture if f.openable and f.opened] + lidless
    hand = f"(holding {apartment.held})" if apartment.held else "(hand-empty)"
    return [
        [f"(in-room {apartment.robot_room})", hand],
        [f"(located {f.name} {f.room})" for f in apartment.furniture],
        [f"(openable {f.name})" for f in apartment.furniture if f.openable],
        [f"(opened {f.name})" for f in opened],
        [f"(instance-of {m.name} {m.kind})" for m in apartment.movables],
        [f"({relation[m.place]} {m.name} {m.place})" for m in apartment.movables if m.place is not None],
    ]
