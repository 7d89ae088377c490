"""Tasks with numbers, durations and hierarchies, and a file that names engines for the first two."""

from pathlib import Path

TANK = """(define (domain tank)
 (:requirements :strips :typing :numeric-fluents)
 (:types truck town)
 (:predicates (at ?t - truck ?p - town) (road ?a ?b - town))
 (:functions (fuel ?t - truck) (full ?t - truck))
 (:action drive :parameters (?t - truck ?a ?b - town)
  :precondition (and (at ?t ?a) (road ?a ?b) (>= (fuel ?t) 4))
  :effect (and (not (at ?t ?a)) (at ?t ?b) (decrease (fuel ?t) 4)))
 (:action Refuel :parameters (?t - truck) :effect (assign (fuel ?t) (full ?t))))"""
NORTH = """(define (problem north) (:domain tank) (:objects Red - truck a b c - town)
 (:init (at Red a) (road a b) (road b c) (= (fuel Red) 1.5) (= (full Red) 6))
 (:goal (at Red c)))"""
OVEN = """(define (domain oven)
 (:requirements :strips :typing :durative-actions)
 (:types cook dish)
 (:predicates (free ?c - cook) (raw ?d - dish) (cut ?d - dish) (done ?d - dish))
 (:functions (kept ?c - cook))
 (:durative-action chop :parameters (?c - cook ?d - dish) :duration (= ?duration 3)
  :condition (and (at start (free ?c)) (at start (raw ?d)))
  :effect (and (at start (not (free ?c))) (at start (not (raw ?d))) (at end (free ?c)) (at end (cut ?d))))
 (:durative-action bake :parameters (?d - dish) :duration (= ?duration 10)
  :condition (at start (cut ?d)) :effect (at end (done ?d))))"""
SUPPER = """(define (problem supper) (:domain oven) (:objects Ann - cook pie pizza - dish)
 (:init (free Ann) (raw pie) (raw pizza)) (:goal (and (done pie) (done pizza)))
 (:metric minimize (total-time)))"""
SUPPER_PLAN = """0.000: (chop Ann pie) [3.000]
3.001: (bake pie) [10.000]
3.001: (chop Ann pizza) [3.000]
6.002: (bake pizza) [10.000]
"""
PARCEL = """(define (domain parcel)
 (:requirements :typing :hierarchy)
 (:types place)
 (:predicates (at ?p - place) (road ?a ?b - place))
 (:task reach :parameters (?p - place))
 (:method there :parameters (?p - place) :task (reach ?p) :precondition (at ?p) :ordered-subtasks ())
 (:method on :parameters (?a ?b ?p - place) :task (reach ?p)
  :ordered-subtasks (and (one (go ?a ?b)) (reach ?p)))
 (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
  :effect (and (not (at ?a)) (at ?b))))"""
ERRAND = """(define (problem errand) (:domain parcel) (:objects home shop - place)
 (:htn :parameters () :subtasks (and (reach shop)))
 (:init (at home) (road home shop)))"""

UP_INI = """[engine breadth]
module_name: tests.planners.own_engines
class_name: Breadth
[engine broken]
module_name: tests.planners.own_engines
class_name: Broken
"""


def files(folder: Path, domain: str, problem: str) -> tuple[Path, Path]:
    """The files of a task, written to ``folder``."""
    found = folder / "domain.pddl", folder / "problem.pddl"
    for file, text in zip(found, (domain, problem), strict=True):
        file.write_text(text, encoding="utf-8")
    return found
