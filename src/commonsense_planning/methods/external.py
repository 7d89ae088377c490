"""Planners of other projects: Fast Downward, pyperplan, any engine of unified-planning.

They know the true world and ask no model.
"""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning import config
from commonsense_planning.methods.method import Request, Solution, TrueWorldMethod
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import Planner
from commonsense_planning.planners.up_engine import PYPERPLAN as PYPERPLAN_ENGINE
from commonsense_planning.planners.up_engine import UP, UpEngine
from commonsense_planning.task import Task


@dataclass(frozen=True)
class External(TrueWorldMethod):
    """A planner that gets the user's files, or the task in normal form. An engine reports what it does not support only
    when it is asked to solve."""

    name: str
    summary: str
    planner: Planner
    Options: type[config.Options] = config.Options

    def why_not(self, task: Task) -> str | None:
        self.planner.version()
        passed = task.needs and self.name.partition(":")[0] == UP
        return (None if passed else task.no_world) or self.planner.why_not(task.problem)

    def solve(self, request: Request) -> Solution:
        result = self.planner.solve(request.task.problem, request.seconds)
        version = result.version or self.planner.version()
        return Solution(result.status, result.plan, result.reason, version=version, given=result.given)


UP_ENGINES, UP_SUMMARY = "up:<engine>", "any engine of unified-planning that is installed"
"""The form of the names of unified-planning's engines as methods, and what they are."""


def up_engine(engine: str) -> External:
    """The method that plans with an engine of unified-planning; without a name, with the best for a task that has
    needs."""
    name, what = (f"{UP}:{engine}", f"engine {engine}") if engine else (UP, "best engine for the task")
    return External(name, f"unified-planning's {what}; knows the true world", UpEngine(name, engine))


FAST_DOWNWARD = External(fast_downward.NAME, "Fast Downward, lama-first; knows the true world", fast_downward)
PYPERPLAN = External(
    PYPERPLAN_ENGINE.name,
    "pyperplan, gbf with hff, after compiling away what it lacks; knows the true world",
    PYPERPLAN_ENGINE,
)
