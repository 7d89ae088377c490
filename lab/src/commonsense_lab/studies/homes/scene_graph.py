"""VirtualHome's environment graph as its simulator writes it: nodes with properties and states, and relations.

Reading checks shapes only; what a scene means for planning is :mod:`.scene_import`'s business."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, StrictFloat, StrictInt, StrictStr, StringConstraints, ValidationError

from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import json_value, read_text, reading, wrong_field

SCENES = "TestScene*_graph.json"
Word = Annotated[StrictStr, StringConstraints(min_length=1)]


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

    def as_json(self) -> dict[str, Any]:
        """Returns the node as in a graph file, without its box."""
        words = {"properties": sorted(self.properties), "states": sorted(self.states)}
        return {"id": self.id, "class_name": self.class_name, "category": self.category, **words}


@dataclass(frozen=True)
class Edge:
    """``source`` has the ``relation`` (INSIDE, ON, CLOSE, …) to ``target``; both are ids."""

    source: int
    relation: str
    target: int

    def as_json(self) -> dict[str, Any]:
        """Returns the edge as in a graph file."""
        return {"from_id": self.source, "relation_type": self.relation, "to_id": self.target}


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
        """Returns the nodes to which ``node`` has the ``relation``, in the file's order."""
        return self._targets.get((node.id, relation), [])


def scene_files(folder: Path | None) -> dict[str, Path]:
    """Returns name, such as "TestScene1" → file of the environment graphs in a folder; none without a folder."""
    found = sorted(folder.glob(SCENES)) if folder is not None else []
    return {path.stem.removesuffix("_graph"): path.resolve() for path in found}


def load_graph(path: Path) -> SceneGraph:
    """Reads a graph file. Raises ``InputError`` with the place of an error: unreadable file, broken JSON, bad shape."""
    text = read_text(path, "JSON")
    with reading(path, "JSON"):
        data = json_value(text)
    return parse_graph(data, str(path))


class _Box(BaseModel):
    center: tuple[StrictInt | StrictFloat, StrictInt | StrictFloat, StrictInt | StrictFloat]
    size: tuple[StrictInt | StrictFloat, StrictInt | StrictFloat, StrictInt | StrictFloat]


class _Node(BaseModel):
    id: StrictInt
    class_name: Word
    category: Word
    properties: list[StrictStr] = []
    states: list[StrictStr] = []
    bounding_box: _Box | None = None


class _Edge(BaseModel):
    from_id: StrictInt
    relation_type: Word
    to_id: StrictInt


class _Graph(BaseModel):
    nodes: list[_Node]
    edges: list[_Edge]


def parse_graph(data: object, source: str = "graph") -> SceneGraph:
    """Checks decoded JSON and makes a graph of it; ``source`` names it in errors. Raises ``InputError``."""
    try:
        graph = _Graph.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{source}: {wrong_field(error.errors()[0])}") from error
    nodes: dict[int, SceneNode] = {}
    for i, node in enumerate(graph.nodes):
        if node.id in nodes:
            raise InputError(f"{source}: nodes.{i}: id {node.id} is used twice")
        properties, states = (frozenset(map(str.upper, given)) for given in (node.properties, node.states))
        box = None
        if (bounds := node.bounding_box) is not None:
            x, y, z = ((m - size / 2, m + size / 2) for m, size in zip(bounds.center, bounds.size, strict=True))
            box = Box((x[0], y[0], z[0]), (x[1], y[1], z[1]))
        nodes[node.id] = SceneNode(node.id, node.class_name.lower(), node.category, properties, states, box)
    for i, edge in enumerate(graph.edges):
        for key, end in (("from_id", edge.from_id), ("to_id", edge.to_id)):
            if end not in nodes:
                raise InputError(f"{source}: edges.{i}: {key} {end} is no node's id")
    edges = tuple(Edge(edge.from_id, edge.relation_type.upper(), edge.to_id) for edge in graph.edges)
    return SceneGraph(nodes, edges, source)
