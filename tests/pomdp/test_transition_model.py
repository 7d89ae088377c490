"""The transition model agrees with its slow twin; what a simulation sees."""

import numpy as np
import pytest
from hypothesis import given

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.kernels.compiled import Compiled, compile_task
from commonsense_planning.kernels.engine import sense_all
from commonsense_planning.pomdp.generative_model import GenerativeModel
from commonsense_planning.pomdp.observation_model import CertainSensing, ObservationModel
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, make_state
from tests.data import APPLE_PLAN
from tests.kernels.reference import Reference, ReferenceState
from tests.random_tasks import observed_tasks, task_of
from tests.scripted import NoisySensing, World, small_apple

PLAN = [line.strip("()") for line in APPLE_PLAN.splitlines()]


def situation(compiled: Compiled, state: State) -> ReferenceState:
    """A state as sets of facts."""
    seen = StateView(compiled, state)
    true, known = (frozenset(np.flatnonzero(flags).tolist()) for flags in (seen.truth, seen.knowledge))
    return ReferenceState(true, known)


@given(observed_tasks())
def test_successors_are_the_twins(case: tuple[GroundTask, GroundSensors]) -> None:
    task, sensors = case
    twin, compiled = Reference(task, sensors), compile_task(task, sensors)
    transition, state = TransitionModel(compiled), make_state(compiled, task.init)
    sense_all(compiled.table, state)
    before, here = state.copy(), situation(compiled, state)
    rng = np.random.default_rng(0)
    assert transition.applicable(state).tolist() == twin.applicable(here)
    for operator, after in transition.successors(state):
        there = twin.progress(here, operator)
        assert situation(compiled, after) == there
        concluded = after.copy()
        transition.conclude(concluded)
        assert situation(compiled, concluded) == twin.concluded(there)
        ((chance, outcome),) = transition.outcomes(state, operator)
        assert (chance, situation(compiled, outcome)) == (1.0, there)
        assert situation(compiled, transition.sample(state, operator, rng)) == there
    assert state.tolist() == before.tolist()
    assert rng.random() == np.random.default_rng(0).random()  # one outcome: nothing is drawn


def test_what_is_not_applicable_has_no_successor() -> None:
    task = task_of(2, [([0], [], [1], [], 1)], [1])
    compiled = compile_task(task)
    with pytest.raises(ValueError, match="operator 0 is not applicable"):
        TransitionModel(compiled).successor(make_state(compiled, task.init), 0)


def test_a_trajectory_ends_before_the_first_operator_that_is_not_applicable() -> None:
    world = small_apple()
    walk, reach, _, grab = (world.operators[action] for action in PLAN[:4])
    transition, state = world.belief.transition, world.belief.state(world.task.init)
    states = transition.trajectory(state, (walk, reach, grab))
    there = transition.successor(state, walk)
    expected = [state, there, transition.successor(there, reach)]
    assert [here.tolist() for here in states] == [here.tolist() for here in expected]


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
    generate = model(world, NoisySensing(miss, 0.0))
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
