"""Homes of the virtualhome domain: all things with their properties and states, and the problem that says the same.

Properties and states are VirtualHome's own words (``CAN_OPEN``, ``CLOSED``); :func:`render_home` turns them into the
predicates of ``pddl/virtualhome/domain.pddl``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from commonsense_planning.errors import InputError
from commonsense_planning.studies.homes.household import Relation
from commonsense_planning.studies.homes.layout import block, comment_lines, goal_lines, typed
from commonsense_planning.studies.virtualhome.virtualhome_tasks import HouseholdTask, bind

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
    place: tuple[Relation, str] | None = None

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
class Home:
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

    def with_states(self, states: Mapping[str, str]) -> Home:
        """The same home with every item of a class in a state (``{"tv": "ON"}``), its opposite taken away.

        A class that the home lacks is passed over: the adversarial environment is for homes without a bin, too.
        """
        return replace(self, items=tuple(_in_state(item, states.get(item.kind)) for item in self.items))


def render_home(home: Home, name: str, task: HouseholdTask, comment: str) -> str:
    """The problem file of ``task`` in ``home``, with the states that the task asks for.

    ``comment`` is the header; the line ``;; description: …`` below it is what an agent is told. Failure conditions
    are PDDL3 constraints. Raises ``InputError`` if the home lacks a class that the task needs.
    """
    home = home.with_states(task.states)
    members = home.members()
    lines = [*comment_lines(comment), f";; description: {task.description}"]
    lines += [f"(define (problem {name})", "  (:domain virtualhome)"]
    if task.failure:
        lines.append("  (:requirements :constraints)")
    lines += ["  (:objects", *typed(home.rooms, "room")]
    for kind in ("receptacle", "fixture", "movable"):
        lines += typed([item.name for item in home.items if item.type == kind], kind)
    lines[-1] += ")"
    lines += ["  (:init", *block(_init(home))]
    lines[-1] += ")"
    lines += ["  (:goal", *goal_lines(bind(task.goal, members))]
    lines[-1] += ")"
    if task.failure:
        lines += ["  (:constraints", *goal_lines(f"(always (not {bind(task.failure, members)}))")]
        lines[-1] += ")"
    return "\n".join(lines) + ")\n"


def _in_state(item: Item, state: str | None) -> Item:
    if state is None:
        return item
    return replace(item, states=item.states - {OPPOSITES.get(state, "")} | {state})


def _init(home: Home) -> list[list[str]]:
    """The true atoms, in groups that are written as paragraphs."""
    items = home.items
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
        _each("switched-on", (i.name for i in items if "ON" in i.states)),
        _each("filled", (sink for faucet, sink in home.fills if _is_on(items, faucet))),
        _each("plugged-in", (i.name for i in items if "HAS_PLUG" in i.properties and "PLUGGED_OUT" not in i.states)),
        [f"(in-room {i.name} {i.room})" for i in items if i.movable and i.room and i.name not in home.held],
        [f"({i.place[0]} {i.name} {i.place[1]})" for i in items if i.place is not None],
        _each("shut-away", (i.name for i in items if i.place and i.place[0] is Relation.INSIDE and i.place[1] in shut)),
    ]


def _each(predicate: str, names: Iterable[str]) -> list[str]:
    return [f"({predicate} {name})" for name in names]


def _is_on(items: Sequence[Item], name: str) -> bool:
    return any(item.name == name and "ON" in item.states for item in items)
