"""L-Policy: what the model says is done at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.search.agents import PolicyAgent
from commonsense_planning.search.next_question import NextQuestions
from commonsense_planning.search.policies import ModelPolicy
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
    """Where the fridge or the cabinet is to be looked into."""
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
    assert operator is not None
    one.observe(operator, world.environment.step(operator))
    assert one.decide().operator == world.operators["open-container fridge"]
    asked = model.asked[1]
    assert isinstance(asked, NextAction)
    assert asked.completed == asked.lately == ("walk to the fridge",)


@pytest.mark.parametrize("answers", [["xyzzy plugh"], [], ["…"]])
def test_an_answer_that_is_no_action_is_replaced_and_noted(answers: list[str]) -> None:
    world = in_the_kitchen()
    one, _, notes = agent(world, answers)
    decision = one.decide()
    assert decision.operator is not None
    assert decision.why["random"]
    assert len(notes) == 1


def test_the_agent_ends_when_the_model_says_so() -> None:
    one, _, _ = agent(in_the_kitchen(), ["done."])
    decision = one.decide()
    assert decision.operator is None
    assert "says that it is done" in decision.why["reason"]
