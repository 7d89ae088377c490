"""Engines of unified-planning for tasks that cplan does not represent: they get the user's files as they are.

``ORDERS`` was measured with ``python -m lab.benchmarks.engines`` on twenty tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from commonsense_planning.errors import MissingError, Status, UsageError
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.source import Need
from commonsense_planning.planners.planner import FILES, PlannerResult
from commonsense_planning.support.workers import ask

WORKER = "commonsense_planning.planners.up_engine_worker"
PACKAGES = {  # ENHSP needs Java, LPG imports pkg_resources, and Tamer is free for education alone
    "enhsp": "up-enhsp",
    "lpg": "up-lpg 'setuptools<81'",
    "aries": "up-aries",
    "tamer": "up-tamer",
}
"""Engine → what pip installs."""
ORDERS: dict[str, Sequence[str]] = {
    Need.PREFERENCES: (),  # unified-planning's reader does not know them
    Need.HIERARCHY: ("aries",),
    Need.PROCESSES: ("enhsp",),
    Need.TIMED: ("tamer", "aries"),
    Need.DURATIONS: ("aries", "tamer"),
    Need.NUMBERS: ("enhsp", "lpg", "tamer", "aries"),
}
"""The engines for a need, the best first; a task's are those of the first need here that it has."""
_ABSENT = "not installed: "


def order(problem: Problem) -> Sequence[str]:
    """The engines for a task that has needs, the best first."""
    needs = {one.need for one in problem.needs}
    return next(engines for need, engines in ORDERS.items() if need in needs)


def engines(problem: Problem, timeout: float | None = None) -> dict[str, str | None]:
    """The engines for a task that has needs, the best first → why it cannot solve it here, None if it may. Raises
    BudgetError after ``timeout`` seconds, and WorkerError if unified-planning fails."""
    with problem.plain_files() as (domain, file):
        request = {"domain": str(domain), "problem": str(file), "order": order(problem)}
        return _reasons(problem, ask(WORKER, request, timeout), order(problem))


def advice(reasons: Mapping[str, str | None]) -> str:
    """How an engine that may solve a task can be had, by what ``engines`` says; empty if one is installed."""
    if None in reasons.values():
        return ""
    lines = [why.removeprefix(_ABSENT) for why in reasons.values() if why and why.startswith(_ABSENT)]
    return " or ".join(lines) or next(filter(None, reasons.values()), "no engine of unified-planning reads it")


def result(problem: Problem, engine: str, answer: Mapping[str, Any]) -> PlannerResult:
    """What the worker's answer says of a task that has needs, and of the ``engine`` that was asked for, if any. Raises
    UsageError if no engine supports the task, and MissingError if none that may is installed."""
    if "status" not in answer:
        reasons = _reasons(problem, answer, [engine] if engine else order(problem))
        absent = any(why and why.startswith(_ABSENT) for why in reasons.values())
        raise (MissingError if absent else UsageError)(f"{problem.beyond}; {advice(reasons)}")
    plan = None
    if "steps" in answer and problem.declared is not None:
        steps = [problem.declared.spelt(Step(action, tuple(rest))) for action, *rest in answer["steps"]]
        times = tuple((start, duration) for start, duration in answer["times"])
        plan = Plan(tuple(steps), times=times, decomposition=answer["decomposition"])
    given = FILES + (", without the metric, which is not supported" if answer["unheeded"] else "")
    return PlannerResult(Status(answer["status"]), plan, answer["reason"], given=given, version=answer["engine"])


def _reasons(problem: Problem, answer: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, str | None]:
    """Engine → why it cannot solve the task here; None if it may."""
    if "unread" in answer:
        name, _, rest = answer["unread"].partition(":")
        file = problem.domain_file if name == "domain.pddl" else problem.problem_file
        return dict.fromkeys(wanted or ["any"], f"unified-planning cannot read {file}:{rest}")
    there = f"unified-planning has {', '.join(answer['installed'])}"
    reasons: dict[str, str | None] = {
        name: _ABSENT + (f"pip install {PACKAGES[name]}" if name in PACKAGES else there) for name in wanted
    }
    return reasons | {name: f"it does not support {no}" if no else None for name, no in answer["lacking"].items()}
