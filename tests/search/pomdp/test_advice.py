"""Advice as evidence: Bayes' rule over worlds, and trust in advice by its outcomes."""

import numpy as np
import pytest

from commonsense_planning.kernels.sensing_rollout import Worlds
from commonsense_planning.search.pomdp.advice import AdviceAsEvidence
from commonsense_planning.search.pomdp.macro_mcts import Branch, MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts
from tests.scripted import HOUSEHOLD, World, small_apple

NOWHERE = np.zeros(1, np.uint64)


def branches(*toward: int | None) -> list[Branch]:
    return [Branch((i,), i, NOWHERE, toward=frozenset(() if c is None else (c,))) for i, c in enumerate(toward)]


def worlds(*classes: int, count: int) -> Worlds:
    """One thing, in one class in each of as many worlds, of equal weight."""
    mass = np.full((1, count), 1 / count)
    observed = np.array(classes, np.int32)[:, None]
    return certain(observed, np.full(len(classes), 1 / len(classes)), mass, np.array([1]))


def certain(observed: np.ndarray, weight: np.ndarray, mass: np.ndarray, needed: np.ndarray) -> Worlds:
    """Worlds in which a look shows what is true."""
    return Worlds(observed, weight, mass, needed, np.zeros(mass.shape[1]), np.zeros(observed.shape))


def advised(branch: int, count: int, mixing: float = 0.5) -> np.ndarray:
    return mixing / count + (1 - mixing) * np.eye(count)[branch]


def even(count: int) -> np.ndarray:
    return np.full(count, 1 / count)


def sensing() -> SensingMacros:
    world = small_apple()
    return SensingMacros(world.task, world.compiled, world.belief)


def test_a_place_that_is_advised_is_more_probable_by_the_rule_of_the_module() -> None:
    advice = AdviceAsEvidence(sensing(), 0.5)
    heard = advice.condition_on_advice(worlds(0, 1, 2, 3, count=4), 0, branches(0, 1, 2, 3), even(4), advised(1, 4))
    expected = np.array([0.5 / 4, 0.5 + 0.5 / 4, 0.5 / 4, 0.5 / 4])
    assert heard.weight / heard.weight.sum() == pytest.approx(expected / expected.sum())
    assert (heard.mass / heard.mass.sum())[0] == pytest.approx(expected / expected.sum())


def test_advice_to_what_hides_nothing_tells_nothing() -> None:
    before = worlds(0, 1, count=2)
    advice = AdviceAsEvidence(sensing(), 0.5)
    assert advice.condition_on_advice(before, 0, branches(0, 1, None), even(3), advised(2, 3)) is before
    assert advice.reliability == 0.5


def test_what_was_found_already_is_no_evidence() -> None:
    two = certain(np.array([[0, 1], [1, 0]], np.int32), np.full(2, 0.5), np.full((2, 2), 0.5), np.array([3]))
    heard = AdviceAsEvidence(sensing(), 0.5).condition_on_advice(two, 1, branches(0, 1), even(2), advised(0, 2))
    assert heard.weight[1] > heard.weight[0]  # of the second thing, since the first is found


def outcomes_of(advised_last: str, *actions: str) -> tuple[float, float, float]:
    """Hits, misses and trust after these actions, in a kitchen with an apple in the fridge, where it was advised to do
    what ends with an action."""
    world = small_apple()
    world.do("walk-to-room kitchen")
    macros = SensingMacros(world.task, world.compiled, world.belief)
    mcts = SensingMcts(macros, world.belief, MacroMctsOptions(simulations=1), np.random.default_rng(0))
    there = mcts.search().open_branches
    choice = [branch.operators[-1] for branch in there].index(world.operators[advised_last])
    advice = AdviceAsEvidence(macros, 0.5)
    advice.condition_on_advice(mcts.worlds, 0, there, even(len(there)), advised(choice, len(there)))
    for action in actions:
        world.do(action)
        advice.review()
    return advice.hits, advice.misses, advice.reliability


def test_trust_in_advice_follows_its_outcomes() -> None:
    to_fridge = "walk-to-place fridge kitchen"
    found = (to_fridge, "open-container fridge")
    assert outcomes_of("open-container fridge", to_fridge) == (0, 0, 0.5)  # not looked at yet
    hits, misses, trust = outcomes_of("open-container fridge", *found)
    assert hits + misses == 1 and hits > 0.5  # luck it may have been
    assert trust == pytest.approx((1 + hits) / 3)
    other = "open-container kitchencabinet"
    assert outcomes_of(other, "walk-to-place kitchencabinet kitchen", other) == (0, 1, 1 / 3)
    assert outcomes_of(other, *found) == (0, 1, 1 / 3)  # nothing is left to be found


def test_advice_to_do_the_best_action_anyway_is_weak_evidence() -> None:
    here, there = worlds(0, 1, 2, 3, count=4), branches(0, 1, 2, 3)
    surprise = AdviceAsEvidence(sensing(), 0.5).condition_on_advice(here, 0, there, even(4), advised(1, 4)).weight
    doing = advised(1, 4, 0.1)
    echo = AdviceAsEvidence(sensing(), 0.5).condition_on_advice(here, 0, there, doing, advised(1, 4)).weight
    assert 0.25 < echo[1] / echo.sum() < surprise[1] / surprise.sum()


def test_no_question_is_asked_where_the_world_is_almost_known() -> None:
    sure = World(HOUSEHOLD / "problems" / "small-apple.pddl", lambda g, n: np.eye(n)[0] + 1e-6)
    vague = World(HOUSEHOLD / "problems" / "demo.pddl")
    asked = []
    for world in (sure, vague):
        macros = SensingMacros(world.task, world.compiled, world.belief)
        mcts = SensingMcts(macros, world.belief, MacroMctsOptions(simulations=1), np.random.default_rng(0))
        heard: list[int] = []
        mcts.search(lambda there, heard=heard: heard.append(len(there)))  # type: ignore[misc]
        asked.append(len(heard))
    assert asked == [0, 1]
