"""The action selector, driven through contingent problems in each of their worlds by unified-planning's simulator."""

from __future__ import annotations

from typing import Any

import pytest
import unified_planning.shortcuts as up
from unified_planning.exceptions import UPException, UPUsageError

import commonsense_planning as cplan
from tests.interfaces.up.problems import World, broken_lamps, delivery, hidden_key

MOST = 20  # steps


def selector(problem: Any, **params: Any) -> Any:
    """The engine for a problem, from the factory."""
    cplan.register_engines()
    return up.get_environment().factory.engine("cplan-llm-mcts")(problem, **params)


def drive(engine: Any, world: World) -> list[str]:
    """Let the engine act in a world until it says that the goal is reached; what was done."""
    with engine:
        while (instance := engine.get_action()) is not None:
            assert len(world.done) < MOST
            engine.update(world.apply(instance))
    return world.done


@pytest.mark.parametrize("place", ["box1", "box2", "box3"])
def test_a_key_in_one_of_three_boxes(place: str) -> None:
    problem = hidden_key()
    inside, key = problem.fluent("inside"), problem.object("key")
    world = World(problem, [inside(key, problem.object(place))])
    done = drive(selector(problem, seed=1), world)
    assert world.is_goal_reached
    assert done[-1] == f"take(key, {place})"
    assert len(done) <= 7
    assert done == drive(selector(problem, seed=1), World(problem, [inside(key, problem.object(place))]))


@pytest.mark.parametrize("broken", [["left"], ["right"], ["left", "right"]])
def test_lamps_of_which_at_least_one_is_broken(broken: list[str]) -> None:
    problem = broken_lamps()
    world = World(problem, [problem.fluent("broken")(problem.object(name)) for name in broken])
    done = drive(selector(problem), world)
    assert world.is_goal_reached
    assert sorted(step for step in done if step.startswith("mend")) == [f"mend({name})" for name in broken]


def test_common_sense_says_where_to_look_first() -> None:
    problem = hidden_key(["toilet", "fridge", "bookshelf"])
    problem.add_object("milk", problem.user_type("thing"))
    inside, milk = problem.fluent("inside"), problem.object("milk")
    places = list(problem.objects(problem.user_type("place")))
    problem.add_oneof_initial_constraint([inside(milk, place) for place in places])
    problem.clear_goals()
    problem.add_goal(problem.fluent("held")(milk))
    engine = selector(problem, model="embedded", simulations=50)
    assert str(engine.get_action()) == "open(fridge)"


def test_instances_are_the_users_own() -> None:
    problem = hidden_key()
    instance = selector(problem).get_action()
    assert instance.action is problem.action("open")
    assert instance.actual_parameters[0].object() in problem.all_objects


def test_a_key_that_is_nowhere() -> None:
    problem = hidden_key()
    with pytest.raises(UPException, match="none of the 3 places"):
        drive(selector(problem), World(problem, []))


def test_the_operation_mode() -> None:
    """In those versions of unified-planning that have it."""
    pytest.importorskip("unified_planning.engines.mixins.action_selector")
    cplan.register_engines()
    assert str(up.ActionSelector(hidden_key(), name="cplan-llm-mcts").get_action()) == "open(box1)"


def test_what_cannot_be_observed() -> None:
    engine = selector(hidden_key())
    engine.get_action()
    other = up.Fluent("raining")
    with pytest.raises(UPUsageError, match="raining is no fact of the problem"):
        engine.update({other: True})


def test_problems_and_settings_that_it_does_not_take() -> None:
    problem = up.Problem("counting")
    count = up.Fluent("count", up.IntType())
    problem.add_fluent(count, default_initial_value=0)
    problem.add_goal(up.GE(count, 3))
    with pytest.raises(UPUsageError, match="cplan-llm-mcts: .*int fluents"):
        selector(problem)
    with pytest.warns(UserWarning, match="cannot establish"), pytest.raises(UPUsageError):
        selector(problem, error_on_failed_checks=False)
    with pytest.raises(UPUsageError, match="speed"):
        selector(hidden_key(), speed=3)
    with pytest.raises(UPUsageError, match="oracle"):
        selector(hidden_key(), model="oracle")


def test_a_problem_in_which_all_is_known() -> None:
    problem = delivery()
    engine = selector(problem)
    assert engine.is_action_selector() and engine.supports(problem.kind) and engine.supports(hidden_key().kind)
    done = []
    with engine:
        while (instance := engine.get_action()) is not None:
            done.append(str(instance))
            engine.update({})
    assert done[0] == "take(box, hall)" and done[-1] == "put(box, attic)"
