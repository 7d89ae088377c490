"""``cplan methods`` and ``solve`` agree on every kind of task: a method that is not offered refuses it."""

import pytest

from commonsense_planning.errors import CplanError, InputError, MissingError, UsageError
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import BUILT_IN, METHODS, solve, why_not
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task

DOMAIN = """(define (domain tram) (:requirements :adl :action-costs :derived-predicates :constraints)
  (:predicates (in ?s) (rail ?a ?b) (near ?s) (flag)) (:functions (fare ?a ?b) (total-cost) - number) RULE
  (:action ride :parameters (?a ?b) :precondition (and (in ?a) (rail ?a ?b) CONDITION)
    :effect (and (in ?b) (not (in ?a)) (increase (total-cost) COST) EFFECT) OBSERVE))"""
PROBLEM = """(define (problem p) (:domain tram) (:objects p q r) (:init (in p) (rail p q) (rail q r) INIT
  (= (fare p q) 2) (= (total-cost) 0)) (:goal GOAL) CONSTRAINTS (:metric minimize (total-cost)))"""
KINDS: dict[str, dict[str, str]] = {
    "plain": {},
    "derived": {"RULE": "(:derived (near ?s) (exists (?b) (and (in ?b) (rail ?b ?s))))", "CONDITION": "(near ?b)"},
    "quantified": {"CONDITION": "(forall (?c) (or (exists (?d) (rail ?c ?d)) (not (= ?a ?c))))"},
    "unset cost": {"COST": "(fare ?a ?b)"},
    "fraction": {"COST": "1.5"},
    "large cost": {"COST": "4000000000"},
    "too large a cost": {"COST": "10000000000000000"},
    "constraint": {"CONSTRAINTS": "(:constraints (and (always (not (in p)))))"},
    "memory": {"CONSTRAINTS": "(:constraints (sometime (in q)))"},
    "conditional": {"EFFECT": "(when (rail ?a ?b) (flag))", "GOAL": "(and (in r) (flag))"},
    "disjunctive goal": {"GOAL": "(or (in r) (flag))"},
    "oneof": {"INIT": "(oneof (flag) (near p))"},
    "unknown": {"INIT": "(unknown (flag))", "EFFECT": "(when (flag) (near ?b))"},
    "observing": {"INIT": "(unknown (flag))", "OBSERVE": ":observe (flag)"},
    "unsolvable": {"GOAL": "(flag)"},
}


def read(kind: str) -> Task:
    """A small task of that kind."""
    parts = dict.fromkeys(("RULE", "EFFECT", "OBSERVE", "INIT", "CONSTRAINTS"), "")
    parts |= {"CONDITION": "(rail ?a ?b)", "COST": "1", "GOAL": "(in r)", **KINDS[kind]}
    texts = DOMAIN, PROBLEM
    for name, part in parts.items():
        texts = texts[0].replace(name, part), texts[1].replace(f" {name}", f" {part}").replace(f"{name} ", f"{part} ")
    return read_task(Text(texts[0]), Text(texts[1]))


def agree(kind: str, name: str) -> None:
    task, refused = read(kind), ""
    possible = why_not(METHODS[name], task) is None
    try:
        solve(Request(task, name, seconds=20.0))
    except (InputError, UsageError, MissingError) as error:
        refused = str(error)
    except CplanError:
        pass
    assert possible == (not refused), (name, refused)


PROCESSES = ("fast-downward", "pyperplan")


@pytest.mark.parametrize("kind", KINDS)
def test_methods_says_who_can_and_solve_refuses_the_rest(kind: str) -> None:
    for name in BUILT_IN:
        if name not in PROCESSES or why_not(METHODS[name], read(kind)) is not None:
            agree(kind, name)
