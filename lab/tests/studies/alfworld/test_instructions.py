"""Instructions with quantifiers, limits and choices, which become goals without a language model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import Status
from commonsense_planning.instructions.translate import interpret
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import read_task
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.cli.running import Run, cplan
from tests.scripted import HOUSEHOLD
from tests.shelves import warehouse

__all__ = ["cplan"]  # a fixture

DEMO = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")


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
    made = interpret(
        instruction,
        HOUSEHOLD / "domain.pddl",
        problem,
        EmbeddedModel(np.random.default_rng(0)),
        LexicalMatcher(),
        tmp_path / "out.pddl",
    )
    assert made.goal.constraints == constraints
    task = read_task(HOUSEHOLD / "domain.pddl", made.problem)
    solution = solve(Request(task, method_named(method)))
    assert solution.status is Status.SOLVED
    assert solution.plan is not None and len(solution.plan.steps) > 0
    assert validate_with_val(task.problem, solution.plan).verdict is Verdict.VALID


def test_a_goal_is_shown_in_pddl_and_in_english(cplan: Run, tmp_path: Path) -> None:
    kept = tmp_path / "instructed.pddl"
    text = "clear all plates into the dishwasher, but never open the oven"
    ended = cplan("solve", *DEMO, "--instruction", text, "--method", "gbfs", "--save-problem", kept, "--json")
    assert ended.code == 0
    assert set(ended.json["validators"].values()) == {"valid"}
    said = ("- every plate is inside the dishwasher", "- always: the oven is closed")
    for shown in ("(always (not (opened oven_1)))", *said):
        assert shown in ended.err
    assert "(:constraints (and (always (not (opened oven_1)))))" in kept.read_text()


def test_a_choice_of_places_in_a_domain_of_ones_own(cplan: Run, tmp_path: Path) -> None:
    said = ("--instruction", "put drill_1 at s2 or s3", "--save-problem", tmp_path / "saved.pddl")
    ended = cplan("solve", *warehouse(tmp_path), "--method", "gbfs", "--strict", *said)
    assert "(or (stored drill_1 s2) (stored drill_1 s3))" in ended.out
    assert "not declared" not in ended.err
