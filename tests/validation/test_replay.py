"""Replay on the lifted task: what each feature of PDDL means, and what is said of a broken plan."""

from pathlib import Path

import pytest

from commonsense_planning import Plan, Problem, Text, Verdict, read_problem
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.validation.replay import findings, replay
from tests.data import APPLE, APPLE_PLAN


def plan(text: str) -> Plan:
    return parse_plan(text, Path("test.plan"))


@pytest.fixture(scope="module")
def household() -> Problem:
    return read_problem(*APPLE)


def task(domain: str, init: str, goal: str) -> Problem:
    """A task with the objects a, b of type t and c of its subtype s."""
    head = "(define (domain d) (:requirements :adl :action-costs) (:types t - object s - t)"
    facts = f"(:init {init}) (:goal {goal})"
    return read_problem(
        Text(f"{head} {domain})"), Text(f"(define (problem p) (:domain d) (:objects a b - t c - s) {facts})")
    )


def test_names_are_read_without_regard_to_case(household: Problem) -> None:
    assert replay(household, plan(APPLE_PLAN.upper())).verdict is Verdict.VALID


UNMET, OPEN = "unmet: (opened fridge)", "(open-container fridge)\n"
SPOILT = APPLE_PLAN.replace("(grab", "(walk-to-place kitchentable kitchen)\n(grab")
GOAL = "goal not satisfied: (on apple_1 kitchentable)"


@pytest.mark.parametrize(("text", "step", "reason", "advice"), [
    (APPLE_PLAN.replace(OPEN, ""), 3, UNMET, "(opened fridge) is false at first and no step before makes it true"),
    (SPOILT, 5, "unmet: (near fridge)", "(near fridge) was made false by step 4 (walk-to-place kitchentable kitchen)"),
    ("(walk-to-room bathroom)", 1, "unmet: (not (in-room bathroom))", None),
    (APPLE_PLAN.replace("(put-on apple_1 kitchentable)\n", ""), None, GOAL, None),
    (f"{APPLE_PLAN}(fly apple_1)", 7, "no action is called fly", None),
    (f"{APPLE_PLAN}(grab-from-conatiner x)", 7,
     "no action is called grab-from-conatiner (did you mean 'grab-from-container'?)", None),
    (f"{APPLE_PLAN}(open-container fridgr)", 7, "no object is called fridgr (did you mean 'fridge'?)", None),
    (f"{APPLE_PLAN}(open-container)", 7, "open-container takes 1 argument, not 0", None),
    (f"{APPLE_PLAN}(open-container oven)", 7, "no object is called oven", None),
    (f"{APPLE_PLAN}(open-container apple_1)", 7, "apple_1 is no container, which ?c of open-container must be", None),
])  # fmt: skip
def test_the_step_that_is_wrong_is_named_and_why(
    text: str, step: int | None, reason: str, advice: str | None, household: Problem
) -> None:
    report = replay(household, plan(text))
    assert (report.verdict, report.step, report.reason) == (Verdict.INVALID, step, reason)
    assert step is None or report.action == text.strip().splitlines()[step - 1]
    assert advice in (None, report.advice)


def test_quantifiers_run_over_subtypes_and_tell_the_counterexample() -> None:
    domain = """(:predicates (p ?x - t) (q ?x - t) (done))
      (:action finish :parameters ()
        :precondition (and (forall (?x - t) (imply (p ?x) (q ?x))) (exists (?y - s) (p ?y)))
        :effect (done))"""
    assert replay(task(domain, "(p c) (q c)", "(done)"), plan("(finish)")).verdict is Verdict.VALID
    report = replay(task(domain, "(p a) (p b) (q a)", "(done)"), plan("(finish)"))
    assert "which fails for ?x = b" in report.reason
    assert "(exists (?y - s) (p ?y))" in report.reason


def test_the_user_spelling_is_kept() -> None:
    domain = """(:predicates (Open ?x - t))
      (:action Open :parameters (?x - t) :precondition (not (Open ?x)) :effect (Open ?x))"""
    problem = task(domain, "(Open a)", "(Open b)")
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


def test_a_contingent_start_cannot_be_replayed() -> None:
    domain = "(:predicates (p ?x - t)) (:action see :parameters (?x - t) :effect (p ?x))"
    problem = task(domain, "(oneof (p a) (p b))", "(p a)")
    assert replay(problem, plan("(see a)")).verdict is Verdict.UNAVAILABLE


def test_all_findings_of_a_plan_have_the_numbers_of_its_steps(household: Problem) -> None:
    steps = ("(fly)", "(walk-to-room kitchen)", "(open-container fridge)", "(walk-to-room attic)")
    wrong = plan("\n".join(steps))
    found = findings(household, wrong, 9)
    assert [report.step for report in found] == [1, 3, 4, None]
    assert [report.action for report in found] == [steps[0], *steps[2:], ""]
    assert found[3].reason == "goal not satisfied: (on apple_1 kitchentable)"
    assert findings(household, wrong, 1) == (replay(household, wrong),)
    assert findings(household, plan(APPLE_PLAN), 9) == ()
