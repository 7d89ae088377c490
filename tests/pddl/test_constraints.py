"""Constraints: what is read, how plans are judged, and how monitors follow a plan. Wrong ones: test_broken_input.py."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from commonsense_planning import Problem, Verdict, read_problem
from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.trajectories import OPERATORS, MonitorPart, Operator, P, Q, Truths
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.val import find_val, validate_with_val
from tests.data import write_task
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
    return read_problem(*write_task(folder, DOMAIN.format(of_domain), PROBLEM.format(constraints)))


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
@pytest.mark.parametrize(("constraints", "plan", "violated"), [
    *JUDGED, *((f"(:constraints {text})", plan, step) for text, plan, step in TRAJECTORIES)
])  # fmt: skip
def test_the_validators_agree_on_where_a_constraint_is_violated(
    constraints: str, plan: str, violated: int | None, tmp_path: Path
) -> None:
    """All three of them; unified-planning's has no verdict on trajectories."""
    problem, steps = walk(tmp_path, constraints), parse_plan(plan, Path("plan"))
    reports = [replay(problem, steps), validate_with_val(problem, steps), validate_with_up(problem, steps)]
    if (constraints, plan, violated) not in JUDGED:
        assert reports.pop().verdict is Verdict.UNAVAILABLE
    assert {report.verdict for report in reports} == {Verdict.VALID if violated is None else Verdict.INVALID}
    for report in reports if violated is not None else ():
        assert report.step == (violated if violated > 0 else None)
        assert not plan or ("whole" if violated < 0 else "is violated") in report.reason


def test_a_forall_over_an_empty_type_has_no_effect(tmp_path: Path) -> None:
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


def traces(operator: Operator, longest: int) -> Iterator[tuple[Truths, ...]]:
    """The truth values of an operator's conditions in all sequences of up to that many states."""
    for length in range(1, longest + 1):
        for values in itertools.product((False, True), repeat=length * operator.operands):
            yield tuple(values[k * length : (k + 1) * length] for k in range(operator.operands))


def states(truths: Sequence[Truths]) -> Iterator[dict[str, bool]]:
    for values in zip(*truths, strict=True):
        yield dict(zip((P, Q), values, strict=False))


def all_so(parts: Sequence[MonitorPart], values: Mapping[str, bool]) -> bool:
    return all(values[part.name] == part.positive for part in parts)


def seen_after(operator: Operator, truths: Sequence[Truths]) -> bool:
    """Judged by the monitor, whose bits are brought up to date before a state is looked at."""
    monitor = operator.monitor
    bits = dict(monitor.memory)
    for state in states(truths):
        for update in monitor.updates:
            if all_so(update.when, {**state, **bits}):
                bits[update.bit] = update.value
        if monitor.forbidden and all_so(monitor.forbidden, {**state, **bits}):
            return False
    return all_so(monitor.wanted, {**state, **bits})


def seen_before(operator: Operator, truths: Sequence[Truths]) -> bool:
    """Judged by the monitor, whose bits say what was before the state that is looked at; all at once, as effects of an
    action are: what some make true and others false is true."""
    monitor = operator.monitor
    bits = {bit: value for bit, value in monitor.memory.items() if bit not in monitor.behind}
    for state in states(truths):
        known = {**state, **bits, **{bit: bits[other] for bit, other in monitor.behind.items()}}
        if monitor.forbidden and all_so(monitor.forbidden, known):
            return False
        updates = [update for update in monitor.updates if update.bit in bits and all_so(update.when, known)]
        bits |= {update.bit: False for update in updates if not update.value}
        bits |= {update.bit: True for update in updates if update.value}
    return all_so([part for part in monitor.wanted if part.name in bits], bits) and all_so(
        [part for part in monitor.wanted if part.name not in bits], state
    )


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
def test_a_monitor_sees_what_the_operator_means(operator: Operator) -> None:
    for truths in traces(operator, 8 if operator.operands == 1 else 5):
        meant = operator.holds(*truths)
        assert seen_after(operator, truths) == meant, truths
        assert seen_before(operator, truths) == meant, truths


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
def test_a_lasting_violation_stays_one(operator: Operator) -> None:
    for truths in traces(operator, 4):
        if not operator.holds(*truths):
            longer = [
                tuple((*before, now) for before, now in zip(truths, values, strict=True))
                for values in itertools.product((False, True), repeat=operator.operands)
            ]
            assert operator.lasting == (not any(operator.holds(*values) for values in longer))


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=str)
def test_the_neutral_value_violates_nothing(operator: Operator) -> None:
    for truths in traces(operator, 4):
        if set(truths[0]) == {operator.in_vain}:
            assert operator.holds(*truths)
