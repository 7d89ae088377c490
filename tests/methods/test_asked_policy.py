"""The policy of the methods that ask a model for one: what they ask, how often, and that its answer decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from commonsense_planning.config import POLICY_SAMPLES, PolicyAs
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.methods.tree_search import PAPER_POLICY_SAMPLES
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.questions import NextAction, Question
from tests.scripted import HOUSEHOLD, ScriptedModel

LOOKING: list[dict[str, Any]] = [{}, {"prior": "uniform"}]


@cache
def household(problem: str) -> Task:
    return read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / f"{problem}.pddl")


class Answering(ModelSession):
    """A model that is of no help where things are, and says by ``choose`` which of the actions comes next. ``asked``:
    the questions what comes next, each with how many answers were wanted."""

    def __init__(self, choose: Callable[[tuple[str, ...]], str]) -> None:
        super().__init__()
        self.asked: list[tuple[NextAction, int]] = []
        self.others = 0  # other questions

        class Model(ScriptedModel):
            def ask(model, questions: Sequence[Question], n: int) -> list[list[str]]:  # noqa: N805
                new = [question for question in questions if isinstance(question, NextAction)]
                self.asked += [(question, n) for question in new]
                self.others += len(questions) - len(new)
                return super().ask(questions, n)

        self.model = Model(lambda q: [choose(q.actions)] * 50 if isinstance(q, NextAction) else [])

    def open(self, *given: Any) -> LanguageModel:
        return self.model


def first(actions: tuple[str, ...]) -> str:
    return actions[0]


def last(actions: tuple[str, ...]) -> str:
    return actions[-1]


def steps(method: str, models: Answering, instruction: str = "", **settings: Any) -> list[dict[str, Any]]:
    """The first steps of an episode. A search makes one simulation a decision: the policy alone says which, a prior."""
    events: list[dict[str, Any]] = []
    chosen = METHODS[method]
    task = household("small-apple" if method in ("llm-mcts-paper", "llm-policy") else "demo")
    usual = {"max_steps": 4, "simulations": 1, "policy_as": PolicyAs.PRIOR}
    options = chosen.Options.of(chosen.Options.among({**usual, **settings}))
    with models:
        solve(Request(task, chosen, options, models, instruction=instruction, emit=events.append))
    return [event for event in events if event["event"] == "step"]


@pytest.mark.parametrize("settings", LOOKING)
def test_a_search_among_options_takes_the_one_that_the_model_names(settings: dict[str, Any]) -> None:
    one, other = Answering(first), Answering(last)
    done = [[step["says"] for step in steps("llm-mcts", models, **settings)] for models in (one, other)]
    assert done[0][:1] == ["walk to the bathroom"]
    assert done[1][:2] == ["walk to the cabinet", "open the cabinet"]
    assert "open cabinet 1 (living room)" in one.asked[0][0].actions, "an option is named by its last action"
    for question, n in one.asked + other.asked:
        assert (bool(question.steps), n) == (True, POLICY_SAMPLES)
    assert [question.completed for question, _ in other.asked] == [(), ("walk to the cabinet", "open the cabinet")]


def test_nobody_is_asked_where_one_option_is_left_or_the_policy_is_not_the_models() -> None:
    models = Answering(first)
    decisions = [step["why"]["of"] for step in steps("llm-mcts", models) if "of" in step["why"]]
    assert 1 in decisions
    assert len(models.asked) == sum(of > 1 for of in decisions)
    without = [Answering(first), Answering(last)]
    one, other = (steps("llm-mcts", models, policy="uniform") for models in without)
    assert one == other
    assert not without[0].asked


@pytest.mark.parametrize("choose", [first, last])
def test_the_papers_search_tries_first_what_the_model_names(choose: Callable[[tuple[str, ...]], str]) -> None:
    models = Answering(choose)
    said = [step["says"] for step in steps("llm-mcts-paper", models)]
    assert {question.completed: choose(question.actions) for question, _ in models.asked} == {
        question.completed: said[len(question.completed)] for question, _ in models.asked
    }
    assert len(models.asked) > 1
    assert {(bool(question.steps), n) for question, n in models.asked} == {(False, PAPER_POLICY_SAMPLES)}


@pytest.mark.parametrize("choose", [first, last])
def test_l_policy_does_what_one_answer_says_and_asks_nothing_else(choose: Callable[[tuple[str, ...]], str]) -> None:
    models = Answering(choose)
    said = [step["why"]["said"] for step in steps("llm-policy", models)]
    assert [choose(question.actions) for question, _ in models.asked] == said[4 - len(models.asked) :]
    assert len(models.asked) > 1
    assert ({n for _, n in models.asked}, models.others) == ({1}, 0)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-mcts-paper"])
def test_lambda_is_the_share_of_the_uniform_policy_and_answers_are_as_many_as_is_said(method: str) -> None:
    one, other = Answering(first), Answering(last)
    alike, alone = steps(method, one, mixing=1.0, policy_samples=3), steps(method, other, mixing=0.0)
    for step in alike:
        if "of" in step["why"]:
            assert step["why"]["policy"] == pytest.approx(1 / step["why"]["of"], abs=1e-6)
    assert {n for _, n in one.asked} == {3}
    assert max(step["why"].get("policy", 0.0) for step in alone) > 0.9


@pytest.mark.parametrize("method", ["llm-mcts", "llm-mcts-paper", "llm-policy"])
def test_the_goal_is_told_in_the_users_words_and_no_answer_of_use_is_noted(method: str) -> None:
    models = Answering(lambda actions: "xyzzy plugh")
    events = steps(method, models, "tidy up")
    assert {question.goal for question, _ in models.asked} == {"tidy up"}
    notes = [note for step in events for note in step["notes"]]
    assert any("no usable answer to what to do" in note or "a random one is taken" in note for note in notes)
