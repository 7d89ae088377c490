"""Goals that exclude each other, and orders of a goal's parts as PDDL3 constraints.

``(then F G)`` means that F is achieved first, then G. Parts that still hold at the end are goals: all that no later
part undoes, except for the robot's place. For a part b and a part a before it, the order is::

    (sometime-before b a)        usually: until a was true, b is not
    (sometime (and a (not b)))   if b is true initially, or is the robot's place, where it may be earlier, too

``(before F G)`` is stronger: G is never true until F was, even if it is the robot's place. If b counts or quantifies,
its first instance has to wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from commonsense_planning.grounding.invariants import invariants
from commonsense_planning.grounding.lifted import Lifted
from commonsense_planning.pddl.conditions import conjuncts
from commonsense_planning.pddl.nodes import Group, Node, Symbol, render
from commonsense_planning.pddl.source import Source

ORDERS = ("then", "before")
_ORDER = re.compile(
    r"\b(?:then|before(?!-)|after(?!-)|afterwards?|followed by|finally|in (?:this|that|the following) order)\b"
    r"|(?:^|[.;,:]\s*)first\b",
    re.IGNORECASE,
)
_UNORDERED = re.compile(r"\b(?:if|when|whenever)\b|\b(?:as|like|than) (?:it was |they were )?before\b", re.IGNORECASE)
Needed = tuple[bool, tuple[str, ...]]  # whether it has to be true, and an atom in the user's spelling, in lower case


class Exclusive:
    """Facts of a problem that are never true at once."""

    def __init__(self, lifted: Lifted) -> None:
        names = [lifted.problem.spell(name).lower() for name in lifted.predicates]
        self._counted = [{names[p]: key for p, key in found.items()} for found in invariants(lifted)]
        alone = [set(found) for found in self._counted if set(found.values()) == {None} and len(found) == 1]
        self._standing = {name for found in alone for name in found}

    def clash(self, needed: Iterable[Needed]) -> str:
        """What cannot hold at once among these, as text; empty if nothing is known to exclude anything."""
        listed = list(dict.fromkeys(needed))
        for true, atom in listed:
            if true and (False, atom) in listed:
                return f"({' '.join(atom)}) and (not ({' '.join(atom)})) cannot be so at once"
        for found in self._counted:
            held: dict[tuple[str, ...], tuple[str, ...]] = {}
            for atom in (atom for true, atom in listed if true and atom[0] in found):
                key = found[atom[0]]
                if key is not None and len(atom) <= 1 + key:  # too few arguments: the checker reports it
                    continue
                other = held.setdefault(() if key is None else (atom[1 + key],), atom)
                if other != atom:
                    return f"({' '.join(other)}) and ({' '.join(atom)}) are never so at once"
        return ""

    def is_standing(self, node: Node) -> bool:
        """Whether it is the robot's place: the only true fact of its predicate, and related to no other."""
        return isinstance(node, Group) and node.head in self._standing


def order_said(instruction: str) -> str:
    """The first word of an instruction that expresses an order; empty if none does, or the meaning is unclear."""
    found = None if _UNORDERED.search(instruction) else _ORDER.search(instruction)
    return found[0].strip(" .;,:").lower() if found else ""


def in_order(
    node: Group,
    source: Source,
    exclusive: Exclusive,
    needs: Callable[[Node], Iterable[Needed]],
    known: Callable[[Node], bool],
) -> tuple[list[Node], list[Node]]:
    """The goal and the constraints of ``(then F G …)`` or ``(before F G …)``. ``needs``: ground literals that hold
    wherever a formula does; ``known``: whether it is known to hold initially. Raises PddlError if they cannot be
    expressed."""
    steps = [list(conjuncts(step)) for step in node.items[1:]]
    if len(steps) < 2:
        raise source.error(node, f"'{node.head}' has no order", "two conditions or more")
    goal: list[Node] = []
    constraints: list[Node] = []
    before: list[Node] = []
    for number, parts in enumerate(steps):
        later = [part for step in steps[number + 1 :] for part in step]
        done: list[Node] = []
        for part in parts:
            undone = any(exclusive.clash((*needs(part), *needs(other))) for other in later)
            if not undone and not (later and exclusive.is_standing(part)):
                goal.append(part)
            first, together = begun(part), False
            for earlier in before:
                if first == earlier:
                    raise source.error(part, "the same twice in an order", "parts that differ")
                passing = node.head == "then" and exclusive.is_standing(part) and not exclusive.is_standing(earlier)
                if later and passing:  # both have to hold at once
                    together = True
                    done.append(made(part, "and", *conjuncts(earlier), part))
                elif passing or (not later and first == part and known(part)):
                    constraints.append(made(part, "sometime", made(part, "and", earlier, negated(part))))
                elif known(first):
                    what = f"{render(first)} is so at first; it cannot be said what comes before it"
                    raise source.error(part, what, "what is still to be done")
                else:
                    constraints.append(made(part, "sometime-before", first, earlier))
            if not together:
                done.append(part)
        before = done
    return goal, constraints


def negated(node: Node) -> Node:
    """The negation."""
    return node.items[1] if isinstance(node, Group) and node.head == "not" else made(node, "not", node)


def begun(node: Node) -> Node:
    """That a part has begun to hold: its first instance."""
    if not isinstance(node, Group) or node.head not in ("forall", "exists", "at-least") or len(node.items) < 3:
        return node
    return made(node, "exists", node.items[-2], begun(node.items[-1]))


def made(at: Node, *items: str | Node) -> Group:
    """A group at the place of ``at``."""
    nodes = (item if not isinstance(item, str) else Symbol(item, at.line, at.column) for item in items)
    return Group(tuple(nodes), at.line, at.column, at.line, at.column)


def variables_of(node: Node) -> list[tuple[Symbol, Symbol | None]]:
    """The variables of a quantifier's list with their types, None without one; of a malformed list, what can be
    read."""
    found: list[tuple[Symbol, Symbol | None]] = []
    waiting: list[Symbol] = []
    items = list(node.items) if isinstance(node, Group) else []
    while items:
        item = items.pop(0)
        if isinstance(item, Symbol) and item.text == "-" and items:
            kind = items.pop(0)
            found += [(variable, kind if isinstance(kind, Symbol) else None) for variable in waiting]
            waiting = []
        elif isinstance(item, Symbol):
            waiting.append(item)
    return found + [(variable, None) for variable in waiting]
