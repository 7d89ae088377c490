"""Reading environment graphs: what is wrong, and where, is said."""

import json
from pathlib import Path

import pytest

from commonsense_lab.studies.homes.scene_graph import load_graph, parse_graph
from commonsense_planning.errors import InputError

ROOM = {"id": 1, "class_name": "Kitchen", "category": "Rooms"}
APPLE = {"id": 2, "class_name": "apple", "category": "Food", "properties": ["grabbable"], "states": []}
INSIDE = {"from_id": 2, "relation_type": "INSIDE", "to_id": 1}


def test_a_graph_is_read(tmp_path: Path) -> None:
    box = {"center": [0, 1, 2], "size": [2, 2, 2]}
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"nodes": [ROOM, {**APPLE, "bounding_box": box}], "edges": [INSIDE]}))
    graph = load_graph(path)
    apple = graph.nodes[2]
    assert apple.properties == {"GRABBABLE"}
    assert apple.box is not None
    assert apple.box.low == (-1.0, 0.0, 1.0)
    assert apple.box.volume == 8.0
    assert graph.targets(apple, "INSIDE") == [graph.nodes[1]]
    assert graph.targets(apple, "ON") == []
    assert graph.nodes[1].class_name == "kitchen"


@pytest.mark.parametrize(("data", "message"), [
    ([], "graph: should be a valid dictionary"),
    ({}, "graph: nodes: is missing"),
    ({"nodes": {}, "edges": []}, "nodes: should be a valid list"),
    ({"nodes": []}, "edges: is missing"),
    ({"nodes": [3], "edges": []}, r"nodes\.0: should be a valid dictionary"),
    ({"nodes": [{**ROOM, "id": "1"}], "edges": []}, r"nodes\.0\.id: should be a valid integer"),
    ({"nodes": [{**ROOM, "id": True}], "edges": []}, r"nodes\.0\.id: should be a valid integer"),
    ({"nodes": [{"id": 1}], "edges": []}, r"nodes\.0\.class_name: is missing"),
    ({"nodes": [{**ROOM, "category": None}], "edges": []}, r"nodes\.0\.category: should be a valid string"),
    ({"nodes": [{**APPLE, "states": "OPEN"}], "edges": []}, r"nodes\.0\.states: should be a valid list"),
    ({"nodes": [{**APPLE, "states": [1]}], "edges": []}, r"nodes\.0\.states\.0: should be a valid string"),
    ({"nodes": [{**APPLE, "bounding_box": 1}], "edges": []}, r"nodes\.0\.bounding_box: should be a valid dict"),
    ({"nodes": [{**APPLE, "bounding_box": {"center": [0, 0], "size": [1, 1, 1]}}], "edges": []},
     r"nodes\.0\.bounding_box\.center\.2: is missing"),
    ({"nodes": [ROOM, ROOM], "edges": []}, r"nodes\.1: id 1 is used twice"),
    ({"nodes": [ROOM], "edges": [INSIDE]}, r"edges\.0: from_id 2 is no node's id"),
    ({"nodes": [APPLE], "edges": [INSIDE]}, r"edges\.0: to_id 1 is no node's id"),
    ({"nodes": [ROOM], "edges": [{"from_id": 1}]}, r"edges\.0\.relation_type: is missing"),
])  # fmt: skip
def test_wrong_shapes_are_named_with_their_place(data: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_graph(data)


@pytest.mark.parametrize(("content", "message"), [
    (None, "cannot be read"),
    (b"", ": not JSON: "),
    (b'{"nodes": [', ": not JSON: "),
    (b"\xff\xfe\x00", "byte 0xff is not UTF-8"),
    (b"[" * 200_000, ": not JSON: "),
    (b"\xef\xbb\xbf[]", "should be a valid dictionary"),
])  # fmt: skip
def test_broken_files_are_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "graph.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_graph(path)
