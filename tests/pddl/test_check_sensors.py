"""What a sensors file says that does not fit the true world: what the page on hiding lists as mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.check_sensors import check_sensors
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import read_sensors

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


def found(folder: Path, sensors: str = SENSORS, problem: str = PROBLEM, strict: bool = False) -> list[tuple[int, str]]:
    """Line and words of each warning."""
    for name, text in (("domain", DOMAIN), ("problem", problem), ("sensors", sensors)):
        (folder / f"{name}.pddl").write_text(text)
    read = read_problem(folder / "domain.pddl", folder / "problem.pddl")
    warnings = check_sensors(read_sensors(folder / "sensors.pddl", read), read, strict)
    return [(warning.place.line, warning.problem) for warning in warnings]


def test_nothing_is_said_of_what_fits(tmp_path: Path) -> None:
    assert found(tmp_path) == []


@pytest.mark.parametrize(("old", "new", "expected"), [
    ("(:sense (in ?b ?d) :when (at ?d))", "", [(3, "no ':sense' shows (in ?b ?d)")]),
    ("(:sense (in ?b ?d)", "(:sense (in atlas ?d)", [(3, "no ':sense' shows (in novel top)")]),
    (GROUP, "", [(2, f"no ':exactly-one' for these facts, and {FITTING} would fit")]),
    (GROUP, "(:exactly-one ?s - shelf (on ?b ?s)) (:exactly-one ?d - drawer (in ?b ?d))",
     [(4, "none of these facts is true of right")]),
    (" ?d)))", " ?d)) (:hidden (locked ?d)) (:sense (locked ?d) :when (at ?d)))", []),
])  # fmt: skip
def test_what_the_page_on_hiding_lists(old: str, new: str, expected: list[tuple[int, str]], tmp_path: Path) -> None:
    assert SENSORS.count(old) == 1
    assert found(tmp_path, SENSORS.replace(old, new)) == expected


def test_the_wrong_variable_is_told_with_the_one_that_fits(tmp_path: Path) -> None:
    sensors = SENSORS.replace(" (in ?b ?d))", ")").replace("(:exactly-one ?b - book", "(:exactly-one ?s - shelf")
    problem = PROBLEM.replace("(in novel top)", "(on novel left)")
    fits = "((:exactly-one ?b - book (on ?b ?s - shelf)) would fit)"
    several = f"more than one of these facts is true: (on atlas left), (on novel left) {fits}"
    assert found(tmp_path, sensors, problem) == [(4, f"none of these facts is true of right {fits}"), (4, several)]


def test_a_thing_is_in_one_place_or_held(tmp_path: Path) -> None:
    nowhere, twice = PROBLEM.replace("(on atlas left)", ""), PROBLEM.replace("(in novel", "(on novel left) (in novel")
    assert found(tmp_path, problem=nowhere) == [(4, "none of these facts is true of atlas")]
    several = "more than one of these facts is true: (on novel left), (in novel top)"
    assert found(tmp_path, problem=twice) == [(4, several)]
    assert found(tmp_path, problem=PROBLEM.replace("(on atlas left)", "(carried atlas)")) == []
    with pytest.raises(PddlError, match=r"sensors\.pddl:4:\d+: none of these facts is true of atlas"):
        found(tmp_path, problem=nowhere, strict=True)


def test_a_sensors_file_that_is_wrong_is_told_with_what_the_problem_was_tolerated(tmp_path: Path) -> None:
    problem = PROBLEM.replace("novel - book", "novel - book guide - leaflet")
    with pytest.raises(PddlError) as error:
        found(tmp_path, SENSORS.replace("(:sense (on ?b", "(:sense (on guide"), problem)
    assert "undeclared type 'leaflet'" in error.value.line
