"""From an instruction to a valid plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import InputError, MissingError, Status
from commonsense_planning.instructions.translate import Interpretation, interpret, known_at_first
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.task import read_sensors_of, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Scene, WriteGoal
from tests.data import shared_data
from tests.scripted import HOUSEHOLD, ScriptedModel

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


@pytest.mark.data
@pytest.mark.parametrize("instruction", [
    "put package obj11 at apt1 and obj23 at pos1",
    "load two packages into truck tru1",
    "put obj11 into the airplane apn1",
])  # fmt: skip
def test_logistics_with_an_instruction(instruction: str, tmp_path: Path) -> None:
    folder = shared_data("ipc") / "logistics00"
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


def test_what_hides_is_not_told() -> None:
    domain = HOUSEHOLD / "domain.pddl"
    problem = read_problem(domain, HOUSEHOLD / "problems" / "two-apples.pddl")
    known = set(known_at_first(problem, read_sensors_of(problem, domain)))
    assert ("on", "apple_3", "coffeetable_1") in known  # in the robot's room
    assert ("located", "fridge_1", "kitchen") in known
    assert not any("apple_1" in fact and fact[0] in ("on", "inside") for fact in known)
    assert ("on", "apple_1", "kitchentable_1") in set(known_at_first(problem, None))


def scripted(*answers: str) -> ScriptedModel:
    left = list(answers)
    return ScriptedModel(lambda _: [left.pop(0)])


def test_errors_go_back_to_the_model_twice(tmp_path: Path) -> None:
    domain, problem, out = HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "two-apples.pddl", tmp_path / "p.pddl"
    model = scripted("Sure!", "(inside milk_1 sofa)", "(on milk_1 sofa)")
    made = interpret("the milk on the sofa", domain, problem, model, LexicalMatcher(), out)
    assert (made.goal.pddl, made.goal.repairs) == ("(on milk_1 sofa_1)", 2)
    asked = [question for question in model.asked if isinstance(question, WriteGoal)]
    assert [len(question.attempts) for question in asked] == [0, 1, 2]
    prompt = Prompts([], Scene()).messages(asked[-1])
    assert [message["role"] for message in prompt] == ["user", "assistant", "user", "assistant", "user"]
    assert "goal:1:16: 'sofa_1' is of type surface; expected type container" in prompt[-1]["content"]
    model = scripted("(a)", "(b)", "(c)", "(on milk_1 sofa)")
    with pytest.raises(InputError, match="undeclared predicate 'c'"):
        interpret("the milk on the sofa", domain, problem, model, LexicalMatcher(), out)


def test_the_papers_goals_come_with_a_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonsense_planning.instructions.translate.plug_ins", lambda _: {})
    domain, problem, out = HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "two-apples.pddl", tmp_path / "p.pddl"
    with pytest.raises(MissingError, match="the notation of --prompts paper for goals is part of cplan's laboratory"):
        interpret("the milk on the sofa", domain, problem, scripted(), LexicalMatcher(), out, tuples=True)


def test_nothing_is_written_where_nothing_is_understood(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tidy up"):
        interpreted("tidy up", HOUSEHOLD / "domain.pddl", DEMO, tmp_path / "out.pddl")
    assert not list(tmp_path.iterdir())
