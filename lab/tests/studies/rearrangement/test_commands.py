"""``cplan bench rearrangement``, ``cplan data tasks`` and ``cplan data expert``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_lab.runner.rows import NAME
from tests.cli.running import Run
from tests.data import REPOSITORY, shared_data
from tests.scripted import HOUSEHOLD

PACK = REPOSITORY / "pddl" / "household"


def bench(*args: str | Path) -> tuple[str | Path, ...]:
    return ("bench", "rearrangement", "--pack", PACK, "--tasks", "10", "--workers", "1", *args)


def test_a_small_run_writes_rows_and_a_report_and_goes_on_where_it_was(cplan: Run, tmp_path: Path) -> None:
    first = cplan(*bench("--methods", "expert", "-o", tmp_path))
    assert first.code == 0
    assert "10 episodes: 0 were there, 10 run" in first.out
    rows = [json.loads(line) for line in (tmp_path / NAME).read_text().splitlines()]
    assert {row["status"] for row in rows} == {"solved"}
    assert {row["command"] for row in rows} == {
        f"cplan bench rearrangement --methods expert --tasks 10 --pack {PACK} -o results"
    }
    second = cplan(*bench("--methods", "expert,replan", "-o", tmp_path, "--json"))
    assert (second.json["total"], second.json["found"], second.json["done"]) == (20, 10, 10)
    assert "Table 1" in (tmp_path / "report.md").read_text()


@pytest.mark.usefixtures("own_methods")
def test_any_method_is_a_row_of_table_1_or_of_the_tables_that_are_named(cplan: Run, tmp_path: Path) -> None:
    ended = cplan(*bench("--methods", "own", "--settings", "simple", "--tasks", "2", "-o", tmp_path))
    assert ended.code == 0, ended.err
    rows = [json.loads(line) for line in (tmp_path / NAME).read_text().splitlines()]
    told = {(row["variant"], row["method"], row["cause"], row["reason"]) for row in rows}
    assert told == {("own", "own", "budget", "it has had enough")}
    page = (tmp_path / "report.md").read_text()
    assert "| own | 0.0 ± 0.0" in page and "## Table 2." not in page
    assert f"cplan bench rearrangement --methods own --tasks 2 --settings simple --pack {PACK} -o results" in page
    args = bench("--methods", "own", "--tables", "2", "--settings", "simple", "--tasks", "2", "--quiet")
    assert cplan(*args, "-o", tmp_path / "2").code == 0
    page = (tmp_path / "2" / "report.md").read_text()
    assert "cplan bench rearrangement --methods own --tables 2 --tasks 2" in page
    assert "## Table 2." in page and "| own | 0.0 ± 0.0" in page and "## Table 1." not in page


@pytest.mark.usefixtures("own_methods")
@pytest.mark.parametrize(("methods", "message"), [
    ("own,picky", "picky cannot solve this task: there is a home in it"),
    ("expert,needy", "needy needs --map, which this experiment has not"),
    ("owm", "there is no variant owm; there are uct"),
    ("owm", "no method is called owm (did you mean own?)"),
])  # fmt: skip
def test_a_method_that_cannot_be_a_row_is_refused_before_anything_runs(
    cplan: Run, tmp_path: Path, methods: str, message: str
) -> None:
    ended = cplan(*bench("--methods", methods, "-o", tmp_path))
    assert (ended.code, message in ended.err) == (2, True), ended.err
    assert not (tmp_path / NAME).exists()


def test_table_1_without_weights_leaves_the_learned_policy_out(cplan: Run, tmp_path: Path) -> None:
    """Nothing is run: the limit on the tasks comes after."""
    ended = cplan(*bench("--tables", "1", "--tasks", "9", "-o", tmp_path))
    assert "the learned policy is left out: it needs --weights" in ended.out
    assert "9 tasks are too few" in ended.err


@pytest.mark.parametrize(("args", "message"), [
    (("--tasks", "3"), "3 tasks are too few"),
    (("--scene", "a.json"), "--scene and --unseen-scene go together"),
    (("--methods", "magic"), "there is no variant magic"),
    (("--methods", "learned"), "the learned policy needs --weights"),
    (("--simulations", "0"), "simulations must be at least 1"),
    (("--ray", "auto", "--workers", "2"), "--workers is for this machine"),
])  # fmt: skip
def test_what_is_wrong_is_said(cplan: Run, tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    ended = cplan("bench", "rearrangement", "--pack", PACK, "-o", tmp_path, *args)
    assert ended.code == 2
    assert message in ended.err


def test_tasks_are_written_and_counted(cplan: Run, tmp_path: Path) -> None:
    ended = cplan("data", "tasks", "-o", tmp_path / "t", "--tasks", 10, "--training", 4, "--json")
    assert ended.code == 0
    assert ended.json["tasks"]["unseen novel-comp-3"] == 1 and ended.json["tasks"]["training comp"] == 2
    assert Path(ended.json["list"]).read_text().count("\n") == 14
    again = cplan("data", "tasks", "-o", tmp_path / "t", "--tasks", 10, "--training", 4)
    assert "seen simple          1" in again.out and f"listed in {tmp_path / 't' / 'tasks.jsonl'}" in again.out


def test_a_task_is_solved(cplan: Run, tmp_path: Path) -> None:
    cplan("data", "tasks", "-o", tmp_path, "--tasks", 2, "--training", 0)
    problem = tmp_path / "seen-comp-0000.pddl"
    ended = cplan("solve", HOUSEHOLD / "domain.pddl", problem, "--method", "gbfs", "--quiet", "--json")
    assert ended.code == 0 and ended.json["status"] == "solved"


@pytest.mark.data
def test_tasks_of_scenes(cplan: Run, tmp_path: Path) -> None:
    folder = shared_data("virtualhome")
    scenes = ["--scene", folder / "TestScene4_graph.json", "--unseen-scene", folder / "TestScene2_graph.json"]
    ended = cplan("data", "tasks", "-o", tmp_path, "--tasks", 10, "--training", 1, *scenes)
    assert ended.code == 0
    assert "located fridge_" in (tmp_path / "unseen-novel-comp-3-0000.pddl").read_text()


def test_trajectories_are_written_and_counted(cplan: Run, tmp_path: Path) -> None:
    out, pool = tmp_path / "D.jsonl", tmp_path / "pool.jsonl"
    sizes = ["--trajectories", 3, "--pool", pool, "--pool-size", 2, "--pack", HOUSEHOLD]
    ended = cplan("data", "expert", "-o", out, *sizes, "--workers", 1, "--json")
    assert ended.code == 0 and ended.json["trajectories"] == 3 and ended.json["file"] == str(out)
    assert f"{out}: 3 trajectories" in ended.err and f"{pool}: 2 of them" in ended.err
    assert (out.read_text().count("\n"), pool.read_text().count("\n")) == (3, 2)


@pytest.mark.parametrize(("arguments", "message"), [
    (["data", "tasks", "-o", "t", "--scene", "g.json"], "--scene and --unseen-scene go together"),
    (["data", "tasks", "-o", "t", "--tasks", "-1"], "-1 is not in the range"),
    (["data", "tasks", "-o", "t", "--scene", "g.json", "--unseen-scene", "g.json"], "g.json"),
    (["data", "expert", "-o", "d", "--trajectories", "2", "--pool", "p"], "a pool of 200 cannot be drawn from 2"),
    (["data", "expert", "-o", "d", "--pack", "nowhere", "--workers", "1"], "no pack is called 'nowhere'"),
    (["data", "expert", "-o", "d", "--scene", "g.json", "--workers", "1"], "g.json"),
])  # fmt: skip
def test_wrong_input(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = cplan(*arguments)
    assert ended.code == 2 and message in ended.err
    assert list(tmp_path.iterdir()) == []
