"""Who is given the test problems: other people's planners, our greedy search, and heuristics of a domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from commonsense_lab.learning.heuristic_writer import search_with
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import PlannerResult
from commonsense_planning.support.reading import read_text
from commonsense_planning.task import Task
from commonsense_planning.wording.lexicon import Lexicon

HAND_WRITTEN = Path(__file__).with_name("hand_written")


Solve = Callable[[Problem, str, float], PlannerResult]
"""Gets the problem, the program of a heuristic (empty where none is needed), and the seconds."""


@dataclass(frozen=True)
class Solver:
    """``name`` in tables and on the command line; ``about``: what a reader should know of it. ``program(domain)``: the
    heuristic that it comes with, empty where it has none for the domain; None where it needs none."""

    name: str
    about: str
    solve: Solve
    program: Callable[[str], str] | None = None


@cache
def hand_written(domain: str) -> str:
    """Our own heuristic for a domain; empty if there is none."""
    file = HAND_WRITTEN / f"{domain}.txt"
    return read_text(file, "a heuristic") if file.is_file() else ""


def _fast_downward(search: str = "") -> Solve:
    return lambda problem, program, seconds: fast_downward.solve(problem, seconds, search)


def _method(name: str) -> Solve:
    def solved(problem: Problem, program: str, seconds: float) -> PlannerResult:
        found = solve(Request(Task(problem, None, Lexicon()), method_named(name), seconds=seconds))
        return PlannerResult(found.status, found.plan, found.reason, found.expanded)

    return solved


def _searched(problem: Problem, program: str, seconds: float) -> PlannerResult:
    found = search_with(program, Path("heuristic.py"), problem, seconds)
    return PlannerResult(found.status, found.plan, found.failure or found.reason, found.expanded, found.evaluated)


SOLVERS = {
    solver.name: solver
    for solver in (
        Solver("fd-ff", "Fast Downward, greedy search with h_FF", _fast_downward("eager_greedy([ff()])")),
        Solver("fd-lama", "Fast Downward, lama-first", _fast_downward()),
        Solver("gbfs", "our greedy search with h_FF, landmarks and novelty", _method("gbfs")),
        Solver("pyperplan", "pyperplan, gbf with hff", _method("pyperplan")),
        Solver("hand-written", "our search that climbs first, with our heuristics", _searched, hand_written),
    )
}
LLM = "llm-heuristic"
WRITTEN = Solver(LLM, "our search that climbs first, with a heuristic that the model wrote", _searched)
