"""A unified-planning problem means the same as cplan's, and plans come back as the user's own actions and objects."""

from fractions import Fraction
from typing import Any

import pytest
import unified_planning.shortcuts as up
from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
from unified_planning.exceptions import UPProblemDefinitionError
from unified_planning.plans import SequentialPlan

import commonsense_planning as cplan
from commonsense_planning import InputError, Plan, Step, Verdict
from commonsense_planning.interfaces.up.problem import translate
from commonsense_planning.validation.replay import replay
from tests.interfaces.up.problems import RandomProblems, counting, delivery, environment


@pytest.mark.parametrize("seed", range(40))
def test_random_problems_mean_the_same(seed: int) -> None:
    """unified-planning's own validator and cplan's agree on random plans."""
    problems = RandomProblems(seed)
    problem = problems.problem()
    translated = translate(problem)
    said = set()
    for _ in range(12):
        plan = problems.plan(problem)
        try:
            theirs = SequentialPlanValidator().validate(problem, plan).status is ValidationResultStatus.VALID
        except UPProblemDefinitionError:  # the constraint is violated from the start
            theirs = False
        ours = replay(translated.problem, translated.from_user(plan))
        assert (ours.verdict is Verdict.VALID) == theirs, (problem, plan, ours)
        assert translated.to_user(translated.from_user(plan)) == plan
        said.add(theirs)


def test_costs_are_exact() -> None:
    translated = translate(delivery())
    plan = Plan((Step("take", ("box", "hall")), Step("go", ("hall", "stairs")), Step("go", ("stairs", "attic"))))
    assert translated.cost(plan) == 2 + (Fraction(1, 3) + 1) + (Fraction(1, 2) + 1)
    assert translated.written.scale == 6


@pytest.mark.parametrize("cost", [up.Int(-1), None])
def test_costs_that_cannot_be(cost: Any) -> None:
    problem = delivery()
    problem.clear_quality_metrics()
    costs = {} if cost is None else dict.fromkeys(problem.actions, cost)
    problem.add_quality_metric(up.MinimizeActionCosts(costs))
    with pytest.raises(InputError, match="no cost" if cost is None else "costs from 0"):
        translate(problem)


def test_names_of_any_kind() -> None:
    """Names that PDDL cannot have, that differ by case alone, or that stand for several things."""
    own = environment()
    kind = own.type_manager.UserType("object")
    problem = up.Problem("a problem; with (brackets)", own)
    names = ["kitchen table", "1", "Apple", "apple", "and", "?x", "Küche", "true", "a;b", "total-cost", "", "go"]
    items = [up.Object(name, kind, own) for name in names]
    problem.add_objects(items)
    been = up.Fluent("go", own.type_manager.BoolType(), environment=own, **{"to where": kind})
    lit = up.Fluent("forall", own.type_manager.BoolType(), environment=own, on=own.type_manager.BoolType())
    problem.add_fluent(been, default_initial_value=False)
    problem.add_fluent(lit, default_initial_value=False)
    go = up.InstantaneousAction("go", _env=own, **{"to where": kind, "when": own.type_manager.BoolType()})
    go.add_effect(been(go.parameter("to where")), True)
    go.add_effect(lit(go.parameter("when")), True)
    problem.add_action(go)
    plan = SequentialPlan([go(item, number % 2 == 0) for number, item in enumerate(items)], own)
    for item in items:
        problem.add_goal(been(item))
    translated = translate(problem)
    assert len(set(map(str.lower, translated.written.values))) == len(names) + 2
    ours = translated.from_user(plan)
    assert ours.steps[0] == Step("go", ("kitchen_table", "true-2"))
    assert replay(translated.problem, ours).verdict is Verdict.VALID
    assert translated.to_user(ours) == plan


@pytest.mark.parametrize("name", ["1", "not", "-", None])
def test_problems_of_any_name(name: str | None) -> None:
    problem = delivery()
    problem.name = name
    assert translate(problem).problem.problem_name


def test_what_is_not_held_is_named() -> None:
    with pytest.raises(InputError, match="increase effects, int fluents"):
        translate(counting())
    untold = up.Problem("untold")
    untold.add_fluent(up.Fluent("told"))
    with pytest.raises(InputError, match="undefined initial symbolic"):
        translate(untold)


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
@pytest.mark.parametrize(("constraints", "length"), [
    ([lambda at, *_: up.Sometime(at["e"])], 3),
    ([lambda at, *_: up.And(up.Sometime(at["e"]), up.SometimeBefore(at["e"], at["b"]))], 5),
    ([lambda at, *_: up.SometimeAfter(at["b"], at["c"])], 3),
    ([once_each], 2),
    ([once_each, lambda at, *_: up.SometimeBefore(at["c"], at["b"]), lambda at, *_: up.Sometime(at["c"])], None),
])  # fmt: skip
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
