"""The question what to do next: what bears on the goal, and nothing else."""

from __future__ import annotations

import numpy as np

from commonsense_planning.kernels.engine import applicable
from commonsense_planning.search.next_question import Choice, NextQuestions, Situation
from commonsense_planning.wording.questions import Missing
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HOUSEHOLD, World, small_apple


def asked(world: World, done: tuple[int, ...] = ()) -> Choice:
    buffer = np.empty(world.compiled.operator_count, np.int32)
    count = applicable(world.compiled.table, world.belief.state(), buffer)
    here = Situation(world.belief.truth, world.belief.known, np.sort(buffer[:count]), done)
    say = Verbaliser(world.task, world.pack.lexicon)
    return NextQuestions(world.task, world.compiled, say, "").choice(here)


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
