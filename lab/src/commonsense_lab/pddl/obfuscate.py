"""Renames everything in a task to meaningless names, so that only its structure is left.

Each of the user's names becomes a random one, the same in all files: a letter for its kind (``t`` type, ``p``
predicate, ``a`` action, ``o`` object, ``f`` function, ``?v`` variable) and some consonants, so that it is no word.
Things that shared a name get different ones. Comments go, PDDL's keywords stay.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.pddl.check import CheckedTask
from commonsense_planning.pddl.conditions import TOTAL_COST
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.trajectories import AT_END
from commonsense_planning.support.reading import json_value, read_text, reading

LETTERS = "bcdfghjklmnpqrstvwxz"
PREFIXES = {
    "domain": "d",
    "problem": "q",
    "sensors": "s",
    "type": "t",
    "predicate": "p",
    "function": "f",
    "action": "a",
    "object": "o",
    "variable": "?v",
}
"""Kind of name → the first letter of its new names."""


@dataclass
class Obfuscation:
    """Kind → the user's name in lower case → the new name, and back to the user's spelling."""

    new: dict[str, dict[str, str]] = field(default_factory=lambda: {kind: {} for kind in PREFIXES})
    original_names: dict[str, dict[str, str]] = field(default_factory=lambda: {kind: {} for kind in PREFIXES})

    def of(self, kind: str, symbol: Symbol) -> Symbol:
        """Returns the new name; a word that is no name of this kind is unchanged."""
        return Symbol(self.new[kind].get(symbol.key, symbol.text))

    def plan_back(self, plan: Plan, path: Path) -> Plan:
        """Translates a plan from the file ``path`` to the user's names. Raises InputError for an unknown name."""

        def back(kind: str, name: str) -> str:
            if name.lower() not in self.original_names[kind]:
                raise InputError(f"{path}: the map knows no {kind} '{name}'")
            return self.original_names[kind][name.lower()]

        return replace(
            plan,
            steps=tuple(Step(back("action", s.action), tuple(back("object", a) for a in s.arguments)) for s in plan),
        )


def rename(tasks: Sequence[CheckedTask], sensors: Group | None, rng: np.random.Generator) -> Obfuscation:
    """Draws new names for everything in the tasks, which are of one domain, and in the sensors file."""
    found = Obfuscation()
    names: dict[str, dict[str, str]] = {kind: {} for kind in PREFIXES}
    for kind, symbol in itertools.chain(*map(_declared, tasks), _sensors_name(sensors)):
        names[kind].setdefault(symbol.key, symbol.text)
    roots = [tasks[0].domain.source.root, *(task.source.root for task in tasks), *([sensors] if sensors else [])]
    for root in roots:
        names["variable"].update((symbol.key, symbol.text) for symbol in _variables(root))
    for kind, spelt in names.items():
        width = max(3, len(np.base_repr(len(spelt), len(LETTERS))))
        for (key, text), number in zip(
            spelt.items(), rng.choice(len(LETTERS) ** width, len(spelt), replace=False), strict=True
        ):
            letters = (LETTERS[int(number) // len(LETTERS) ** i % len(LETTERS)] for i in range(width))
            name = PREFIXES[kind] + "".join(letters)
            found.new[kind][key] = name
            found.original_names[kind][name] = text
    return found


def _declared(task: CheckedTask) -> Iterator[tuple[str, Symbol]]:
    words = task.vocabulary
    yield "domain", task.domain.symbol
    yield "problem", task.symbol
    yield from (("type", symbol) for key, symbol in words.types.items() if key != "object")
    yield from (("predicate", signature.symbol) for signature in words.predicates.values())
    yield from (("function", item.symbol) for key, item in words.functions.items() if key != TOTAL_COST)
    yield from (("action", action.symbol) for action in task.actions)
    yield from (("object", item.symbol) for item in words.objects.values())


def _sensors_name(root: Group | None) -> Iterator[tuple[str, Symbol]]:
    if root is not None and isinstance(header := root.items[1], Group) and isinstance(header.items[1], Symbol):
        yield "sensors", header.items[1]


def _variables(node: Node) -> Iterator[Symbol]:
    if isinstance(node, Group):
        for item in node.items:
            yield from _variables(item)
    elif node.text.startswith("?"):
        yield node


def renamed(root: Group, names: Obfuscation, rng: np.random.Generator | None = None) -> Group:
    """Returns a checked file ``(define …)`` with the new names; ``rng`` shuffles objects and initial facts."""
    define, header, *sections = root.items
    assert isinstance(header, Group)
    kind, name = header.items
    assert isinstance(kind, Symbol) and isinstance(name, Symbol)
    write = _ObfuscatedWriter(names, rng)
    return Group((define, Group((kind, names.of(kind.key, name))), *map(write.section, sections)))


@dataclass(frozen=True)
class _ObfuscatedWriter:
    """Writes the parts of files with new names."""

    names: Obfuscation
    rng: np.random.Generator | None

    def section(self, node: Node) -> Node:
        assert isinstance(node, Group)
        keyword, *items = node.items
        match node.head:
            case ":requirements" | ":metric" | ":length":
                return node
            case ":domain":
                new: Iterable[Node] = (self._name("domain", item) for item in items)
            case ":types":
                new = self._terms(items, "type")
            case ":objects":
                new = self._terms(self._shuffled(_typed_one_by_one(items)) if self.rng else items, "object")
            case ":constants":
                new = self._terms(items, "object")
            case ":predicates":
                new = (self._declaration(item, "predicate") for item in items)
            case ":functions":
                new = (self._declaration(item, "function") for item in items)
            case ":action":
                new = (self._name("action", items[0]), *self._formulas(items[1:]))
            case ":init":
                new = self._formulas(self._shuffled([(item,) for item in items]))
            case _:
                new = self._formulas(items)
        return Group((keyword, *new))

    def _name(self, kind: str, node: Node) -> Node:
        return self.names.of(kind, node) if isinstance(node, Symbol) else node

    def _declaration(self, node: Node, kind: str) -> Node:
        if isinstance(node, Symbol):
            return node  # "- number" of a function
        return Group((self._name(kind, node.items[0]), *self._terms(node.items[1:], "object")))

    def _terms(self, items: Iterable[Node], kind: str) -> Iterator[Node]:
        """Yields names of one kind and variables, with or without types."""
        is_type = False
        for item in items:
            if isinstance(item, Group):  # (either type …)
                yield Group((item.items[0], *(self._name("type", kind) for kind in item.items[1:])))
            elif item.text.startswith("?"):
                yield self.names.of("variable", item)
            else:
                yield self.names.of("type" if is_type else kind, item)
            is_type = isinstance(item, Symbol) and item.text == "-"

    def _formulas(self, nodes: Iterable[Node], atoms: str = "predicate") -> Iterator[Node]:
        """Yields conditions, effects, patterns, and the words between them; groups are ``atoms`` if they can be."""
        is_type = False
        for node in nodes:
            if isinstance(node, Group):
                yield self._formula(node, atoms)
            else:
                yield from self._terms((node,), "type" if is_type else "object")
            is_type = isinstance(node, Symbol) and node.text == "-"

    def _formula(self, group: Group, atoms: str) -> Group:
        if all(isinstance(item, Symbol) for item in group.items[1:]) and group.head in self.names.new[atoms]:
            return Group((self._name(atoms, group.items[0]), *self._terms(group.items[1:], "object")))
        if not group.head or group.head.startswith("?") or group.head == "either":  # variables with types
            return Group(tuple(self._terms(group.items, "type" if group.head == "either" else "object")))
        if group.head == AT_END.words[0]:  # a constraint, since it is no atom
            words = len(AT_END.words)
            return Group((*group.items[:words], *self._formulas(group.items[words:], atoms)))
        if group.head in ("=", "increase", "decrease", "assign"):
            return Group((group.items[0], *self._formulas(group.items[1:], "function")))
        return Group((group.items[0], *self._formulas(group.items[1:], atoms)))

    def _shuffled(self, parts: Sequence[Sequence[Node]]) -> list[Node]:
        order = self.rng.permutation(len(parts)) if self.rng else range(len(parts))
        return [node for i in order for node in parts[i]]


def _typed_one_by_one(items: Sequence[Node]) -> list[tuple[Node, ...]]:
    """Splits a list of names with types into ``name - type`` each; without any type, into bare names."""
    done: list[tuple[Node, ...]] = []
    waiting: list[Node] = []
    following = iter(items)
    for item in following:
        if item == Symbol("-"):
            kind = next(following)
            done += [(name, item, kind) for name in waiting]
            waiting = []
        else:
            waiting.append(item)
    rest: tuple[Node, ...] = (Symbol("-"), Symbol("object")) if done else ()
    return done + [(name, *rest) for name in waiting]


def map_as_json(names: Obfuscation, files: Mapping[str, str]) -> dict[str, Any]:
    """Returns plain data: ``files``, new → old, and the names of each kind, new → old."""
    old_names = {kind: dict(sorted(old.items())) for kind, old in names.original_names.items()}
    return {"files": dict(files), "names": old_names}


def read_map(path: Path) -> Obfuscation:
    """Reads what ``map_as_json`` returned. Raises InputError for a file that cannot be read or is no such map."""
    text = read_text(path, "a map of names")
    with reading(path, "a map of names"):
        names = json_value(text)["names"]
        spelling = {kind: {str(new): str(old) for new, old in names[kind].items()} for kind in PREFIXES}
    return Obfuscation(original_names=spelling)
