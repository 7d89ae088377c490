"""``cplan bench rearrangement``, ``cplan data tasks`` and ``cplan data expert``."""

from pathlib import Path

import pytest

from lab.tests.report.lines import rows_in
from tests.cli.running import Run
from tests.data import shared_data
from tests.scripted import HOUSEHOLD


def bench(*args: str | Path) -> tuple[str | Path, ...]:
    return ("bench", "rearrangement", "--pack", HOUSEHOLD, "--tasks", "10", "--workers", "1", *args)


@pytest.mark.usefixtures("own_methods")
def test_any_method_is_a_row_of_table_1_or_of_the_tables_that_are_named(cplan: Run, tmp_path: Path) -> None:
    ended = cplan(*bench("--methods", "own", "--settings", "simple", "--tasks", "2", "-o", tmp_path))
    assert ended.code == 0, ended.err
    rows = rows_in(tmp_path)
    told = {(row["variant"], row["method"], row["cause"], row["reason"]) for row in rows}
    assert told == {("own", "own", "budget", "it has had enough")}
    page = (tmp_path / "report.md").read_text()
    assert "| own | 0.0 ± 0.0" in page and "## Table 2." not in page
    assert f"cplan bench rearrangement --methods own --tasks 2 --settings simple --pack {HOUSEHOLD} -o results" in page
    args = bench("--methods", "own", "--tables", "2", "--settings", "simple", "--tasks", "2", "--quiet")
    assert cplan(*args, "-o", tmp_path / "2").code == 0
    page = (tmp_path / "2" / "report.md").read_text()
    assert "cplan bench rearrangement --methods own --tables 2 --tasks 2" in page
    assert "## Table 2." in page and "| own | 0.0 ± 0.0" in page and "## Table 1." not in page


def test_table_1_without_weights_leaves_the_learned_policy_out(cplan: Run, tmp_path: Path) -> None:
    """Nothing is run: the limit on the tasks comes after."""
    ended = cplan(*bench("--tables", "1", "--tasks", "9", "-o", tmp_path))
    assert "the learned policy is left out: it needs --weights" in ended.out
    assert "9 tasks are too few" in ended.err


def test_a_task_is_solved(cplan: Run, tmp_path: Path) -> None:
    cplan("data", "tasks", "-o", tmp_path, "--tasks", 2, "--training", 0)
    problem = tmp_path / "seen-comp-0000.pddl"
    ended = cplan("solve", HOUSEHOLD / "domain.pddl", problem, "--method", "gbfs", "--quiet", "--json")
    assert (ended.code, ended.json["status"]) == (0, "solved")


@pytest.mark.data
def test_tasks_of_scenes(cplan: Run, tmp_path: Path) -> None:
    folder = shared_data("virtualhome")
    scenes = ["--scene", folder / "TestScene4_graph.json", "--unseen-scene", folder / "TestScene2_graph.json"]
    ended = cplan("data", "tasks", "-o", tmp_path, "--tasks", 10, "--training", 1, *scenes)
    assert ended.code == 0
    assert "located fridge_" in (tmp_path / "unseen-novel-comp-3-0000.pddl").read_text()
