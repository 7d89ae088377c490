"""From an instruction to a valid plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import InputError, Status
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.methods.instructions import Interpretation, interpret
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.data import shared_data
from tests.scripted import HOUSEHOLD

DEMO = HOUSEHOLD / "problems" / "demo.pddl"


def interpreted(instruction: str, domain: Path, problem: Path, out: Path) -> Interpretation:
    return interpret(instruction, domain, problem, EmbeddedModel(np.random.default_rng(0)), LexicalMatcher(), out)


def assert_solved(domain: Path, problem: Path) -> None:
    task = read_task(domain, problem)
    solution = solve(Request(task, method_named("gbfs")))
    assert solution.status is Status.SOLVED
    assert solution.plan is not None and len(solution.plan.steps) > 0
    assert validate_with_val(task.problem, solution.plan).verdict is Verdict.VALID
    assert replay(task.problem, solution.plan).verdict is Verdict.VALID


def test_the_demo_with_an_instruction(tmp_path: Path) -> None:
    instruction = "put two carrots in the fridge and the toothbrush in the bathroom cabinet"
    made = interpreted(instruction, HOUSEHOLD / "domain.pddl", DEMO, tmp_path / "out.pddl")
    assert made.problem.read_text().split("(:goal")[0] == DEMO.read_text().split("(:goal")[0]
    assert f"(:goal {made.goal.pddl})" in made.problem.read_text()
    assert_solved(HOUSEHOLD / "domain.pddl", made.problem)


@pytest.mark.parametrize(
    "instruction",
    [
        "put package obj11 at apt1 and obj23 at pos1",
        "load two packages into truck tru1",
        "put obj11 into the airplane apn1",
    ],
)
def test_logistics_with_an_instruction(instruction: str, tmp_path: Path) -> None:
    folder = shared_data() / "ipc" / "logistics00"
    problem = folder / "problogistics-4-0.pddl"
    made = interpreted(instruction, folder / "domain.pddl", problem, tmp_path / "out.pddl")
    assert_solved(folder / "domain.pddl", made.problem)


def test_a_problem_without_a_goal(tmp_path: Path) -> None:
    text = (HOUSEHOLD / "problems" / "small-apple.pddl").read_text()
    at = text.index("(:goal")
    problem = tmp_path / "problem.pddl"
    problem.write_text(text[:at].rstrip() + ")\n")
    made = interpreted(
        "put the apple on the bathroom counter", HOUSEHOLD / "domain.pddl", problem, tmp_path / "out.pddl"
    )
    assert_solved(HOUSEHOLD / "domain.pddl", made.problem)


def test_nothing_is_written_where_nothing_is_understood(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tidy up"):
        interpreted("tidy up", HOUSEHOLD / "domain.pddl", DEMO, tmp_path / "out.pddl")
    assert not list(tmp_path.iterdir())
