"""A cheapest plan, proven: A* with LM-cut on what is relevant for the goal.

If A* is stopped before it ends, there is a greedy plan, and a lower bound: no plan costs less than the lowest f that
was waiting, since LM-cut never says too much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.pruning import Pruning
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.compiled_search import Limits, Report, SearchResult


@dataclass(frozen=True)
class CheapestPlan:
    """What ``result`` says of the search is A*'s; its operators are a plan of the whole task, A*'s or, where that was
    stopped (``Status.BUDGET``), a greedy one. Every plan costs at least ``bound``, what the result's plan costs if it
    is a cheapest one (``proven``)."""

    result: SearchResult
    cost: float | None
    bound: float

    @property
    def proven(self) -> bool:
        """Whether there is a plan, and none that is cheaper."""
        return self.cost == self.bound


def cheapest_plan(
    task: GroundTask,
    pruning: Pruning | None = None,
    limits: Limits | None = None,
    report: Report = lambda what, f, evaluated: None,
) -> CheapestPlan:
    """A cheapest plan from the initial state of ``task``, in which nothing counts as hidden. ``pruning``: that of its
    operators, where it is at hand. ``report`` gets ("h", latest f, evaluated states) now and then."""
    pruned = (pruning or Pruning(task)).of(task)
    compiled = compile_task(pruned.task)
    state = make_state(compiled, pruned.task.init)
    heuristic = LMCut(compiled)
    bound = heuristic(state)

    def watch(what: str, f: int, evaluated: int) -> None:
        nonlocal bound
        bound = max(bound, float(f))
        report(what, f, evaluated)

    result = BestFirst(compiled, heuristic).astar(state, limits=limits, report=watch)
    if result.status is Status.BUDGET:
        greedy = BestFirst(compiled).gbfs(state, Limits(evaluations=GREEDY_EVALUATIONS))
        result = replace(result, operators=greedy.operators)
    if result.operators is None:
        return CheapestPlan(result, None, bound)
    cost = float(sum(pruned.task.operators.cost[o] for o in result.operators))
    operators = tuple(int(pruned.operators[o]) for o in result.operators)
    if result.status is Status.SOLVED or cost <= bound:
        return CheapestPlan(replace(result, status=Status.SOLVED, operators=operators), cost, cost)
    return CheapestPlan(replace(result, operators=operators), cost, bound)


GREEDY_EVALUATIONS = 100_000
"""Of the greedy search for a plan where A* was stopped."""
