"""What may take long in a run hears Ctrl-C, each on a large input. The kernels are in ``kernels/test_kernel.py``."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import commonsense_planning as cplan
from commonsense_planning import GroundTask
from commonsense_planning.cli.output import Printer
from commonsense_planning.grounding.relevance import Pruning
from commonsense_planning.pddl.plan import Plan, Step, parse_plan, render_plan
from commonsense_planning.support.processes import Limit, run_limited
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.up_validator import validate_with_up
from tests import shelves, towers
from tests.data import write_task
from tests.kernels.test_kernel import assert_is_interrupted

Call = Callable[[], Any]
SWITCH = """(define (domain switch) (:predicates (on) (off))
 (:action start :precondition (off) :effect (and (on) (not (off))))
 (:action stop :precondition (on) :effect (and (off) (not (on)))))"""
OFF = "(define (problem lamp) (:domain switch) (:init (off)) (:goal (off)))"
PLAN = Plan(tuple(Step(name, ()) for name in ("start", "stop") * 200_000))


def lamp() -> Any:
    return cplan.read_problem(cplan.Text(SWITCH), cplan.Text(OFF))


def tower(blocks: int) -> Any:
    return cplan.read_task(cplan.Text(towers.DOMAIN), cplan.Text(towers.problem("tower", blocks)))


@cache
def ground() -> GroundTask:
    return tower(100).grounded  # type: ignore[no-any-return]


def search(folder: Path, method: str) -> Call:
    places = [f"s{i}" for i in range(150)]
    ring = " ".join(f"(next {a} {b}) (next {b} {a})" for a, b in zip(places, places[1:] + places[:1], strict=True))
    problem = (
        f"(define (problem drills) (:domain warehouse) (:objects r1 - robot {' '.join(places)} - place d1 - tool)"
        f" (:init (at r1 s0) (free r1) (stored d1 s75) {ring})"
        " (:goal (stored d1 s0)))"
    )
    files = write_task(folder, shelves.DOMAIN, problem, sensors=shelves.SENSORS)
    task = cplan.read_task(*files)

    def run() -> None:
        if cplan.solve(cplan.Request(task, cplan.METHODS[method])).interrupted:
            raise KeyboardInterrupt  # an episode ends with what it has

    return run


def print_steps(plan: Plan) -> None:
    for step in plan.steps:
        Printer().line(str(step))


LOOPS: dict[str, Callable[[Path], Call]] = {
    "grounding": lambda folder: lambda: tower(100).grounded,
    "relevance": lambda folder: lambda: Pruning(ground()),
    "replay": lambda folder: lambda: replay(lamp(), PLAN),
    "unified-planning's validator": lambda folder: lambda: validate_with_up(lamp(), PLAN),
    "reading a plan": lambda folder: lambda: parse_plan("(start)\n(stop)\n" * 200_000, Path("plan")),
    "writing a plan": lambda folder: lambda: [render_plan(PLAN) for _ in range(20)],
    "a child, such as VAL": lambda folder: lambda: run_limited(["sleep", "60"], Limit(60)),
    "the travel matrix": lambda folder: search(folder, "llm-mcts"),
    "a search under partial observability": lambda folder: search(folder, "uct"),
    "printing a plan": lambda folder: lambda: print_steps(PLAN),
}


@pytest.mark.parametrize("name", LOOPS)
def test_what_takes_long_is_interrupted(name: str, tmp_path: Path) -> None:
    assert_is_interrupted(LOOPS[name](tmp_path))
