"""The action selector, driven through contingent problems in each of their worlds by unified-planning's simulator."""

import itertools
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import unified_planning.shortcuts as up
from unified_planning.exceptions import UPException, UPUsageError
from unified_planning.io import PDDLReader

import commonsense_planning as cplan
from tests.interfaces.up.problems import World, broken_lamps, counting, delivery, hidden_key


def selector(problem: Any, **params: Any) -> Any:
    """The engine for a problem, from the factory."""
    cplan.register_engines()
    return up.get_environment().factory.engine("cplan-llm-mcts")(problem, **params)


def drive(engine: Any, world: World, most: int = 20) -> list[str]:
    """Let the engine act in a world until it says that the goal is reached, ``most`` steps long; what was done."""
    with engine:
        while (instance := engine.get_action()) is not None:
            assert len(world.done) < most
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


def test_a_problem_that_ships_with_unified_planning() -> None:
    """Three packages, each at one of two post offices, from a contingent PDDL file, in all worlds."""
    spec = find_spec("unified_planning.test")
    assert spec is not None and spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0]) / "contingent_pddl" / "logistic_conf"
    problem = PDDLReader().parse_problem(str(folder / "domain.pddl"), str(folder / "problem.pddl"))
    for true in itertools.product(*problem.oneof_constraints):
        world = World(problem, true)
        drive(selector(problem, seed=1, simulations=30), world, most=40)
        assert world.is_goal_reached


def test_common_sense_says_where_to_look_first() -> None:
    problem = hidden_key(["toilet", "fridge", "bookshelf"])
    problem.add_object("milk", problem.user_type("thing"))
    inside, milk = problem.fluent("inside"), problem.object("milk")
    places = list(problem.objects(problem.user_type("place")))
    problem.add_oneof_initial_constraint([inside(milk, place) for place in places])
    problem.clear_goals()
    problem.add_goal(problem.fluent("held")(milk))
    instance = selector(problem, model="embedded", simulations=50).get_action()
    assert str(instance) == "open(fridge)"
    assert instance.action is problem.action("open")  # the user's own
    assert instance.actual_parameters[0].object() in problem.all_objects


def test_a_key_that_is_nowhere() -> None:
    """Against all that the problem says: the agent looks again, and then it gives up."""
    problem = hidden_key()
    engine = selector(problem)
    inside, key = problem.fluent("inside"), problem.object("key")
    places = list(problem.objects(problem.user_type("place")))
    with engine, pytest.raises(UPException, match="cplan-llm-mcts: "):
        for _ in range(30):
            engine.get_action()
            engine.update({inside(key, place): False for place in places})


def test_the_operation_mode() -> None:
    """In those versions of unified-planning that have it."""
    pytest.importorskip("unified_planning.engines.mixins.action_selector")
    cplan.register_engines()
    assert str(up.ActionSelector(hidden_key(), name="cplan-llm-mcts").get_action()) == "open(box1)"


def test_what_cannot_be_observed() -> None:
    engine = selector(hidden_key())
    engine.get_action()
    other = up.Fluent("raining")
    with pytest.raises(UPUsageError, match="raining is not a fact of the problem"):
        engine.update({other: True})


def test_problems_and_settings_that_it_does_not_take() -> None:
    with pytest.raises(UPUsageError, match="cplan-llm-mcts: .*int fluents"):
        selector(counting())
    with pytest.warns(UserWarning, match="cannot establish"), pytest.raises(UPUsageError):
        selector(counting(), error_on_failed_checks=False)
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
