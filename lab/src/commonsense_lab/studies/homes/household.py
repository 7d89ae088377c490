"""Apartments of the household domain: rooms, furniture, things, and the PDDL problem that says the same.

An apartment is plain data; :func:`render_problem` writes it as a problem file, whose lines have at most ``LINE_WIDTH``
characters and are broken between atoms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from textwrap import wrap

LINE_WIDTH = 110


class Placing(StrEnum):
    """The relation of a thing to its place; the values are the predicates of the household domain."""

    INSIDE = "inside"
    ON = "on"


@dataclass(frozen=True)
class Furniture:
    """A place: ``INSIDE`` makes it a container, ``ON`` a surface.

    A container that is not ``openable`` has no lid: it shows its contents, whatever ``opened`` says."""

    name: str
    room: str
    relation: Placing
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
    """A home and where everything in it is; ``held`` is the movable in the robot's hand, whose place is ``None``."""

    rooms: tuple[str, ...]
    furniture: tuple[Furniture, ...]
    movables: tuple[Movable, ...]
    robot_room: str
    held: str | None = None

    def kinds(self) -> list[str]:
        """Returns the classes of the movables, in order of first appearance."""
        return list(dict.fromkeys(m.kind for m in self.movables))


def class_goal(relation: Placing, kind: str, places: Sequence[str], count: int = 1) -> str:
    """Returns PDDL for "``count`` things of class ``kind`` are ``relation`` (any of) ``places``"."""
    variables = [f"?m{i}" for i in range(1, count + 1)]
    parts = [f"(instance-of {v} {kind})" for v in variables]
    parts += [f"(not (= {v} {w}))" for i, v in enumerate(variables) for w in variables[i + 1 :]]
    parts += [place_goal(relation, v, places) for v in variables]
    return f"(exists ({' '.join(variables)} - movable) (and {' '.join(parts)}))"


def place_goal(relation: Placing, movable: str, places: Sequence[str]) -> str:
    """Returns PDDL for "``movable`` is ``relation`` (any of) ``places``"."""
    return joined("or", [f"({relation} {movable} {place})" for place in places])


def joined(connective: str, parts: Sequence[str]) -> str:
    """Joins formulas by ``and`` or ``or``; a single one stays unchanged."""
    return parts[0] if len(parts) == 1 else f"({connective} {' '.join(parts)})"


def render_problem(apartment: Apartment, name: str, goal: str, comment: str = "") -> str:
    """Returns the problem file: ``comment`` as header, its objects and init, the ``goal`` (PDDL) unchanged."""
    containers = [f.name for f in apartment.furniture if f.relation is Placing.INSIDE]
    surfaces = [f.name for f in apartment.furniture if f.relation is Placing.ON]
    movables = [m.name for m in apartment.movables]
    objects = {"room": apartment.rooms, "container": containers, "surface": surfaces, "movable": movables}
    objects["class"] = apartment.kinds()
    return problem_text(comment_lines(comment), name, "household", objects, initial_atoms(apartment), goal)


def initial_atoms(apartment: Apartment) -> list[list[str]]:
    """Returns the atoms that are true at first, such as ``(hand-empty)``, in groups, one for each paragraph."""
    relation = {f.name: f.relation for f in apartment.furniture}
    lidless = [f for f in apartment.furniture if f.relation is Placing.INSIDE and not f.openable]
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


def comment_lines(comment: str) -> list[str]:
    """Returns ``comment`` as PDDL comment lines."""
    return [f"; {line}" for line in wrap(comment, LINE_WIDTH - 2)]


def problem_text(
    head: Sequence[str],
    name: str,
    domain: str,
    objects: Mapping[str, Collection[str]],
    init: Iterable[Sequence[str]],
    goal: str,
    constraints: str = "",
) -> str:
    """Returns the text of a problem file: the lines of its ``head``, type → ``objects``, the groups of atoms of
    ``init``, a paragraph each, and two formulas, of which the second may be empty."""
    lines = [*head, f"(define (problem {name})", f"  (:domain {domain})"]
    if constraints:
        lines.append("  (:requirements :constraints)")
    sections = {
        ":objects": [[*names, f"- {kind}"] for kind, names in objects.items() if names],
        ":init": init,
        ":goal": [_parts(goal)],
        ":constraints": [_parts(constraints)] if constraints else [],
    }
    for section, paragraphs in sections.items():
        if paragraphs:
            lines += [f"  ({section}", *(line for words in paragraphs for line in fill(words))]
            lines[-1] += ")"
    return "\n".join(lines) + ")\n"


def _parts(formula: str) -> list[str]:
    """Splits a formula between its parts."""
    return re.split(r"(?<=\)) (?=\()", " ".join(formula.split()))


def fill(words: Iterable[str]) -> list[str]:
    """Makes indented lines of at most ``LINE_WIDTH`` characters; a word is never broken."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= LINE_WIDTH:
            lines[-1] += " " + word
        else:
            lines.append("    " + word)
    return lines
