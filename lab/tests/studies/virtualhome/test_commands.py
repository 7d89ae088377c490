"""``cplan data import-virtualhome`` and ``export-virtualhome``, and ``cplan validate --with virtualhome``."""

from pathlib import Path

import pytest

from commonsense_lab.studies.virtualhome import judge, script
from commonsense_lab.studies.virtualhome.script import ScriptRun
from lab.tests.studies.virtualhome.homes import SALMON_IN_FRIDGE, write_problem, write_scene
from lab.tests.studies.virtualhome.plans import DOMAIN
from tests.cli.running import Run

SCRIPT = """\
[WALK] <fridge> (10)
[GRAB] <salmon> (30)
[OPEN] <fridge> (10)
[PUTIN] <salmon> (30) <fridge> (10)
"""


@pytest.fixture
def task(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Domain, problem and plan."""
    plan = tmp_path / "plan.txt"
    plan.write_text("".join(f"({step})\n" for step in SALMON_IN_FRIDGE))
    return DOMAIN, write_problem(tmp_path), plan


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return write_scene(tmp_path)


def test_a_scene_becomes_a_problem_of_either_domain(graph: Path, tmp_path: Path, cplan: Run) -> None:
    problem, scene = tmp_path / "made.pddl", ("data", "import-virtualhome", graph)
    goal = ("--goal", "(inside cupcake fridge)", "--add", "cupcake=GRABBABLE")
    assert "2 rooms" in cplan(*scene, *goal, "-o", problem, "--name", "cake", "--room", "kitchen").out
    assert "(problem cake)" in problem.read_text() and "(in-room kitchen_1)" in problem.read_text()
    assert cplan("check", "household", problem).code == 0
    task = (*scene, "--domain", "virtualhome", "--task", "put-salmon-in-the-fridge")
    assert "2 rooms, 19 fixtures, 18 movables" in cplan(*task, "-o", problem).out
    assert cplan("check", "virtualhome", problem).code == 0
    for option, fact in (("--adversarial", "(opened fridge_10)"), ("--toothpaste-open", "(opened toothpaste_46)")):
        assert fact not in problem.read_text() and fact in cplan(*task, option).out


def test_a_script_is_written(task: tuple[Path, Path, Path], tmp_path: Path, cplan: Run) -> None:
    file = tmp_path / "script.txt"
    written = cplan("data", "export-virtualhome", *task, "-o", file)
    assert (written.code, written.out, file.read_text()) == (0, "", SCRIPT)
    assert "4 lines for 4 steps" in written.err
    assert cplan("data", "export-virtualhome", *task, "-o", tmp_path / "none" / "script.txt").code == 2


def test_left_out_steps_are_reported(task: tuple[Path, Path, Path], cplan: Run) -> None:
    with task[2].open("a") as plan:
        plan.write("(use toothbrush_47)\n")
    ended = cplan("data", "export-virtualhome", *task)
    assert ended.out == SCRIPT + "# (use toothbrush_47): VirtualHome has no such action\n"
    assert "1 left out, as VirtualHome has no such action: (use toothbrush_47)" in ended.err
    found = cplan("data", "export-virtualhome", *task, "--json").json
    assert found["script"] == SCRIPT.splitlines()
    assert found["steps"] == [1, 2, 3, 4]
    assert found["left_out"] == [{"step": 5, "action": "(use toothbrush_47)"}]


def test_another_graph_is_named(task: tuple[Path, Path, Path], graph: Path, cplan: Run) -> None:
    graph.write_text(graph.read_text().replace('"salmon"', '"cutlets"'))
    ended = cplan("validate", *task, "--with", "virtualhome", "--graph", graph)
    ended.says(2, f"{graph}: salmon_30 is no node of the scene")


def test_a_judge_that_is_not_installed_is_missing(
    task: tuple[Path, Path, Path], graph: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "PACKAGE", "a-package-that-nobody-has")
    cplan("validate", *task, "--with", "virtualhome", "--graph", graph).says(3, "make virtualhome")


def test_the_judge_is_a_fourth_validator(
    task: tuple[Path, Path, Path], graph: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = ScriptRun(4, "", {}, frozenset({(30, "INSIDE", 10)}))
    monkeypatch.setattr(judge, "execute", lambda *_: [there])
    found = cplan("validate", *task, "--with", "virtualhome", "--graph", graph, "--json")
    assert found.code == 0
    assert found.json["validators"]["VirtualHome"] == "valid"
    assert len(found.json["validators"]) == 4
    assert found.json["virtualhome"] == {
        "script": SCRIPT.splitlines(),
        "left_out": [],
        "compared": {"(inside salmon_30 fridge_10)": True},
        "not_compared": [],
    }
    hot = ScriptRun(1, "<salmon> (30) is too hot", {}, frozenset())
    monkeypatch.setattr(judge, "execute", lambda *_: [hot])
    ended = cplan("validate", *task, "--with", "virtualhome", "--graph", graph)
    assert ended.code == 1
    assert "step 2 (grab salmon_30): [GRAB] <salmon> (30) in line 2 of the script" in ended.out
    assert "<salmon> (30) is too hot" in ended.out
    assert "DISAGREE" in ended.out
