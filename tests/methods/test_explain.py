"""Repairs of tasks without a plan: each kind is found, and each suggestion makes the plan possible that it tells of."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_planning import Request, Status, Text, explain, read_task, solve
from commonsense_planning.pddl.reader import with_text
from commonsense_planning.pddl.repair import Repair, repaired
from commonsense_planning.task import Task
from tests.oracle.drawing import damaged, draw

DOMAIN = """(define (domain depot) (:requirements :typing :negative-preconditions)
(:types robot shelf item place)
(:predicates (free ?r - robot) (at ?r - robot ?p - place) (holding ?r - robot ?i - item) (in ?i - item ?p - place)
             (road ?a ?b - place) (towed ?r - robot))
(:action move :parameters (?r - robot ?from ?to - place) :precondition (and (at ?r ?from) (road ?from ?to))
 :effect (and (at ?r ?to) (not (at ?r ?from))))
(:action Pick :parameters (?r - robot ?i - item ?p - place)
 :precondition (and (at ?r ?p) (in ?i ?p) (free ?r))
 :effect (and (holding ?r ?i) (not (in ?i ?p)) (not (free ?r))))
(:action drop :parameters (?r - robot ?i - item ?p - place) :precondition (and (at ?r ?p) (holding ?r ?i))
 :effect (and (in ?i ?p) (not (holding ?r ?i)) (free ?r)))
(:action tow :parameters (?r - robot ?s - shelf) :precondition (free ?r) :effect (towed ?r)))"""
PROBLEM = """(define (problem p) (:domain depot) (:objects r1 - robot drill saw - item a b - place)
(:init (at r1 a) (in drill a) (in saw a) (road a b) (road b a) (free r1))
(:goal (and (in drill b) (in saw b))))"""


def task(old: str = "", new: str = "", within: str = DOMAIN) -> Task:
    assert old in within
    texts = [Text(text.replace(old, new, 1) if text == within else text, f"{name}.pddl")
             for name, text in (("domain", DOMAIN), ("problem", PROBLEM))]  # fmt: skip
    return read_task(*texts)


@pytest.mark.parametrize(("broken", "first"), [
    (task("(free r1)", "", PROBLEM), "problem.pddl:2: add (free r1) to :init"),
    (task("(road a b)", "", PROBLEM), "problem.pddl:2: add (road a b) to :init"),
    (task("(in ?i ?p) (not (h", "(not (h"), "domain.pddl:11: add the effect (in ?i ?p) to drop"),
    (task("(at ?r ?to) (not", "(not"), "domain.pddl:6: add the effect (at ?r ?to) to move"),
    (task(), ""),
    (task("(free ?r))\n", "(free ?r) (not (free ?r)))\n"),
     "domain.pddl:8: remove the condition (not (free ?r)) from Pick"),
    (task("(in drill b)", "(towed r1)", PROBLEM), "problem.pddl:1: add an object shelf - shelf"),
    (task("(in drill b)", "(in drill b) (not (in drill b))", PROBLEM),
     "problem.pddl:3: leave out the goal (in drill b)"),
])  # fmt: skip
def test_the_least_change_is_found_for_each_kind_of_damage(broken: Task, first: str) -> None:
    found = explain(broken, 60.0)
    texts = [text for suggestion in found.suggestions for text in suggestion.texts]
    assert first in texts[:3] if first else (found.status, texts) == (Status.SOLVED, []), texts
    assert all(helps(broken, suggestion.repairs) for suggestion in found.suggestions)


def helps(broken: Task, repairs: Sequence[Repair]) -> bool:
    """Whether there is a plan after the repairs."""
    problem = broken.problem
    for repair in repairs:
        made = repaired(problem, repair)
        assert made is not None
        problem = with_text(replace(problem, texts=made[0]), made[0][1])
    return solve(Request(replace(broken, problem=problem), "gbfs")).status is Status.SOLVED


def test_a_goal_less_is_the_last_resort() -> None:
    kinds = [s.repairs[0].kind for s in explain(task("(free r1)", "", PROBLEM), 60.0).suggestions]
    assert kinds == sorted(kinds, key=lambda kind: kind == "goal") and len(kinds) <= 5


def test_two_faults_need_two_changes() -> None:
    broken = task("(road a b)", "", PROBLEM)
    domain = broken.problem.texts[0].replace("(in ?i ?p) (not (h", "(not (h")
    found = explain(read_task(Text(domain, "domain.pddl"), Text(broken.problem.texts[1], "problem.pddl")), 60.0)
    both = {"problem.pddl:2: add (road a b) to :init", "domain.pddl:11: add the effect (in ?i ?p) to drop"}
    assert both in [{*suggestion.texts} for suggestion in found.suggestions]


def test_every_suggestion_for_random_tasks_makes_a_plan_possible(tmp_path: Path) -> None:
    rng, suggested = random.Random(11), 0
    for _ in range(6):
        read = read_task(
            *damaged(rng, draw(rng, constraints=False)).write(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
        )
        found = explain(read, 60.0)
        assert (found.status is Status.SOLVED) == (solve(Request(read, "gbfs")).status is Status.SOLVED)
        assert found.status is Status.UNSOLVABLE or not (found.chains or found.suggestions)
        assert all(helps(read, suggestion.repairs) for suggestion in found.suggestions)
        suggested += len(found.suggestions)
    assert suggested


def test_a_solution_has_the_chain_of_each_cause() -> None:
    found = solve(Request(task("(free r1)", "", PROBLEM), "astar"))
    ((*_, cause),) = found.explanation
    assert cause.startswith("(free ?r) is true of no robot at first") and cause in found.reason
