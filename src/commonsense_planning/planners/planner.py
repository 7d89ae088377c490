"""The interface of external planners. Their plans are not validated here; ``validation`` does that.

fast_downward   Fast Downward's LAMA (first iteration) on the user's files, or on the task in normal form
up_engine       any installed planning engine of unified-planning, features that it lacks compiled away; one is
                pyperplan's greedy best-first search with the FF heuristic
up_files        the same engines on the user's files, for tasks that cplan does not represent
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from commonsense_planning.errors import Status
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem

FILES = "the files as they are"
NORMAL_FORM = "the task in normal form"


@dataclass(frozen=True)
class PlannerResult:
    """``plan``: in the user's spelling, not yet validated; there is one if and only if the status is solved.
    ``reason``: why there is none. The status is unsolvable only if the planner proves that there is no plan, and
    unsolved if it merely found none. ``expanded`` and ``evaluated``: numbers of states, if the planner reports them.
    ``given``: the planner's input, ``FILES`` or ``NORMAL_FORM``, and the reason. ``version``, if known only now."""

    status: Status
    plan: Plan | None = None
    reason: str = ""
    expanded: int | None = None
    evaluated: int | None = None
    given: str = ""
    version: str = ""


class Planner(Protocol):
    """A classical planner."""

    def version(self) -> str:
        """The planner's name and version. Raises MissingError if it is not installed."""

    def why_not(self, problem: Problem) -> str | None:
        """Why it cannot solve a task, as far as that is known without running it; None if nothing speaks against it."""

    def solve(self, problem: Problem, timeout: float | None = None) -> PlannerResult:
        """Searches for a plan for at most ``timeout`` wall-clock seconds; then all its processes are ended.

        Raises UsageError for a task that it does not support, MissingError if it is not installed.
        """
