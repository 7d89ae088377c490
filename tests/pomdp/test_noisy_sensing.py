"""Noisy sensors need a model of them and the belief, nothing else. That the update is Bayes' rule over all worlds:
tests/pomdp/test_marginals.py."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.errors import CplanError, Status
from commonsense_planning.grounding.ground_task import CorrelatedFacts, Goal, GroundSensors, Int32, lists_of
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.methods.episode import EpisodeResult, PlanningEpisode
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.knowledge import NEGLIGIBLE, THRESHOLD
from commonsense_planning.pomdp.observation_model import Floats, Observation, ObservationModel
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.agents import EpisodeAgent, MacroAgent, ReplanAgent
from commonsense_planning.search.pomdp.macro_mcts import MacroMctsOptions
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.search.pomdp.sensing_mcts import SensingMcts
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.verbalise import Verbaliser
from tests.random_tasks import task_of
from tests.scripted import HOUSEHOLD, World, small_apple


class NoisySensing(ObservationModel):
    """A true fact is overlooked with probability ``miss``, a false one seen with probability ``false_alarm``."""

    def __init__(self, miss: float, false_alarm: float) -> None:
        self.chances = np.array([[false_alarm], [1 - miss]])

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return np.repeat(self.chances, len(facts), axis=1)


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


def readings(world: World, *shown: str) -> Observation:
    return Observation(readings=tuple((world.facts[name], True) for name in shown))


def test_a_look_that_finds_nothing_leaves_what_was_overlooked() -> None:
    world = small_apple()
    belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(0.3, 0.0))
    table = world.facts["on apple_1 kitchentable"]
    belief.update(None, Observation(readings=((table, False),)))
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
            belief.update(None, Observation(readings=((world.facts[name], False),)))
    late.revise(0, weights)
    assert late.probabilities() == pytest.approx(early.probabilities())
    assert (early.revisions, late.revisions) == (0, 1)  # plans are made again


def test_what_is_shown_counts_as_known_from_the_threshold_on() -> None:
    """What a precondition wants from one half on, what the goal wants from 0.95 on."""
    world = small_apple()
    fridge, goal = world.facts["inside apple_1 fridge"], world.facts["on apple_1 kitchentable"]
    for shown, threshold in ((fridge, 0.5), (goal, 0.95)):
        belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(0.5, 0.2))
        other = fridge + goal - shown
        chances = []
        for _ in range(5):
            belief.update(None, Observation(readings=((shown, True),), goal_reached=True))
            chances.append(float(belief.probabilities()[shown]))
            assert bool(belief.known[shown]) == bool(belief.truth[shown]) == (chances[-1] > threshold)
            assert bool(belief.known[other]) == bool(belief.known[shown])  # it cannot be in both
        assert chances == pytest.approx([2.5**n / (2.5**n + 3) for n in range(1, 6)])  # 0.45, 0.68, 0.84, 0.93, 0.97
        for _ in range(8):
            belief.update(None, Observation(readings=((shown, False),), goal_reached=True))
        assert not belief.known[shown] and not belief.known[other]  # in doubt again
        assert not belief.truth[shown]


def test_a_place_where_it_hardly_is_any_more_is_not_looked_at_again() -> None:
    world = small_apple()
    belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(0.1, 0.0))
    fridge = world.facts["inside apple_1 fridge"]
    nothing = Observation(readings=((fridge, False),))
    seen = []
    for _ in range(4):
        belief.update(None, nothing)
        seen.append((bool(belief.known[fridge]), float(belief.probabilities()[fridge]) < NEGLIGIBLE))
    assert seen == [(False, False), (False, False), (True, True), (True, True)] and not belief.truth[fridge]
    for _ in range(4):
        for name in world.facts:
            if "apple_1" in name and "fridge" not in name:
                belief.update(None, Observation(readings=((world.facts[name], False),)))
    assert not belief.known[fridge], "elsewhere it is even less"


@pytest.mark.parametrize(("unwanted", "expected"), [([], [True, True]), ([1], [False, True])])
def test_a_fact_of_no_group_counts_as_false_once_that_is_probable_enough(
    unwanted: list[int], expected: list[bool]
) -> None:
    task, nothing = task_of(2, [], [0]), lists_of([])
    task = replace(task, goal=Goal(lists_of([[0]]), lists_of([unwanted])))
    sensors = GroundSensors(np.array([False, True]), nothing, nothing, nothing, nothing)
    belief = Belief(compile_task(task, sensors), [], sensing=NoisySensing(0.1, 0.1))
    known = []
    for _ in range(2):
        belief.update(None, Observation(readings=((1, False),)))
        known.append(bool(belief.known[1]))
    assert known == expected  # 1/10, 1/82: more where the goal wants it
    belief.forget(np.array([1], np.int32))
    assert (belief.known[1], belief.probabilities()[1]) == (False, 0.5)


@pytest.mark.parametrize(("unwanted", "known"), [([], True), ([1], False)])
def test_where_a_member_counts_by_being_false_all_of_its_group_are_looked_at_carefully(
    unwanted: list[int], known: bool
) -> None:
    task, nothing = task_of(3, [], [0]), lists_of([])
    task = replace(task, goal=Goal(lists_of([[0]]), lists_of([unwanted])))
    sensors = GroundSensors(np.array([False, True, True]), lists_of([[1, 2]]), nothing, nothing, nothing)
    belief = Belief(compile_task(task, sensors), [np.ones(2)], sensing=NoisySensing(0.3, 0.1))
    belief.update(None, Observation(readings=((2, True),)))  # 7/8
    assert belief.known[2] == known


@pytest.mark.parametrize("certain", ["on apple_1 bathroomcounter", "inside apple_1 fridge"])
def test_what_only_counts_as_known_is_refuted_by_what_is_certain(certain: str) -> None:
    """However sure it is of the table, once the apple is seen elsewhere it is there and nowhere else."""
    world, places = small_apple(), ("inside apple_1 fridge", "inside apple_1 kitchencabinet")
    belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(0.3, 0.0))
    members, table = belief.groups.row(0), world.facts["on apple_1 kitchentable"]
    nothing = tuple((world.facts[name], False) for name in (*places, "on apple_1 bathroomcounter"))
    for _ in range(6):
        belief.update(None, Observation(readings=nothing, goal_reached=True))
    belief.update(None, Observation(readings=((table, False),), goal_reached=True))
    assert belief.truth[table] and belief.known[members].all() and not belief.certain[members].any()
    assert not len(belief.knowledge.nowhere())
    belief.update(None, Observation(readings=((world.facts[certain], True),), goal_reached=True))
    assert belief.certain[members].all()
    for true in (belief.truth, belief.probabilities() == 1):
        assert members[true[members]].tolist() == [world.facts[certain]]
    belief.update(None, Observation(readings=((table, True),), goal_reached=True))  # it was moved: the newer one counts
    assert members[belief.truth[members]].tolist() == [table]


def test_what_counts_as_known_follows_a_prior_that_comes_later() -> None:
    world = small_apple()
    belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(0.5, 0.1))
    fridge = world.facts["inside apple_1 fridge"]
    belief.update(None, readings(world, "inside apple_1 fridge"))
    assert belief.truth[fridge]
    belief.revise(0, np.array([0.01 if fact == fridge else 1.0 for fact in belief.groups.row(0)]))
    assert not belief.truth[fridge] and not belief.known[fridge]


def test_evidence_that_leaves_doubt_can_always_be_outweighed() -> None:
    """After 400 readings one way the doubt has rounded to nothing, and yet is there."""
    task, nothing = task_of(4, [], [0]), lists_of([])
    sensors = GroundSensors(np.array([False, True, True, True]), lists_of([[2, 3]]), nothing, nothing, nothing)
    tied = CorrelatedFacts(np.array([1], np.int32), np.array([[False], [True]]), ())
    for listed in ((), (tied,)):
        compiled = compile_task(task, replace(sensors, correlated=listed))
        belief = Belief(compiled, [np.ones(2)], sensing=NoisySensing(0.1, 0.1))
        for value, times in ((True, 400), (False, 410)):
            for _ in range(times):
                belief.update(None, Observation(readings=((1, value), (2, value), (3, not value)), goal_reached=True))
            assert belief.truth[[1, 2]].all() == value and belief.truth[3] != value
            assert not belief.certain[1:].any()


def test_a_failure_rules_out_nothing_where_others_only_round_to_certain() -> None:
    task = task_of(3, [([1, 2], [], [0], [], 1)], [0])
    nothing = lists_of([])
    sensors = GroundSensors(np.array([False, True, True]), nothing, nothing, nothing, nothing)
    belief = Belief(compile_task(task, sensors), [], sensing=NoisySensing(0.1, 0.1))
    for _ in range(40):
        belief.update(None, Observation(readings=((1, True),)))
    belief.update(0, Observation(applied=False))
    assert not belief.certain[1:].any() and belief.probabilities()[2] < 1e-9


def test_a_goal_that_is_not_rewarded_does_not_count_as_reached() -> None:
    world = small_apple()
    belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(0.3, 0.1))
    for _ in range(3):
        belief.update(None, readings(world, "on apple_1 kitchentable"))
    assert belief.probabilities()[world.facts["on apple_1 kitchentable"]] == 0  # the goal, and no reward
    assert belief.probabilities()[world.facts["inside apple_1 fridge"]] == pytest.approx(1 / 3)


def test_what_could_not_be_done_shows_that_its_precondition_was_false() -> None:
    world = apple(0.3, 0.1)
    belief = world.belief
    world.do("walk-to-room kitchen", "walk-to-place kitchentable kitchen")
    grab = world.operators["grab-from-surface apple_1 kitchentable"]
    observation = world.environment.step(grab)
    assert not observation.applied
    belief.update(grab, observation)
    assert belief.probabilities()[world.facts["on apple_1 kitchentable"]] == 0
    assert belief.known[world.facts["on apple_1 kitchentable"]]
    assert belief.probabilities()[world.facts["inside apple_1 fridge"]] > 0.3


def test_what_cannot_be_is_an_error() -> None:
    world = small_apple()
    with pytest.raises(CplanError, match="was false in the world"):
        world.belief.update(world.operators["walk-to-room kitchen"], Observation(applied=False))
    belief = Belief(world.compiled, uniform_prior(world.compiled.sensors), sensing=NoisySensing(1.0, 0.0))
    with pytest.raises(CplanError, match="probability 0"):
        belief.update(None, readings(world, "on apple_1 kitchentable"))
    with pytest.raises(ValueError, match="generator"):
        Environment(world.compiled, world.task.init, NoisySensing(0.3, 0.0))


# Whole episodes, with the agents as they are


def replan(world: World, seed: int) -> ReplanAgent:
    return ReplanAgent(BestFirst(world.compiled), world.belief, np.random.default_rng(seed), Limits())


def looking(world: World, seed: int) -> EpisodeAgent:
    rng = np.random.default_rng(seed)
    search = SensingMcts(SensingMacros(world.task, world.compiled, world.belief), world.belief, MacroMctsOptions(), rng)
    return MacroAgent(search, None, replan(world, seed))


def episodes(
    make: Any, miss: float, false_alarm: float, threshold: float = THRESHOLD
) -> Iterator[tuple[World, EpisodeResult, list[dict[str, Any]]]]:
    for seed in range(6):
        world, events = apple(miss, false_alarm, seed, threshold), list[dict[str, Any]]()
        say = Verbaliser(world.task, world.pack.lexicon)
        agent = make(world, seed)
        run = PlanningEpisode(world.environment, agent, world.belief, say, events.append, world.belief.take_notes)
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
    problem = HOUSEHOLD / "problems" / "small-apple.pddl"
    task = replace(read_task(HOUSEHOLD / "domain.pddl", problem), sensing=NoisySensing(0.3, 0.05))
    request = Request(task, method_named(method), seed=1)
    request = replace(request, options=replace(request.options, max_steps=100))
    solution = solve(request)
    assert solution.status == Status.SOLVED
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID
    assert solve(request).plan == solution.plan


def test_an_agent_that_acts_on_little_evidence_learns_from_what_it_could_not_do() -> None:
    refused = 0
    for _, result, events in episodes(replan, 0.3, 0.3, threshold=0.6):
        assert result.status == Status.SOLVED
        refused += sum("nothing has changed" in note for event in events for note in event.get("notes", ()))
    assert refused
