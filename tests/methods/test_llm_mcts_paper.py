"""Algorithm 1 as a method: one simulation at a time, random roll-outs, the paper's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from commonsense_planning.config import ModelConfig, PolicyAs
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.search.pomdp.mcts import Choose, Mcts
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.questions import NextAction, Placement, Question
from tests.scripted import HOUSEHOLD, ScriptedModel

PAPER = METHODS["llm-mcts-paper"]


class Scripted(ModelSession):
    """A model that says that everything is in the fridge, and to do the first thing that can be done."""

    def __init__(self, parallel: int) -> None:
        super().__init__(ModelConfig(parallel=parallel))
        self.calls: list[tuple[tuple[Question, ...], int]] = []

    def open(self, *given: Any) -> LanguageModel:
        calls = self.calls

        class Model(ScriptedModel):
            def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
                calls.append((tuple(questions), n))
                return super().ask(questions, n)

        def script(question: Question) -> list[str]:
            return [question.actions[0] if isinstance(question, NextAction) else "inside fridge"] * 50

        return Model(script)


def small_apple() -> Task:
    return read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


def told(parallel: int, name: str = PAPER.name, **settings: Any) -> tuple[list[dict[str, Any]], Scripted]:
    with Scripted(parallel) as models:
        return run(name, models, **settings), models


def run(name: str, models: ModelSession, **settings: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    options = METHODS[name].Options.of({"simulations": 30, "max_steps": 5, **settings})
    solve(Request(small_apple(), METHODS[name], options, models, emit=events.append))
    return events


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
    [
        ("llm-mcts", "gain per cost replaces", {"policy_as": PolicyAs.PRIOR}),
        ("llm-mcts-paper", "first actions of plans replace", {}),
    ],
)
def test_a_policy_is_said_to_be_its_owners(name: str, stand_in: str, always: dict[str, Any]) -> None:
    asked, _ = told(parallel=1, name=name, **always)
    planned = run(name, ModelSession())
    owners = [
        {event["why"]["policy_of"] for event in events if "policy" in event.get("why", {}) and event["why"]["of"] > 1}
        for events in (asked, planned)
    ]
    assert owners == [{"model"}, {"planner"}]
    note = f"embedded cannot be asked for the next action: {stand_in} its policy"
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
