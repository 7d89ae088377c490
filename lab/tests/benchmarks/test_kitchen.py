"""The server of ``python -m lab.benchmarks.kitchen`` reads the prompts that it is sent."""

from __future__ import annotations

from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.wording.questions import NextAction, Placement, PlacementAgain, Placements, Question, Scene
from lab.benchmarks.kitchen import said

PLACES = ("inside fridge", "inside oven", "on prep surface")


def answers(question: Question) -> set[str]:
    messages = [dict(message) for message in Prompts([], Scene()).messages(question)]
    assert list(said(messages)) == list(said(messages))
    return set(said(messages))


def test_where_things_are_it_says_what_the_embedded_model_would() -> None:
    assert "inside fridge" in answers(Placement("milk", PLACES)) <= set(PLACES)


def test_of_several_things_it_has_a_line_for_each() -> None:
    both = Placements((Placement("milk", PLACES), Placement("pan", PLACES)))
    for text in answers(both):
        assert all(part in PLACES for part in both.apart(text))


def test_where_else_they_are_it_names_places_where_nobody_has_looked() -> None:
    again = PlacementAgain("milk", PLACES[1:], (("inside fridge", ("butter",)), ("inside freezer", ())))
    assert answers(again) <= set(PLACES[1:])


def test_what_comes_next_is_one_of_the_possible_actions_at_random() -> None:
    actions = ("open the fridge", "open the oven", "pick up the milk")
    assert answers(NextAction("the milk is on the prep surface", (), actions, ())) == set(actions)
