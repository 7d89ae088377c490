"""A small domain with derived predicates of all kinds, for tests: lamps that have power where a wire leads."""

from pathlib import Path

from commonsense_planning import Problem, read_problem
from tests.data import write_task

DOMAIN = """(define (domain wires)
  (:requirements :adl :derived-predicates)
  (:types node - object plant lamp - node)
  (:predicates (wire ?a ?b - node) (linked ?a ?b - node) (cut ?a ?b - node) (on ?p - plant) (repaired)
    (powered ?n - node) (dark ?l - lamp) (all-dark) (lonely ?p - plant))
  (:derived (linked ?a ?b) (or (wire ?a ?b) (wire ?b ?a)))
  (:derived (powered ?n) (exists (?p - plant) (and (= ?p ?n) (on ?p))))
  (:derived (powered ?n) (exists (?m - node)
    (and (powered ?m) (linked ?m ?n) (not (or (cut ?m ?n) (cut ?n ?m))))))
  (:derived (dark ?l - lamp) (not (powered ?l)))
  (:derived (all-dark) (forall (?l - lamp) (dark ?l)))
  (:derived (lonely ?p - plant) (forall (?q - plant) (imply (on ?q) (= ?p ?q))))
  (:action start :parameters (?p - plant) :precondition (all-dark) :effect (on ?p))
  (:action stop :parameters (?p - plant) :precondition (not (lonely ?p))
    :effect (when (exists (?l - lamp) (powered ?l)) (not (on ?p))))
  (:action cut :parameters (?a ?b - node) :precondition (and (linked ?a ?b) (not (powered ?a)))
    :effect (cut ?a ?b))
  (:action mend :parameters (?a ?b - node) :precondition (linked ?a ?b)
    :effect (and (not (cut ?a ?b)) (not (cut ?b ?a)) (when (powered ?a) (repaired))))
)
"""

PROBLEM = """(define (problem village)
  (:domain wires)
  (:objects p1 p2 - plant l1 l2 l3 - lamp)
  (:init (wire p1 l1) (wire l1 l2) (wire l2 l1) (wire l2 p2) (wire p2 l3) (cut l1 l2) (cut l2 p2) (on p1) (on p2))
  (:goal (and (powered l2) (not (dark l3)) (dark l1) (repaired)))
)
"""

# Which lamps are broken is not known, and seen by the light of the lamp.
BROKEN_DOMAIN = DOMAIN.replace("(repaired)", "(repaired) (broken ?l - lamp)", 1).replace(
    "(:action start",
    """(:action fix :parameters (?l - lamp) :precondition (and (broken ?l) (powered ?l))
    :effect (not (broken ?l)))
  (:action start""",
)
BROKEN_PROBLEM = PROBLEM.replace("(on p1)", "(on p1) (broken l3)").replace(
    "(repaired)", "(repaired) (not (broken l2)) (not (broken l3))"
)
SENSORS = """(define (sensors wires) (:domain wires)
  (:hidden (broken ?l - lamp))
  (:sense (broken ?l - lamp) :when (powered ?l)))
"""


def write(folder: Path, domain: str = DOMAIN, problem: str = PROBLEM) -> tuple[Path, Path]:
    """The files of the domain and of the problem, written to the folder."""
    return write_task(folder, domain, problem)


def read(folder: Path, domain: str = DOMAIN, problem: str = PROBLEM) -> Problem:
    """The same, read."""
    return read_problem(*write(folder, domain, problem))
