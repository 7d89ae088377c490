"""Nodes of PDDL text, each with its line and column, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TypeAlias

WIDTH = 100  # columns of a written file


@dataclass(frozen=True, slots=True)
class Symbol:
    """A word: a name, a ``?variable``, a ``:keyword``, a number, ``-`` or ``=``. Line and column count from 1.

    Two symbols are equal if their texts are, whatever their places.
    """

    text: str
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The word in lower case, as PDDL compares words."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Group:
    """A bracketed list of nodes; line and column of the ``(`` and of the ``)``."""

    items: tuple[Node, ...]
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    end_line: int = field(default=0, compare=False)
    end_column: int = field(default=0, compare=False)

    @property
    def head(self) -> str:
        """The first word in lower case; empty if the group does not begin with a word."""
        return self.items[0].key if self.items and isinstance(self.items[0], Symbol) else ""


Node: TypeAlias = Symbol | Group


def bracketed(*items: str | Node) -> Group:
    """The group of these nodes and words."""
    return Group(tuple(Symbol(item) if isinstance(item, str) else item for item in items))


def words(node: Node) -> Iterator[str]:
    """All words of a node, in lower case."""
    if isinstance(node, Symbol):
        yield node.key
    else:
        for item in node.items:
            yield from words(item)


def by_head(group: Group) -> dict[str, list[Group]]:
    """The groups directly inside a group, by their heads."""
    found: dict[str, list[Group]] = {}
    for item in group.items:
        if isinstance(item, Group):
            found.setdefault(item.head, []).append(item)
    return found


def groups(node: Node) -> Iterator[Group]:
    """All groups of a node, itself included, each before those inside it."""
    if isinstance(node, Group):
        yield node
        for item in node.items:
            yield from groups(item)


def fresh(name: str, taken: set[str]) -> str:
    """A name similar to ``name`` that is not in ``taken``; it is added."""
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    found = next(new for new in names if new not in taken)
    taken.add(found)
    return found


def render(node: Node) -> str:
    """The node as PDDL text, on one line; parsing it gives an equal node."""
    return node.text if isinstance(node, Symbol) else f"({' '.join(map(render, node.items))})"


def layout(node: Node, column: int = 0) -> str:
    """The node as readable PDDL text, starting at ``column``; lines longer than ``WIDTH`` are broken before groups, and
    indented. Parsing it gives an equal node."""
    flat = render(node)
    if isinstance(node, Symbol) or (node.head != "define" and column + len(flat) <= WIDTH):
        return flat
    end = "\n" + " " * (column + 2)
    return f"({end.join(_line(items, column + 2) for items in _lines(node.items))})"


def _lines(items: tuple[Node, ...]) -> Iterator[list[Node]]:
    """The items by lines. A group begins one, unless it follows the first word or a keyword."""
    line: list[Node] = []
    groups = any(isinstance(item, Group) for item in items)
    for item in items:
        keyword = groups and isinstance(item, Symbol) and item.text.startswith(":")
        follows = len(line) == 1 and isinstance(line[0], Symbol)
        if line and (keyword or isinstance(line[-1], Group) or (isinstance(item, Group) and not follows)):
            yield line
            line = []
        line.append(item)
    yield line


def _line(items: Iterable[Node], column: int) -> str:
    """The items in sequence; words that do not fit continue below."""
    text, at = "", column
    for item in items:
        added = layout(item, at + 1 if text else at)
        if text and isinstance(item, Symbol) and at + 1 + len(added) > WIDTH:
            text, at = f"{text}\n{' ' * column}{added}", column + len(added)
        else:
            text = f"{text} {added}" if text else added
            at = column + len(text.rpartition("\n")[2].lstrip())
    return text
