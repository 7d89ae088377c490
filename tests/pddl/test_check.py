"""What the checker accepts beyond the letter of PDDL, and what it makes of it."""

import pickle

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


def test_an_object_of_either_of_two_types_is_of_both() -> None:
    words = "(:types ship port) (:constants ark - (either ship port)) (:predicates (at ?s - ship ?p - port) (free))"
    task = check(words, "(:objects raft - (either port ship)) (:init (at ark ark) (at raft ark)) (:goal (free))")
    assert [task.vocabulary.objects[name].type_text for name in ("ark", "raft")] == [
        "(either ship port)",
        "(either port ship)",
    ]


def test_every_error_of_conditions_effects_and_facts_is_found() -> None:
    actions = "(:action go :precondition (and (fre) (at a)) :effect (and (att a) (free))) (:action be :effect (ix a b))"
    with pytest.raises(PddlError, match="undeclared predicate 'fre'") as caught:
        check(f"{FREE} {actions}", "(:objects a b) (:init (free a) (at a) (at c)) (:goal (and (in a) (att a)))")
    assert [error.problem for error in caught.value.others] == [
        "undeclared predicate 'att'",
        "undeclared predicate 'ix'",
        "'free' has 1 argument",
        "unknown object 'c'",
        "'in' has 1 argument",
        "undeclared predicate 'att'",
    ]
    assert caught.value.line.count("\n") == 20 and pickle.loads(pickle.dumps(caught.value)).others


@pytest.mark.parametrize(("goal", "said"), [
    ("(thing a)", "undeclared predicate 'thing', which is a type"),
    ("(at thing)", "unknown object 'thing', which is a type"),
    ("(exists (?x - at) (at ?x))", "undeclared type 'at', which is a predicate"),
    ("(a)", "undeclared predicate 'a', which is an object"),
])  # fmt: skip
def test_a_name_of_another_kind_is_said_to_be_one(goal: str, said: str) -> None:
    with pytest.raises(PddlError, match=said):
        check(f"(:types thing) {FREE}", f"(:objects a - thing) (:init) (:goal {goal})")


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
