"""Replay on the lifted task: what each feature of PDDL means, and what a broken plan is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.pddl.plan import Plan, parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from commonsense_planning.validation.replay import findings, replay, run
from commonsense_planning.validation.verdict import Verdict

HOUSEHOLD = Path(__file__).parents[2] / "pddl" / "household"
PLAN = """
(walk-to-room kitchen)
(walk-to-place fridge kitchen)
(open-container fridge)
(grab-from-container apple_1 fridge)
(walk-to-place kitchentable kitchen)
(put-on apple_1 kitchentable)
"""


def plan(text: str) -> Plan:
    return parse_plan(text, Path("test.plan"))


@pytest.fixture(scope="module")
def household() -> Problem:
    return read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


def task(folder: Path, domain: str, init: str, goal: str, metric: str = "") -> Problem:
    """A task with the objects a, b of type t and c of its subtype s."""
    domain_file, problem_file = folder / "domain.pddl", folder / "problem.pddl"
    domain_file.write_text(f"(define (domain d) (:requirements :adl :action-costs) (:types t - object s - t) {domain})")
    problem_file.write_text(
        f"(define (problem p) (:domain d) (:objects a b - t c - s) (:init {init}) (:goal {goal}) {metric})"
    )
    return read_problem(domain_file, problem_file)


def test_a_plan_that_reaches_the_goal_is_valid(household: Problem) -> None:
    outcome = run(household, plan(PLAN))
    assert outcome.report.verdict is Verdict.VALID
    assert outcome.cost == 6
    assert ("on", "apple_1", "kitchentable") in outcome.state
    assert ("near", "fridge") not in outcome.state


def test_names_are_read_without_regard_to_case(household: Problem) -> None:
    assert replay(household, plan(PLAN.upper())).verdict is Verdict.VALID


def test_an_unmet_condition_is_named_with_its_step(household: Problem) -> None:
    report = replay(household, plan(PLAN.replace("(open-container fridge)\n", "")))
    assert (report.verdict, report.step, report.action) == (Verdict.INVALID, 3, "(grab-from-container apple_1 fridge)")
    assert report.reason == "unmet: (opened fridge)"
    assert report.advice == "(opened fridge) is false at first and no step before makes it true"


def test_the_step_that_spoilt_a_condition_is_named(household: Problem) -> None:
    spoilt = PLAN.replace("(grab", "(walk-to-place kitchentable kitchen)\n(grab")
    report = replay(household, plan(spoilt))
    assert report.step == 5
    assert report.advice == "(near fridge) was made false by step 4 (walk-to-place kitchentable kitchen)"


def test_a_negative_condition_is_told_as_such(household: Problem) -> None:
    report = replay(household, plan("(walk-to-room bathroom)"))
    assert report.reason == "unmet: (not (in-room bathroom))"


def test_a_plan_that_stops_before_the_goal(household: Problem) -> None:
    report = replay(household, Plan(plan(PLAN).steps[:-1]))
    assert (report.verdict, report.step) == (Verdict.INVALID, None)
    assert report.reason == "goal not satisfied: (on apple_1 kitchentable)"


@pytest.mark.parametrize(("line", "reason"), [
    ("(fly apple_1)", "no action is called fly"),
    ("(open-container)", "open-container takes 1 argument, not 0"),
    ("(open-container oven)", "no object is called oven"),
    ("(open-container apple_1)", "apple_1 is no container, which ?c of open-container must be"),
])  # fmt: skip
def test_a_step_that_is_no_action_of_the_task(household: Problem, line: str, reason: str) -> None:
    report = replay(household, plan(PLAN + line))
    assert (report.verdict, report.step, report.reason) == (Verdict.INVALID, 7, reason)


def test_what_is_deleted_and_added_holds_afterwards(tmp_path: Path) -> None:
    domain = """(:predicates (at ?x - t))
      (:action move :parameters (?x ?y - t) :precondition (at ?x) :effect (and (at ?y) (not (at ?x))))"""
    problem = task(tmp_path, domain, "(at a)", "(at a)")
    assert replay(problem, plan("(move a a)")).verdict is Verdict.VALID
    assert run(problem, plan("(move a b)")).state == {("at", "b")}


def test_conditional_and_universal_effects_look_at_the_state_before(tmp_path: Path) -> None:
    domain = """(:predicates (p ?x - t) (q ?x - t))
      (:action swap :parameters ()
        :effect (forall (?x - t) (and (when (p ?x) (and (not (p ?x)) (q ?x)))
                                      (when (q ?x) (and (not (q ?x)) (p ?x))))))"""
    problem = task(tmp_path, domain, "(p a) (q b) (p c)", "(p b)")
    outcome = run(problem, plan("(swap)"))
    assert outcome.report.verdict is Verdict.VALID
    assert outcome.state == {("q", "a"), ("p", "b"), ("q", "c")}


def test_quantifiers_run_over_subtypes_and_tell_the_counterexample(tmp_path: Path) -> None:
    domain = """(:predicates (p ?x - t) (q ?x - t) (done))
      (:action finish :parameters ()
        :precondition (and (forall (?x - t) (imply (p ?x) (q ?x))) (exists (?y - s) (p ?y)))
        :effect (done))"""
    assert replay(task(tmp_path, domain, "(p c) (q c)", "(done)"), plan("(finish)")).verdict is Verdict.VALID
    report = replay(task(tmp_path, domain, "(p a) (p b) (q a)", "(done)"), plan("(finish)"))
    assert "which fails for ?x = b" in report.reason
    assert "(exists (?y - s) (p ?y))" in report.reason


def test_equality_is_identity(tmp_path: Path) -> None:
    domain = """(:predicates (met ?x ?y - t))
      (:action meet :parameters (?x ?y - t) :precondition (not (= ?x ?y)) :effect (met ?x ?y))"""
    problem = task(tmp_path, domain, "", "(met a b)")
    assert replay(problem, plan("(meet a b)")).verdict is Verdict.VALID
    assert replay(problem, plan("(meet a a)")).reason == "unmet: (not (= a a))"


def test_costs_are_summed_where_the_task_has_a_metric(tmp_path: Path) -> None:
    domain = """(:predicates (at ?x - t)) (:functions (total-cost) - number (far ?x ?y - t) - number)
      (:action go :parameters (?x ?y - t) :precondition (at ?x)
        :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (far ?x ?y))))"""
    init = "(at a) (= (total-cost) 0) (= (far a b) 3) (= (far b c) 4)"
    there = plan("(go a b)\n(go b c)")
    assert run(task(tmp_path, domain, init, "(at c)", "(:metric minimize (total-cost))"), there).cost == 7
    assert run(task(tmp_path, domain, init, "(at c)"), there).cost == 2


def test_the_user_spelling_is_kept(tmp_path: Path) -> None:
    domain = """(:predicates (Open ?x - t))
      (:action Open :parameters (?x - t) :precondition (not (Open ?x)) :effect (Open ?x))"""
    problem = task(tmp_path, domain, "(Open a)", "(Open b)")
    assert replay(problem, plan("(Open b)")).verdict is Verdict.VALID
    report = replay(problem, plan("(open A)"))
    assert report.reason == "unmet: (not (Open a))"


def test_a_join_of_three_variables_does_not_try_all_combinations() -> None:
    names = " ".join(f"o{number}" for number in range(150))
    domain = Text("""(define (domain d) (:requirements :adl) (:predicates (e ?x ?y) (done))
        (:action finish :parameters ()
          :precondition (not (exists (?x ?y ?z) (and (e ?x ?y) (e ?y ?z) (e ?z ?x)))) :effect (done)))""")
    edges = " ".join(f"(e o{number} o{number + 1})" for number in range(149))
    problem_text = Text(f"(define (problem p) (:domain d) (:objects {names}) (:init {edges}) (:goal (done)))")
    problem = read_problem(domain, problem_text)
    # 3,375,000 combinations, of which some 45,000 are looked at
    assert replay(problem, plan("(finish)")).verdict is Verdict.VALID


def test_a_contingent_start_cannot_be_replayed(tmp_path: Path) -> None:
    domain = "(:predicates (p ?x - t)) (:action see :parameters (?x - t) :effect (p ?x))"
    problem = task(tmp_path, domain, "(oneof (p a) (p b))", "(p a)")
    assert replay(problem, plan("(see a)")).verdict is Verdict.UNAVAILABLE


def test_all_findings_of_a_plan_have_the_numbers_of_its_steps(household: Problem) -> None:
    steps = ("(fly)", "(walk-to-room kitchen)", "(open-container fridge)", "(walk-to-room attic)")
    wrong = plan("\n".join(steps))
    found = findings(household, wrong, 9)
    assert [report.step for report in found] == [1, 3, 4, None]
    assert [report.action for report in found] == [steps[0], *steps[2:], ""]
    assert found[3].reason == "goal not satisfied: (on apple_1 kitchentable)"
    assert findings(household, wrong, 1) == (replay(household, wrong),)
    assert findings(household, plan(PLAN), 9) == ()
