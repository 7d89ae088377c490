"""The one function that solves a task with a classical planner, whichever it is."""

from __future__ import annotations

import difflib
import importlib.metadata
import time
from typing import Any

from commonsense_planning.errors import BudgetError, MissingError, UsageError
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Feature, Problem
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.result import ClassicalResult, Status
from commonsense_planning.support.workers import WorkerError, ask

PYPERPLAN = "pyperplan"
UP_PREFIX = "up:"
PLANNERS = (fast_downward.NAME, PYPERPLAN)  # and up:<engine>

CHECK_TIMEOUT = 60.0  # seconds

_WORKER = "commonsense_planning.planners.up_engine_worker"
_PYPERPLAN_PARAMETERS = {"search": "gbf", "heuristic": "hff"}


def solve_classical(problem: Problem, planner: str, timeout: float | None = None) -> ClassicalResult:
    """Let ``planner`` look for a plan for at most ``timeout`` wall-clock seconds (None: no limit).

    A planner that takes longer is ended with all its processes. Raises UsageError for a planner that does not
    exist and MissingError for one that is not installed.
    """
    version = planner_version(planner)
    if Feature.CONTINGENT in problem.features:
        return ClassicalResult(Status.UNSUPPORTED, planner, version, 0.0, reason=_CONTINGENT)
    if planner == fast_downward.NAME:
        return fast_downward.solve(problem, timeout)
    started = time.monotonic()
    try:
        answer = _ask_engine(problem, planner, timeout)
    except BudgetError:
        status, reason, plan = Status.TIMEOUT, f"no plan within {timeout:g} s", None
    except WorkerError as error:
        status, reason, plan = Status.FAILED, str(error), None
    else:
        status, reason, plan = Status(answer["status"]), answer["reason"], None
        if status is Status.SOLVED:
            plan = Plan(tuple(_step(problem, names) for names in answer["steps"]))
    return ClassicalResult(status, planner, version, time.monotonic() - started, plan, reason)


def why_not(problem: Problem, planner: str) -> str | None:
    """Why ``planner`` cannot take this task; None if it can.

    Raises UsageError for a planner that does not exist.
    """
    try:
        planner_version(planner)
    except MissingError as error:
        return str(error)
    if Feature.CONTINGENT in problem.features:
        return _CONTINGENT
    if planner in PLANNERS:
        return (
            None  # every other feature that we read is supported or compiled away
        )
    try:
        answer = _ask_engine(problem, planner, CHECK_TIMEOUT, check=True)
    except (BudgetError, WorkerError) as error:
        return str(error)
    return None if answer["status"] == Status.SOLVED else str(answer["reason"])


def planner_version(planner: str) -> str:
    """The planner's name and version.

    Raises UsageError for a planner that does not exist and MissingError for one that is not installed.
    """
    if planner == fast_downward.NAME:
        return fast_downward.version()
    if planner == PYPERPLAN:
        return f"pyperplan {_package_version('pyperplan', 'up-pyperplan')}"
    if planner.startswith(UP_PREFIX):
        return f"{planner.removeprefix(UP_PREFIX)} of unified-planning {_package_version('unified-planning')}"
    close = difflib.get_close_matches(planner, PLANNERS, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise UsageError(f"no planner is called {planner}{hint}; there are {', '.join(PLANNERS)} and up:<engine>")


_CONTINGENT = (
    "the initial state is not fully known (oneof, unknown), and a classical planner needs to know it"
)


def _package_version(*packages: str) -> str:
    """The version of the first of ``packages``, which are all needed."""
    try:
        return [importlib.metadata.version(package) for package in packages][0]
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingError(f"{error.name} is not installed: pip install {error.name}") from error


def _ask_engine(problem: Problem, planner: str, timeout: float | None, check: bool = False) -> dict[str, Any]:
    """What the worker says; raises UsageError for an engine that unified-planning does not have here."""
    engine = planner.removeprefix(UP_PREFIX)
    answer = ask(
        _WORKER,
        {
            "domain": str(problem.domain_file.resolve()),
            "problem": str(problem.problem_file.resolve()),
            "engine": engine,
            "parameters": _PYPERPLAN_PARAMETERS if planner == PYPERPLAN else {},
            "complete": planner == PYPERPLAN,  # greedy best-first search is; its wrapper does not know that
            "check": check,
        },
        timeout,
    )
    if "engines" in answer:
        close = difflib.get_close_matches(engine, answer["engines"], n=1)
        hint = f" (did you mean {UP_PREFIX}{close[0]}?)" if close else ""
        there = ", ".join(answer["engines"])
        raise UsageError(f"unified-planning has no engine called {engine} here{hint}; it has {there}")
    return answer


def _step(problem: Problem, names: list[str]) -> Step:
    action, *arguments = (problem.spell(name) for name in names)
    return Step(action, tuple(arguments))
