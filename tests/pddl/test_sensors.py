"""Sensors files: what they mean, their located errors, and what does not fit the actions."""

import numpy as np
import pytest

from commonsense_planning import PddlError, Problem, Text, read_problem
from commonsense_planning.errors import UnsupportedFeature
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.pddl.check_sensors import check_sensors
from commonsense_planning.pddl.sensors import Sensors, read_sensors
from commonsense_planning.pomdp.observation_model import observation_model
from tests.data import APPLE, HOUSEHOLD


@pytest.fixture(scope="module")
def problem() -> Problem:
    return read_problem(*APPLE)


@pytest.fixture
def text() -> str:
    """The household's sensors, without its comment."""
    lines = (HOUSEHOLD / "sensors.pddl").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(";"))


def read(text: str, problem: Problem) -> Sensors:
    return read_sensors(Text(text, "sensors.pddl"), problem)


def test_household(problem: Problem) -> None:
    sensors = read_sensors(HOUSEHOLD / "sensors.pddl", problem)
    assert [str(pattern.atom) for pattern in sensors.hidden] == ["inside(?m,?c)", "on(?m,?s)"]
    (group,) = sensors.groups
    assert [(v.symbol, v.sort.name) for v in group.variables] == [("?m", "movable")]
    assert [[(v.symbol, v.sort.name) for v in pattern.variables] for pattern in group.alternatives] == [
        [("?c", "container")],
        [("?s", "surface")],
    ]
    on, inside = sensors.rules
    assert str(on.pattern.atom) == "on(?m,?s)"
    assert str(on.condition) == "exists ?r : ((in-room(?r) and located(?s,?r)))"
    assert str(inside.condition) == "(near(?c) and opened(?c))"


def test_types_may_be_left_out_and_objects_named(problem: Problem) -> None:
    sensors = read(
        "(define (sensors s) (:domain Household) (:hidden (INSIDE ?m ?c) (opened ?c))"
        " (:exactly-one ?m - movable (inside ?m ?c)) (:sense (inside ?M FRIDGE))"
        " (:sense (opened ?c) :when (near ?c)))",
        problem,
    )
    assert [variable.sort.name for variable in sensors.hidden[0].variables] == ["movable", "container"]
    assert str(sensors.rules[0].pattern.atom) == "inside(?m,fridge)"
    assert str(sensors.rules[0].condition) == "T"


@pytest.mark.parametrize(("old", "new", "line", "column", "message"), [
    ("(define (sensors", "(define (sensor", 1, 9, "the file defines a 'sensor'; expected '(sensors name)'"),
    ("(:domain household)", "(:domain hous)", 2, 12, "this file is for the domain 'hous'; expected 'household'"),
    ("(:domain household)", "", 1, 1, "no ':domain' section"),
    (":hidden", ":hiden",
     3, 4, "unknown section ':hiden'; expected :domain :unknown :hidden :exactly-one :sense :miss :false-"),
    ("(:hidden (inside", "(:hidden (insid", 3, 13, "undeclared predicate 'insid'; expected a declared predicate (did"),
    ("(on ?m - movable ?s - surface))\n", "(on ?m - movable ?s - surface) 0.5)\n",
     3, 12, "a pattern without a probability; expected one, as behind other patterns"),
    ("?c - container)\n           (on", "?c - container) 5\n           (on",
     3, 49, "the probability 5; expected a number from 0 to 1"),
    ("?c - container)\n           (on", "?c - container) 1/2 1/2\n           (on",
     3, 53, "no pattern; expected '(predicate ?x - type …)'"),
    ("(:hidden (inside", "(:hidden here (inside", 3, 12, "no pattern; expected '(predicate ?x - type …)'"),
    ("?m - movable ?c - container)\n           (on", "?m - movabl ?c - container)\n           (on", 3, 25,
     "undeclared type 'movabl'; expected a declared type (did you mean 'movable'?)"),
    ("(:hidden (inside ?m - movable ?c", "(:hidden (inside ?m - movable ?m", 3, 33, "variable '?m' twice"),
    ("(:hidden (inside ?m - movable ?c - container)", "(:hidden (inside ?m)", 3, 12, "'inside' has 1 argument"),
    ("(:hidden (inside ?m - movable", "(:hidden (inside ?m - place", 3, 20, "'?m' is of type place; expected type"),
    ("(:hidden (inside ?m - movable ?c", "(:hidden (inside appl ?c", 3, 30, "a type for 'appl', which is no variable"),
    ("(near ?c)", "(near fridg)", 11, 22, "unknown object 'fridg'; expected a declared object or constant (did"),
    ("(:hidden (inside ?m - movable", "(:hidden (on ?m ?s) (inside ?m - movable", 4, 12, "the same pattern again"),
    ("(on ?m ?s - surface))", "(holding ?m))", 7, 5, "an alternative that is not hidden"),
    ("(on ?m ?s - surface))", "(on ?n - movable ?s - surface))", 7, 5, "'?m' does not occur in this alternative"),
    ("(on ?m ?s - surface))", "(inside ?m ?d))", 7, 5, "the same alternative again; it is already on line 6"),
    ("?m - movable\n", "\n", 6, 13, "'?m' is of type container; expected type movable"),
    ("(inside ?m ?c - container)\n    (on ?m ?s - surface))", ")", 5, 3, "':exactly-one' without an alternative"),
    ("(:sense (on", "(:sense (located", 8, 20, "'?m' is of type"),
    ("(:sense (on ?m - movable ?s - surface)", "(:sense (near ?s - surface)",
     8, 11, "':sense' of 'near', which is not"),
    (":when (exists", ":whn (exists", 9, 5, "no ':when' after the pattern"),
    (":when (exists", "(:miss 0.1) (exists", 9, 17, "no error of a sensor; expected '(:miss p)', '(:false-alarm"),
    (":when (exists", "(:miss 1.1) (:when", 9, 12, "the probability 1.1; expected a number from 0 to 1"),
    (":when (exists", "(:miss x) (:when", 9, 12, "no number where a probability belongs"),
    ("(:sense (on", "(:miss 0.1) (:miss 0.2) (:sense (on", 8, 16, "':miss' again; it is already on line 8"),
    ("(:sense (on", "(:miss 0.1) (:accuracy 0.9) (:sense (on", 8, 15, "an error that is said twice"),
    ("(:sense (on", "(:sense (on ?m fridgetop) (:miss 0.1)) (:sense (on", 8, 18, "unknown object"),
    ("(:sense (on", "(:sense (on ?m kitchentable) (:miss 0.1)) (:sense (on",
     8, 45, "other errors than on line 8, where"),
    (":when (exists", "(exists", 8, 3, "':sense' without a pattern and a condition"),
    ("(located ?s ?r)", "(located ?t ?r)", 9, 58, "unknown variable '?t'; expected ?m or ?s or ?r"),
    ("(opened ?c)", "(opend ?c)", 11, 27, "undeclared predicate 'opend'"),
])  # fmt: skip
def test_errors_are_located(
    old: str, new: str, line: int, column: int, message: str, text: str, problem: Problem
) -> None:
    assert old in text
    with pytest.raises(PddlError) as caught:
        read(text.replace(old, new, 1), problem)
    assert message in str(caught.value)
    assert (caught.value.place.line, caught.value.place.column) == (line, column)
    assert str(caught.value.place.path) == "sensors.pddl"


def test_rule_again(text: str, problem: Problem) -> None:
    rule = "(:sense (on ?a ?b) :when (near ?b))"
    with pytest.raises(PddlError, match="the same ':sense' rule again"):
        read(text.replace("(:sense", f"{rule} {rule} (:sense", 1), problem)


def test_variable_of_either_type(text: str, problem: Problem) -> None:
    with pytest.raises(UnsupportedFeature, match=r"variables of type container or surface are not"):
        condition = "(exists (?p - (either container surface)) (near ?p))"
        read(text.replace("(near ?c)", condition, 1), problem)


@pytest.mark.parametrize(("of_all", "own", "expected"), [
    ("", "", [(0, 0), (0, 0)]),
    ("(:miss 0.2)", "", [(0, 0.2), (0, 0.2)]),
    ("(:miss 0.2) (:false-alarm 0.1)", "(:accuracy 0.75)", [(0.1, 0.2), (0.25, 0.25)]),
    ("", "(:false-alarm 0.5)", [(0, 0), (0.5, 0)]),
])  # fmt: skip
def test_noisy_sensors_are_read(
    of_all: str, own: str, expected: list[tuple[float, float]], text: str, problem: Problem
) -> None:
    changed = text.replace("(:exactly-one", f"{of_all} (:exactly-one").replace("(opened ?c))", f"(opened ?c)) {own}")
    assert [rule.errors for rule in read(changed, problem).rules] == expected
    task, ground = ground_pomdp(problem, read(changed, problem))
    assert (ground.shown_true is None) == (not of_all and not own)
    for name, (false_alarm, miss) in zip(("(on ", "(inside "), expected, strict=True):
        fact = next(f for f in range(task.fact_count) if str(task.fact_step(f)).startswith(name))
        shown = observation_model(ground).shown_true(None, np.array([fact], np.int32))
        assert shown[:, 0].tolist() == pytest.approx([false_alarm, 1 - miss])


def test_kinds_of_which_the_members_are_unknown(problem: Problem) -> None:
    head = "(define (sensors s) (:domain household)"
    read_in = read(f"{head} (:unknown ?m - movable) (:unknown ?c - place ?k - class))", problem)
    assert [kind.key for kind in read_in.unknown] == ["movable", "place", "class"]
    with pytest.raises(PddlError, match="undeclared type 'movabel'"):
        read(f"{head} (:unknown ?m - movabel))", problem)


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


def test_the_message_names_the_wrong_variable_and_the_one_that_fits() -> None:
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


def test_an_error_in_a_sensors_file_comes_with_the_warnings_of_the_problem() -> None:
    problem = PROBLEM.replace("novel - book", "novel - book guide - leaflet")
    with pytest.raises(PddlError) as error:
        found(SENSORS.replace("(:sense (on ?b", "(:sense (on guide"), problem)
    assert "undeclared type 'leaflet'" in error.value.line
