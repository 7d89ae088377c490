"""The embedded model climbs and writes guides for a task of the household."""

from __future__ import annotations

from pathlib import Path

from commonsense_lab.studies.virtualhome.home import render_home
from commonsense_lab.studies.virtualhome.tasks import task_named
from lab.tests.studies.virtualhome.plans import DOMAIN, shipped_home, what_matters
from tests.cli.running import Run
from tests.cli.test_hill_climb import CLIMB, GUIDED


def test_the_embedded_model_says_what_it_is(cplan: Run, tmp_path: Path) -> None:
    task = task_named("microwave-salmon")
    home = what_matters(shipped_home(), task)
    problem = tmp_path / "problem.pddl"
    problem.write_text(render_home(home, task.name, task, ""), encoding="utf-8")
    for guide in ("low", "high"):
        ended = cplan("solve", DOMAIN, problem, *CLIMB[:2], "--guide", guide)
        assert ended.code == 0, ended.out
        assert "[PUTIN]<salmon><microwave>" in ended.out and "not a language model" in ended.out
        assert ended.out.count("(grab salmon_1)") == 1  # told once
    assert cplan("solve", DOMAIN, problem, *GUIDED[:2]).code == 0
    assert cplan("solve", DOMAIN, problem, *GUIDED[:2], "--description", "prove a theorem").code == 1
