"""Why there is no plan: said of each kind of condition, never where there is one, and always where the delete
relaxation knows."""

import random
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning import BestFirst, HMax, Status, Task, Text, make_state, read_task
from commonsense_planning.grounding import attainable as module
from commonsense_planning.grounding.unreachable import unreachable
from tests.oracle.drawing import draw

DOMAIN = Text("""(define (domain depot) (:requirements :adl :derived-predicates :constraints)
(:types robot shelf item place)
(:predicates (free ?r - robot) (at ?r - robot ?p - place) (holding ?r - robot ?i - item) (in ?i - item ?p - place)
             (road ?a ?b - place) (Locked ?p - place) (powered) (alarm) (towed ?r - robot)
             (lit ?p - place) (dark ?p - place))
(:derived (lit ?p - place) (and (powered) (not (Locked ?p))))
(:derived (dark ?p - place) (not (lit ?p)))
(:action move :parameters (?r - robot ?from ?to - place)
 :precondition (and (at ?r ?from) (road ?from ?to) (not (Locked ?to)))
 :effect (and (at ?r ?to) (not (at ?r ?from))))
(:action Pick :parameters (?r - robot ?i - item ?p - place)
 :precondition (and (at ?r ?p) (in ?i ?p) (free ?r))
 :effect (and (holding ?r ?i) (not (in ?i ?p)) (not (free ?r))))
(:action drop :parameters (?r - robot ?i - item ?p - place)
 :precondition (and (at ?r ?p) (holding ?r ?i))
 :effect (and (in ?i ?p) (not (holding ?r ?i)) (when (alarm) (powered))))
(:action tow :parameters (?r - robot ?s - shelf) :precondition (free ?r) :effect (towed ?r)))""")
START = "(at r1 a) (in drill a) (road a b) (free r1) (road c b)"


def task(init: str, goal: str, more: str = "") -> Task:
    objects = "r1 r2 - robot drill - item a b c - place"
    return read_task(
        DOMAIN, Text(f"(define (problem p) (:domain depot) (:objects {objects}) (:init {init}) (:goal {goal}) {more})")
    )


NO_FREE = "(free ?r) is true of no robot at first and no action adds it, so Pick can never be done"


@pytest.mark.parametrize(("init", "goal", "reason"), [
    (START, "(in drill b)", ""),
    (START.replace("(free r1)", ""), "(in drill b)", NO_FREE),
    (START.replace("(free r1)", ""), "(or (in drill b) (holding r1 drill))", NO_FREE),
    (START, "(road b a)", "(road b a) is false at first and no action adds it"),
    (START, "(and (in drill b) (in drill c))", "(in drill c) of the goal can never become true: (road ?from c) is"),
    (START, "(at r1 c)", "(road ?from c) is true of no place at first and no action adds it, so no move makes"),
    (START, "(towed r1)", "there is no shelf, so tow can never be done"),
    (START + "(Locked b)", "(at r1 b)", "(Locked b) is true at first and no action deletes it, so move can never"),
    (START + "(Locked b)", "(not (Locked b))", "(Locked b) is true at first and no action deletes it"),
    (START, "(lit a)", "(alarm) is false at first and no action adds it, so no drop makes (powered) so"),
    (START + "(powered)", "(dark a)", "(lit a) follows whatever is done, so (dark a) never follows"),
    (START, "(exists (?p - place) (and (at r1 ?p) (Locked ?p)))", "(Locked ?x1) is true of no place at first"),
    (START, "(forall (?r - robot) (exists (?p - place) (at ?r ?p)))", "(at r2 ?from) is true of no place at first; only"),
    ("(road a b) (road b a)", "(at r1 a)", "only move makes it true, and that needs it first"),
    (START, "(and (in drill b) (holding r1 drill) (at r1 c))", "(at r1 c) of the goal can never become true: (road ?f"),
    (START, "(= r1 r2)", "(= r1 r2) is never so"),
    (START, "(exists (?s - shelf) (free r1))", "wants objects of types that have none"),
    (START, "(and (at r1 a) (at r1 b))", "(at r1 a) and (at r1 b) of the goal are never so at once"),
    (START, "(and (free r1) (not (free r1)))", "(free r1) and (not (free r1)) of the goal are never so at once"),
])  # fmt: skip
def test_the_reason_is_given(init: str, goal: str, reason: str) -> None:
    found = str(unreachable(task(init, goal).grounded))
    assert reason in found and bool(reason) == bool(found), found


def test_constraints_that_nothing_meets_are_named() -> None:
    never = task(START, "(at r1 b)", "(:constraints (sometime (alarm)))")
    assert str(unreachable(never.grounded)) == "the goal can never become true under the constraints (sometime (alarm))"


def test_what_is_not_known_may_be_so() -> None:
    ground = task(START, "(in drill b)").grounded
    free = np.array([name == "free" for name, _ in ground.facts])
    held = ground.init & ~free
    assert not unreachable(ground, held | free, ~held, "now")
    assert NO_FREE.replace("at first", "now") in str(unreachable(ground, held, ~held, "now"))


def test_a_reason_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ground = task(START.replace("(free r1)", ""), "(in drill b)").grounded
    monkeypatch.setattr(module, "MOST_STEPS", 1)
    assert str(unreachable(ground)) == "(in drill b) of the goal can never become true"


@pytest.mark.parametrize("derived", [False, True])
def test_random_tasks_with_a_reason_have_no_plan(derived: bool, tmp_path: Path) -> None:
    rng, files = random.Random(7), (tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    told = 0
    for _ in range(60):
        draw(rng, derived, constraints=False).write(*files)
        read = read_task(*files)
        ground, compiled = read.all_seen
        start, reason = make_state(compiled, ground.init), str(unreachable(ground))
        told += bool(reason)
        if reason:
            assert BestFirst(compiled, lambda _: 0.0).gbfs(start).status is Status.UNSOLVABLE, reason
            assert ": " in reason or "at once" in reason
        else:
            assert HMax(compiled)(start) < np.inf
    assert told
