"""Other people's planners, on the true world: Fast Downward, pyperplan, any engine of unified-planning."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning import config
from commonsense_planning.methods.method import Estimate, Method, Request, Solution, World
from commonsense_planning.methods.task import Task
from commonsense_planning.pddl.problem import Feature
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import Planner
from commonsense_planning.planners.up_engine import PYPERPLAN as PYPERPLAN_ENGINE
from commonsense_planning.planners.up_engine import UpEngine


@dataclass(frozen=True)
class External:
    """A planner that gets the user's files. What an engine does not support shows only when it is asked to solve."""

    name: str
    summary: str
    planner: Planner
    world: World = World.KNOWN
    Options: type[config.Options] = config.Options

    def why_not(self, task: Task) -> str | None:
        self.planner.version()
        if Feature.CONTINGENT in task.problem.features:
            return "the initial state is not fully known (oneof, unknown), and a classical planner needs to know it"
        return None

    def solve(self, request: Request) -> Solution:
        result = self.planner.solve(request.task.problem, request.seconds)
        return Solution(result.status, result.plan, result.reason, version=self.planner.version())

    def estimate(self, request: Request) -> Estimate | None:
        return None


class UpEngines:
    """The engines of unified-planning, under the names that it gives them."""

    members = "up:<engine>"
    summary = "any engine of unified-planning that is installed"

    def named(self, rest: str) -> Method:
        name = f"up:{rest}"
        return External(name, f"unified-planning's engine {rest}; knows the true world", UpEngine(name, rest))


FAST_DOWNWARD = External(fast_downward.NAME, "Fast Downward, lama-first; knows the true world", fast_downward)
PYPERPLAN = External(
    PYPERPLAN_ENGINE.name,
    "pyperplan, gbf with hff, after compiling away what it lacks; knows the true world",
    PYPERPLAN_ENGINE,
)
UP_ENGINES = UpEngines()
