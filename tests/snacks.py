"""A domain whose operators are many, and whose projections are few: sandwiches of any bread with any filling."""

from pathlib import Path

from tests.data import write_task

DOMAIN = """(define (domain snacks) (:requirements :strips)
  (:predicates (bread ?b) (filling ?f) (unused ?s) (made ?s))
  (:action make :parameters (?s ?b ?f) :precondition (and (unused ?s) (bread ?b) (filling ?f))
    :effect (and (made ?s) (not (unused ?s)) (not (bread ?b)) (not (filling ?f)))))"""


def write_snacks(folder: Path, count: int) -> tuple[Path, Path]:
    """So many sandwiches to make, of as many breads and fillings: domain and problem."""
    things = {name: [f"{name}{i}" for i in range(count)] for name in ("bread", "filling", "unused")}
    objects = " ".join(thing for some in things.values() for thing in some)
    init = " ".join(f"({name} {thing})" for name, some in things.items() for thing in some)
    goal = " ".join(f"(made {thing})" for thing in things["unused"])
    problem = f"(define (problem p) (:domain snacks) (:objects {objects}) (:init {init}) (:goal (and {goal})))"
    return write_task(folder, DOMAIN, problem)
