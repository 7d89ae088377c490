"""A warehouse whose things are told apart by numbers alone: robots, shelves, and drills, one of which must be found."""

from pathlib import Path

from tests.data import write_task

DOMAIN = """(define (domain warehouse) (:requirements :typing)
  (:types robot place tool)
  (:predicates (at ?r - robot ?p - place) (stored ?t - tool ?p - place) (holding ?r - robot ?t - tool)
               (free ?r - robot) (next ?a ?b - place))
  (:action move :parameters (?r - robot ?a ?b - place) :precondition (and (at ?r ?a) (next ?a ?b))
    :effect (and (not (at ?r ?a)) (at ?r ?b)))
  (:action pick :parameters (?r - robot ?t - tool ?p - place)
    :precondition (and (at ?r ?p) (stored ?t ?p) (free ?r))
    :effect (and (holding ?r ?t) (not (stored ?t ?p)) (not (free ?r))))
  (:action drop :parameters (?r - robot ?t - tool ?p - place) :precondition (and (at ?r ?p) (holding ?r ?t))
    :effect (and (not (holding ?r ?t)) (stored ?t ?p) (free ?r))))
"""
PROBLEM = """(define (problem drills) (:domain warehouse)
  (:objects r1 r2 - robot s1 s-1 s2 s3 - place drill_1 drill_2 - tool)
  (:init (at r1 s1) (at r2 s2) (free r1) (free r2) (stored drill_1 s3) (stored drill_2 s2)
    (next s1 s2) (next s2 s1) (next s2 s3) (next s3 s2) (next s1 s-1) (next s-1 s1))
  (:goal (holding r1 drill_1)))
"""
SENSORS = """(define (sensors warehouse) (:domain warehouse)
  (:hidden (stored ?t - tool ?p - place))
  (:exactly-one ?t - tool (stored ?t ?p - place))
  (:sense (stored ?t - tool ?p - place) :when (exists (?r - robot) (at ?r ?p))))
"""


def warehouse(folder: Path, lexicon: str = "") -> tuple[Path, Path]:
    """Write the domain, its sensors and the problem, and the text of a ``lexicon`` if there is any; domain and
    problem."""
    if lexicon:
        (folder / "lexicon.toml").write_text(lexicon, encoding="utf-8")
    return write_task(folder, DOMAIN, PROBLEM, sensors=SENSORS)
