"""The belief: what observations do to it, its marginals, what counts as known, and that it never divides by zero."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask, Int32
from commonsense_planning.kernels.compiled import State, compile_task, unpack
from commonsense_planning.kernels.engine import holds, sense_all
from commonsense_planning.pomdp.belief import FLOOR, Belief
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.knowledge import NEGLIGIBLE, THRESHOLD, Knowledge
from commonsense_planning.pomdp.observation_model import Bits, Observation
from tests.oracle.marginals import compare
from tests.random_tasks import observed_tasks, sensors_of, task_of
from tests.scripted import HOUSEHOLD, World, small_apple

APPLE = (
    "inside apple_1 fridge",
    "inside apple_1 kitchencabinet",
    "on apple_1 bathroomcounter",
    "on apple_1 kitchentable",
)


def skewed(*weights: float) -> World:
    """small-apple with a prior for the apple (group 0), in the order of ``APPLE``; uniform for the rest."""
    return small_apple(lambda group, size: np.array(weights) if group == 0 else np.ones(size))


def believed(world: World, *chances: float) -> bool:
    """Whether the apple is believed to be in its places with these."""
    return world.believed(0) == pytest.approx(dict(zip(APPLE, chances, strict=True)))


def drawn_world(belief: Belief, rng: np.random.Generator) -> Bits:
    """A world that agrees with what is known, bool (facts,)."""
    state = belief.sample(rng)
    assert np.array_equal(state[belief.task.half :], belief.state()[belief.task.half :])
    return truth_in(belief, state)


def truth_in(belief: Belief, state: State) -> Bits:
    return unpack(state[: belief.task.half], len(belief.truth))


def test_looked_and_not_there_is_zero_and_the_rest_is_normalised() -> None:
    world = skewed(0.5, 0.25, 0.125, 0.125)
    assert believed(world, 4 / 7, 2 / 7, 0, 1 / 7)  # awake in the bathroom: the apple is not on its counter
    ranked = [truth_in(world.belief, world.belief.most_likely(rank)) for rank in (0, 1, 9)]
    assert [[name for name in APPLE if truth[world.facts[name]]] for truth in ranked] == [[APPLE[i]] for i in (0, 1, 3)]
    world.do("walk-to-room kitchen")
    assert believed(world, 2 / 3, 1 / 3, 0, 0)
    world.do("walk-to-place kitchencabinet kitchen", "open-container kitchencabinet")
    assert believed(world, 1, 0, 0, 0)


def test_seen_there_is_one() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    members = world.belief.groups.row(0).tolist()
    assert world.belief.known[members].all()
    assert not world.belief.distributions()[0].any()  # nothing is open any more: it is knowledge
    likeliest = truth_in(world.belief, world.belief.most_likely())
    assert [world.task.fact_step(f).arguments for f in members if likeliest[f]] == [("apple_1", "fridge")]
    assert world.belief.take_notes() == []


def test_where_all_likely_places_are_ruled_out_the_rest_shares_the_belief_and_one_note_tells_it() -> None:
    world = skewed(0.0, 0.0, 1.0, 0.0)
    assert believed(world, 1 / 3, 1 / 3, 0, 1 / 3)
    assert world.belief.take_notes() == [
        "group 0: all likely places are ruled out; those not looked at share the belief"
    ]
    assert world.belief.take_notes() == []


def test_what_is_nowhere_has_no_belief_and_a_note() -> None:
    world = World(HOUSEHOLD / "problems" / "missing-salmon.pddl")
    belief = world.belief
    (nowhere,) = (g for g in range(len(belief.groups)) if not world.task.init[belief.groups.row(g)].any())
    members = belief.groups.row(nowhere)
    belief.known[members] = belief.certain[members] = True
    distributions = belief.distributions()
    assert not np.isnan(distributions).any()
    assert not distributions[nowhere].any()
    assert f"group {nowhere}: is in none of the places where it could be" in belief.take_notes()
    assert not drawn_world(belief, np.random.default_rng(0))[members].any()


def test_what_was_found_and_let_go_may_be_nowhere_after_all() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    belief, members = world.belief, world.belief.groups.row(0)
    assert not len(belief.knowledge.nowhere())  # it is in the fridge
    belief.forget(members)
    belief.update(None, Observation(facts=tuple((int(fact), False) for fact in members)))
    assert not len(belief.knowledge.nowhere())  # an action took it from there
    belief.forget(members)
    belief.certain[members] = True  # and now in none of its places
    assert belief.knowledge.nowhere().tolist() == [0]


def test_samples_follow_the_distribution() -> None:
    world = skewed(0.5, 0.3, 0.0, 0.2)
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


def test_the_likeliest_world_takes_the_first_of_equals() -> None:
    world = skewed(0.2, 0.4, 0.0, 0.4)
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
    belief = Belief(compile_task(task_of(2, [], [0]), sensors_of(2, [1], [])), [])
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


def compared(folder: Path, seeds: range) -> Counter[str]:
    """What was tried in the worlds of these seeds."""
    tried: Counter[str] = Counter()
    for seed in seeds:
        compare(seed, folder, tried)
    return tried


@pytest.mark.parametrize("tenth", range(10))
def test_marginals_are_those_of_exact_bayes(tenth: int, tmp_path: Path) -> None:
    tried = compared(tmp_path, range(10 * tenth, 10 * tenth + 10))
    assert tried["marginals"] > 1000 and tried["turns of an agent"] > 50


def keep_what_counts_as_known(knowledge: Knowledge, facts: Int32, values: Bits) -> None:
    knowledge.true |= knowledge.truth
    settle(knowledge, facts, values)


settle = Knowledge.settle


def test_a_difference_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knowledge, "settle", keep_what_counts_as_known)
    with pytest.raises(AssertionError, match="after at first"):
        compared(tmp_path, range(1, 4))


FRIDGE, CABINET, COUNTER, TABLE = range(4)  # places of the apple, members of group 0


@pytest.fixture
def knowledge() -> Knowledge:
    return Knowledge(small_apple().compiled)


def found(knowledge: Knowledge, place: int, value: bool) -> Bits:
    """Whether each of the apple's places is certain, once one was found to be so."""
    members = knowledge.members[0]
    knowledge.find(members[[place]], np.array([value]))
    return np.asarray(knowledge.certain[members])


def test_where_a_thing_is_it_is_in_no_other_place(knowledge: Knowledge) -> None:
    assert found(knowledge, CABINET, True).all()
    assert knowledge.true[knowledge.members[0]].tolist() == [False, True, False, False]
    assert found(knowledge, TABLE, True).all()  # it was moved: the newer evidence counts
    assert knowledge.true[knowledge.members[0]].tolist() == [False, False, False, True]


def test_where_a_thing_is_not_leaves_the_other_places_open(knowledge: Knowledge) -> None:
    assert found(knowledge, CABINET, False).tolist() == [False, True, False, False]
    assert knowledge.open(knowledge.certain)[0].tolist() == [True, False, True, True]


def test_what_is_in_none_of_its_places_is_nowhere(knowledge: Knowledge) -> None:
    for place in (FRIDGE, CABINET, COUNTER):
        found(knowledge, place, False)
        assert not len(knowledge.nowhere())
    found(knowledge, TABLE, False)
    assert knowledge.nowhere().tolist() == [0]
    knowledge.forget(knowledge.members[0], knowledge.with_any(knowledge.members[0]))
    assert not len(knowledge.nowhere()) and not knowledge.certain[knowledge.members[0]].any()


@pytest.mark.parametrize(("shown", "chance", "known"), [
    (True, THRESHOLD + 0.01, [True] * 4),  # then it is nowhere else
    (True, NEGLIGIBLE / 2, [True, False, False, False]),
    (True, 0.4, [False] * 4),
    (False, THRESHOLD + 0.01, [False] * 4),
])  # fmt: skip
def test_what_was_shown_and_is_probable_enough_counts_as_known(
    shown: bool, chance: float, known: list[bool], knowledge: Knowledge
) -> None:
    members = knowledge.members[0]
    chances = np.full(len(knowledge.truth), 0.1)
    chances[members[FRIDGE]] = chance
    knowledge.shown[members[FRIDGE]] = shown
    knowledge.count(lambda: chances)
    assert knowledge.known[members].tolist() == known
    assert knowledge.truth[members].tolist() == [known[1], False, False, False]
    assert not knowledge.certain[members].any()


@pytest.mark.parametrize("threshold", [0.4, 1.1, float("nan")])
def test_a_threshold_is_at_least_one_half(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must be from 0.5 to 1, not"):
        Knowledge(small_apple().compiled, threshold)
