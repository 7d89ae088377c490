"""Our own classical planners. They know the true world and ask nobody: neither language model nor belief is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commonsense_planning import config
from commonsense_planning.kernels.compiled import Compiled, State, make_state
from commonsense_planning.kernels.heuristics import Blind, HMax
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.task import Task
from commonsense_planning.search.best_first import BestFirst, Limits, Report, SearchResult

Search = Callable[[Compiled, State, Limits, Report], SearchResult]


@dataclass(frozen=True)
class BestFirstSearch:
    """A best-first search from the true initial state."""

    name: str
    summary: str
    search: Search
    world: World = World.KNOWN
    Options: type[config.Options] = config.Options

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        task, compiled = request.task.all_seen

        def report(what: str, best: int, evaluated: int) -> None:
            request.report("states evaluated", evaluated, None)

        result = self.search(compiled, make_state(compiled, task.init), Limits(request.seconds), report)
        return Solution(
            result.status,
            None if result.operators is None else task.plan(result.operators),
            operators=task.operator_count,
            facts=task.fact_count,
            expanded=result.expanded,
        )

    def estimate(self, request: Request) -> Estimate | None:
        return None


GBFS = BestFirstSearch(
    "gbfs",
    "our greedy best-first search, h_FF and preferred operators; knows the true world",
    lambda task, state, limits, report: BestFirst(task).gbfs(state, limits, report),
)
ASTAR = BestFirstSearch(
    "astar",
    "our A* with h_max: a cheapest plan; knows the true world",
    lambda task, state, limits, report: BestFirst(task, HMax(task)).astar(state, 1, limits, report),
)
ASTAR_BLIND = BestFirstSearch(
    "astar-blind",
    "our A* without a heuristic: a cheapest plan; knows the true world",
    lambda task, state, limits, report: BestFirst(task, Blind(task)).astar(state, 1, limits, report),
)
