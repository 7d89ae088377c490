"""L-Policy: what the model says is done at once."""

from collections.abc import Sequence

import numpy as np
import pytest

from commonsense_planning.elicitation.next_question import NextQuestions
from commonsense_planning.elicitation.policies import ModelPolicy
from commonsense_planning.llm.weights import Weights
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import PolicyAgent
from commonsense_planning.wording.questions import NextAction
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import ScriptedModel, World, small_apple


def agent(world: World, *answers: Sequence[str]) -> tuple[PolicyAgent, ScriptedModel, list[str]]:
    waiting = list(answers)
    model = ScriptedModel(lambda question: waiting.pop(0))
    say = Verbaliser(world.task, world.pack.lexicon)
    rng = np.random.default_rng(0)
    notes: list[str] = []
    questions = NextQuestions(world.task, world.compiled, say, "the goal")
    policy = ModelPolicy(model, questions, LexicalMatcher(), 0.5, 10, notes.append)
    return PolicyAgent(policy, world.belief, rng), model, notes


def in_the_kitchen() -> World:
    """Where the fridge or the cabinet must be looked into."""
    world = small_apple()
    world.do("walk-to-room kitchen")
    return world


@pytest.mark.parametrize("answer", ["walk to the fridge, open the fridge", "1. Go to the fridge"])
def test_the_first_action_of_the_answer_is_done(answer: str) -> None:
    world = in_the_kitchen()
    one, model, notes = agent(world, [answer])
    decision = one.decide()
    assert decision.operator == world.operators["walk-to-place fridge kitchen"]
    assert (len(model.asked), notes) == (1, [])


def test_the_next_question_tells_what_was_done() -> None:
    world = in_the_kitchen()
    one, model, _ = agent(world, ["walk to the fridge"], ["open the fridge"])
    operator = one.decide().operator
    one.observe(operator, world.environment.step(operator))
    assert one.decide().operator == world.operators["open-container fridge"]
    asked = model.asked[1]
    assert isinstance(asked, NextAction)
    assert asked.completed == asked.lately == ("walk to the fridge",)


def test_the_last_three_actions_are_listed_apart_and_failed_ones_are_left_out() -> None:
    world = in_the_kitchen()
    one, model, _ = agent(world, ["walk to the fridge"])
    done = ["walk-to-place fridge kitchen", "open-container fridge", "close-container fridge", "walk-to-room bathroom"]
    for action in (*done, "walk-to-room kitchen"):
        one.observe(world.operators[action], world.environment.step(world.operators[action]))
    one.observe(world.operators[done[0]], Observation(applied=False, surprising=True))
    one.decide()
    asked = model.asked[0]
    assert isinstance(asked, NextAction)
    assert len(asked.completed) == 5
    assert asked.lately == ("close the fridge", "walk to the bathroom", "walk to the kitchen")


def test_of_actions_that_a_model_weighs_the_weightiest_is_done() -> None:
    world = in_the_kitchen()
    one, model, _ = agent(world)
    shares = {"walk to the fridge (kitchen)": 0.2, "walk to the kitchen cabinet": 0.7, "walk to the kitchen table": 0.1}
    model.weigh = lambda questions, n: [  # type: ignore[method-assign]
        Weights.of_shares(q.options, [shares[option] for option in q.options], n) for q in questions
    ]
    assert one.decide().operator == world.operators["walk-to-place kitchencabinet kitchen"]


@pytest.mark.parametrize("answers", [["xyzzy plugh"], [], ["…"]])
def test_an_answer_that_is_no_action_is_replaced_and_noted(answers: list[str]) -> None:
    world = in_the_kitchen()
    one, _, notes = agent(world, answers)
    decision = one.decide()
    assert decision.operator is not None
    assert decision.why["random"]
    assert len(notes) == 1


@pytest.mark.parametrize("answer", ["done.", "Done"])
def test_the_agent_ends_when_the_model_answers_done(answer: str) -> None:
    one, _, _ = agent(in_the_kitchen(), [answer])
    decision = one.decide()
    assert decision.operator is None
    assert "says that it is done" in decision.why["reason"]
