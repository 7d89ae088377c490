"""VirtualHome's environment graph as its simulator writes it: nodes with properties and states, and
relations.

Reading checks shapes only; what a scene means for planning is :mod:`.scene_import`'s business.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import json_value, read_text, reading

SCENES = "TestScene*_graph.json"


@dataclass(frozen=True)
class Box:
    """An axis-aligned bounding box: ``low`` and ``high`` are (x, y, z) in metres, y upwards."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    @property
    def volume(self) -> float:
        x, y, z = (high - low for low, high in zip(self.low, self.high, strict=True))
        return x * y * z


@dataclass(frozen=True)
class SceneNode:
    """One thing of the scene. ``class_name`` is lower case, properties and states are upper case."""

    id: int
    class_name: str
    category: str
    properties: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    box: Box | None = None


@dataclass(frozen=True)
class Edge:
    """``source`` stands in ``relation`` (INSIDE, ON, CLOSE, …) to ``target``; both are ids."""

    source: int
    relation: str
    target: int


@dataclass(frozen=True)
class SceneGraph:
    """All nodes by id, in the file's order, and all edges; every edge's ends are nodes. ``source`` names the graph in
    errors."""

    nodes: Mapping[int, SceneNode]
    edges: tuple[Edge, ...] = field(repr=False)
    source: str = "graph"

    @cached_property
    def _targets(self) -> dict[tuple[int, str], list[SceneNode]]:
        targets: dict[tuple[int, str], list[SceneNode]] = defaultdict(list)
        for edge in self.edges:
            targets[edge.source, edge.relation].append(self.nodes[edge.target])
        return targets

    def targets(self, node: SceneNode, relation: str) -> list[SceneNode]:
        """What ``node`` stands in ``relation`` to, in the file's order."""
        return self._targets.get((node.id, relation), [])


def scene_files(folder: Path | None) -> dict[str, Path]:
    """Name, such as "TestScene1" → file of the environment graphs in a folder; none if there is no folder."""
    found = sorted(folder.glob(SCENES)) if folder is not None else []
    return {path.stem.removesuffix("_graph"): path.resolve() for path in found}


def load_graph(path: Path) -> SceneGraph:
    """Read a graph file. Raises ``InputError`` saying what is wrong where: unreadable file, broken JSON,
    bad shape.
    """
    text = read_text(path, "JSON")
    with reading(path, "JSON"):
        data = json_value(text)
    return parse_graph(data, str(path))


def parse_graph(data: object, source: str = "graph") -> SceneGraph:
    """Check decoded JSON and make a graph of it; ``source`` names it in errors. Raises ``InputError``."""
    top = _object(data, source)
    nodes: dict[int, SceneNode] = {}
    for i, raw in enumerate(_list(top, "nodes", source)):
        node = _node(raw, f"{source}: nodes[{i}]")
        if node.id in nodes:
            raise InputError(f"{source}: nodes[{i}]: id {node.id} is used twice")
        nodes[node.id] = node
    edges = []
    for i, raw in enumerate(_list(top, "edges", source)):
        edge = _edge(raw, f"{source}: edges[{i}]")
        for key, end in (("from_id", edge.source), ("to_id", edge.target)):
            if end not in nodes:
                raise InputError(f"{source}: edges[{i}]: {key} {end} is no node's id")
        edges.append(edge)
    return SceneGraph(nodes, tuple(edges), source)


def _node(raw: object, where: str) -> SceneNode:
    entry = _object(raw, where)
    number, name = _integer(entry, "id", where), _text(entry, "class_name", where)
    where = f"{where} ({name} {number})"
    return SceneNode(
        number,
        name.lower(),
        _text(entry, "category", where),
        _words(entry, "properties", where),
        _words(entry, "states", where),
        _box(entry, where),
    )


def _edge(raw: object, where: str) -> Edge:
    entry = _object(raw, where)
    relation = _text(entry, "relation_type", where).upper()
    return Edge(_integer(entry, "from_id", where), relation, _integer(entry, "to_id", where))


def _box(entry: dict[str, Any], where: str) -> Box | None:
    if entry.get("bounding_box") is None:
        return None
    box = _object(entry["bounding_box"], f"{where}: bounding_box")
    centre, size = (_triple(box, key, f"{where}: bounding_box") for key in ("center", "size"))
    low, high = (
        (centre[0] + sign * size[0], centre[1] + sign * size[1], centre[2] + sign * size[2])
        for sign in (-0.5, 0.5)
    )
    return Box(low, high)


def _triple(entry: dict[str, Any], key: str, where: str) -> tuple[float, float, float]:
    numbers = _list(entry, key, where)
    if len(numbers) != 3 or not all(isinstance(n, int | float) for n in numbers):
        raise InputError(f"{where}: {key!r} must be three numbers")
    return (float(numbers[0]), float(numbers[1]), float(numbers[2]))


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected a JSON object, found {_kind(value)}")
    return value


def _get(entry: dict[str, Any], key: str, where: str) -> Any:
    if key not in entry:
        raise InputError(f"{where}: the key {key!r} is missing")
    return entry[key]


def _list(entry: dict[str, Any], key: str, where: str) -> list[Any]:
    value = _get(entry, key, where)
    if not isinstance(value, list):
        raise InputError(f"{where}: {key!r} must be a list, found {_kind(value)}")
    return value


def _integer(entry: dict[str, Any], key: str, where: str) -> int:
    value = _get(entry, key, where)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{where}: {key!r} must be a whole number, found {_kind(value)}")
    return value


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = _get(entry, key, where)
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: {key!r} must be a word, found {_kind(value)}")
    return value


def _words(entry: dict[str, Any], key: str, where: str) -> frozenset[str]:
    """A list of words, in upper case; a missing key is an empty list."""
    if key not in entry:
        return frozenset()
    words = _list(entry, key, where)
    if not all(isinstance(word, str) for word in words):
        raise InputError(f"{where}: {key!r} must be a list of words")
    return frozenset(word.upper() for word in words)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
