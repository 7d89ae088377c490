"""``cplan tasks rearrangement`` and ``cplan data expert``: what they print and write, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.data import shared_data
from tests.scripted import HOUSEHOLD


def test_tasks_are_written_and_counted(cplan: Run, tmp_path: Path) -> None:
    ended = cplan("tasks", "rearrangement", "-o", tmp_path / "t", "--tasks", 10, "--training", 4, "--json")
    assert ended.code == 0
    assert ended.json["tasks"]["unseen novel-comp-3"] == 1 and ended.json["tasks"]["training comp"] == 2
    assert Path(ended.json["list"]).read_text().count("\n") == 14
    again = cplan("tasks", "rearrangement", "-o", tmp_path / "t", "--tasks", 10, "--training", 4)
    assert "seen simple          1" in again.out and f"listed in {tmp_path / 't' / 'tasks.jsonl'}" in again.out


def test_a_task_is_solved(cplan: Run, tmp_path: Path) -> None:
    cplan("tasks", "rearrangement", "-o", tmp_path, "--tasks", 2, "--training", 0)
    problem = tmp_path / "seen-comp-0000.pddl"
    ended = cplan("solve", HOUSEHOLD / "domain.pddl", problem, "--method", "gbfs", "--quiet", "--json")
    assert ended.code == 0 and ended.json["status"] == "solved"


def test_tasks_of_scenes(cplan: Run, tmp_path: Path) -> None:
    folder = shared_data() / "virtualhome"
    scenes = ["--scene", folder / "TestScene4_graph.json", "--unseen-scene", folder / "TestScene2_graph.json"]
    ended = cplan("tasks", "rearrangement", "-o", tmp_path, "--tasks", 10, "--training", 1, *scenes)
    assert ended.code == 0
    assert "located fridge_" in (tmp_path / "unseen-novel-comp-3-0000.pddl").read_text()


def test_trajectories_are_written_and_counted(cplan: Run, tmp_path: Path) -> None:
    out, pool = tmp_path / "D.jsonl", tmp_path / "pool.jsonl"
    sizes = ["--trajectories", 3, "--pool", pool, "--pool-size", 2, "--pack", HOUSEHOLD]
    ended = cplan("data", "expert", "-o", out, *sizes, "--workers", 1, "--json")
    assert ended.code == 0 and ended.json["trajectories"] == 3 and ended.json["file"] == str(out)
    assert f"{out}: 3 trajectories" in ended.err and f"{pool}: 2 of them" in ended.err
    assert (out.read_text().count("\n"), pool.read_text().count("\n")) == (3, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tasks", "rearrangement", "-o", "t", "--scene", "g.json"], "--scene and --unseen-scene go together"),
        (["tasks", "rearrangement", "-o", "t", "--tasks", "-1"], "-1 is not in the range"),
        (["tasks", "rearrangement", "-o", "t", "--scene", "g.json", "--unseen-scene", "g.json"], "g.json"),
        (["data", "expert", "-o", "d", "--trajectories", "2", "--pool", "p"], "a pool of 200 cannot be drawn from 2"),
        (["data", "expert", "-o", "d", "--pack", "nowhere", "--workers", "1"], "nowhere/lexicon.toml"),
        (["data", "expert", "-o", "d", "--scene", "g.json", "--workers", "1"], "g.json"),
    ],
)
def test_wrong_input(
    cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = cplan(*arguments)
    assert ended.code == 2 and message in ended.err
    assert list(tmp_path.iterdir()) == []
