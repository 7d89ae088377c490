"""From an instruction to a valid plan."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning.errors import InputError, MissingError, Status
from commonsense_planning.instructions.goal_order import order_said
from commonsense_planning.instructions.translate import Interpretation, interpret, known_at_first
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.task import read_sensors_of, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import Scene, WriteGoal
from tests.data import shared_data
from tests.scripted import HOUSEHOLD, ScriptedModel, solved

DEMO, APPLES = ((HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / f"{name}.pddl") for name in ("demo", "two-apples"))


def interpreted(
    instruction: str, domain: Path, problem: Path, out: Path, model: LanguageModel | None = None, **more: Any
) -> Interpretation:
    """By the embedded model, or another."""
    model = model or EmbeddedModel(np.random.default_rng(0))
    return interpret(instruction, domain, problem, model, LexicalMatcher(), out, **more)


def assert_solved(domain: Path, problem: Path) -> None:
    task = read_task(domain, problem)
    solution, _ = solved(task, "gbfs")
    assert solution.status is Status.SOLVED
    assert solution.plan is not None and len(solution.plan.steps) > 0
    assert validate_with_val(task.problem, solution.plan).verdict is Verdict.VALID
    assert replay(task.problem, solution.plan).verdict is Verdict.VALID


def test_the_demo_with_an_instruction(tmp_path: Path) -> None:
    instruction = "put two carrots in the fridge and the toothbrush in the bathroom cabinet"
    made = interpreted(instruction, *DEMO, tmp_path / "out.pddl")
    assert made.problem.read_text().split("(:goal")[0] == DEMO[1].read_text().split("(:goal")[0]
    assert f"(:goal {made.goal.pddl})" in made.problem.read_text()
    assert_solved(DEMO[0], made.problem)


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


def test_what_hides_is_not_told() -> None:
    problem = read_problem(*APPLES)
    known = set(known_at_first(problem, read_sensors_of(problem, APPLES[0])))
    assert ("on", "apple_3", "coffeetable_1") in known  # in the robot's room
    assert ("located", "fridge_1", "kitchen") in known
    assert not any("apple_1" in fact and fact[0] in ("on", "inside") for fact in known)
    assert ("on", "apple_1", "kitchentable_1") in set(known_at_first(problem, None))


def scripted(*answers: str) -> ScriptedModel:
    left = list(answers)
    return ScriptedModel(lambda _: [left.pop(0)])


def test_errors_go_back_to_the_model_twice(tmp_path: Path) -> None:
    model = scripted("Sure!", "(inside milk_1 sofa)", "(on milk_1 sofa)")
    made = interpreted("the milk on the sofa", *APPLES, tmp_path / "p.pddl", model)
    assert (made.goal.pddl, made.goal.repairs) == ("(on milk_1 sofa_1)", 2)
    asked = [question for question in model.asked if isinstance(question, WriteGoal)]
    assert [len(question.attempts) for question in asked] == [0, 1, 2]
    prompt = Prompts([], Scene()).messages(asked[-1])
    assert [message["role"] for message in prompt] == ["user", "assistant", "user", "assistant", "user"]
    assert "goal:1:16: 'sofa_1' is of type surface; expected type container" in prompt[-1]["content"]
    model = scripted("(a)", "(b)", "(c)", "(on milk_1 sofa)")
    with pytest.raises(InputError, match="undeclared predicate 'c'"):
        interpreted("the milk on the sofa", *APPLES, tmp_path / "p.pddl", model)


APART, ORDERED = "(and (on milk sofa) (on juice desk))", "(then (on milk sofa) (on juice desk))"


@pytest.mark.parametrize(("instruction", "answers", "constraints", "doubted"), [
    ("first the milk on the sofa, then the juice on the desk", (APART, ORDERED), 1, False),
    ("first the milk on the sofa, then the juice on the desk", (APART, APART), 0, True),
    ("the milk on the sofa before the juice on the desk", (APART, "no idea", ORDERED), 1, False),
    ("the milk on the sofa before the juice on the desk", (APART, "no", "idea"), 0, True),
    ("the milk on the sofa, then the juice on the desk", (ORDERED,), 1, False),
    ("the milk on the sofa and the juice on the desk", (APART,), 0, False),
])  # fmt: skip
def test_an_order_that_the_goal_lacks_is_asked_about_again(
    instruction: str, answers: tuple[str, ...], constraints: int, doubted: bool, tmp_path: Path
) -> None:
    model = scripted(*answers)
    goal = interpreted(instruction, *APPLES, tmp_path / "p.pddl", model).goal
    assert goal.pddl == "(and (on milk_1 sofa_1) (on juice_1 desk_1))"
    assert (len(goal.constraints), bool(goal.doubt), len(model.asked)) == (constraints, doubted, len(answers))
    told = [Prompts([], Scene()).messages(question)[-1]["content"] for question in model.asked]
    assert ["an order is said with 'then'" in text for text in told] == [i == 1 for i in range(len(told))]


@pytest.mark.parametrize(("said", "order"), [
    ("First wash the cup.", "first"),
    ("take the plate; afterwards the cup", "afterwards"),
    ("after the plate is clean, the cup", "after"),
    ("fly to Rome, finally to Oslo", "finally"),
    ("if the fridge is open, then close it", ""),
    ("leave all as it was before", ""),
    ("put the after-shave on the first shelf, next to the soap", ""),
])  # fmt: skip
def test_words_of_order(said: str, order: str) -> None:
    assert order_said(said) == order


@pytest.mark.parametrize(("always", "sent_back"), [
    ("(not (on apple_3 coffeetable_1))", True),  # which the robot sees
    ("(exactly 2 (?a - apple) (on ?a coffeetable_1))", True),
    ("(exactly 1 (?a - apple) (on ?a coffeetable_1))", False),
    ("(on apple_1 sofa_1)", True),  # it sees that it is not there
    ("(on apple_1 kitchentable_1)", False),  # it may be
    ("(at-most 1 (?a - apple) (on ?a kitchentable_1))", False),
    ("(in-room kitchen)", True),
    ("(forall (?f - fridge) (not (opened ?f)))", False),
])  # fmt: skip
def test_always_of_what_is_not_so_at_first_is_sent_back(always: str, sent_back: bool, tmp_path: Path) -> None:
    model = scripted(f"(and (on milk sofa) (always {always}))", "(on milk sofa)")
    interpreted("the milk on the sofa, and all else as it is", *APPLES, tmp_path / "p.pddl", model)
    assert len(model.asked) == 1 + sent_back
    told = Prompts([], Scene()).messages(model.asked[-1])[-1]["content"]
    assert ("'always' of what is not so at first" in told) == sent_back


def test_the_papers_goals_come_with_a_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonsense_planning.support.registry.plug_ins", lambda _: {})
    with pytest.raises(MissingError, match="the notation of --prompts paper for goals is part of cplan's laboratory"):
        interpreted("the milk on the sofa", *APPLES, tmp_path / "p.pddl", scripted(), tuples=True)


def test_nothing_is_written_where_nothing_is_understood(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tidy up"):
        interpreted("tidy up", *DEMO, tmp_path / "out.pddl")
    assert not list(tmp_path.iterdir())
