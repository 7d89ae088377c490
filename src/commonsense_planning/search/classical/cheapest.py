"""An optimal plan with proof: A* on the relevant part of the task, with LM-cut or any other heuristic.

If A* is stopped, the result is a greedy plan and a lower bound: with an admissible heuristic, no plan costs less than
the lowest f in the open list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.relevance import Pruning
from commonsense_planning.heuristics.heuristic import CompiledHeuristic
from commonsense_planning.heuristics.registry import HeuristicKind, heuristic_named
from commonsense_planning.kernels.compiled import UNREACHABLE, compile_task
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.classical.compiled_search import Limits, Report, SearchResult
from commonsense_planning.state import make_state

GREEDY_EVALUATIONS = 100_000  # of the greedy search if A* was stopped
EXACT = 2**53  # a float holds every whole number up to this one


@dataclass(frozen=True)
class CheapestPlan:
    """The result of A*. The operators in ``result`` are a plan of the whole task, a greedy one if A* was stopped
    (``Status.BUDGET``), and ``cost`` is its cost. ``bound``: a lower bound on the cost of every plan, equal to ``cost``
    if the plan is a cheapest one (``proven``)."""

    result: SearchResult
    cost: float | None
    bound: float

    @property
    def proven(self) -> bool:
        """Whether there is a plan, and none is cheaper."""
        return self.cost == self.bound


def cheapest_plan(
    task: GroundTask,
    pruning: Pruning | None = None,
    limits: Limits | None = None,
    report: Report = lambda what, f, evaluated: None,
    kind: HeuristicKind | None = None,
) -> CheapestPlan:
    """A cheapest plan from the initial state of ``task``; nothing counts as hidden.

    ``pruning``: that of the task's operators, if it is already known. ``report`` gets ("h", latest f, evaluated states)
    at intervals. ``kind``: the heuristic, by default LM-cut. If it is not admissible, the plan need not be a cheapest
    one, and ``bound`` is 0.
    """
    pruned = (pruning or Pruning(task)).of(task)
    compiled = compile_task(pruned.task)
    state = make_state(compiled, pruned.task.init)
    kind = kind or heuristic_named("lmcut")
    heuristic = kind.make(pruned.task, compiled, False)
    own = isinstance(heuristic, CompiledHeuristic)
    estimate = heuristic(state) if kind.admissible else 0.0
    bound = estimate if math.isinf(estimate) else int(min(estimate, EXACT))

    def watch(what: str, f: int, evaluated: int) -> None:
        nonlocal bound
        bound = max(bound, f) if kind.admissible and own else bound  # the f of other heuristics are not numbers
        report(what, f, evaluated)

    result = BestFirst(compiled, heuristic).astar(state, limits=limits, report=watch)
    if result.status is Status.BUDGET:
        greedy = BestFirst(compiled).gbfs(state, Limits(evaluations=GREEDY_EVALUATIONS))
        result = replace(result, operators=greedy.operators)
    if result.operators is None:
        return CheapestPlan(result, None, bound if isinstance(bound, float) else task.amount(bound))
    units = pruned.task.units(result.operators)
    cost, exact = task.amount(units), units < (UNREACHABLE if own else EXACT)  # above that, sums are not exact
    result = replace(result, operators=tuple(int(pruned.operators[o]) for o in result.operators))
    if units <= bound or (kind.admissible and exact and result.status is Status.SOLVED):
        return CheapestPlan(replace(result, status=Status.SOLVED), cost, cost)
    return CheapestPlan(result, cost, min(task.amount(int(bound)), math.nextafter(cost, 0)))
