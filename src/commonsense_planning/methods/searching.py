"""How our own classical planners put the parts together: ground, compile, search. They know the true world and ask
nobody, so they need neither a language model nor a belief."""

from __future__ import annotations

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import make_state
from commonsense_planning.kernels.heuristics import Blind, HMax
from commonsense_planning.methods.registry import Request, Solution
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.search.best_first import BestFirst, Limits


def plan_of(task: GroundTask, operators: tuple[int, ...]) -> Plan:
    """The operators as a plan with its cost."""
    return Plan(tuple(task.step(o) for o in operators), float(sum(task.operators.cost[o] for o in operators)))


def search(request: Request) -> Solution:
    """Solve with ``gbfs``, ``astar`` or ``astar-blind``, on the true world."""
    task, compiled = request.task.all_seen
    state = make_state(compiled, task.init)
    limits = Limits(request.seconds)

    def report(what: str, best: int, evaluated: int) -> None:
        request.report("states evaluated", evaluated)

    if request.method.name == "gbfs":
        result = BestFirst(compiled).gbfs(state, limits, report)
    else:
        heuristic = Blind(compiled) if request.method.name == "astar-blind" else HMax(compiled)
        result = BestFirst(compiled, heuristic).astar(state, limits=limits, report=report)
    plan = plan_of(task, result.operators) if result.operators is not None else None
    return Solution(
        result.status,
        plan,
        0.0,
        operators=task.operator_count,
        facts=task.fact_count,
        expanded=result.expanded,
    )
