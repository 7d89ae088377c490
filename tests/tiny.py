"""A tiny task: a ball lies in one of two boxes; it has to be found, and its box to be closed again."""

from pathlib import Path

from tests.data import write_task

DOMAIN = """\
(define (domain boxes)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :universal-preconditions)
  (:types box ball)
  (:predicates (in ?b - ball ?x - box) (opened ?x - box) (held ?b - ball) (lit))
  (:action open-box :parameters (?x - box)
    :precondition (not (opened ?x))
    :effect (and (opened ?x) (when (not (lit)) (lit))))
  (:action close-box :parameters (?x - box)
    :precondition (opened ?x)
    :effect (not (opened ?x)))
  (:action take :parameters (?b - ball ?x - box)
    :precondition (and (in ?b ?x) (opened ?x))
    :effect (and (held ?b) (not (in ?b ?x)))))
"""

PROBLEM = """\
(define (problem find-the-ball)
  (:domain boxes)
  (:objects red-box blue-box - box ball - ball)
  (:init (in ball blue-box))
  (:goal (and (held ball) (forall (?x - box) (not (opened ?x))))))
"""

SENSORS = """\
(define (sensors boxes)
  (:domain boxes)
  (:hidden (in ?b - ball ?x - box))
  (:exactly-one ?b - ball (in ?b ?x - box))
  (:sense (in ?b - ball ?x - box) :when (opened ?x)))
"""


def write_tiny_task(folder: Path) -> tuple[Path, Path]:
    """Write the files into ``folder`` and give the domain's and the problem's."""
    return write_task(folder, DOMAIN, PROBLEM, sensors=SENSORS)
