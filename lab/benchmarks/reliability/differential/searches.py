"""Compares cplan's searches with Fast Downward: the cost of a cheapest plan, and that there is none."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from commonsense_planning.errors import CplanError, Status, UsageError
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import PlannerResult
from commonsense_planning.search.classical.cheapest import cheapest_plan
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search
from commonsense_planning.task import Task as Read
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import run
from commonsense_planning.validation.verdict import Verdict
from lab.benchmarks.reliability.differential.mutated_problems import mutated
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case

SECONDS = 30.0
"""For one search of Fast Downward's."""
EVALUATIONS = 50_000
"""The limit of one search of cplan."""
PROBLEMS = 5
"""Mutated problems of each task."""
BEYOND_LANDMARKS = {
    *(Feature.CONDITIONAL_EFFECTS, Feature.UNIVERSAL_EFFECTS, Feature.UNIVERSAL_CONDITIONS, Feature.DERIVED_PREDICATES)
}
"""What Fast Downward's LM-cut does not support, or its translator makes such of."""


def cheapest(case: Case, tally: Tally) -> None:
    """A cheapest plan costs the same, and both are plans at that cost; or both say that there is none."""
    read = read_task(case.task.domain, case.task.problem)
    found = cheapest_plan(read.grounded, read.pruning, Limits(evaluations=EVALUATIONS))
    tally.tried["tasks"] += 1
    if found.result.status is Status.BUDGET:
        tally.silent[f"no proof within {EVALUATIONS:,} evaluations here"] += 1
        return
    heuristic = "blind" if read.problem.features & BEYOND_LANDMARKS else "lmcut"
    theirs = _ask(read, f"astar({heuristic}())", tally)
    if theirs is None:
        return
    tally.tried[f"of them {theirs.status} by Fast Downward's A* ({heuristic})"] += 1
    plan = None if found.result.operators is None else read.grounded.plan(found.result.operators)
    if found.result.status is not theirs.status:
        tally.lose(case, f"{found.result.status} here, {theirs.status} by Fast Downward", plan or theirs.plan)
    elif plan is not None and theirs.plan is not None:
        for each in (plan, theirs.plan):
            carried_out = run(read.problem, each)
            if carried_out.report.verdict is not Verdict.VALID or carried_out.cost != found.cost:
                said = f"{carried_out.report.verdict} at {carried_out.cost:g} by the replay, {found.cost:g} was proven"
                tally.lose(case, said, each)


def unsolvable(case: Case, tally: Tally) -> None:
    """Compares whether cplan's searches and Fast Downward find that there is no plan."""
    rng = np.random.default_rng(case.seed)
    with tempfile.TemporaryDirectory(prefix="cplan-mutated-") as folder:
        for _ in range(PROBLEMS if case.drawn else 1):
            task = mutated(case.task, rng, Path(folder)) if case.drawn else case.task
            _one_unsolvable(Case(task, case.seed), tally)


def _one_unsolvable(case: Case, tally: Tally) -> None:
    tally.tried["problems"] += 1
    try:
        read = read_task(case.task.domain, case.task.problem)
        grounded = read.grounded
    except CplanError as error:
        tally.silent[f"{type(error).__name__} here: the change made it none"] += 1
        return
    compiled = compile_task(grounded)
    limits = Limits(evaluations=EVALUATIONS)
    greedy = alternating_search(compiled, make_state(compiled, grounded.init), limits)
    optimal = cheapest_plan(grounded, read.pruning, limits).result
    found = {greedy.status, optimal.status} - {Status.BUDGET}
    if not found:
        tally.silent[f"no plan and no proof within {EVALUATIONS:,} evaluations here"] += 1
        return
    blind = Feature.DERIVED_PREDICATES in read.problem.features or Feature.UNIVERSAL_CONDITIONS in read.problem.features
    theirs = _ask(read, "astar(blind())" if blind else "eager_greedy([ff()])", tally)
    if theirs is None:
        return
    tally.tried[f"of them {theirs.status} by Fast Downward"] += 1
    if found != {theirs.status}:
        said = f"{greedy.status} by greedy search, {optimal.status} by A* here, {theirs.status} by Fast Downward"
        plan = theirs.plan or (None if greedy.operators is None else grounded.plan(greedy.operators))
        tally.lose(case, said, plan)


def _ask(read: Read, search: str, tally: Tally) -> PlannerResult | None:
    """Fast Downward's answer; None where it has none."""
    try:
        result = fast_downward.solve(read.problem, SECONDS, search)
    except UsageError as error:
        tally.silent[str(error)] += 1
        return None
    if result.status not in (Status.SOLVED, Status.UNSOLVABLE):
        tally.silent[f"Fast Downward: {result.reason}"] += 1
        return None
    return result
