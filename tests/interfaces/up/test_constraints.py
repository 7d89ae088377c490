"""Trajectory constraints of unified-planning's own problems."""

from __future__ import annotations

from typing import Any

import pytest
import unified_planning.shortcuts as up

import commonsense_planning as cplan

cplan.register_engines()


def walking(*constraints: Any) -> Any:
    """From a to d, through b, or through c and then e; each constraint is made of who is where."""
    spot = up.UserType("spot")
    at, way = (up.Fluent(n, up.BoolType(), **dict.fromkeys(names, spot)) for n, names in (("at", "s"), ("way", "xy")))
    problem = up.Problem("walk")
    for fluent in (at, way):
        problem.add_fluent(fluent, default_initial_value=False)
    spots = {name: up.Object(name, spot) for name in "abcde"}
    problem.add_objects(spots.values())
    for start, end in ("ab", "bd", "ac", "ce", "ed", "ba"):
        problem.set_initial_value(way(spots[start], spots[end]), True)
    problem.set_initial_value(at(spots["a"]), True)
    go = up.InstantaneousAction("go", x=spot, y=spot)
    go.add_precondition(up.And(at(go.x), way(go.x, go.y)))
    go.add_effect(at(go.x), False)
    go.add_effect(at(go.y), True)
    problem.add_action(go)
    problem.add_goal(at(spots["d"]))
    for constraint in constraints:
        problem.add_trajectory_constraint(constraint({name: at(item) for name, item in spots.items()}, at, spot))
    return problem


def once_each(_: Any, at: Any, spot: Any) -> Any:
    thing = up.Variable("thing", spot)
    return up.Forall(up.AtMostOnce(at(thing)), thing)


@pytest.mark.parametrize("engine", ["cplan-gbfs", "cplan-astar"])
@pytest.mark.parametrize(
    ("constraints", "length"),
    [
        ([lambda at, *_: up.Sometime(at["e"])], 3),
        ([lambda at, *_: up.And(up.Sometime(at["e"]), up.SometimeBefore(at["e"], at["b"]))], 5),
        ([lambda at, *_: up.SometimeAfter(at["b"], at["c"])], 3),
        ([once_each], 2),
        ([once_each, lambda at, *_: up.SometimeBefore(at["c"], at["b"]), lambda at, *_: up.Sometime(at["c"])], None),
    ],
)
def test_engines_keep_to_them(engine: str, constraints: list[Any], length: int | None) -> None:
    problem = walking(*constraints)
    with up.OneshotPlanner(name=engine) as planner:
        result = planner.solve(problem)
    if length is None:
        assert result.status.name == "UNSOLVABLE_PROVEN"
        return
    assert len(result.plan.actions) == length
    with up.PlanValidator(name="cplan-replay") as validator:
        assert validator.validate(problem, result.plan).status.name == "VALID"
