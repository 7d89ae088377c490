"""The true world and what the agent comes to know of it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning import Belief, Environment, GroundTask
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.ground_task import GroundSensors
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.kernels.engine import goal_reached, is_applicable
from tests.kernels.reference import Reference
from tests.random_tasks import observed_tasks, sensors_of, task_of
from tests.scripted import small_apple


@settings(max_examples=50)
@given(observed_tasks(), st.lists(st.integers(0, 100), max_size=8))
def test_what_the_agent_knows_is_true(case: tuple[GroundTask, GroundSensors], choices: list[int]) -> None:
    task, sensors = case
    compiled, twin = compile_task(task, sensors), Reference(task, sensors)
    environment, belief = Environment(compiled, task.init), Belief(compiled, uniform_prior(sensors))
    situation = twin.start(frozenset(np.flatnonzero(task.init).tolist()))
    operator, observation = None, environment.look()
    for choice in [*choices, 0]:
        belief.update(operator, observation)
        known = set(np.flatnonzero(belief.known).tolist())
        true = set(np.flatnonzero(belief.truth).tolist())
        assert situation.known <= known
        inferred = known - situation.known
        if not inferred:
            assert true == situation.true & known
        assert true & situation.known == situation.true & situation.known
        assert not true & inferred
        everything = type(situation)(situation.true, frozenset(range(task.fact_count)))
        assert observation.goal_reached == twin.goal_reached(everything)
        assert (-1 if observation.failure is None else observation.failure) == twin.failed(situation)
        assert observation.failed == (twin.failed(situation) >= 0)
        operators = twin.applicable(situation)
        if not operators:
            break
        operator = operators[choice % len(operators)]
        situation = twin.progress(situation, operator)
        observation = environment.step(operator)


def test_looking_shows_what_is_not_hidden_and_what_is_in_the_room() -> None:
    world = small_apple()
    seen = (*world.first.facts, *world.first.readings)
    shown = {str(world.task.fact_step(f)).strip("()"): value for f, value in seen}
    assert shown["in-room bathroom"]
    assert not shown["in-room kitchen"]
    assert shown["on toothbrush_1 bathroomcounter"]
    assert shown["on apple_1 bathroomcounter"] is False
    assert "inside apple_1 fridge" not in shown
    assert "on apple_1 kitchentable" not in shown
    assert not world.first.goal_reached


def test_a_step_shows_what_has_changed_and_what_is_in_sight() -> None:
    world = small_apple()
    seen = world.environment.step(world.operators["walk-to-room kitchen"])
    names = {(str(world.task.fact_step(f)).strip("()"), value) for f, value in seen.facts}
    assert names == {("in-room kitchen", True), ("in-room bathroom", False)}
    shown = {(str(world.task.fact_step(f)).strip("()"), value) for f, value in seen.readings}
    assert shown == {(f"on {t} kitchentable", False) for t in ("apple_1", "plate_1", "toothbrush_1")}


def test_the_observation_says_when_the_goal_is_reached() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    world.do("grab-from-container apple_1 fridge", "walk-to-place kitchentable kitchen")
    assert not goal_reached(world.compiled.table, world.belief.state())
    assert world.environment.step(world.operators["put-on apple_1 kitchentable"]).goal_reached


def test_an_action_that_is_not_applicable_changes_nothing_and_is_observed_as_such() -> None:
    world = small_apple()
    seen = world.environment.step(world.operators["grab-from-container apple_1 fridge"])
    assert not seen.applied
    assert (seen.facts, seen.readings) == ((), world.first.readings)
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    assert world.environment.step(world.operators["grab-from-container apple_1 fridge"]).applied


def test_the_world_obeys_an_agent_that_inferred_what_it_did_not_see() -> None:
    """An operator that wants a hidden fact false, which the agent knows from its exactly-one group."""
    task, sensors = task_of(3, [([], [1], [2], [], 1)], [2], true=[0]), sensors_of(3, [0, 1], [[0, 1]], ([], [0]))
    compiled = compile_task(task, sensors)
    environment, belief = Environment(compiled, task.init), Belief(compiled, uniform_prior(sensors))
    belief.update(None, environment.look())
    assert belief.known.all()
    assert is_applicable(compiled.table, belief.state(), 0)
    assert environment.step(0).goal_reached
