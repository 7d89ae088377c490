"""Constraints compiled away: what other people's planners make of the texts are plans that keep to them."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from commonsense_planning.errors import Status
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.unconstrained import without_constraints
from commonsense_planning.planners.up_engine import PYPERPLAN
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.val import find_val, validate_with_val
from commonsense_planning.validation.verdict import Verdict
from tests.pddl.test_constraints import walk

BACK = "(way d a) (way e a)"
ROUND = {  # constraints, and the length of a shortest plan from a to d
    "(sometime (at e))": 3,
    "(sometime (at pit))": 3,
    "(forall (?l - lava) (at end (not (at ?l))))": 2,
    "(and (sometime (at b)) (sometime (at c)) (at-most-once (at d)))": 5,
    "(sometime-before (at d) (at c))": 3,
    "(sometime-before (at d) (at d))": None,
    "(sometime-after (at a) (at e))": 3,
    "(sometime-after (at d) (at e))": None,
    "(and (sometime-after (at c) (at b)) (sometime (at c)))": 5,
    "(forall (?s - spot) (sometime-before (at ?s) (or (at a) (at ?s))))": None,
    "(forall (?s - spot) (at-most-once (at ?s)))": 2,
    "(and (always (not (at b))) (forall (?l - lava) (at-most-once (at ?l))))": 3,
}


def around(folder: Path, constraints: str) -> Problem:
    """The task with these constraints and with ways back to the start."""
    walk(folder, f"(:constraints {constraints})")
    file = folder / "problem.pddl"
    file.write_text(file.read_text().replace("(at a) (way", f"(at a) {BACK} (way", 1))
    return read_problem(folder / "domain.pddl", file)


@pytest.mark.skipif(fast_downward.driver() is None, reason="Fast Downward is not installed")
@pytest.mark.parametrize("constraints", ROUND)
def test_fast_downwards_cheapest_plan_mapped_back_is_valid_and_as_long_as_must_be(
    constraints: str, tmp_path: Path
) -> None:
    problem = around(tmp_path, constraints)
    found = fast_downward.solve(problem, 60, "astar(blind())")
    if ROUND[constraints] is None:
        assert found.status in (Status.UNSOLVABLE, Status.UNSOLVED)  # an older Fast Downward calls nothing proven
        return
    assert found.plan is not None
    assert (len(found.plan), found.plan.cost) == (ROUND[constraints], ROUND[constraints])
    assert replay(problem, found.plan).verdict is Verdict.VALID
    if find_val() is not None:
        assert validate_with_val(problem, found.plan).verdict is Verdict.VALID


def test_another_planner_gets_the_same_task(tmp_path: Path) -> None:
    problem = around(tmp_path, "(and (sometime (at b)) (sometime-after (at b) (at c)))")
    plan = PYPERPLAN.solve(problem, 120).plan
    assert plan is not None and replay(problem, plan).verdict is Verdict.VALID


@pytest.mark.parametrize("constraints", ROUND)
def test_the_texts_have_the_same_plans(constraints: str, tmp_path: Path) -> None:
    """All walks of up to four steps: with ``finish`` behind it, one is a plan of the texts if and only if it is one of
    the task."""
    problem = around(tmp_path, constraints)
    compiled = without_constraints(problem)
    read = compiled.read()
    ways = ("ab", "bd", "ac", "ce", "ed", "da", "ea")
    last = [Step(compiled.finish, ())] if compiled.finish else []
    for length in range(5):
        for walked in itertools.product(ways, repeat=length):
            if all(one[1] == other[0] for one, other in itertools.pairwise(walked)):
                plan = Plan(tuple(Step("go", tuple(way)) for way in walked))
                longer = Plan((*plan, *last))
                assert replay(read, longer).verdict is replay(problem, plan).verdict
                assert [str(step).lower() for step in compiled.back(longer)] == [str(step) for step in plan]


def test_names_that_are_taken_are_left_alone(tmp_path: Path) -> None:
    domain = (tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    walk(tmp_path, "(:constraints (sometime (at c)))")
    for file in domain:
        file.write_text(file.read_text().replace("pit", "finish").replace("Spot", "finished"))
    text = domain[0].read_text().replace("?s - spot", "?s - finished").replace("?a ?b - spot", "?a ?b - finished")
    domain[0].write_text(text.replace("- spot", "- finished"))
    domain[1].write_text(domain[1].read_text().replace("- spot", "- finished"))
    assert without_constraints(read_problem(*domain)).finish == "finish-2"
