"""Constraints: what is read, and how plans are judged by them. Wrong ones: test_broken_input.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.val import find_val, validate_with_val
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Verdict
from tests.shortcuts import shortcuts

__all__ = ["shortcuts"]

DOMAIN = """(define (domain Walk) (:requirements :adl :constraints)
  (:types Spot thing - object Lava - spot)
  (:predicates (At ?s - spot) (way ?a ?b - spot))
  {}
  (:action Go :parameters (?a ?b - spot)
    :precondition (and (at ?a) (way ?a ?b)) :effect (and (not (at ?a)) (at ?b))))"""

# From a to D: through b, or through c and then e.
PROBLEM = """(define (problem P) (:domain walk)
  (:objects a b c D e - spot pit - lava)
  (:init (at a) (way a b) (way b d) (way a c) (way c e) (way e d) (way b pit) (way pit d))
  (:goal (at d))
  {})"""


SHORT = "(go a b)\n(go b D)"
LONG = "(go a c)\n(go c e)\n(go e D)"
LAVA = "(go a b)\n(go b pit)\n(go pit D)"
NO_LAVA = "(:constraints (always (forall (?l - lava) (not (at ?l)))))"


def walk(folder: Path, constraints: str, of_domain: str = "") -> Problem:
    """The task with these constraints in the problem and in the domain."""
    (folder / "domain.pddl").write_text(DOMAIN.format(of_domain))
    (folder / "problem.pddl").write_text(PROBLEM.format(constraints))
    return read_problem(folder / "domain.pddl", folder / "problem.pddl")


@pytest.mark.parametrize(("text", "conditions"), [
    ("(:constraints (always (not (at b))))", ["(not (At b))"]),
    ("(:CONSTRAINTS (AND (Always (NOT (AT B)))))", ["(not (At b))"]),
    ("(:constraints (and))", []),
    ("", []),
    ("(:constraints (and (always (at a)) (and (always (not (at d))) (always (or (at a) (at b))))))",
     ["(At a)", "(not (At D))", "(or (At a) (At b))"]),
    ("(:constraints (always (forall (?l - lava) (not (at ?l)))))", ["(forall (?l - Lava) (not (At ?l)))"]),
    ("(:constraints (always (imply (at b) (way b d))))", ["(or (not (At b)) (way b D))"]),
])  # fmt: skip
def test_conditions_are_read_in_order(text: str, conditions: list[str], tmp_path: Path) -> None:
    problem = walk(tmp_path, text)
    assert [Formulas(problem).render(*constraint.conditions, {}) for constraint in problem.constraints] == conditions
    assert (Feature.CONSTRAINTS in problem.features) == bool(conditions)


def test_constraints_of_the_domain_come_first_and_may_name_objects_of_the_problem(tmp_path: Path) -> None:
    problem = walk(tmp_path, "(:constraints (always (not (at c))))", "(:constraints (always (not (at b))))")
    said = [Formulas(problem).render(*constraint.conditions, {}) for constraint in problem.constraints]
    assert said == ["(not (At b))", "(not (At c))"]


def test_the_normal_form_keeps_the_constraints(tmp_path: Path) -> None:
    problem = walk(tmp_path, "(:constraints (always (or)))", NO_LAVA)
    assert problem.normal_text is not None
    domain, task = problem.normal_text
    assert "(:requirements :strips :typing :equality :constraints)" in domain
    assert "(:constraints (and (always (forall (?l - lava) (not (at ?l)))) (always (never))))" in task


JUDGED = [  # constraints of the problem, the plan, and the step after which one is violated; 0: at first
    ("(:constraints (always (not (at b))))", SHORT, 1),
    ("(:constraints (always (not (at b))))", LONG, None),
    ("(:constraints (and (always (at a)) (always (not (at c)))))", SHORT, 1),
    ("(:constraints (and (always (not (at c))) (always (not (at d)))))", SHORT, 2),
    ("(:constraints (always (or (not (at d)) (way d a))))", LONG, 3),
    ("(:constraints (always (exists (?s - spot) (and (at ?s) (not (= ?s a))))))", SHORT, 0),
    ("(:constraints (always (exists (?s - spot) (at ?s))))", SHORT, None),
    ("(:constraints (always (imply (at c) (way c e))))", LONG, None),
    (NO_LAVA, LAVA, 2),
    (NO_LAVA, SHORT, None),
]


@pytest.mark.skipif(find_val() is None, reason="VAL is not installed")
@pytest.mark.parametrize(("constraints", "plan", "violated"), JUDGED)
def test_the_validators_agree_on_where_a_constraint_is_violated(
    constraints: str, plan: str, violated: int | None, tmp_path: Path
) -> None:
    said = validate(walk(tmp_path, constraints), parse_plan(plan, Path("plan")), everyone=True)
    if violated is None:
        assert [report.verdict for report in said.reports] == [Verdict.VALID] * 3
        return
    assert [report.verdict for report in said.reports] == [Verdict.INVALID] * 3
    assert [report.step for report in said.reports] == [violated or None] * 3
    assert all("is violated" in report.reason for report in said.reports)


TRAJECTORIES = [  # constraints, the plan, and the step after which one is violated; 0: at first, -1: by the whole plan
    ("(sometime (at c))", LONG, None),
    ("(sometime (at a))", "", -1),  # nor is the goal reached
    ("(sometime (at c))", SHORT, -1),
    ("(at end (at D))", SHORT, None),
    ("(at end (not (at D)))", SHORT, -1),
    ("(at-most-once (at a))", SHORT, None),
    ("(at-most-once (or (at a) (at e)))", LONG, 2),
    ("(at-most-once (or (at a) (at D)))", SHORT, 2),
    ("(sometime-before (at d) (at b))", SHORT, None),
    ("(sometime-before (at d) (at d))", SHORT, 2),
    ("(sometime-before (at a) (at b))", SHORT, 0),
    ("(sometime-before (and (at b) (exists (?s - spot) (not (at ?s)))) (at c))", SHORT, 1),
    ("(sometime-after (at b) (at d))", SHORT, None),
    ("(sometime-after (at d) (at d))", SHORT, None),
    ("(sometime-after (at d) (at b))", SHORT, -1),
    ("(forall (?l - lava) (sometime (at ?l)))", LAVA, None),
    ("(forall (?l - lava) (at-most-once (not (at ?l))))", LAVA, 3),
    ("(forall (?s - spot) (and (at-most-once (at ?s)) (sometime-after (at ?s) (at d))))", LONG, None),
    ("(forall (?s ?t - spot) (forall (?l - lava) (sometime-before (and (at ?l) (at ?s)) (way ?t ?l))))", LAVA, 2),
]


@pytest.mark.skipif(find_val() is None, reason="VAL is not installed")
@pytest.mark.parametrize(("constraints", "plan", "violated"), TRAJECTORIES)
def test_val_and_replay_agree_on_all_operators(
    constraints: str, plan: str, violated: int | None, tmp_path: Path
) -> None:
    problem, steps = walk(tmp_path, f"(:constraints {constraints})"), parse_plan(plan, Path("plan"))
    ours, val = replay(problem, steps), validate_with_val(problem, steps)
    if violated is None:
        assert (ours.verdict, val.verdict) == (Verdict.VALID, Verdict.VALID)
        return
    assert (ours.verdict, val.verdict) == (Verdict.INVALID, Verdict.INVALID)
    assert ours.step == val.step == (violated if violated > 0 else None)
    for report in (ours, val) if plan else ():
        assert ("whole" if violated < 0 else "is violated") in report.reason
    assert validate_with_up(problem, steps).verdict is Verdict.UNAVAILABLE


def test_a_forall_over_a_type_without_things_says_nothing(tmp_path: Path) -> None:
    problem = walk(tmp_path, "(:constraints (forall (?x - thing ?s - spot) (sometime (at ?s))))")
    assert problem.constraints == ()


def test_replay_names_the_thing_that_a_forall_fails_for(tmp_path: Path) -> None:
    problem = walk(tmp_path, "(:constraints (forall (?s - spot) (sometime-before (at ?s) (at b))))")
    report = replay(problem, parse_plan("(go a c)", Path("plan")))
    assert report.reason == "the constraint (sometime-before (At a) (At b)) is violated in the initial state"


def test_replay_names_the_constraint_and_what_the_step_changed(tmp_path: Path) -> None:
    report = replay(walk(tmp_path, NO_LAVA), parse_plan(LAVA, Path("plan")))
    assert (report.step, report.action) == (2, "(go b pit)")
    assert report.reason == "the constraint (always (forall (?l - Lava) (not (At ?l)))) is violated after this step"
    assert report.advice == "step 2 made (At b) false, (At pit) true"


@pytest.mark.parametrize(
    ("of_problem", "of_domain", "reason"),
    [("", NO_LAVA, "ParseException"), ("(:constraints (always (or)))", "", "keeps 0 of 1 constraints")],
)
def test_what_unified_planning_cannot_read_it_is_asked_about_in_normal_form(
    of_problem: str, of_domain: str, reason: str, tmp_path: Path
) -> None:
    report = validate_with_up(walk(tmp_path, of_problem, of_domain), parse_plan(LAVA, Path("plan")))
    assert report.verdict is Verdict.INVALID
    assert reason in report.reason


@pytest.mark.skipif(find_val() is None, reason="VAL is not installed")
def test_val_and_replay_judge_by_the_constraints_of_the_domain(tmp_path: Path) -> None:
    problem = walk(tmp_path, "", NO_LAVA)
    for plan, verdict in ((LAVA, Verdict.INVALID), (SHORT, Verdict.VALID)):
        steps = parse_plan(plan, Path("plan"))
        assert validate_with_val(problem, steps).verdict is replay(problem, steps).verdict is verdict
