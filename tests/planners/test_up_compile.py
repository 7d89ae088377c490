"""What is compiled away for a simple planner keeps its meaning: random tasks against Fast Downward."""

from __future__ import annotations

import random
from pathlib import Path

from commonsense_planning.errors import Status
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.up_engine_worker import answer
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests.oracle.drawing import random_files


def test_pyperplan_and_fast_downward_agree_on_random_tasks(tmp_path: Path) -> None:
    domain, problem_file = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    seen = set()
    for seed in range(10):
        random_files(random.Random(seed), tmp_path, odd=False)
        task_text = domain.read_text() + problem_file.read_text()
        problem = read_problem(domain, problem_file)
        compiled = answer(
            {
                "domain": str(domain),
                "problem": str(problem_file),
                "engine": "pyperplan",
                "parameters": {"search": "gbf", "heuristic": "hff"},
                "complete": True,
            }
        )
        found = fast_downward.solve(problem, 60).status
        assert (compiled["status"] == Status.SOLVED) == (found == Status.SOLVED), task_text
        assert found in (compiled["status"], Status.UNSOLVED), task_text  # an older Fast Downward calls nothing proven
        if compiled["status"] == Status.SOLVED:
            plan = Plan(tuple(Step(name, tuple(arguments)) for name, *arguments in compiled["steps"]))
            assert replay(problem, plan).verdict is Verdict.VALID, task_text
        seen.add(compiled["status"])
    assert seen == {Status.SOLVED, Status.UNSOLVABLE}
