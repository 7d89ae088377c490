"""Ask three independent validators about a plan: VAL, unified-planning's, and our own replay.

Each takes the user's own files; they share no code. One that cannot say anything is no objection.
"""

from __future__ import annotations

from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.replay import replay
from commonsense_planning.pddl.up_validator import validate_with_up
from commonsense_planning.pddl.val import validate_with_val
from commonsense_planning.pddl.verdict import Report, Validation, Verdict

__all__ = ["DEFAULT_TIMEOUT", "Report", "Validation", "Verdict", "validate"]

DEFAULT_TIMEOUT = 60.0  # seconds for each of the validators that run as a process


def validate(problem: Problem, plan: Plan, timeout: float | None = DEFAULT_TIMEOUT) -> Validation:
    """The three validators' reports on ``plan``, in a fixed order. VAL and unified-planning's validator get
    at most ``timeout`` seconds each (None: no limit) and are unavailable beyond."""
    return Validation(
        (
            validate_with_val(problem, plan, timeout),
            validate_with_up(problem, plan, timeout),
            replay(problem, plan),
        )
    )
