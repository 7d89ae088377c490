"""What a planner of other people's gives back. Its plan is not validated here; ``validation`` does that.

fast_downward   Fast Downward's LAMA (first iteration) on the user's own files, or on the task in normal form
up_engine       any installed planning engine of unified-planning, features that it lacks compiled away; pyperplan's
                greedy best-first search with the FF heuristic is one
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
    """``plan`` is there if and only if the status is solved, in the user's spelling and not yet validated; ``reason``
    says why there is none. The status is unsolvable only where the planner proves that there is no plan, and unsolved
    where it merely found none. ``expanded`` and ``evaluated``: how many states, as far as the planner says.
    ``given``: what the planner read, ``FILES`` or ``NORMAL_FORM``, and why."""

    status: Status
    plan: Plan | None = None
    reason: str = ""
    expanded: int | None = None
    evaluated: int | None = None
    given: str = ""


class Planner(Protocol):
    """A classical planner."""

    def version(self) -> str:
        """Its name and version. Raises MissingError where it is not installed."""

    def solve(self, problem: Problem, timeout: float | None = None) -> PlannerResult:
        """Look for a plan for at most ``timeout`` wall-clock seconds; then it is ended with all its processes.

        Raises UsageError for a task that it does not support, MissingError where it is not installed.
        """
