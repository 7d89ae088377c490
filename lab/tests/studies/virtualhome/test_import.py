"""``cplan data import-virtualhome``."""

from __future__ import annotations

import json
from pathlib import Path

from lab.tests.studies.homes.test_scene_import import FLAT
from tests.cli.running import Run
from tests.data import REPOSITORY


def write_graph(path: Path) -> None:
    rows = [*FLAT, (46, "toothpaste", "Props", "GRABBABLE POURABLE", "", "INSIDE 1, ON 11")]
    nodes = [{"id": i, "class_name": n, "category": c, "properties": p.split()} for i, n, c, p, _, _ in rows]
    edges = [
        {"from_id": i, "relation_type": relation.split()[0], "to_id": int(relation.split()[1])}
        for i, *_, relations in rows
        for relation in filter(None, relations.split(", "))
    ]
    path.write_text(json.dumps({"nodes": nodes, "edges": edges}))


def test_import_virtualhome(tmp_path: Path, cplan: Run) -> None:
    graph, problem = tmp_path / "graph.json", tmp_path / "problem.pddl"
    write_graph(graph)
    goal = ("data", "import-virtualhome", graph, "--goal", "(inside cupcake fridge)", "--add", "cupcake=GRABBABLE")
    ended = cplan(*goal, "-o", problem, "--name", "cake", "--room", "kitchen")
    assert ended.code == 0
    assert "2 rooms" in ended.out
    assert "(problem cake)" in problem.read_text()
    domain = REPOSITORY / "pddl" / "household" / "domain.pddl"
    assert cplan("check", domain, problem).code == 0
    assert "(define (problem scene)" in cplan(*goal).out
    assert cplan(*goal, "--json").json["counts"]["rooms"] == 2


def test_import_virtualhome_with_all_its_objects(tmp_path: Path, cplan: Run) -> None:
    graph, problem = tmp_path / "graph.json", tmp_path / "problem.pddl"
    write_graph(graph)
    task = ("data", "import-virtualhome", graph, "--domain", "virtualhome", "--task", "put-salmon-in-the-fridge")
    ended = cplan(*task, "-o", problem)
    assert ended.code == 0
    assert "2 rooms, 18 fixtures, 17 movables" in ended.out
    text = problem.read_text()
    assert ";; description: put salmon in the fridge" in text
    assert "(opened fridge_10)" not in text
    domain = REPOSITORY / "pddl" / "virtualhome" / "domain.pddl"
    assert cplan("check", domain, problem).code == 0
    assert "(opened fridge_10)" in cplan(*task, "--adversarial").out
    assert "(opened toothpaste_46)" not in text
    assert "(opened toothpaste_46)" in cplan(*task, "--toothpaste-open").out
