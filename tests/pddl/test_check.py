"""What the checker accepts beyond the letter of PDDL, and what it makes of it."""

import pytest

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.check import CheckedTask, check_domain, check_task
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.syntax import parse


def check(domain: str, problem: str) -> CheckedTask:
    """Check a task given by the sections of its two files."""
    domain_source = parse(f"(define (domain d) {domain})", "domain.pddl")
    problem_source = parse(f"(define (problem p) (:domain D) {problem})", "problem.pddl")
    return check_task(check_domain(domain_source), problem_source)


FREE = "(:predicates (free) (at ?x) (in ?x ?y))"
DONE = "(:init) (:goal (free))"


def test_type_again() -> None:
    task = check(f"(:types a b - object c - b a - b a b) {FREE}", DONE)
    assert task.vocabulary.parents == {"a": "b", "b": "object", "c": "b"}


def test_object_named_by_the_domain_but_declared_by_the_problem() -> None:
    action = "(:action a :effect (at wrench))"
    assert check(f"{FREE} {action}", f"(:objects wrench) {DONE}").actions[0].symbol.text == "a"
    with pytest.raises(PddlError, match="domain.pddl:1:83: unknown object 'wrench'"):
        check(f"{FREE} {action}", DONE)


def test_types_of_objects_mean_nothing_in_a_domain_without_types() -> None:
    task = check(FREE, f"(:objects a - block) {DONE}")
    assert task.vocabulary.objects["a"].type_text == "object"


def test_object_of_two_types_of_a_kind() -> None:
    task = check(f"(:types p - object up vip - p) {FREE}", f"(:objects a - up a - vip) {DONE}")
    assert task.vocabulary.objects["a"].type_text == "(either up vip)"


def test_negative_facts_and_conjunctions_in_init() -> None:
    task = check(FREE, "(:objects a b) (:init (and (free) (at a)) (not (at b)) (at A)) (:goal (free))")
    assert [atom.head for atom in task.initial.atoms] == ["free", "at"]


@pytest.mark.parametrize(("condition", "features"), [
    ("(and (free) (and))", set()),
    ("(not (at a))", {Feature.NEGATIVE_CONDITIONS}),
    ("(or (free) (at a))", {Feature.DISJUNCTIVE_CONDITIONS}),
    ("(imply (free) (at a))", {Feature.DISJUNCTIVE_CONDITIONS}),
    ("(exists (?x) (at ?x))", {Feature.EXISTENTIAL_CONDITIONS}),
    ("(forall (?x) (= ?x a))", {Feature.UNIVERSAL_CONDITIONS, Feature.EQUALITY}),
])  # fmt: skip
def test_features_of_conditions(condition: str, features: set[Feature]) -> None:
    assert check(FREE, f"(:objects a) (:init) (:goal {condition})").features == features


@pytest.mark.parametrize(("effect", "features"), [
    ("(and (at ?x) (not (free)))", set()),
    ("(when (free) (at ?x))", {Feature.CONDITIONAL_EFFECTS}),
    ("(forall (?y) (in ?x ?y))", {Feature.UNIVERSAL_EFFECTS}),
    ("(increase (total-cost) (far ?x))", {Feature.ACTION_COSTS}),
])  # fmt: skip
def test_features_of_effects(effect: str, features: set[Feature]) -> None:
    functions = "(:functions (total-cost) (far ?x) - number)"
    assert check(f"{FREE} {functions} (:action a :parameters (?x) :effect {effect})", DONE).features == features
