"""What a sensors file says that does not fit the true world: what the page on hiding lists as mistakes."""

from __future__ import annotations

import pytest

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.check_sensors import check_sensors
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import read_sensors
from commonsense_planning.support.reading import Text

DOMAIN = """\
(define (domain library)
  (:requirements :typing)
  (:types place case - object shelf drawer - place book - object)
  (:predicates (at ?p - place) (on ?b - book ?s - shelf) (in ?b - book ?d - drawer) (carried ?b - book)
               (locked ?d - drawer) (open ?d - drawer))
  (:action walk :parameters (?p ?q - place) :precondition (at ?p) :effect (and (not (at ?p)) (at ?q)))
  (:action take :parameters (?b - book ?s - shelf)
    :precondition (and (at ?s) (on ?b ?s))
    :effect (and (carried ?b) (forall (?x - shelf) (not (on ?b ?x))))))
"""
PROBLEM = """\
(define (problem two) (:domain library)
  (:objects left right - shelf top - drawer atlas novel - book)
  (:init (at left) (on atlas left) (in novel top) (locked top))
  (:goal (carried atlas)))
"""
SENSORS = """\
(define (sensors library) (:domain library)
  (:hidden (on ?b - book ?s - shelf)
           (in ?b - book ?d - drawer))
  (:exactly-one ?b - book (on ?b ?s) (in ?b ?d))
  (:sense (on ?b ?s) :when (at ?s))
  (:sense (in ?b ?d) :when (at ?d)))
"""
GROUP = "(:exactly-one ?b - book (on ?b ?s) (in ?b ?d))"
FITTING = "(:exactly-one ?b - book (on ?b ?s - shelf) (in ?b ?d - drawer))"


def found(sensors: str = SENSORS, problem: str = PROBLEM, strict: bool = False) -> list[tuple[int, str]]:
    """Line and words of each warning."""
    read = read_problem(Text(DOMAIN), Text(problem))
    warnings = check_sensors(read_sensors(Text(sensors, "sensors.pddl"), read), read, strict)
    return [(warning.place.line, warning.problem) for warning in warnings]


def test_nothing_is_said_of_what_fits() -> None:
    assert found() == []


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("(:sense (in ?b ?d) :when (at ?d))", "", [(3, "no ':sense' shows (in ?b ?d)")]),
    ("(:sense (in ?b ?d)", "(:sense (in atlas ?d)", [(3, "no ':sense' shows (in novel top)")]),
    (GROUP, "", [(2, f"no ':exactly-one' for these facts, and {FITTING} would fit")]),
    (GROUP, "(:exactly-one ?s - shelf (on ?b ?s)) (:exactly-one ?d - drawer (in ?b ?d))",
     [(4, "none of these facts is true of right")]),
    (" ?d)))", " ?d)) (:hidden (locked ?d)) (:sense (locked ?d) :when (at ?d)))", []),
])  # fmt: skip
def test_what_the_page_on_hiding_lists(old: str, new: str, expected: list[tuple[int, str]]) -> None:
    assert SENSORS.count(old) == 1
    assert found(SENSORS.replace(old, new)) == expected


def test_the_wrong_variable_is_told_with_the_one_that_fits() -> None:
    sensors = SENSORS.replace(" (in ?b ?d))", ")").replace("(:exactly-one ?b - book", "(:exactly-one ?s - shelf")
    problem = PROBLEM.replace("(in novel top)", "(on novel left)")
    fits = "((:exactly-one ?b - book (on ?b ?s - shelf)) would fit)"
    several = f"more than one of these facts is true: (on atlas left), (on novel left) {fits}"
    assert found(sensors, problem) == [(4, f"none of these facts is true of right {fits}"), (4, several)]


def test_a_thing_is_in_one_place_or_held() -> None:
    nowhere, twice = PROBLEM.replace("(on atlas left)", ""), PROBLEM.replace("(in novel", "(on novel left) (in novel")
    assert found(problem=nowhere) == [(4, "none of these facts is true of atlas")]
    several = "more than one of these facts is true: (on novel left), (in novel top)"
    assert found(problem=twice) == [(4, several)]
    assert found(problem=PROBLEM.replace("(on atlas left)", "(carried atlas)")) == []
    with pytest.raises(PddlError, match=r"sensors\.pddl:4:\d+: none of these facts is true of atlas"):
        found(problem=nowhere, strict=True)


def test_a_sensors_file_that_is_wrong_is_told_with_what_the_problem_was_tolerated() -> None:
    problem = PROBLEM.replace("novel - book", "novel - book guide - leaflet")
    with pytest.raises(PddlError) as error:
        found(SENSORS.replace("(:sense (on ?b", "(:sense (on guide"), problem)
    assert "undeclared type 'leaflet'" in error.value.line
