"""The belief: what observations do to it, and that it never divides by zero."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, lists_of
from commonsense_planning.kernels.compiled import State, compile_task, unpack
from commonsense_planning.kernels.engine import holds, sense_all
from commonsense_planning.pomdp.belief import FLOOR, Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.observation_model import Bits, Floats
from tests.random_tasks import observed_tasks, task_of
from tests.scripted import HOUSEHOLD, World, small_apple

APPLE = (
    "inside apple_1 fridge",
    "inside apple_1 kitchencabinet",
    "on apple_1 bathroomcounter",
    "on apple_1 kitchentable",
)


def skewed(weights: dict[str, float]) -> World:
    """small-apple with a prior for the apple (group 0), uniform for the rest."""
    names = list(small_apple().believed(0))

    def prior(group: int, size: int) -> Floats:
        return np.array([weights[n] for n in names]) if group == 0 else np.ones(size)

    return small_apple(prior)


def drawn_world(belief: Belief, rng: np.random.Generator) -> Bits:
    """A world that agrees with what is known, bool (facts,)."""
    state = belief.sample(rng)
    assert np.array_equal(state[belief.task.half :], belief.state()[belief.task.half :])
    return truth_in(belief, state)


def truth_in(belief: Belief, state: State) -> Bits:
    return unpack(state[: belief.task.half], len(belief.truth))


def test_looked_and_not_there_is_zero_and_the_rest_is_normalised() -> None:
    world = skewed(dict(zip(APPLE, (0.5, 0.25, 0.125, 0.125), strict=True)))
    # awake in the bathroom: the apple is not on its counter
    assert world.believed(0) == pytest.approx(dict(zip(APPLE, (4 / 7, 2 / 7, 0, 1 / 7), strict=True)))
    world.do("walk-to-room kitchen")
    assert world.believed(0) == pytest.approx(dict(zip(APPLE, (2 / 3, 1 / 3, 0, 0), strict=True)))
    world.do("walk-to-place kitchencabinet kitchen", "open-container kitchencabinet")
    assert world.believed(0) == pytest.approx(dict(zip(APPLE, (1, 0, 0, 0), strict=True)))


def test_seen_there_is_one() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    members = world.belief.groups.row(0).tolist()
    assert world.belief.known[members].all()
    assert not world.belief.distributions()[0].any()  # nothing is open any more: it is knowledge
    likeliest = truth_in(world.belief, world.belief.most_likely())
    assert [world.task.fact_step(f).arguments for f in members if likeliest[f]] == [("apple_1", "fridge")]
    assert world.belief.take_notes() == []


def test_where_all_is_ruled_out_the_rest_shares_the_belief_and_a_note_says_so_once() -> None:
    world = skewed(dict(zip(APPLE, (0.0, 0.0, 1.0, 0.0), strict=True)))
    assert world.believed(0) == pytest.approx(dict(zip(APPLE, (1 / 3, 1 / 3, 0, 1 / 3), strict=True)))
    assert world.belief.take_notes() == [
        "group 0: all likely places are ruled out; those not looked at share the belief"
    ]
    assert world.belief.take_notes() == []


def test_what_is_nowhere_has_no_belief_and_a_note() -> None:
    world = World(HOUSEHOLD / "problems" / "missing-salmon.pddl")
    belief = world.belief
    nowhere = [g for g in range(len(belief.groups)) if not world.task.init[belief.groups.row(g)].any()]
    assert len(nowhere) == 1
    belief.known[belief.groups.row(nowhere[0])] = belief.certain[belief.groups.row(nowhere[0])] = True
    distributions = belief.distributions()
    assert not np.isnan(distributions).any()
    assert not distributions[nowhere[0]].any()
    assert f"group {nowhere[0]}: is in none of the places where it could be" in belief.take_notes()
    sampled = drawn_world(belief, np.random.default_rng(0))
    assert not sampled[belief.groups.row(nowhere[0])].any()


def test_what_was_found_and_let_go_may_be_nowhere_after_all() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    belief, members = world.belief, world.belief.groups.row(0)
    assert not len(belief.knowledge.nowhere())  # it is in the fridge
    belief.forget(members)
    belief.certain[members] = True  # and now in none of its places
    assert belief.knowledge.nowhere().tolist() == [0]


def test_samples_follow_the_distribution() -> None:
    world = skewed(dict(zip(APPLE, (0.5, 0.3, 0.0, 0.2), strict=True)))
    belief, rng = world.belief, np.random.default_rng(1)
    members = belief.groups.row(0)
    counts: Counter[str] = Counter()
    for _ in range(2000):
        sampled = drawn_world(belief, rng)
        assert sampled[members].sum() == 1
        assert (sampled[belief.known] == belief.truth[belief.known]).all()
        counts[str(world.task.fact_step(int(members[sampled[members]][0]))).strip("()")] += 1
    expected = world.believed(0)
    for name in APPLE:
        assert counts[name] / 2000 == pytest.approx(expected[name], abs=0.04)
    assert counts["on apple_1 bathroomcounter"] == 0


def test_equal_seeds_give_equal_samples() -> None:
    belief = small_apple().belief
    drawn = [drawn_world(belief, np.random.default_rng(7)) for _ in range(2)]
    assert np.array_equal(*drawn)


def test_the_likeliest_world_takes_the_first_of_equals() -> None:
    world = skewed(dict(zip(APPLE, (0.2, 0.4, 0.0, 0.4), strict=True)))
    likeliest = truth_in(world.belief, world.belief.most_likely())
    assert [name for name in APPLE if likeliest[world.facts[name]]] == ["inside apple_1 kitchencabinet"]


def obvious_world(belief: Belief, rng: np.random.Generator) -> Bits:
    """A number per group picks its member, then one per hidden fact outside of all groups says whether it is true."""
    groups, distributions = belief.groups, belief.distributions()
    world = belief.truth.copy()
    for g in range(len(groups)):
        number, total = rng.random(), 0.0
        weights = distributions[g].tolist()
        for fact, weight in zip(groups.row(g).tolist(), weights, strict=False):
            total += weight
            if total > number * sum(weights):
                world[fact] = True
                break
    for fact in sorted(set(np.flatnonzero(belief.task.hidden).tolist()) - set(groups.items.tolist())):
        if not belief.known[fact]:
            world[fact] = rng.random() < 0.5
    return world


@settings(max_examples=50)
@given(observed_tasks(), st.lists(st.floats(0, 1), min_size=3, max_size=3), st.integers(0, 2**32))
def test_rows_are_distributions_and_samples_are_worlds(
    case: tuple[GroundTask, GroundSensors], weights: list[float], seed: int
) -> None:
    task, sensors = case
    compiled = compile_task(task, sensors)
    prior = [np.array(weights[: len(sensors.groups.row(g))]) for g in range(len(sensors.groups))]
    belief = Belief(compiled, prior)
    belief.update(None, Environment(compiled, task.init).look())
    distributions = belief.distributions()
    assert not np.isnan(distributions).any()
    rng = np.random.default_rng(seed)
    sampled = drawn_world(belief, rng)
    assert np.array_equal(sampled, obvious_world(belief, np.random.default_rng(seed)))
    likeliest = truth_in(belief, belief.most_likely())
    loose = sensors.hidden.copy()
    for g in range(len(sensors.groups)):
        members = sensors.groups.row(g)
        loose[members] = False
        still_open = ~belief.known[members]
        assert distributions[g].sum() == pytest.approx(1.0 if still_open.any() else 0.0)
        assert not distributions[g, : len(members)][~still_open].any()
        for world in (sampled, likeliest):
            assert world[members].sum() == 1  # it is somewhere, seen or not
    for world in (sampled, likeliest):
        settled = belief.known | (~loose & ~sensors.hidden)
        assert (world[settled] == belief.truth[settled]).all()
    assert not likeliest[loose & ~belief.known].any()


def test_hidden_facts_outside_all_groups_are_true_half_of_the_time() -> None:
    task, nothing = task_of(2, [], [0]), lists_of([])
    sensors = GroundSensors(np.array([False, True]), nothing, nothing, nothing, nothing)
    belief = Belief(compile_task(task, sensors), [])
    rng = np.random.default_rng(0)
    drawn = [holds(belief.sample(rng), 1) for _ in range(1000)]
    assert np.mean(drawn) == pytest.approx(0.5, abs=0.05)


def test_the_floor_is_the_papers() -> None:
    assert FLOOR == 1e-3


def test_sensing_in_a_sampled_world_shows_what_the_sample_says() -> None:
    world = small_apple()
    state = world.belief.sample(np.random.default_rng(0))
    before = state.copy()
    sense_all(world.compiled.table, state)
    assert np.array_equal(state, before)
