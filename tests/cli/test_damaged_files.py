"""Damaged files in every command that reads them: exit code 2, a message that names the file, no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.tests.studies.rearrangement.rows import row
from tests.cli.running import Run

MANY = "9" * 400
BAD: dict[str, bytes] = {
    "byte": b"\xff\xfe",
    "lists": b"[" * 100_000,
    "lists in TOML": b"a = " + b"[" * 5000 + b"]" * 5000,
    "digits": b"a = " + b"9" * 5000,
    "digits in JSON": b'{"nodes": [{"id": ' + b"9" * 5000 + b"}]}",
    "brackets": b"(define (domain d) " + b"(" * 50_000,
    "surrogate": b'{"nodes": [], "edges": ["\\ud800"]}',
}
SOLVE = "solve {tiny}/domain.pddl {tiny}/problem.pddl "
READERS = {
    "domain": "check {file}",
    "problem": "solve {tiny}/domain.pddl {file}",
    "sensors": SOLVE + "--sensors {file}",
    "lexicon": SOLVE + "--lexicon {file}",
    "plan": "validate {tiny}/domain.pddl {tiny}/problem.pddl {file}",
    "graph": "data import-virtualhome {file} --goal x",
    "airports": "data import-flights {file} {file} --from a --to b",
    "prices": SOLVE + "--model openai:x --base-url http://localhost:9/v1 --max-usd 1 --prices {file}",
    "examples": SOLVE + "--model openai:x --base-url http://localhost:9/v1 --examples {file}",
}


@pytest.mark.parametrize("damage", BAD)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file(
    reader: str, damage: str, tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    file = tiny[0].with_name("damaged")
    file.write_bytes(BAD[damage])
    ended = cplan(*(word.format(tiny=file.parent, file=file) for word in READERS[reader].split()))
    assert ended.code == 2
    assert str(file) in ended.err


def test_what_is_said_of_a_goal_without_end_has_one(cplan: Run, tmp_path: Path) -> None:
    node = {"id": 1, "class_name": "hall", "category": "Rooms"}
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps({"nodes": [node], "edges": []}))
    ended = cplan("data", "import-virtualhome", graph, "--goal", "(inside " + "( " * 50_000)
    assert ended.code == 2
    assert "brackets nested more than 100 deep" in ended.err
    assert len(ended.err) < 5000


@pytest.mark.parametrize(
    ("domain", "init"),
    [
        (f"(increase (total-cost) {MANY})", ""),
        ("(increase (total-cost) (price))", f"(= (price) {MANY})"),
        ("(increase (total-cost) (price))", f"(= (price) -{MANY})"),
    ],
)
def test_a_cost_of_400_digits_is_located(domain: str, init: str, tmp_path: Path, cplan: Run) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    files[0].write_text(
        "(define (domain d) (:predicates (p)) (:functions (total-cost) (price))\n"
        f" (:action a :effect (and (p) {domain})))"
    )
    files[1].write_text(f"(define (problem q) (:domain d) (:init {init}) (:goal (p)) (:metric minimize (total-cost)))")
    ended = cplan("solve", *files, "--method", "gbfs")
    assert ended.code == 2
    assert f"{files[bool(init)]}:{1 if init else 2}:" in ended.err
    assert "is beyond 1e+100; expected a smaller number" in ended.err


def test_a_plan_of_a_cost_of_400_digits(tiny: tuple[Path, Path], cplan: Run) -> None:
    plan = tiny[0].with_name("plan")
    for text in (f"(go a b)\n; cost = {MANY}", f"(go a b)\n{MANY}: (go a b)"):
        plan.write_text(text)
        ended = cplan("validate", *tiny, plan)
        assert ended.code == 2
        assert f"{plan}:2:1: not a plan: 9999" in ended.err


def test_a_coordinate_of_400_digits(tmp_path: Path, cplan: Run) -> None:
    graph = tmp_path / "graph.json"
    box = f'{{"center": [0, 0, {MANY}], "size": [1, 1, 1]}}'
    node = f'{{"id": 1, "class_name": "hall", "category": "Rooms", "bounding_box": {box}}}'
    graph.write_text(f'{{"nodes": [{node}], "edges": []}}')
    ended = cplan("data", "import-virtualhome", graph, "--goal", "x")
    assert ended.code == 2
    assert f"{graph}: not JSON: 99999999999999999999 … is beyond 1e+100" in ended.err


def test_an_airport_with_an_id_of_5000_digits_is_set_aside(tmp_path: Path, cplan: Run) -> None:
    airports, routes = tmp_path / "airports.dat", tmp_path / "routes.dat"
    rest = '"A","B","C","AAA","AAAA",1,1,1,1,"U","x","airport","x"\n'
    airports.write_text(f"{'9' * 5000},{rest}1,{rest}")
    routes.write_text(f"X,1,AAA,{'9' * 5000},AAA,1,,0,320\n")
    ended = cplan("data", "import-flights", airports, routes, "--from", "a", "--to", "b")
    assert ended.code == 2
    assert "no line can be used" in ended.err


GOOD = row("mcts", "seen", "simple", 0, 0)
WRONG: list[Any] = [10**400, "1e400", [], None, "\ud800", 10**90]


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize("field", [*GOOD, "error"])
def test_a_row_with_a_damaged_field_never_ends_in_a_traceback(field: str, tmp_path: Path, cplan: Run) -> None:
    page = tmp_path / "page"
    for value in [*WRONG, "absent"]:
        damaged = {name: old for name, old in GOOD.items() if name != field}
        text = json.dumps(damaged if value == "absent" else {**damaged, field: value})
        (tmp_path / "episodes.jsonl").write_text(text.replace('"1e400"', "1e400") + "\n")
        ended = cplan("report", tmp_path, "-o", page)
        assert ended.code in (0, 2)
        if ended.code:
            assert f"{tmp_path}/episodes.jsonl:1:1: not a row: " in ended.err or "there is no experiment" in ended.err


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"key": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", 2),
        ('{"key": "a", "x": 1e400}', 2),
        ('{"key": "a", "status": "solv', 0),  # torn
        ("", 0),
    ],
)
def test_a_line_that_is_no_row(text: str, code: int, tmp_path: Path, cplan: Run) -> None:
    (tmp_path / "episodes.jsonl").write_text(f"{json.dumps(GOOD)}\n{text}\n")
    ended = cplan("report", tmp_path)
    assert ended.code == code
    assert ("episodes.jsonl:2:1: not a row: " in ended.err) == bool(code)
