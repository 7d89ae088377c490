"""When the model is asked, and when it is asked again."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.elicitation.prior import AskedPrior
from commonsense_planning.pomdp.belief import FLOOR
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.wording.questions import Placement, PlacementAgain
from commonsense_planning.wording.verbalise import Verbaliser
from tests.scripted import HIDDEN_ROOMS, HOUSEHOLD, ScriptedModel, World, small_apple


def attentive(world: World, model: ScriptedModel, again: bool, notes: list[str]) -> AskedPrior:
    say = Verbaliser(world.task, world.pack.lexicon)
    relevance = Relevance(world.task, world.compiled)
    return AskedPrior(relevance, say, model, 10, again, notes.append)


def test_the_model_is_asked_about_what_matters_and_once() -> None:
    world, model = small_apple(), ScriptedModel(lambda q: ["inside fridge"] * 10)
    prior = attentive(world, model, True, [])
    prior.update(world.belief)
    assert [q.about for q in model.asked] == ["where the apple may be"]  # not the plate, nor the toothbrush
    assert world.believed(0)["inside apple_1 fridge"] > 0.99
    world.do("walk-to-room kitchen")
    prior.update(world.belief)
    assert len(model.asked) == 1  # it is not on the table, and nobody had thought so


def test_who_is_not_to_ask_again_does_not() -> None:
    world, model = small_apple(), ScriptedModel(lambda q: ["on kitchen table"])
    prior = attentive(world, model, False, [])
    prior.update(world.belief)
    world.do("walk-to-room kitchen")
    prior.update(world.belief)
    assert [type(q) for q in model.asked] == [Placement]


def test_it_is_told_what_was_seen_where() -> None:
    world, notes = small_apple(), list[str]()
    model = ScriptedModel(lambda q: ["on bathroom counter", "on kitchen table"])
    prior = attentive(world, model, True, notes)
    prior.update(world.belief)
    world.do("walk-to-room kitchen")  # and it is neither there nor where the agent woke up
    prior.update(world.belief)
    question = model.asked[-1]
    assert isinstance(question, PlacementAgain)
    assert question.thing == "apple"
    assert question.places == ("inside fridge", "inside kitchen cabinet")
    assert dict(question.seen)["on bathroom counter"] == ("toothbrush",)
    assert notes == [
        "apple: looked for in vain where it is likely; the model is asked again",
        "no usable answer to where else the apple may be: all places are taken as equally likely",
    ]
    prior.update(world.belief)
    assert len(model.asked) == 2  # not once more before anything is new


def test_what_it_says_then_counts_for_places_where_nobody_has_looked() -> None:
    world, notes = small_apple(), list[str]()
    answers = {Placement: "on kitchen table", PlacementAgain: "inside kitchen cabinet"}
    prior = attentive(world, ScriptedModel(lambda q: [answers[type(q)]]), True, notes)
    prior.update(world.belief)
    world.do("walk-to-room kitchen")
    assert world.believed(0)["inside apple_1 fridge"] == pytest.approx(0.5)
    revisions = world.belief.revisions
    prior.update(world.belief)
    assert world.belief.revisions == revisions + 1
    assert world.believed(0)["inside apple_1 fridge"] == pytest.approx(FLOOR / (1 + FLOOR))
    assert world.believed(0)["on apple_1 kitchentable"] == 0


@pytest.mark.parametrize(("elsewhere", "asked"), [(1, 2), (2, 1)])
def test_it_is_asked_again_where_less_than_a_tenth_of_the_weight_is_left(elsewhere: int, asked: int) -> None:
    """So many answers of 20 name the fridge, the others the table, which is seen to be empty."""
    world = small_apple()
    model = ScriptedModel(lambda q: ["on kitchen table"] * (20 - elsewhere) + ["inside fridge"] * elsewhere)
    prior = AskedPrior(
        Relevance(world.task, world.compiled), Verbaliser(world.task, world.pack.lexicon), model, 20, True
    )
    prior.update(world.belief)
    world.do("walk-to-room kitchen")
    prior.update(world.belief)
    assert len(model.asked) == asked


def test_a_prior_that_comes_later_is_as_good_as_one_that_was_there() -> None:
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    early, late = small_apple(lambda g, n: weights), small_apple()
    for world in (early, late):
        world.do("walk-to-room kitchen")
    late.belief.revise(0, weights)
    assert late.believed(0) == pytest.approx(early.believed(0))
    assert late.belief.weight_left()[0] == pytest.approx(early.belief.weight_left()[0])


def test_of_the_rooms_of_furniture_those_are_asked_for_that_matter_next() -> None:
    world = World(HOUSEHOLD / "problems" / "demo.pddl", sensors=HIDDEN_ROOMS)
    places = {"apple": "inside fridge", "toothbrush": "on bathroom counter"}
    model = ScriptedModel(lambda q: [places.get(q.thing, "inside bedroom")] if isinstance(q, Placement) else [])
    prior = attentive(world, model, True, [])
    prior.update(world.belief)
    asked = [q.thing for q in model.asked if isinstance(q, Placement)]
    assert set(asked[:4]) == {"fridge", "bathroom cabinet", "apple", "toothbrush"}  # of the goal
    assert asked[4:] == ["bathroom counter"]  # where else one of them may be
    bedroom, *others = (question for question in model.asked if question.about == "where the fridge may be")
    assert isinstance(bedroom, Placement) and not others
    assert bedroom.places == ("inside bathroom", "inside bedroom", "inside kitchen", "inside living room")
