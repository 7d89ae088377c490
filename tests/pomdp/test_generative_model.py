"""G: what is seen, the reward and the end; and what a sensor that errs keeps a simulation from knowing."""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.generative_model import GenerativeModel
from commonsense_planning.pomdp.observation_model import CertainSensing, Floats, ObservationModel
from commonsense_planning.state import StateView
from tests.scripted import World, small_apple

PLAN = (
    "walk-to-room kitchen",
    "walk-to-place fridge kitchen",
    "open-container fridge",
    "grab-from-container apple_1 fridge",
    "walk-to-place kitchentable kitchen",
    "put-on apple_1 kitchentable",
)


class Overlooking(ObservationModel):
    """What is so is overlooked with a probability of ``miss``."""

    def __init__(self, miss: float) -> None:
        self.miss = miss

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return np.repeat([[0.0], [1 - self.miss]], len(facts), axis=1)


def model(world: World, sensing: ObservationModel) -> GenerativeModel:
    return GenerativeModel(world.belief.transition, sensing, np.random.default_rng(0))


def test_what_is_seen_the_reward_and_the_end() -> None:
    world = small_apple()
    generate, state = model(world, CertainSensing()), world.belief.state(world.task.init)
    outcomes = []
    for action in PLAN:
        state, *outcome = generate(state, world.operators[action])
        outcomes.append(outcome)
    assert [outcome[1:] for outcome in outcomes] == [[0.0, False]] * 5 + [[1.0, True]]
    assert len({seen for seen, _, _ in outcomes}) == 6


def share_that_knows(miss: float) -> float:
    """How often a simulation that opens the fridge knows then that the apple is in it."""
    world = small_apple()
    before = [world.operators[action] for action in PLAN[:2]]
    state = world.belief.transition.trajectory(world.belief.state(world.task.init), before)[-1]
    generate = model(world, Overlooking(miss))
    apple, fridge = world.facts["inside apple_1 fridge"], world.operators[PLAN[2]]
    ends = [StateView(world.compiled, generate(state, fridge)[0]) for _ in range(100)]
    assert all(end.holds(apple) for end in ends)
    elsewhere = [fact for fact in world.compiled.sensors.groups.row(0).tolist() if fact != apple]
    for end in ends:  # nothing follows from what was overlooked
        assert all(end.knows(fact) for fact in elsewhere) == end.knows(apple)
    return sum(end.knows(apple) for end in ends) / len(ends)


def test_a_simulation_knows_what_the_sensors_show_it() -> None:
    assert share_that_knows(0.0) == 1.0
    assert share_that_knows(1.0) == 0.0
    assert 0.3 < share_that_knows(0.5) < 0.7
