"""Nodes → normal form. What Tarski makes of it: test_reader.py."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.nodes import Group, render
from commonsense_planning.pddl.normalise import Normal, Normaliser
from commonsense_planning.pddl.syntax import parse
from tests.data import REPOSITORY

DOMAIN = """(define (domain D) (:requirements :adl)
  (:types Room thing - object box - thing)
  (:constants hall - Room)
  (:predicates (open ?b - box) (at ?x - (either thing box) ?r - Room) (in ?a ?b - thing))
  (:action open :parameters (?b - box ?x - (either room BOX))
    :precondition (forall (?X - thing) (imply (in ?x ?b) (exists (?x - box) (at ?x hall))))
    :effect (and (open ?b)
      (and (when (open ?b) (forall (?x - thing) (and (not (in ?x ?b)) (at ?x HALL))))))))"""

PROBLEM = """(define (problem P) (:domain d) (:objects open - box Hat - thing)
  (:init (at hat HALL)) (:goal (and)))"""


def normaliser(domain: str, problem: str) -> Normaliser:
    return Normaliser(check_task(check_domain(parse(domain)), parse(problem)))


def section(normal: Normal, keyword: str) -> str:
    groups = [*normal.domain.items[1:], *normal.problem.items[1:]]
    return next(render(group) for group in groups if isinstance(group, Group) and group.head == keyword)


def test_normal_form() -> None:
    words = normaliser(DOMAIN, PROBLEM)
    normal = words.task()
    assert section(normal, ":types") == "(:types room - object thing - object box - thing)"
    assert section(normal, ":constants") == "(:constants hall - room open-object - box hat - thing)"
    assert section(normal, ":predicates") == (
        "(:predicates (open ?x1 - box) (at ?x1 - thing ?x2 - room) (in ?x1 - thing ?x2 - thing)"
        " (is-box-or-room ?x - object))"
    )
    assert section(normal, ":action") == (
        "(:action open-action :parameters (?b - box ?x - object) :precondition (and (is-box-or-room ?x)"
        " (forall (?x-2 - thing) (imply (in ?x-2 ?b) (exists (?x-3 - box) (at ?x-3 hall)))))"
        " :effect (and (open ?b)"
        " (forall (?x-2 - thing) (when (open ?b) (not (in ?x-2 ?b))))"
        " (forall (?x-2 - thing) (when (open ?b) (at ?x-2 hall)))))"
    )
    assert section(normal, ":init") == ("(:init (at hat hall) (is-box-or-room hall) (is-box-or-room open-object))")
    names = ("room", "hat", "open", "open-object")
    assert {name: words.names.original_names.get(name, name) for name in names} == {
        "room": "Room", "hat": "Hat", "open": "open", "open-object": "open"
    }  # fmt: skip


@pytest.mark.parametrize(("condition", "normal"), [
    ("(or)", "(never)"),
    ("(not (and))", "(never)"),
    ("(and (or) (p a))", "(never)"),
    ("(or (or) (p a))", "(p a)"),
    ("(or (and) (p a))", "(and)"),
    ("(imply (or) (p a))", "(and)"),
    ("(imply (p a) (or))", "(not (p a))"),
    ("(imply (and) (p a))", "(p a)"),
    ("(exists (?x - ghost) (p a))", "(never)"),
    ("(forall (?x - ghost) (p a))", "(and)"),
    ("(forall (?x - thing) (and (and)))", "(and)"),
    ("(not (exists (?x - ghost) (p ?x)))", "(and)"),
    ("(exists (?x - thing ?y - thing) (and (p ?x) (and)))", "(exists (?x - thing ?y - thing) (p ?x))"),
])  # fmt: skip
def test_folding(condition: str, normal: str) -> None:
    domain = "(define (domain d) (:types thing - object ghost - thing) (:predicates (p ?x - thing)))"
    problem = f"(define (problem p) (:domain d) (:objects a - thing) (:init) (:goal {condition}))"
    assert section(normaliser(domain, problem).task(), ":goal") == f"(:goal {normal})"


def test_objects_of_several_types_make_their_types_predicates() -> None:
    domain = """(define (domain d) (:types person - object up vip - person)
      (:predicates (at ?x - person) (is-vip ?x - vip))
      (:action a :parameters (?p - vip) :precondition (forall (?u - up) (at ?u))
       :effect (forall (?v - vip) (not (at ?v)))))"""
    problem = "(define (problem p) (:domain d) (:objects a - up a - vip b - up) (:init (is-vip a)) (:goal (and)))"
    normal = normaliser(domain, problem).task()
    assert section(normal, ":types") == "(:types person - object)"
    assert section(normal, ":constants") == "(:constants a - person b - person)"
    assert section(normal, ":predicates") == (
        "(:predicates (at ?x1 - person) (is-vip ?x1 - person) (is-vip-membership ?x - person) (is-up ?x - person))"
    )
    assert section(normal, ":action") == (
        "(:action a-action :parameters (?p - person) :precondition (and (is-vip-membership ?p)"
        " (forall (?u - person) (imply (is-up ?u) (at ?u))))"
        " :effect (and (forall (?v - person) (when (is-vip-membership ?v) (not (at ?v))))))"
    )
    assert section(normal, ":init") == "(:init (is-vip a) (is-vip-membership a) (is-up a) (is-up b))"


def test_names_that_differ_only_for_the_user() -> None:
    domain = "(define (domain d) (:predicates (not-x) (not__x) (Ünder) (3d) (natural)))"
    problem = "(define (problem p) (:domain d) (:objects not OR x+y x.y) (:init) (:goal (and)))"
    words = normaliser(domain, problem)
    words.task()
    names = list(words.names.assigned.values())
    assert len({name.replace("-", "__") for name in names}) == len(names)
    assert all(re.fullmatch(r"[a-z][a-z0-9_-]*", name) for name in names)
    assert set(words.names.original_names.values()) >= {"not", "OR", "3d", "x.y"}


@settings(max_examples=30)
@given(st.integers())
def test_case_does_not_change_the_normal_form(seed: int) -> None:
    choice = Random(seed).choice
    domain = (REPOSITORY / "pddl/household/domain.pddl").read_text()
    problem = (REPOSITORY / "pddl/household/problems/small-apple.pddl").read_text()

    def shuffle(text: str) -> str:
        return "".join(choice([letter.lower(), letter.upper()]) for letter in text)

    changed = normaliser(shuffle(domain), shuffle(problem)).task()
    assert changed == normaliser(domain, problem).task()
