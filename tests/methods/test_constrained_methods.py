"""Every kind of method on tasks with constraints."""

from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.agent.agent import Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Event, Solution
from commonsense_planning.methods.registry import BUILT_IN, METHODS
from commonsense_planning.task import Task, read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests import scripted
from tests.hostile import ScriptedModels
from tests.pddl.test_constraints import LONG, NO_LAVA, walk
from tests.shortcuts import shortcuts

__all__ = ["shortcuts"]

ROUND = "(:constraints (always (not (at b))))"
NO_WAY = "(:constraints (and (always (not (at b))) (always (not (at e)))))"
NO_GOAL = "(:constraints (always (not (at d))))"
AGENTS = ["llm-mcts", "llm-mcts --observable", "uct", "llm-replan"]


def solved(folder: Path, method: str) -> tuple[Solution, list[Event]]:
    task = read_task(folder / "domain.pddl", folder / "problem.pddl")
    settings = {"simulations": 20, "max_steps": 6, "observable": "--observable" in method}
    return scripted.solved(task, method.split()[0], **settings)


def steps(solution: Solution) -> str:
    return "\n".join(map(str, solution.plan)).lower()


def planners(*names: str) -> list[Any]:
    """Other people's planners, which are processes of their own."""
    return [pytest.param(name, marks=pytest.mark.processes) for name in names]


@pytest.mark.parametrize("method", ["gbfs", "astar", *planners("fast-downward", "pyperplan"), *AGENTS])
def test_the_longer_way_round_is_taken(method: str, tmp_path: Path) -> None:
    walk(tmp_path, ROUND)
    solution, _ = solved(tmp_path, method)
    assert (solution.status, steps(solution)) == (Status.SOLVED, LONG.lower())


@pytest.mark.parametrize("method", ["gbfs", "astar", *planners("fast-downward"), *AGENTS])
@pytest.mark.parametrize("constraint", ["(sometime (at e))", "(sometime-before (at d) (at e))"])
def test_the_way_is_taken_on_which_something_comes_to_pass(method: str, constraint: str, tmp_path: Path) -> None:
    problem = walk(tmp_path, f"(:constraints {constraint})")
    solution, _ = solved(tmp_path, method)
    assert (solution.status, steps(solution)) == (Status.SOLVED, LONG.lower())
    assert solution.plan is not None and replay(problem, solution.plan).verdict is Verdict.VALID


@pytest.mark.parametrize("method", ["gbfs", "astar", *planners("fast-downward", "pyperplan")])
@pytest.mark.parametrize("constraints", [NO_WAY, NO_GOAL])
def test_that_the_constraints_leave_no_way_is_proven(method: str, constraints: str, tmp_path: Path) -> None:
    walk(tmp_path, constraints)
    assert solved(tmp_path, method)[0].status == Status.UNSOLVABLE


def test_an_agent_that_knows_all_gives_up_before_it_violates_a_constraint(tmp_path: Path) -> None:
    walk(tmp_path, NO_WAY)
    solution, _ = solved(tmp_path, "llm-replan")
    assert solution.status is Status.UNSOLVED
    assert solution.reason.startswith("no plan leads to the goal from here; the true world has no plan either: no ")
    assert steps(solution) == ""


@pytest.mark.parametrize("method", AGENTS)
def test_an_episode_that_starts_in_a_forbidden_state_is_over(method: str, tmp_path: Path) -> None:
    walk(tmp_path, "(:constraints (always (not (at a))))")
    solution, events = solved(tmp_path, method)
    assert (solution.status, steps(solution)) == (Status.UNSOLVED, "")
    failed = "a failure condition holds: (always (not (At a))) is violated"
    assert solution.reason.startswith(failed)
    assert solution.reason.endswith(": (always (not (At a))) is violated from the start")
    assert [events[-1][key] for key in ("event", "status", "steps")] == ["end", "unsolved", 0]
    assert events[-1]["reason"] == failed


OTHERS = ("fast-downward", "pyperplan")  # processes, too
EVERY = [name for name in METHODS if name in BUILT_IN and name not in OTHERS]
VARIANTS = [("llm-hill-climb", {"beam": 2, "backtrack": True}), ("gbfs", {"anytime": True})]
VARIANTS += [("llm-mcts", {"observable": True}), ("llm-replan", {"observable": True})]


def at_the_goal(folder: Path, constraint: str) -> Task:
    """A task whose goal holds at first."""
    walk(folder, f"(:constraints {constraint})")
    problem = folder / "problem.pddl"
    problem.write_text(problem.read_text().replace("(:goal (at d))", "(:goal (at a))"))
    return read_task(folder / "domain.pddl", problem)


@pytest.mark.parametrize(
    "constraint", ["(always (not (at a)))", "(sometime-before (at a) (at b))", "(sometime (at D))"]
)
@pytest.mark.parametrize(("name", "settings"), [
    *((name, {}) for name in EVERY),
    *VARIANTS,
    *(pytest.param(name, {}, marks=pytest.mark.processes) for name in (*OTHERS, "up:fast-downward")),
])  # fmt: skip
def test_where_the_goal_holds_and_a_constraint_does_not_nothing_is_solved(
    name: str, settings: dict[str, Any], constraint: str, tmp_path: Path
) -> None:
    models = ScriptedModels(lambda question: [])
    usual, task = {"simulations": 4, "max_steps": 3}, at_the_goal(tmp_path, constraint)
    solution, _ = scripted.solved(task, name, models, **usual, **settings)
    assert solution.status in (Status.UNSOLVED, Status.UNSOLVABLE, Status.INVALID)
    assert not solution.plan or constraint.startswith("(sometime (")


def test_an_agent_is_not_done_where_a_constraint_is_violated(tmp_path: Path) -> None:
    with Agent(at_the_goal(tmp_path, "(always (not (at a)))"), method="llm-replan") as agent:
        for seen in (ObservationReport(), ObservationReport(goal_reached=True)):
            assert agent.act(seen) is None and agent.status is Status.UNSOLVED
            assert agent.reason == "a failure condition holds: (always (not (At a))) is violated"


@pytest.mark.parametrize("method", planners("fast-downward", "pyperplan", "up:fast-downward"))
@pytest.mark.parametrize("of_domain", ["", NO_LAVA])
def test_other_planners_keep_constraints_with_quantifiers_and_equality(
    method: str, of_domain: str, tmp_path: Path
) -> None:
    only = "(forall (?s - spot) (imply (at ?s) (or (= ?s a) (= ?s c) (= ?s e) (= ?s d) (= ?s pit))))"
    problem = walk(tmp_path, f"(:constraints (always {only}))", of_domain)
    result, _ = solved(tmp_path, method)
    assert result.status is Status.SOLVED
    assert [str(step) for step in result.plan] == [line.replace("go", "Go") for line in LONG.split("\n")]
    assert replay(problem, result.plan).verdict is Verdict.VALID


TRAPS = """(define (domain traps) (:requirements :adl :constraints)
  (:types spot snare) (:predicates (at ?s - spot) (way ?a ?b - spot) (lies ?t - snare ?s - spot))
  (:action go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b))))"""

SENSORS = """(define (sensors traps) (:domain traps)
  (:hidden (lies ?t - snare ?s - spot)) (:exactly-one ?t - snare (lies ?t ?s - spot))
  {})"""


def traps(folder: Path, ways: str, trap: str, sense: str) -> None:
    """From a to d; there is a trap that the agent sees by ``sense`` or not at all."""
    (folder / "domain.pddl").write_text(TRAPS)
    (folder / "sensors.pddl").write_text(SENSORS.format(sense))
    (folder / "problem.pddl").write_text(f"""(define (problem p) (:domain traps)
      (:objects a b c d e - spot snare - snare) (:init (at a) {ways} (lies snare {trap})) (:goal (at d))
      (:constraints (and (always (not (exists (?s - spot) (and (at ?s) (lies snare ?s))))))))""")


@pytest.mark.parametrize("method", ["llm-mcts", "uct", "llm-replan"])
def test_a_trap_that_is_seen_in_time_is_gone_round(method: str, tmp_path: Path) -> None:
    sense = "(:sense (lies ?t - snare ?s - spot) :when (exists (?h - spot) (and (at ?h) (way ?h ?s))))"
    for trap, through in (("b", "c"), ("c", "b")):
        traps(tmp_path, "(way a b) (way b d) (way a c) (way c d)", trap, sense)
        solution, _ = solved(tmp_path, method)
        assert (solution.status, steps(solution)) == (Status.SOLVED, f"(go a {through})\n(go {through} d)")


@pytest.mark.parametrize("method", ["llm-mcts", "uct", "llm-replan"])
def test_an_episode_ends_in_a_trap_that_no_sensor_shows(method: str, tmp_path: Path) -> None:
    traps(tmp_path, "(way a b) (way b d)", "b", "")
    solution, _ = solved(tmp_path, method)
    assert (solution.status, steps(solution)) == (Status.UNSOLVED, "(go a b)")
    condition = "(not (exists (?s - spot) (and (at ?s) (lies snare ?s))))"
    assert solution.reason.startswith(f"a failure condition holds: (always {condition}) is violated")
