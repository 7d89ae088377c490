"""Grounding of what an agent sees only in part: hidden facts, groups and rules by name; contingent starts."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import BudgetError, GroundTask, InputError, Text, read_problem
from commonsense_planning.grounding.ground_task import GroundSensors, Lists
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.pddl.sensors import read_sensors
from tests.data import HOUSEHOLD

THINGS = ("apple_1", "plate_1", "toothbrush_1")
PLACES = ("inside {} fridge", "inside {} kitchencabinet", "on {} bathroomcounter", "on {} kitchentable")


def household(problem: Path) -> tuple[GroundTask, GroundSensors]:
    read = read_problem(HOUSEHOLD / "domain.pddl", problem)
    return ground_pomdp(read, read_sensors(HOUSEHOLD / "sensors.pddl", read))


@pytest.fixture(scope="module")
def small_apple() -> tuple[GroundTask, GroundSensors]:
    return household(HOUSEHOLD / "problems" / "small-apple.pddl")


def names(task: GroundTask, facts: np.ndarray) -> set[str]:
    return {str(task.fact_step(int(f))).strip("()") for f in facts}


def rows(task: GroundTask, lists: Lists) -> list[set[str]]:
    return [names(task, lists.row(i)) for i in range(len(lists))]


def test_every_instance_of_a_pattern_is_hidden_in_a_group_for_each_thing(
    small_apple: tuple[GroundTask, GroundSensors],
) -> None:
    task, sensors = small_apple
    assert names(task, np.flatnonzero(sensors.hidden)) == {p.format(t) for t in THINGS for p in PLACES}
    assert rows(task, sensors.groups) == [{p.format(t) for p in PLACES} for t in THINGS]


def test_a_fact_is_in_one_group() -> None:
    """What is said twice counts once; a fact among two different choices would be more probable by one of them."""
    read = read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
    facts = [f"({place.format('apple_1')})" for place in PLACES]

    def grounded(places: str) -> GroundSensors:
        text = (HOUSEHOLD / "sensors.pddl").read_text()
        sensors = Text(text.replace("(:sense", f"(:exactly-one {places})\n(:sense", 1))
        return ground_pomdp(read, read_sensors(sensors, read))[1]

    assert len(grounded(" ".join(facts)).groups) == 3
    with pytest.raises(InputError, match=r"\(on apple_1 \w+\) is in two groups of ':exactly-one'"):
        grounded(" ".join(facts[2:]))


@pytest.mark.parametrize(("chances", "expected"), [
    (("0.3 (inside apple_1 fridge) 1", "1/10"), [1, 0.3, 0.1, 0.1]),
    (("0", "0.5"), [0, 0, 0.5, 0.5]),
    (("0", "0 (on plate_1 kitchentable) 1"), []),
])  # fmt: skip
def test_probabilities_behind_the_patterns(chances: tuple[str, str], expected: list[float]) -> None:
    """Those of a later pattern count; a thing that is nowhere at all makes the files wrong."""
    read = read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
    text = (HOUSEHOLD / "sensors.pddl").read_text()
    for pattern, chance in zip(("?c - container)", "?s - surface)"), chances, strict=True):
        text = text.replace(pattern, f"{pattern} {chance}", 1)
    sensors = read_sensors(Text(text), read)
    if not expected:
        with pytest.raises(InputError, match=r"apple_1 .* and the others of its ':exactly-one' all have the prob"):
            ground_pomdp(read, sensors)
        return
    task, ground = ground_pomdp(read, sensors)
    apple = {p.format("apple_1"): chance for p, chance in zip(PLACES, expected, strict=True)}
    facts = [f for f in range(task.fact_count) if str(task.fact_step(f)).strip("()") in apple]
    assert {str(task.fact_step(f)).strip("()"): ground.prior[f] for f in facts} == pytest.approx(apple)


def test_sensing_rules_are_grounded_with_their_conditions(small_apple: tuple[GroundTask, GroundSensors]) -> None:
    task, sensors = small_apple
    whens, seen = rows(task, sensors.when), rows(task, sensors.seen)
    rules = {frozenset(w): s for w, s in zip(whens, seen, strict=True)}
    assert rules == {
        frozenset({"in-room kitchen"}): {f"on {t} kitchentable" for t in THINGS},
        frozenset({"in-room bathroom"}): {f"on {t} bathroomcounter" for t in THINGS},
        frozenset({"near fridge", "opened fridge"}): {f"inside {t} fridge" for t in THINGS},
        frozenset({"near kitchencabinet", "opened kitchencabinet"}): {f"inside {t} kitchencabinet" for t in THINGS},
    }
    assert all(not row for row in rows(task, sensors.when_not))


def test_operators_do_not_betray_where_things_are(
    small_apple: tuple[GroundTask, GroundSensors], tmp_path: Path
) -> None:
    task, sensors = small_apple
    text = (HOUSEHOLD / "problems" / "small-apple.pddl").read_text()
    for true, other in (
        ("(inside apple_1 fridge)", "(on apple_1 bathroomcounter)"),
        ("(inside plate_1 kitchencabinet)", "(on plate_1 kitchentable)"),
        ("(on toothbrush_1 bathroomcounter)", "(inside toothbrush_1 fridge)"),
    ):
        assert true in text
        text = text.replace(true, other)
    (tmp_path / "moved.pddl").write_text(text)
    moved, moved_sensors = household(tmp_path / "moved.pddl")
    assert moved.facts == task.facts
    assert [moved.step(o) for o in range(moved.operator_count)] == [task.step(o) for o in range(task.operator_count)]
    for one, other in zip(task.operators, moved.operators, strict=True):
        for a, b in zip(one, other, strict=True):
            assert np.array_equal(a, b)
    assert np.array_equal(compile_task(moved, moved_sensors).table, compile_task(task, sensors).table)
    assert not np.array_equal(moved.init, task.init)


def test_without_sensors_everything_is_seen() -> None:
    read = read_problem(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
    task, sensors = ground_pomdp(read, None)
    assert not sensors.partial
    assert len(sensors.groups) == len(sensors.when) == 0
    assert compile_task(task, sensors).words == compile_task(task, sensors).half


CONTINGENT = """(define (domain d) (:requirements :adl) (:types t)
  (:predicates (at ?x - t) (gold ?x - t) (trap ?x - t) (rich))
  (:action go :parameters (?x ?y - t) :precondition (at ?x) :effect (and (not (at ?x)) (at ?y)))
  (:action dig :parameters (?x - t) :precondition (and (at ?x) (gold ?x) (not (trap ?x))) :effect (rich)))"""


def test_a_contingent_initial_state_hides_what_it_leaves_open() -> None:
    problem = Text("""(define (problem p) (:domain d) (:objects m n o - t)
        (:init (at m) (oneof (gold n) (gold o)) (unknown (trap o))) (:goal (rich)))""")
    sensors_text = Text("""(define (sensors d) (:domain d) (:hidden (gold ?x - t) (trap ?x - t))
        (:sense (gold ?x - t) :when (and (at ?x) (not (rich)))))""")
    read = read_problem(Text(CONTINGENT), problem)
    task, sensors = ground_pomdp(read, None)
    assert names(task, np.flatnonzero(sensors.hidden)) == {"gold n", "gold o", "trap o"}
    assert rows(task, sensors.groups) == [{"gold n", "gold o"}]
    task, sensors = ground_pomdp(read, read_sensors(sensors_text, read))
    assert names(task, np.flatnonzero(sensors.hidden)) == {f"{p} {x}" for p in ("gold", "trap") for x in "mno"}
    whens = [(names(task, sensors.when.row(i)), names(task, sensors.when_not.row(i))) for i in range(len(sensors.when))]
    assert whens == [({f"at {x}"}, {"rich"}) for x in "mno"]


DOMAIN = """(define (domain d) (:requirements :contingent) (:predicates (p ?x) (q ?x) (mark) (odd ?x))
  (:action look :parameters (?x) :precondition (mark) :observe (and (p ?x) (mark)))
  (:action mix :parameters (?x) :effect (and (mark) (when (p ?x) (q ?x)) (when (q ?x) (odd ?x)))))"""


def grounded(init: str) -> tuple[GroundTask, GroundSensors]:
    problem = Text(
        f"(define (problem p) (:domain d) (:objects a b c) (:init {init}) (:goal (and (odd a) (odd b) (odd c))))"
    )
    return ground_pomdp(read_problem(Text(DOMAIN), problem), None)


def test_unobserved_effects_correlate_what_they_change_with_their_conditions() -> None:
    task, seen = grounded("(unknown (p a)) (p b)")
    (part,) = seen.correlated
    assert [str(task.fact_step(f)) for f in part.facts] == ["(p a)", "(q a)", "(odd a)"]
    assert part.worlds.tolist() == [[True, False, False], [False, False, False]]
    hidden = {str(task.fact_step(f)) for f in np.flatnonzero(seen.hidden)}
    assert hidden == {"(p a)", "(q a)", "(odd a)"}, "what depends on known facts is seen"
    assert seen.unobserved.sum() == 2


def test_what_a_plain_oneof_leaves_open_stays_a_group_until_effects_tie_it() -> None:
    _, seen = grounded("(oneof (p a) (p b))")
    assert (len(seen.groups), len(seen.correlated)) == (0, 1)
    task, seen = grounded("(oneof (odd a) (odd b) (odd c))")
    assert (len(seen.groups), seen.correlated, len(seen.unobserved), seen.by_worlds) == (1, (), 0, False)


def test_an_operator_observes_hidden_facts_once_it_is_carried_out() -> None:
    task, seen = grounded("(unknown (p a))")
    shown = {
        str(task.step(o)): [str(task.fact_step(f)) for f in seen.observed.row(o)] for o in range(len(seen.observed))
    }
    assert shown["(look a)"] == ["(p a)"]
    assert shown["(look b)"] == shown["(mix a)"] == []


LIGHTS = """(define (domain stairs) (:requirements :typing :negative-preconditions :contingent) (:types door)
  (:predicates {})
  (:action look :parameters (?d - door) :observe (and (lit ?d) (bolted ?d) (power) (broken ?d)))
  (:action enter :parameters (?d - door) :precondition (and (bolted ?d) (power) (lit ?d)) :effect (inside))
  (:action pass :parameters (?d - door) :precondition (not (bolted ?d)) :effect (and (inside) (broken ?d))))"""
ROOM = """(define (problem p) (:domain stairs) (:objects a b - door)
  (:init (lit a) (power) (unknown (bolted a))) (:goal (inside)))"""
DECLARED = "(lit ?d - door)", "(bolted ?d - door)", "(power)", "(broken ?d - door)", "(inside)"


@pytest.mark.parametrize("order", [*itertools.permutations(DECLARED)][::7])
def test_only_what_is_hidden_is_shown_however_the_predicates_are_ordered(order: tuple[str, ...]) -> None:
    """What nothing changes is no fact of the ground task, and its numbers are not those of others."""
    domain = Text(LIGHTS.format(" ".join(order)))
    read = read_problem(domain, Text(ROOM))
    task, seen = ground_pomdp(read, None)
    assert names(task, np.flatnonzero(seen.hidden)) == {"bolted a"}
    shown = {str(task.step(o)): names(task, seen.observed.row(o)) for o in range(task.operator_count)}
    assert {name: facts for name, facts in shown.items() if facts} == {"(look a)": {"bolted a"}}


def test_too_many_worlds_together_are_refused() -> None:
    objects = [f"o{i}" for i in range(16)]
    domain = Text(
        "(define (domain d) (:predicates (p ?x) (all))(:action mix :effect (when (forall (?x) (p ?x)) (all))))"
    )
    unknown = " ".join(f"(unknown (p {o}))" for o in objects)
    problem = Text(f"(define (problem p) (:domain d) (:objects {' '.join(objects)}) (:init {unknown}) (:goal (all)))")
    with pytest.raises(BudgetError, match="more than 20000 ways"):
        ground_pomdp(read_problem(domain, problem), None)
