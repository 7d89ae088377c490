"""Goals that the long grammar writes, over hidden things, are reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import read_task
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.instructions.test_translate import HOUSEHOLD, interpreted


@pytest.mark.parametrize(("instruction", "constraints"), [
    ("clear all plates into the dishwasher, but leave the radio where it is", ("(always (on radio_1 bookshelf_1))",)),
    ("clear the kitchen table, and never open the microwave", ("(always (not (opened microwave_1)))",)),
    ("exactly two apples on the kitchen counter and no apple on the sofa", ()),
])  # fmt: skip
@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts"])
def test_goals_with_quantifiers_over_hidden_things_are_reached(
    instruction: str, constraints: tuple[str, ...], method: str, tmp_path: Path
) -> None:
    problem = HOUSEHOLD / "problems" / "two-apples.pddl"
    made = interpreted(instruction, HOUSEHOLD / "domain.pddl", problem, tmp_path / "out.pddl")
    assert made.goal.constraints == constraints
    task = read_task(HOUSEHOLD / "domain.pddl", made.problem)
    solution = solve(Request(task, method_named(method)))
    assert solution.status is Status.SOLVED
    assert solution.plan is not None and len(solution.plan.steps) > 0
    assert validate_with_val(task.problem, solution.plan).verdict is Verdict.VALID
