"""Asks independent validators about a plan: VAL, unified-planning's, cplan's replay, and those of plug-ins.

Each takes the user's own files; they share no code. An unavailable verdict is no objection.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from commonsense_planning import __version__
from commonsense_planning.errors import UnsupportedFeature, UsageError
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.validation.registry import PLAN_VALIDATORS
from commonsense_planning.validation.replay import malformed, replay
from commonsense_planning.validation.verdict import Report, Validation, Verdict

__all__ = ["DEFAULT_TIMEOUT", "Report", "Validation", "Verdict", "validate", "versions"]

DEFAULT_TIMEOUT = 60.0  # seconds for each of the validators that run as a process


def validate(
    problem: Problem, plan: Plan, timeout: float | None = DEFAULT_TIMEOUT, everyone: bool = False
) -> Validation:
    """The validators' reports on ``plan``. unified-planning's, which takes longer, is asked only if VAL gives no
    verdict, or with ``everyone``.

    If a step is not an action of the task, the only report is the replay's: VAL ignores an additional argument and
    crashes on a missing one. So it is for a contingent problem, which has no known world in which to judge a plan.

    Each validator gets at most ``timeout`` seconds (None: no limit); beyond that it is unavailable. Raises UsageError
    for anything else than a problem and a plan.
    """
    if not isinstance(problem, Problem):
        raise UsageError(f"a problem is wanted, such as task.problem, not {problem!r:.60}")
    if not isinstance(plan, Plan):
        none = ": solution.status and solution.reason say why none was found" if plan is None else ""
        raise UsageError(f"a plan is wanted, such as read_plan gives it, not {plan!r:.60}{none}")
    plan = plan if problem.needs else replace(plan, times=())
    wrong = malformed(problem, plan)
    if wrong is not None:
        return Validation((wrong,))
    if problem.contingent.atoms:  # others would judge it in a world in which all that is open is false
        return Validation((replay(problem, plan),))
    reports: list[Report] = []
    for validator in PLAN_VALIDATORS.usable():
        if everyone or not validator.spare or all(report.verdict is Verdict.UNAVAILABLE for report in reports):
            try:
                reports.append(validator.judge(problem, plan, timeout))
            except UnsupportedFeature as error:  # of a task that has needs
                reports.append(Report(validator.forms[0], Verdict.UNAVAILABLE, reason=error.problem))
    return Validation(tuple(reports))


def versions() -> dict[str, str]:
    """Validator → the version of the package that brings it, if it is installed; a VAL on PATH without a package is
    left out."""
    found = {}
    for validator in sorted(PLAN_VALIDATORS.usable(), key=lambda validator: validator.package != ""):
        with suppress(PackageNotFoundError):
            found[validator.forms[0]] = version(validator.package) if validator.package else __version__
    return found
