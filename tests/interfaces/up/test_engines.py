"""The engines, as those use them who use unified-planning."""

import io
import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
import unified_planning.shortcuts as up
from unified_planning.engines import (
    FailedValidationReason,
    OptimalityGuarantee,
    PlanGenerationResultStatus,
    SequentialPlanValidator,
    UPSequentialSimulator,
    ValidationResultStatus,
)
from unified_planning.exceptions import UPProblemDefinitionError, UPUsageError
from unified_planning.io import PDDLReader
from unified_planning.plans import SequentialPlan

import commonsense_planning as cplan
from commonsense_planning.methods.result import KEYS, ResultView
from tests.data import REPOSITORY
from tests.interfaces.up.problems import RandomProblems, counting, delivery, endless, environment

HOUSEHOLD = REPOSITORY / "pddl" / "household"
PLANNERS = ["cplan-gbfs", "cplan-astar", "cplan-llm-replan"]


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    up.get_environment().credits_stream = None
    cplan.register_engines()


def planned(name: str, problem: Any, timeout: float | None = None, stream: Any = None, **params: Any) -> Any:
    """What an engine makes of a problem."""
    with up.OneshotPlanner(name=name, params=params) as planner:
        return planner.solve(problem, timeout=timeout, output_stream=stream)


def valid(problem: Any, plan: Any) -> bool:
    """What unified-planning's own validator says."""
    return bool(SequentialPlanValidator().validate(problem, plan))


def is_out_of_reach(problem: Any) -> bool:
    """Whether no state of the goal is reached, by unified-planning's own simulator."""
    try:
        simulator = UPSequentialSimulator(problem)
        waiting = [simulator.get_initial_state()]
    except UPProblemDefinitionError:  # the constraint is violated from the start
        return True
    facts = list(problem.initial_values)
    seen = set()
    while waiting:
        state = waiting.pop()
        key = tuple(state.get_value(fact) for fact in facts)
        if key in seen:
            continue
        seen.add(key)
        if simulator.is_goal(state):
            return False
        for action, arguments in simulator.get_applicable_actions(state):
            after = simulator.apply(state, action, arguments)
            if after is not None:
                waiting.append(after)
    return True


@pytest.mark.parametrize("seed", range(100, 107))
@pytest.mark.parametrize("name", ["cplan-gbfs", "cplan-astar"])
def test_random_problems(name: str, seed: int) -> None:
    problem = RandomProblems(seed).problem()
    result = planned(name, problem)
    if result.plan is not None:
        assert result.status is PlanGenerationResultStatus.SOLVED_SATISFICING
        assert valid(problem, result.plan)
    else:
        assert result.status is PlanGenerationResultStatus.UNSOLVABLE_PROVEN
        assert is_out_of_reach(problem)


def test_a_cheapest_plan_is_said_to_be_one() -> None:
    problem = delivery()
    result = planned("cplan-astar", problem)
    assert result.status is PlanGenerationResultStatus.SOLVED_OPTIMALLY
    with up.PlanValidator(name="cplan-replay") as validator:
        validation = validator.validate(problem, result.plan)
    theirs = SequentialPlanValidator().validate(problem, result.plan)
    assert validation.status is theirs.status is ValidationResultStatus.VALID
    assert validation.metric_evaluations == theirs.metric_evaluations
    assert list(validation.metric_evaluations.values()) == [2 + Fraction(1, 3) + 1 + Fraction(1, 2) + 1]
    problem.clear_quality_metrics()
    assert planned("cplan-astar", problem).status is PlanGenerationResultStatus.SOLVED_SATISFICING
    problem.add_quality_metric(up.MinimizeSequentialPlanLength())
    result = planned("cplan-astar", problem)
    assert result.status is PlanGenerationResultStatus.SOLVED_OPTIMALLY
    assert [str(action) for action in result.plan.actions] == ["take(box, hall)", "go(hall, attic)", "put(box, attic)"]


def test_found_by_what_is_wanted() -> None:
    """Chosen not by name, but by the kind of the problem and a guarantee."""
    problem = delivery()
    factory = problem.environment.factory
    before = factory.preference_list
    factory.preference_list = ["cplan-gbfs", "cplan-astar"]
    try:
        with up.OneshotPlanner(
            problem_kind=problem.kind, optimality_guarantee=OptimalityGuarantee.SOLVED_OPTIMALLY
        ) as planner:
            assert planner.name == "cplan-astar"
        with up.OneshotPlanner(problem_kind=problem.kind) as planner:
            assert planner.name == "cplan-gbfs"
    finally:
        factory.preference_list = before


@pytest.mark.parametrize("name", PLANNERS)
def test_what_a_problem_may_not_have(name: str) -> None:
    with up.OneshotPlanner(name=name) as planner:
        assert not planner.supports(counting().kind)
        with pytest.warns(UserWarning, match="cannot establish"):
            result = planner.solve(counting())
    assert result.status is PlanGenerationResultStatus.UNSUPPORTED_PROBLEM
    assert "int fluents" in result.log_messages[0].message


def household(name: str) -> Any:
    """A problem of the household. (unified-planning's reader needs the global environment for effects with forall.)"""
    return PDDLReader().parse_problem(str(HOUSEHOLD / "domain.pddl"), str(HOUSEHOLD / "problems" / name))


@pytest.mark.parametrize("name", PLANNERS)
def test_time_that_is_up(name: str) -> None:
    result = planned(name, endless(), timeout=0.5)
    assert (result.status, result.plan) == (PlanGenerationResultStatus.TIMEOUT, None)


def test_acting_in_a_world_that_is_seen_in_part() -> None:
    """The sensors hide where things are: the agent looks for them, and what it did is the plan."""
    problem = household("small-apple.pddl")
    files = {name: HOUSEHOLD / f"{name}.{kind}" for name, kind in (("sensors", "pddl"), ("lexicon", "toml"))}
    plans = []
    for _ in range(2):
        stream = io.StringIO()
        result = planned("cplan-llm-replan", problem, stream=stream, **files, model="embedded", seed=1)
        assert valid(problem, result.plan)
        assert int(result.metrics["questions"]) > 0 and result.metrics["model"] == "embedded"
        own = result.metrics.keys() - {"translation_time", "engine_internal_time", "questions"}
        assert own <= {key.name for key in KEYS.values() if ResultView.ENGINE in key.views}
        plans.append(result.plan)
    assert plans[0] == plans[1]
    *events, last = stream.getvalue().splitlines()
    assert [json.loads(line)["event"] for line in events] == ["start", *["step"] * len(plans[0].actions), "end"]
    assert last == "cplan-llm-replan: SOLVED_SATISFICING"
    assert "questions" not in planned("cplan-llm-replan", problem).metrics  # nothing is hidden


@pytest.mark.parametrize(("name", "params", "told"), [
    ("cplan-gbfs", {"speed": 3}, "cplan-gbfs: .*speed"),
    ("cplan-gbfs", {"model": "embedded"}, "model"),
    ("cplan-astar", {"evaluations": 0}, "evaluations must be at least 1"),
    ("cplan-replay", {"speed": 3}, "takes no speed"),
])  # fmt: skip
def test_params_that_make_no_sense(name: str, params: dict[str, Any], told: str) -> None:
    with pytest.raises(UPUsageError, match=told):
        up.get_environment().factory.engine(name)(**params)


@pytest.mark.parametrize(("params", "told"), [
    ({"sensors": "nowhere.pddl"}, "nowhere.pddl"),
    ({"sensors": HOUSEHOLD / "domain.pddl"}, "domain.pddl:"),
    ({"model": "oracle"}, "oracle"),
])  # fmt: skip
def test_files_and_models_that_are_not_there(params: dict[str, Any], told: str) -> None:
    with pytest.raises(UPUsageError, match=told):
        planned("cplan-llm-replan", household("small-apple.pddl"), **params)


def test_what_is_not_used_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with up.OneshotPlanner(name="cplan-gbfs") as planner:
        planner.solve(delivery(), heuristic=lambda state: 0)
    assert "ignores a heuristic" in caplog.text


def test_plans_that_are_wrong() -> None:
    problem = delivery()
    go, take = problem.action("go"), problem.action("take")
    hall, attic, box = (problem.object(name) for name in ("hall", "attic", "box"))
    with up.PlanValidator(name="cplan-replay") as validator:
        result = validator.validate(problem, SequentialPlan([go(hall, attic), take(box, attic)]))
        assert result.status is ValidationResultStatus.INVALID
        assert result.reason is FailedValidationReason.INAPPLICABLE_ACTION
        assert result.inapplicable_action.is_semantically_equivalent(take(box, attic))
        assert "(take box attic): unmet: (lies box attic)" in result.log_messages[0].message
        result = validator.validate(problem, SequentialPlan([go(hall, attic)]))
        assert result.reason is FailedValidationReason.UNSATISFIED_GOALS
        stranger = up.InstantaneousAction("fly")
        result = validator.validate(problem, SequentialPlan([stranger()]))
        assert result.reason is FailedValidationReason.INAPPLICABLE_ACTION


def test_registered_where_it_is_wanted() -> None:
    own = environment()
    assert "cplan-gbfs" not in own.factory.engines
    cplan.register_engines(own)
    cplan.register_engines(own)
    ours = [name for name in own.factory.preference_list if name.startswith("cplan-")]
    assert len(ours) == len(set(ours)) and set(PLANNERS) <= set(ours)


def test_goals_that_may_be_left_out() -> None:
    """unified-planning's own engine for soft goals runs cplan's inside."""
    problem = delivery()
    problem.clear_quality_metrics()
    away = problem.fluent("at")(problem.object("stairs"))
    problem.add_quality_metric(up.Oversubscription({away: 5}))
    result = planned("oversubscription[cplan-gbfs]", problem)
    assert result.status is PlanGenerationResultStatus.SOLVED_OPTIMALLY
    assert valid(problem, result.plan)
    assert str(result.plan.actions[-1]) == "go(attic, stairs)"


@pytest.mark.processes
def test_registering_loads_nothing_heavy() -> None:
    code = "import sys, commonsense_planning as cplan; cplan.register_engines(); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert not {"clingo", "openai"} & set(ended.stdout.split())


def test_credits() -> None:
    own = environment()
    own.credits_stream = io.StringIO()
    cplan.register_engines(own)
    own.factory.OneshotPlanner(name="cplan-astar")
    assert "cplan" in own.credits_stream.getvalue() and "A* with LM-cut" in own.credits_stream.getvalue()
