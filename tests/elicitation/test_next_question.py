"""The question what to do next: what bears on the goal, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.config import Actions
from commonsense_planning.elicitation.next_question import Choice, NextQuestions, Situation
from commonsense_planning.kernels.engine import applicable
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import Missing
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HOUSEHOLD, World, small_apple


def asked(world: World, done: tuple[int, ...] = (), actions: Actions = Actions.RELEVANT) -> Choice:
    buffer = np.empty(world.compiled.operator_count, np.int32)
    count = applicable(world.compiled.table, world.belief.state(), buffer)
    here = Situation(world.belief.truth, world.belief.known, np.sort(buffer[:count]), done)
    say = Verbaliser(world.task, world.pack.lexicon)
    return NextQuestions(world.task, world.compiled, say, "", actions).choice(here)


def test_it_tells_where_nobody_has_looked_and_offers_ways_there() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen")
    question = asked(world).question
    assert question.goal == "an apple is on the kitchen table"
    assert question.facts == ("the robot is in the kitchen", "the robot's hand is empty")
    assert question.missing == (Missing(("apple",), (("kitchen", ("fridge", "kitchen cabinet")),)),)
    assert question.actions == ("walk to the fridge", "walk to the kitchen cabinet", "walk to the kitchen table")
    assert any(rule.startswith("grab the <m>: ") and "hand is empty" in rule for rule in question.rules)


def test_what_was_found_is_no_longer_missing_and_all_else_is_left_out() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    choice = asked(world)
    assert choice.question.actions == ("walk to the kitchen table", "grab the apple")
    assert not choice.question.missing
    assert "an apple is inside the fridge" in choice.question.facts
    assert sum(choice.action >= 0) == 2 < len(choice.action)


def test_the_way_there_and_what_does_not_bear_make_no_other_question() -> None:
    world, other = small_apple(), small_apple()
    world.do("walk-to-room kitchen")
    other.do("walk-to-room kitchen", "walk-to-room bathroom", "walk-to-room kitchen")
    assert asked(world).question == asked(other, (0, 1)).question


def test_things_of_one_name_are_told_apart_where_they_differ() -> None:
    world = World(HOUSEHOLD / "problems" / "two-apples.pddl")
    question = asked(world).question
    assert question.goal == "an apple is inside the fridge (2 times)"
    assert "apple 1 is on the coffee table" in question.facts
    assert [missing.things for missing in question.missing] == [("apple 2 (3)",)]
    kitchen = dict(question.missing[0].places)["kitchen"]
    assert "kitchen cabinet (2)" in kitchen
    world.do("walk-to-place coffeetable_1 livingroom", "grab-from-surface apple_3 coffeetable_1")
    assert "the robot is holding apple 1" in asked(world).question.facts


@pytest.mark.parametrize(("actions", "asked_about"), [(Actions.ALL, 15), (Actions.RELEVANT, 5)])
def test_all_that_can_be_done_may_be_named_or_what_bears_on_the_goal(actions: Actions, asked_about: int) -> None:
    choice = asked(World(HOUSEHOLD / "problems" / "two-apples.pddl"), actions=actions)
    assert len(choice.question.actions) == np.sum(choice.action >= 0) == asked_about
    assert len(choice.action) == 15
    assert ("walk to apple 1" in choice.question.actions) == (actions is Actions.ALL)


def test_what_may_be_named_changes_nothing_else_of_the_question() -> None:
    world = World(HOUSEHOLD / "problems" / "two-apples.pddl")
    every, relevant = (asked(world, actions=actions).question for actions in Actions)
    assert replace(every, actions=relevant.actions) == relevant


def test_the_relevant_actions_are_asked_about_as_in_0_2_0() -> None:
    """Byte for byte: recordings of then replay."""
    world = World(HOUSEHOLD / "problems" / "two-apples.pddl")
    (message,) = Prompts([], Verbaliser(world.task, world.pack.lexicon).scene()).messages(asked(world).question)
    golden = Path(__file__).with_name("golden") / "two-apples-relevant.txt"
    assert f"{message['content']}\n" == golden.read_text(encoding="utf-8")
