"""Noisy sensors need a model of them and the belief, nothing else. That the update is Bayes' rule over all worlds:
tests/pomdp/test_marginals.py."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.errors import CplanError, Status
from commonsense_planning.grounding.ground_task import CorrelatedFacts, Goal, lists_of
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.methods.episode import Actor, PlanningEpisode
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.knowledge import NEGLIGIBLE, THRESHOLD
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.pomdp.transition_system import PathResult
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import EpisodeAgent, MacroAgent, ReplanAgent
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.travel_cost_mcts import TravelCostMcts
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests.random_tasks import sensors_of, task_of
from tests.scripted import NoisySensing, World, small_apple, solved

# What an agent counts as known


def apple(miss: float, false_alarm: float, seed: int = 0, threshold: float = THRESHOLD) -> World:
    """small-apple with noisy sensors; the agent begins in the bathroom."""
    world = small_apple()
    sensing, rng = NoisySensing(miss, false_alarm), np.random.default_rng(seed)
    world.environment = Environment(world.compiled, world.task.init, sensing, rng)
    world.first = world.environment.look()
    world.belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), str, sensing, threshold)
    world.belief.update(None, world.first)
    return world


def shown(fact: int, value: bool = True, goal_reached: bool = False) -> Observation:
    return Observation(readings=((fact, value),), goal_reached=goal_reached)


def unseen(miss: float, false_alarm: float) -> tuple[World, Belief]:
    """small-apple, and the belief of an agent with noisy sensors that has seen nothing yet."""
    world = small_apple()
    return world, Belief(world.compiled, uniform_prior(world.compiled.sensors), str, NoisySensing(miss, false_alarm))


def test_a_look_that_finds_nothing_leaves_what_was_overlooked() -> None:
    world, belief = unseen(0.3, 0.0)
    table = world.facts["on apple_1 kitchentable"]
    belief.update(None, shown(table, False))
    assert belief.probabilities()[table] == pytest.approx(0.3 / 3.3)
    assert not belief.known[table]


def test_a_prior_that_comes_later_is_weighed_by_what_was_shown() -> None:
    world, weights = small_apple(), np.array([0.4, 0.3, 0.2, 0.1])
    uniform = uniform_prior(world.compiled.sensors)
    early, late = (
        Belief(world.compiled, prior, sensing=NoisySensing(0.3, 0.1)) for prior in ([weights, *uniform[1:]], uniform)
    )
    for name in ("on apple_1 kitchentable", "inside apple_1 fridge", "on apple_1 kitchentable"):
        for belief in (early, late):
            belief.update(None, shown(world.facts[name], False))
    late.revise(0, weights)
    assert late.probabilities() == pytest.approx(early.probabilities())
    assert (early.revisions, late.revisions) == (0, 1)  # plans are made again


def test_what_is_shown_counts_as_known_from_the_threshold_on() -> None:
    """What a precondition wants from one half on, what the goal wants from 0.95 on."""
    for wanted, threshold in (("inside apple_1 fridge", 0.5), ("on apple_1 kitchentable", 0.95)):
        world, belief = unseen(0.5, 0.2)
        fact = world.facts[wanted]
        (other,) = {world.facts["inside apple_1 fridge"], world.facts["on apple_1 kitchentable"]} - {fact}
        chances = []
        for _ in range(5):
            belief.update(None, shown(fact, goal_reached=True))
            chances.append(float(belief.probabilities()[fact]))
            assert bool(belief.known[fact]) == bool(belief.truth[fact]) == (chances[-1] > threshold)
            assert bool(belief.known[other]) == bool(belief.known[fact])  # it cannot be in both
        assert chances == pytest.approx([2.5**n / (2.5**n + 3) for n in range(1, 6)])  # 0.45, 0.68, 0.84, 0.93, 0.97
        for _ in range(8):
            belief.update(None, shown(fact, False, goal_reached=True))
        assert not belief.known[fact] and not belief.known[other]  # in doubt again
        assert not belief.truth[fact]


def test_a_place_where_it_hardly_is_any_more_is_not_looked_at_again() -> None:
    world, belief = unseen(0.1, 0.0)
    fridge = world.facts["inside apple_1 fridge"]
    seen = []
    for _ in range(4):
        belief.update(None, shown(fridge, False))
        seen.append((bool(belief.known[fridge]), float(belief.probabilities()[fridge]) < NEGLIGIBLE))
    assert seen == [(False, False), (False, False), (True, True), (True, True)] and not belief.truth[fridge]
    for _ in range(4):
        for name, fact in world.facts.items():
            if "apple_1" in name and "fridge" not in name:
                belief.update(None, shown(fact, False))
    assert not belief.known[fridge], "elsewhere it is even less"


@pytest.mark.parametrize(("unwanted", "expected"), [([], [True, True]), ([1], [False, True])])
def test_a_fact_of_no_group_counts_as_false_once_that_is_probable_enough(
    unwanted: list[int], expected: list[bool]
) -> None:
    task = replace(task_of(2, [], [0]), goal=Goal(lists_of([[0]]), lists_of([unwanted])))
    belief = Belief(compile_task(task, sensors_of(2, [1], [])), [], sensing=NoisySensing(0.1, 0.1))
    known = []
    for _ in range(2):
        belief.update(None, shown(1, False))
        known.append(bool(belief.known[1]))
    assert known == expected  # 1/10, 1/82: more where the goal wants it
    belief.forget(np.array([1], np.int32))
    assert (belief.known[1], belief.probabilities()[1]) == (False, 0.5)


@pytest.mark.parametrize(("unwanted", "known"), [([], True), ([1], False)])
def test_where_a_member_counts_by_being_false_all_of_its_group_are_looked_at_carefully(
    unwanted: list[int], known: bool
) -> None:
    task = replace(task_of(3, [], [0]), goal=Goal(lists_of([[0]]), lists_of([unwanted])))
    compiled = compile_task(task, sensors_of(3, [1, 2], [[1, 2]]))
    belief = Belief(compiled, [np.ones(2)], sensing=NoisySensing(0.3, 0.1))
    belief.update(None, shown(2))  # 7/8
    assert belief.known[2] == known


@pytest.mark.parametrize("certain", ["on apple_1 bathroomcounter", "inside apple_1 fridge"])
def test_what_only_counts_as_known_is_refuted_by_what_is_certain(certain: str) -> None:
    """However sure it is of the table, once the apple is seen elsewhere it is there and nowhere else."""
    world, belief = unseen(0.3, 0.0)
    members, table = belief.groups.row(0), world.facts["on apple_1 kitchentable"]
    nothing = tuple((fact, False) for fact in members.tolist() if fact != table)
    for _ in range(6):
        belief.update(None, Observation(readings=nothing, goal_reached=True))
    belief.update(None, shown(table, False, goal_reached=True))
    assert belief.truth[table] and belief.known[members].all() and not belief.certain[members].any()
    assert not len(belief.knowledge.nowhere())
    belief.update(None, shown(world.facts[certain], goal_reached=True))
    assert belief.certain[members].all()
    for true in (belief.truth, belief.probabilities() == 1):
        assert members[true[members]].tolist() == [world.facts[certain]]
    belief.update(None, shown(table, goal_reached=True))  # it was moved: the newer one counts
    assert members[belief.truth[members]].tolist() == [table]


def test_what_counts_as_known_follows_a_prior_that_comes_later() -> None:
    world, belief = unseen(0.5, 0.1)
    fridge = world.facts["inside apple_1 fridge"]
    belief.update(None, shown(fridge))
    assert belief.truth[fridge]
    belief.revise(0, np.array([0.01 if fact == fridge else 1.0 for fact in belief.groups.row(0)]))
    assert not belief.truth[fridge] and not belief.known[fridge]


def test_evidence_that_leaves_doubt_can_always_be_outweighed() -> None:
    """After 400 readings one way the doubt has rounded to nothing, and yet is there."""
    tied = CorrelatedFacts(np.array([1], np.int32), np.array([[False], [True]]), ())
    for listed in ((), (tied,)):
        sensors = replace(sensors_of(4, [1, 2, 3], [[2, 3]]), correlated=listed)
        belief = Belief(compile_task(task_of(4, [], [0]), sensors), [np.ones(2)], sensing=NoisySensing(0.1, 0.1))
        for value, times in ((True, 400), (False, 410)):
            for _ in range(times):
                belief.update(None, Observation(readings=((1, value), (2, value), (3, not value)), goal_reached=True))
            assert belief.truth[[1, 2]].all() == value and belief.truth[3] != value
            assert not belief.certain[1:].any()


def test_a_failure_rules_out_nothing_where_others_only_round_to_certain() -> None:
    compiled = compile_task(task_of(3, [([1, 2], [], [0], [], 1)], [0]), sensors_of(3, [1, 2], []))
    belief = Belief(compiled, [], sensing=NoisySensing(0.1, 0.1))
    for _ in range(40):
        belief.update(None, shown(1))
    belief.update(0, Observation(applied=False))
    assert not belief.certain[1:].any() and belief.probabilities()[2] < 1e-9


def test_what_may_move_is_believed_as_a_filter_of_the_places_says() -> None:
    """What is certain, too: it was seen to be in the first place, and the fact of no group to be true."""
    sensors = sensors_of(5, [1, 2, 3, 4], [[1, 2, 3]])
    prior, rate, rng = np.array([0.5, 0.3, 0.2]), 0.1, np.random.default_rng(1)
    belief = Belief(compile_task(task_of(5, [], [0]), sensors), [prior], sensing=NoisySensing(0.3, 0.1), move_rate=rate)
    belief.update(None, Observation(((1, True), (4, True)), goal_reached=True))
    assert belief.certain[1:].all() and belief.truth[[1, 4]].all()
    places, alone = np.array([1.0, 0.0, 0.0]), 1.0
    for _ in range(20):
        fact, value = int(rng.integers(1, 5)), bool(rng.random() < 0.5)
        belief.update(None, shown(fact, value, goal_reached=True))
        places, alone = (1 - rate) * places + rate * prior, (1 - rate) * alone + rate * 0.5
        if_true, if_false = (0.7, 0.1) if value else (0.3, 0.9)
        if fact == 4:
            alone = alone * if_true / (alone * if_true + (1 - alone) * if_false)
        else:
            places *= np.where(np.arange(1, 4) == fact, if_true, if_false)
            places /= places.sum()
        assert belief.probabilities()[1:] == pytest.approx([*places, alone])
        assert not belief.certain[1:].any()
    other = np.array([0.2, 0.3, 0.5])
    belief.revise(0, other)
    assert belief.probabilities()[1:4] == pytest.approx(places / prior * other / (places / prior * other).sum())


def test_what_is_held_does_not_move() -> None:
    belief = Belief(compile_task(task_of(3, [], [0]), sensors_of(3, [1, 2], [[1, 2]])), [np.ones(2)], move_rate=0.1)
    for value in (True, False):
        belief.update(None, Observation(((1, value),), goal_reached=True))
    belief.update(None, Observation(((1, False), (2, False)), goal_reached=True))
    belief.update(None, Observation(goal_reached=True))
    assert belief.certain[1:].all() and not belief.probabilities()[1:].any()


def test_a_goal_that_is_not_rewarded_does_not_count_as_reached() -> None:
    world, belief = unseen(0.3, 0.1)
    table = world.facts["on apple_1 kitchentable"]
    for _ in range(3):
        belief.update(None, shown(table))
    assert belief.probabilities()[table] == 0  # the goal, and no reward
    assert belief.probabilities()[world.facts["inside apple_1 fridge"]] == pytest.approx(1 / 3)


def test_what_could_not_be_done_shows_that_its_precondition_was_false() -> None:
    world = apple(0.3, 0.1)
    belief, table = world.belief, world.facts["on apple_1 kitchentable"]
    world.do("walk-to-room kitchen", "walk-to-place kitchentable kitchen")
    grab = world.operators["grab-from-surface apple_1 kitchentable"]
    observation = world.environment.step(grab)
    assert not observation.applied
    belief.update(grab, observation)
    assert belief.probabilities()[table] == 0 and belief.known[table]
    assert belief.probabilities()[world.facts["inside apple_1 fridge"]] > 0.3


def test_what_cannot_be_is_an_error() -> None:
    world, belief = unseen(1.0, 0.0)
    with pytest.raises(CplanError, match="was false in the world"):
        world.belief.update(world.operators["walk-to-room kitchen"], Observation(applied=False))
    with pytest.raises(CplanError, match="probability 0"):
        belief.update(None, shown(world.facts["on apple_1 kitchentable"]))
    with pytest.raises(ValueError, match="generator"):
        Environment(world.compiled, world.task.init, NoisySensing(0.3, 0.0))


# Whole episodes, with the agents as they are


def replan(world: World, seed: int) -> ReplanAgent:
    return ReplanAgent(BestFirst(world.compiled), world.belief, np.random.default_rng(seed), Limits())


def looking(world: World, seed: int) -> EpisodeAgent:
    rng = np.random.default_rng(seed)
    search = TravelCostMcts(
        SensingMacros(world.task, world.compiled, world.belief), world.belief, MacroMctsOptions(), rng
    )
    return MacroAgent(search, None, replan(world, seed))


def episodes(
    make: Any, miss: float, false_alarm: float, threshold: float = THRESHOLD
) -> Iterator[tuple[World, PathResult, list[dict[str, Any]]]]:
    for seed in range(6):
        world, events = apple(miss, false_alarm, seed, threshold), list[dict[str, Any]]()
        actor = Actor(make(world, seed), world.belief, world.say, events.append, world.belief.take_notes)
        run = PlanningEpisode(world.environment, actor)
        yield world, run.run(world.first, 60), events


@pytest.mark.parametrize("make", [replan, looking])
@pytest.mark.parametrize(("miss", "false_alarm"), [(0.3, 0.0), (0.3, 0.05)])
def test_agents_reach_the_goal_with_noisy_sensors(make: Any, miss: float, false_alarm: float) -> None:
    lengths = []
    for world, result, events in episodes(make, miss, false_alarm):
        assert result.status == Status.SOLVED
        plan = Plan(tuple(world.task.step(o) for o in result.operators))
        assert replay(world.pack.problem, plan).verdict == Verdict.VALID
        steps = [event for event in events if event["event"] == "step"]
        refused = [event for event in steps if "this cannot be done here: nothing has changed" in event["notes"]]
        assert len(steps) == len(result.operators) + len(refused)
        assert false_alarm or not refused
        lengths.append(len(steps))
    assert max(lengths) > min(lengths) or make is looking  # what is overlooked costs steps; who tries anyway, none


@pytest.mark.parametrize("method", ["llm-replan", "llm-mcts", "uct"])
def test_methods_take_a_task_with_noisy_sensors(method: str) -> None:
    """Nothing but the observation model is said."""
    task = replace(read_task("household:small-apple"), sensing=NoisySensing(0.3, 0.05))
    solution, again = (solved(task, method, seed=1, max_steps=100)[0] for _ in range(2))
    assert solution.status == Status.SOLVED
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID
    assert again.plan == solution.plan


def test_an_agent_that_acts_on_little_evidence_learns_from_what_it_could_not_do() -> None:
    refused = 0
    for _, result, events in episodes(replan, 0.3, 0.3, threshold=0.6):
        assert result.status == Status.SOLVED
        refused += sum("nothing has changed" in note for event in events for note in event.get("notes", ()))
    assert refused
