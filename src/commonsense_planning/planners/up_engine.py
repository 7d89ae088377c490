"""Planning engines of unified-planning, each in a separate process; features that they lack are compiled away."""

from __future__ import annotations

import difflib
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field

from commonsense_planning.errors import BudgetError, MissingError, Status, UsageError
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.planners import up_files
from commonsense_planning.planners.planner import NORMAL_FORM, PlannerResult
from commonsense_planning.support.workers import WorkerError, ask

UP = "up"
"""The method that chooses an engine, and the beginning of those that name one."""


@dataclass(frozen=True)
class UpEngine:
    """An engine: its ``name`` in cplan, that in unified-planning (``engine``), and its ``parameters``.

    ``packages``: its packages; the version is that of the first. ``complete``: whether it proves that there is no plan
    when it finds none.
    """

    name: str
    engine: str
    packages: tuple[str, ...] = ("unified-planning",)
    parameters: Mapping[str, str] = field(default_factory=dict)
    complete: bool = False

    def version(self) -> str:
        """The engine's name and version. Raises MissingError if a package is not installed."""
        try:
            version = [importlib.metadata.version(package) for package in self.packages][0]
        except importlib.metadata.PackageNotFoundError as error:
            raise MissingError(f"{error.name} is not installed: pip install {error.name}") from error
        package = self.packages[0]
        return f"{package} {version}" if self.engine in ("", package) else f"{self.engine} of {package} {version}"

    def why_not(self, problem: Problem) -> str | None:
        """Why it cannot solve a task; None if it might."""
        if not self.engine and not problem.needs:
            return "cplan's own planners solve it, and so does up:NAME"
        return "unified-planning does not know derived predicates" if problem.derived else None

    def solve(self, problem: Problem, timeout: float | None = None) -> PlannerResult:
        """Runs the engine for at most ``timeout`` seconds.

        Raises UsageError for an engine that unified-planning does not have, and for a task that it or the engine does
        not support.
        """
        reason = self.why_not(problem)
        if reason is not None:
            raise UsageError(f"{self.name} cannot solve this task: {reason}")
        settings = {"engine": self.engine, "parameters": dict(self.parameters), "complete": self.complete}
        if problem.needs:
            settings["order"] = up_files.order(problem)
        try:
            with problem.plain_files() as (domain, file):
                answer = ask(up_files.WORKER, {"domain": str(domain), "problem": str(file), **settings}, timeout)
        except BudgetError as error:
            return PlannerResult(Status.BUDGET, reason=f"no plan: it {error}")
        except WorkerError as error:
            return PlannerResult(Status.UNSOLVED, reason=str(error))
        if problem.needs:
            return up_files.result(problem, self.engine, answer)
        if "engines" in answer:
            close = difflib.get_close_matches(self.engine, answer["engines"], n=1)
            hint = f" (did you mean up:{close[0]}?)" if close else ""
            there = ", ".join(answer["engines"])
            raise UsageError(f"unified-planning has no engine called {self.engine} here{hint}; it has {there}")
        if "unsupported" in answer:
            raise UsageError(f"{self.name} cannot solve this task: {answer['unsupported']}")
        steps = tuple(Step(action, tuple(rest)) for action, *rest in answer.get("steps", ()))
        plan = problem.spelt(Plan(steps)) if "steps" in answer else None
        return PlannerResult(Status(answer["status"]), plan, answer["reason"], given=NORMAL_FORM)


PYPERPLAN = UpEngine(
    "pyperplan", "pyperplan", ("pyperplan", "up-pyperplan"), {"search": "gbf", "heuristic": "hff"}, complete=True
)
"""Greedy best-first search is complete, which unified-planning's wrapper does not declare."""
