"""Which tasks are travelling, and what their journey is."""

import pytest

from commonsense_lab.studies.travelling.trip import Travel, travel_of
from commonsense_planning.errors import UsageError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text

DOMAIN = """(define (domain roads)
  (:requirements :strips :typing :equality)
  (:types town)
  (:predicates (in ?t - town) (road ?a ?b - town) (seen ?t - town) (open ?t - town) (lit ?t - town))
  (:action Drive
    :parameters (?to ?from - town)
    :precondition {precondition}
    :effect {effect})
  {more})
"""
PROBLEM = """(define (problem p) (:domain roads)
  (:objects Bergen lyon oslo - town)
  (:init (in Bergen) (road Bergen oslo) (road oslo lyon) (lit oslo))
  (:goal {goal}))
"""
CONDITION = "(and (in ?from) (road ?from ?to))"
EFFECT = "(and (not (in ?from)) (in ?to) (seen ?to))"


def travel(precondition: str = CONDITION, effect: str = EFFECT, goal: str = "(in lyon)", more: str = "") -> Travel:
    domain = DOMAIN.format(precondition=precondition, effect=effect, more=more)
    return travel_of(read_problem(Text(domain), Text(PROBLEM.format(goal=goal))))


def test_parameters_and_links_may_be_the_other_way_round() -> None:
    trip = travel()
    assert (trip.source, trip.destination, trip.linked("a", "b")) == ("Bergen", "lyon", ("a", "b"))
    assert [str(step) for step in trip.plan(("Bergen", "oslo"))] == ["(Drive oslo Bergen)"]
    turned = travel(precondition="(and (road ?to ?from) (not (= ?from ?to)) (in ?from))")
    assert turned.linked("a", "b") == ("b", "a")


def test_the_goal_may_be_an_effect_of_arriving() -> None:
    assert travel(goal="(seen oslo)").destination == "oslo"


@pytest.mark.parametrize("changed", [
    {"precondition": "(and (in ?from) (road ?from ?to) (lit ?to))"},
    {"precondition": "(and (in ?from) (road ?from ?from))"},
    {"precondition": "(in ?from)"},
    {"precondition": "(and (in ?from) (not (road ?from ?to)))"},
    {"effect": "(in ?to)"},
    {"effect": "(and (not (in ?from)) (in ?to) (open ?from))"},
    {"effect": "(and (not (in ?from)) (in ?to) (road ?to ?from))"},
    {"effect": "(and (not (in ?from)) (seen ?to))"},
    {"goal": "(and (seen oslo) (in lyon))"},
    {"goal": "(lit lyon)"},
    {"goal": "(not (in Bergen))"},
    {"more": "(:action dig :parameters (?a ?b - town) :precondition (in ?a) :effect (road ?a ?b))"},
])  # fmt: skip
def test_other_tasks_are_not(changed: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="no task of travelling"):
        travel(**changed)
