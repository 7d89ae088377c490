"""Which tasks are travelling, and what their journey is."""

from pathlib import Path

import pytest

from commonsense_lab.studies.travelling.trip import Travel, travel_of
from commonsense_planning.errors import UsageError
from commonsense_planning.pddl.reader import read_problem
from tests.data import REPOSITORY

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


def travel(
    folder: Path, precondition: str = CONDITION, effect: str = EFFECT, goal: str = "(in lyon)", more: str = ""
) -> Travel:
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(DOMAIN.format(precondition=precondition, effect=effect, more=more))
    problem.write_text(PROBLEM.format(goal=goal))
    return travel_of(read_problem(domain, problem))


def test_the_flights_that_come_with_cplan_are_travelling() -> None:
    pack = REPOSITORY / "pddl" / "flights"
    trip = travel_of(read_problem(pack / "domain.pddl", pack / "problems" / "short-oslo-athens.pddl"))
    assert (trip.action, trip.link, trip.kind) == ("fly", "direct-flight", "city")
    assert (trip.source, trip.destination) == ("oslo", "athens")
    assert {"oslo", "athens", "frankfurt"} <= set(trip.places)
    assert [str(step) for step in trip.plan(("oslo", "frankfurt", "athens"))] == [
        "(fly oslo frankfurt)",
        "(fly frankfurt athens)",
    ]


def test_parameters_and_links_may_be_the_other_way_round(tmp_path: Path) -> None:
    trip = travel(tmp_path)
    assert (trip.source, trip.destination, trip.linked("a", "b")) == ("Bergen", "lyon", ("a", "b"))
    assert [str(step) for step in trip.plan(("Bergen", "oslo"))] == ["(Drive oslo Bergen)"]
    turned = travel(tmp_path, precondition="(and (road ?to ?from) (not (= ?from ?to)) (in ?from))")
    assert turned.linked("a", "b") == ("b", "a")


def test_the_goal_may_be_an_effect_of_arriving(tmp_path: Path) -> None:
    assert travel(tmp_path, goal="(seen oslo)").destination == "oslo"


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
def test_other_tasks_are_not(changed: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no task of travelling"):
        travel(tmp_path, **changed)
