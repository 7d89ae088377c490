"""The transition model says what its slow twin says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.kernels.compiled import Compiled, compile_task
from commonsense_planning.kernels.engine import sense_all
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, make_state
from tests.kernels.reference import Reference, ReferenceState
from tests.random_tasks import observed_tasks, task_of
from tests.scripted import small_apple


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
    walk, reach, grab = (
        world.operators[name]
        for name in ("walk-to-room kitchen", "walk-to-place fridge kitchen", "grab-from-container apple_1 fridge")
    )
    transition, state = world.belief.transition, world.belief.state(world.task.init)
    states = transition.trajectory(state, (walk, reach, grab))
    there = transition.successor(state, walk)
    expected = [state, there, transition.successor(there, reach)]
    assert [here.tolist() for here in states] == [here.tolist() for here in expected]


def test_what_follows_from_an_exactly_one_group_is_known() -> None:
    world = small_apple()
    names = "walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge"
    start, plan = world.belief.state(world.task.init), [world.operators[name] for name in names]
    opened = world.belief.transition.trajectory(start, plan)[-1]
    group = world.compiled.sensors.groups.row(0)
    assert world.task.init[world.facts["inside apple_1 fridge"]]
    assert all(StateView(world.compiled, opened).knows(fact) for fact in group.tolist())
