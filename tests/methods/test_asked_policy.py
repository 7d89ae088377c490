"""Methods that ask a model for a policy, the paper's LLM-MCTS, and answers that name actions: what they ask and do."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commonsense_planning import METHODS, LanguageModel, ModelConfig, ModelSession, Request, read_task, solve
from commonsense_planning.config import POLICY_SAMPLES, Actions, AskBy, PolicyAs
from commonsense_planning.methods.method import Event
from commonsense_planning.methods.tree_search import PAPER_POLICY_SAMPLES
from commonsense_planning.search.pomdp.mcts import Choose, Mcts
from commonsense_planning.wording.questions import NextAction, Placement, Question
from tests.chat_server import ChatServer, Messages
from tests.scripted import ScriptedModel

LOOKING: list[dict[str, Any]] = [{}, {"prior": "uniform"}]
Choice = Callable[[tuple[str, ...]], str]
household = cache(read_task)


class Answering(ModelSession):
    """A model that says by ``choose`` which of the actions comes next, and that all is in ``place``; it is of no help
    where there is none. ``calls``: the questions that were asked at once, and how many answers were wanted."""

    def __init__(self, choose: Choice, place: str = "", parallel: int = 1) -> None:
        super().__init__(ModelConfig(parallel=parallel))
        self.calls: list[tuple[tuple[Question, ...], int]] = []
        calls = self.calls

        class Model(ScriptedModel):
            def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
                calls.append((tuple(questions), n))
                return super().ask(questions, n)

        self.model = Model(lambda q: [choose(q.actions) if isinstance(q, NextAction) else place] * 50)

    @property
    def asked(self) -> list[tuple[NextAction, int]]:
        """The questions what comes next, each with how many answers were wanted."""
        return [(q, n) for questions, n in self.calls for q in questions if isinstance(q, NextAction)]

    def open(self, *given: Any) -> LanguageModel:
        return self.model


def first(actions: tuple[str, ...]) -> str:
    return actions[0]


def last(actions: tuple[str, ...]) -> str:
    return actions[-1]


def steps(method: str, models: Answering, instruction: str = "", **settings: Any) -> list[dict[str, Any]]:
    """The first steps of an episode. A search makes one simulation a decision: the policy alone says which, a prior."""
    problem = "small-apple" if method in ("llm-mcts-paper", "llm-policy") else "demo"
    usual = {"max_steps": 4, "simulations": 1, "policy_as": PolicyAs.PRIOR}
    events = run(method, models, problem, instruction, **{**usual, **settings})
    return [event for event in events if event["event"] == "step"]


def run(
    method: str, models: ModelSession, problem: str = "small-apple", instruction: str = "", **settings: Any
) -> list[Event]:
    """The events of a run."""
    events: list[Event] = []
    options = METHODS[method].Options.among({"simulations": 30, "max_steps": 5, **settings})
    with models:
        task = household(f"household:{problem}")
        solve(Request(task, METHODS[method], options, models, instruction=instruction, emit=events.append))
    return events


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


def test_no_question_is_asked_where_one_option_is_left_or_the_policy_is_not_the_models() -> None:
    models = Answering(first)
    decisions = [step["why"]["of"] for step in steps("llm-mcts", models) if "of" in step["why"]]
    assert 1 in decisions
    assert len(models.asked) == sum(of > 1 for of in decisions)
    without = [Answering(first), Answering(last)]
    one, other = (steps("llm-mcts", models, policy="uniform") for models in without)
    assert one == other
    assert not without[0].asked


@pytest.mark.parametrize("choose", [first, last])
def test_the_papers_search_tries_first_what_the_model_names(choose: Choice) -> None:
    models = Answering(choose)
    said = [step["says"] for step in steps("llm-mcts-paper", models)]
    assert {question.completed: choose(question.actions) for question, _ in models.asked} == {
        question.completed: said[len(question.completed)] for question, _ in models.asked
    }
    assert len(models.asked) > 1
    assert {(bool(question.steps), n) for question, n in models.asked} == {(False, PAPER_POLICY_SAMPLES)}


@pytest.mark.parametrize("choose", [first, last])
def test_l_policy_does_what_one_answer_says_and_asks_nothing_else(choose: Choice) -> None:
    models = Answering(choose)
    said = [step["why"]["said"] for step in steps("llm-policy", models)]
    assert [choose(question.actions) for question, _ in models.asked] == said[4 - len(models.asked) :]
    assert len(models.asked) > 1
    assert {(type(question), n) for questions, n in models.calls for question in questions} == {(NextAction, 1)}


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
def test_the_goal_is_in_the_users_words_and_a_useless_answer_is_noted(method: str) -> None:
    models = Answering(lambda actions: "xyzzy plugh")
    events = steps(method, models, "tidy up")
    assert {question.goal for question, _ in models.asked} == {"tidy up"}
    notes = [note for step in events for note in step["notes"]]
    assert any("no usable answer to what to do" in note or "a random one is taken" in note for note in notes)


PAPER = METHODS["llm-mcts-paper"]


def told(parallel: int, name: str = PAPER.name, **settings: Any) -> tuple[list[Event], Answering]:
    models = Answering(first, "inside fridge", parallel)
    return run(name, models, **settings), models


def test_it_asks_about_one_node_at_a_time_however_many_calls_could_be_in_flight() -> None:
    events, models = told(parallel=16)
    assert events == told(parallel=1)[0]
    policy = [(questions, n) for questions, n in models.calls if isinstance(questions[0], NextAction)]
    placements = [(questions, n) for questions, n in models.calls if isinstance(questions[0], Placement)]
    assert {(len(questions), n) for questions, n in policy} == {(1, 5)}
    assert [n for _, n in placements] == [50]
    steps = sum(event["event"] == "step" for event in events)
    assert steps < len(policy) <= 30 * steps


@pytest.mark.parametrize(
    ("name", "stand_in", "always"),
    [("llm-mcts", "gain per cost", {"policy_as": PolicyAs.PRIOR}), ("llm-mcts-paper", "first actions of plans", {})],
)
def test_a_policy_is_said_to_be_its_owners(name: str, stand_in: str, always: dict[str, Any]) -> None:
    asked, _ = told(parallel=1, name=name, **always)
    planned = run(name, ModelSession())
    owners = [
        {event["why"]["policy_of"] for event in events if "policy" in event.get("why", {}) and event["why"]["of"] > 1}
        for events in (asked, planned)
    ]
    assert owners == [{"model"}, {"planner"}]
    note = f"embedded cannot be asked for the next action: {stand_in} replace"
    assert [any(line.startswith(note) for line in events[0]["notes"]) for events in (asked, planned)] == [False, True]


def test_random_rollouts_and_the_highest_value() -> None:
    """Without a baseline taken off, a value is a mean of discounted rewards."""
    whys = [event["why"] for event in told(parallel=16, max_steps=8)[0] if event["event"] == "step"]
    assert all(0 <= why["q"] <= 1 for why in whys)
    assert any(why["q"] > 0 for why in whys)
    assert all(why["visits"] <= 30 for why in whys), "it begins each decision with an empty tree"


def test_samples_may_be_said_for_both_questions() -> None:
    _, models = told(parallel=1, samples=3)
    assert {n for _, n in models.calls} == {3}


def test_its_numbers_are_the_papers_and_those_of_the_authors_code() -> None:
    options = PAPER.Options()
    assert (options.simulations, options.max_steps) == (100, 30)
    assert (options.discount, options.depth, options.mixing) == (0.95, 20, 0.5)
    assert np.isclose(Mcts.usual_exploration, 24 / 10)
    assert options.exploration is None
    assert (options.choose, options.reuse) == (Choose.VALUE, False)


APPLE = "(walk-to-item apple_3 coffeetable_1 livingroom)"
NAMED = "walk to the apple"  # the example of Listing 1


def first_step(
    method: str, prompts: str | None, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> tuple[Event, Sequence[str]]:
    """The first step of one to whom a model says ``NAMED``, and what was noted until then."""

    def says(messages: Messages) -> str:
        prompt = messages[-1]["content"].rstrip()
        return NAMED if prompt.endswith(("Next action:", "Next actions:")) else "inside fridge"

    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with ChatServer(says) as server:
        paper = None if prompts is None else Path(prompts)
        config = ModelConfig("openai:m", server.base_url, prompts=paper, ask_by=AskBy.SAMPLES, parallel=2)
        events = run(method, ModelSession(config), "two-apples", max_steps=1, **options)
    step = next(event for event in events if event["event"] == "step")
    return step, [note for event in events for note in event.get("notes", ())]


@pytest.mark.parametrize("prompts", [None, "paper"])
def test_what_can_be_done_is_done_as_said(prompts: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    step, notes = first_step("llm-policy", prompts, monkeypatch)
    assert (step["action"], step["why"]["said"]) == (APPLE, NAMED)
    assert notes == []
    step, notes = first_step("llm-policy", prompts, monkeypatch, actions="relevant")  # alone
    assert step["why"]["random"]
    assert notes == [f'the model said "{NAMED}", which is none of the actions it may name: a random one is taken']


@pytest.mark.parametrize("prompts", [None, "paper"])
@pytest.mark.parametrize("prior", ["model", "uniform"])
def test_what_can_be_done_leads_the_papers_search(
    prior: str, prompts: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"simulations": 2, "depth": 1, "samples": 2, "prior": prior}
    step, notes = first_step("llm-mcts-paper", prompts, monkeypatch, **few)
    assert step["action"] == APPLE
    assert step["why"]["policy"] > 1 / step["why"]["of"] == 1 / 15
    assert notes == []


def test_methods_that_ask_word_for_word_name_all_by_default_and_no_others_can_choose() -> None:
    defaults = {
        name: setting.default
        for name, method in METHODS.items()
        for setting in method.Options.settings()
        if setting.name == "actions"
    }
    assert defaults == dict.fromkeys(("llm-mcts-paper", "llm-policy"), Actions.ALL)
