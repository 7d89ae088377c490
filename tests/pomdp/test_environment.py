"""The true world and what the agent comes to know of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.errors import CplanError
from commonsense_planning.grounding.ground_task import GroundTask, lists_of
from commonsense_planning.grounding.observing import Observing
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.kernels.engine import is_applicable
from commonsense_planning.kernels.reference import Reference
from commonsense_planning.pomdp.environment import Environment
from commonsense_planning.pomdp.knowledge import Knowledge
from tests.random_tasks import observed_tasks, task_of
from tests.scripted import small_apple


@settings(max_examples=50)
@given(observed_tasks(), st.lists(st.integers(0, 100), max_size=8))
def test_what_the_agent_knows_is_true(case: tuple[GroundTask, Observing], choices: list[int]) -> None:
    task, observing = case
    compiled, twin = compile_task(task, observing), Reference(task, observing)
    environment, knowledge = Environment(compiled, task.init), Knowledge(compiled, task.fact_count)
    situation = twin.start(frozenset(np.flatnonzero(task.init).tolist()))
    observation = environment.look()
    for choice in [*choices, 0]:
        knowledge.update(observation)
        known = set(np.flatnonzero(knowledge.known).tolist())
        true = set(np.flatnonzero(knowledge.truth).tolist())
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
    shown = {str(world.task.fact_step(f)).strip("()"): value for f, value in world.first.facts}
    assert shown["in-room bathroom"]
    assert not shown["in-room kitchen"]
    assert shown["on toothbrush_1 bathroomcounter"]
    assert shown["on apple_1 bathroomcounter"] is False
    assert "inside apple_1 fridge" not in shown
    assert "on apple_1 kitchentable" not in shown
    assert not world.first.goal_reached


def test_a_step_shows_only_what_is_new() -> None:
    world = small_apple()
    seen = world.environment.step(world.operators["walk-to-room kitchen"])
    names = {(str(world.task.fact_step(f)).strip("()"), value) for f, value in seen.facts}
    assert names == {
        ("in-room kitchen", True),
        ("in-room bathroom", False),
        *((f"on {t} kitchentable", False) for t in ("apple_1", "plate_1", "toothbrush_1")),
    }


def test_what_was_seen_in_one_place_is_known_to_be_in_no_other() -> None:
    world = small_apple()
    toothbrush = [f for name, f in world.facts.items() if "toothbrush_1" in name and "holding" not in name]
    assert len(toothbrush) == 4
    assert world.knowledge.known[toothbrush].all()
    assert world.knowledge.truth[toothbrush].sum() == 1


def test_the_goal_is_told_when_it_is_reached() -> None:
    world = small_apple()
    world.do("walk-to-room kitchen", "walk-to-place fridge kitchen", "open-container fridge")
    world.do("grab-from-container apple_1 fridge", "walk-to-place kitchentable kitchen")
    assert not world.knowledge.goal_reached
    assert world.environment.step(world.operators["put-on apple_1 kitchentable"]).goal_reached


def test_an_action_that_is_not_applicable_is_an_error() -> None:
    world = small_apple()
    with pytest.raises(CplanError, match="not applicable"):
        world.environment.step(world.operators["grab-from-container apple_1 fridge"])


def test_the_world_obeys_an_agent_that_inferred_what_it_did_not_see() -> None:
    """An operator that wants a hidden fact false, which the agent knows from its exactly-one group."""
    task = task_of(3, [([], [1], [2], [], 1)], [2], true=[0])
    observing = Observing(
        hidden=np.array([True, True, False]),
        groups=lists_of([[0, 1]]),
        when=lists_of([[]]),
        when_not=lists_of([[]]),
        seen=lists_of([[0]]),
    )
    compiled = compile_task(task, observing)
    environment, knowledge = Environment(compiled, task.init), Knowledge(compiled, 3)
    knowledge.update(environment.look())
    assert knowledge.known.all()
    assert is_applicable(compiled.table, knowledge.state(), 0)
    assert environment.step(0).goal_reached
