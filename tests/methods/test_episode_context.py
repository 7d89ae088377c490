"""The default limit on steps grows with what there is to look at, and suffices to look at all of it."""

from __future__ import annotations

from typing import Any

import pytest

from commonsense_planning.errors import Status
from commonsense_planning.methods.episode_context import SPARE
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.methods.simulated import SimulatedEpisode
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task
from tests.scripted import HOUSEHOLD

DOMAIN = """
(define (domain boxes)
  (:requirements :strips :typing :negative-preconditions)
  (:types box thing)
  (:predicates (at ?b - box) (opened ?b - box) (inside ?t - thing ?b - box) (held ?t - thing))
  (:action go :parameters (?a ?b - box) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b)))
  (:action open :parameters (?b - box) :precondition (and (at ?b) (not (opened ?b))) :effect (opened ?b))
  (:action take :parameters (?t - thing ?b - box) :precondition (and (at ?b) (opened ?b) (inside ?t ?b))
    :effect (and (held ?t) (not (inside ?t ?b)))))
"""
SENSORS = """
(define (sensors boxes)
  (:domain boxes)
  (:hidden (inside ?t - thing ?b - box))
  (:exactly-one ?t - thing (inside ?t ?b - box))
  (:sense (inside ?t - thing ?b - box) :when (and (at ?b) (opened ?b))))
"""


def request(boxes: int, method: str = "look-nearest", **settings: Any) -> Request:
    """A row of boxes, one of which, the last, has the thing."""
    names = " ".join(f"b{number}" for number in range(boxes))
    facts = f"(:init (at b0) (inside key b{boxes - 1})) (:goal (held key))"
    problem = Text(f"(define (problem row) (:domain boxes) (:objects {names} - box key - thing) {facts})")
    task = read_task(Text(DOMAIN), problem, sensors=Text(SENSORS))
    chosen = method_named(method)
    return Request(task, chosen, chosen.Options.of(chosen.Options.among(settings)))


def limit(request: Request, given: int | None = None) -> int:
    return SimulatedEpisode(request).step_limit(given)


def test_the_limit_that_is_given_holds() -> None:
    assert limit(request(4), 7) == 7
    solution = solve(request(4, max_steps=1))
    assert solution.status is Status.UNSOLVED
    assert "the limit of 1 step (--max-steps) is reached" in solution.reason


def test_the_default_limit_allows_to_look_at_everything_twice() -> None:
    few, many = (limit(request(boxes)) for boxes in (4, 24))
    steps_a_box = 2  # go there, open it
    assert few >= SPARE + 2 * (4 * steps_a_box - 1)
    assert many - few == 2 * steps_a_box * (24 - 4)


@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan", "look-greedy", "look-nearest"])
def test_what_is_nowhere_ends_by_looking_at_everything_not_at_the_limit(method: str) -> None:
    task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "missing-salmon.pddl")
    chosen = method_named(method)
    solution = solve(Request(task, chosen, chosen.Options()))
    assert solution.status is Status.UNSOLVED
    assert "in none of the 29 places" in solution.reason
