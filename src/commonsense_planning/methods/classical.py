"""cplan's classical planners: greedy search, and A*.

They know the true world and ask no model: neither language model nor belief is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from commonsense_planning import config
from commonsense_planning.config import option
from commonsense_planning.errors import BudgetError, Status, TooLargeError, UsageError
from commonsense_planning.heuristics.registry import HEURISTICS, HeuristicKind, heuristic_named
from commonsense_planning.methods.method import Request, Solution, TrueWorldMethod
from commonsense_planning.pddl.packs import heuristics_beside
from commonsense_planning.pddl.plan import Plan, Step, cost_text
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.classical.lazy import alternating_search
from commonsense_planning.state import make_state
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.processes import Limit
from commonsense_planning.support.registry import plug_in
from commonsense_planning.task import Task

if TYPE_CHECKING:
    from commonsense_planning.grounding.causes import Why

HEURISTIC_FILES = "commonsense_planning.heuristic_files"
"""The group of entry points that search with a heuristic from a file: ``python`` → search(request, file) → Solution."""
MOST_PAIRED = 3_000  # facts; with more, mutexes take seconds


@dataclass(frozen=True)
class GreedyOptions(config.Options):
    """Options of greedy search."""

    anytime: bool = option(
        False, "Continue for cheaper plans until --max-seconds, Ctrl-C, or none is cheaper; the best is kept."
    )
    heuristic: str | None = option(
        None,
        f"{', '.join(HEURISTICS.built_in)}, a plug-in's, the pack's, or a file of cplan write-heuristic [default: "
        "alternates h_FF, landmarks and novelty].",
        metavar="NAME|FILE",
    )
    lifted: bool = option(
        False,
        "Do not ground the task; search with h_add, or with --heuristic ff or max. Automatic if the task is too large.",
    )


class Greedy(TrueWorldMethod):
    """Finds a plan from the true initial state; with ``anytime``, then cheaper ones, which the trace records."""

    name = "gbfs"
    summary = "cplan's greedy best-first search, alternating h_FF, landmarks and novelty; knows the true world"
    Options = GreedyOptions

    def solve(self, request: Request) -> Solution:
        options = request.options_as(GreedyOptions)
        if options.anytime and (options.heuristic or options.lifted):
            raise UsageError("--anytime has its own heuristics, and cannot be combined with --heuristic or --lifted")
        limit = Limit(request.seconds)
        if options.heuristic:
            file = _heuristic_file(options.heuristic, request.task.problem.folders[0])
            if file is not None:
                return _search_with_file(request, file)
        kind = heuristic_named(options.heuristic) if options.heuristic else None
        if options.lifted:
            if kind is not None and not _on_facts(kind):
                raise UsageError(f"--heuristic {options.heuristic} needs a grounded task, not --lifted")
            return _lifted(request, limit, kind)
        try:
            return self._grounded(request, options, kind, limit)
        except TooLargeError:
            if kind is not None and not _on_facts(kind) or limit.left <= 0:
                raise
        return _lifted(request, limit, kind)  # the error is gone, and with it what its frames hold

    def _grounded(self, request: Request, options: GreedyOptions, kind: HeuristicKind | None, limit: Limit) -> Solution:
        whole, (task, compiled) = request.task.grounded, request.task.relevant
        state, limits = make_state(compiled, task.init), Limits(limit.left)

        def report(what: str, best: int, evaluated: int) -> None:
            said = "" if what == "h" else f"cost {cost_text(task.amount(best))}, "
            request.report(f"{said}states evaluated", evaluated, None)

        series = None
        if kind is not None:
            from commonsense_planning.search.classical.best_first import BestFirst

            found = BestFirst(compiled, kind.make(task, compiled, True)).gbfs(state, limits, report)
        elif options.anytime:
            from commonsense_planning.search.classical.anytime import Anytime, Improvement

            def improved(better: Improvement) -> None:
                request.emit({"event": "improved", "cost": better.cost, "evaluated": better.evaluated})

            series = Anytime(task, compiled, state, limits, report, improved).run()
            found = series.result
        else:
            found = alternating_search(compiled, state, limits, report)
        solution = Solution(
            found.status,
            None if found.operators is None else task.plan(found.operators),
            found.reason,
            operators=whole.operator_count,
            facts=whole.fact_count,
            expanded=found.expanded,
        )
        if series is None or not series.improvements:
            return solution
        better = series.improvements
        return replace(
            solution,
            reason=f"{series.ended}; the last of {len(better)} plans, each cheaper than the one before",
            bound=better[-1].cost if series.proven else None,
            improvements=tuple((round(each.seconds, 3), each.cost) for each in better),
        )


def _on_facts(kind: HeuristicKind) -> bool:
    """Whether a heuristic needs only the delete relaxation, which works without grounding the task."""
    from commonsense_planning.heuristics.lifted_relaxation import RELAXATIONS

    return bool({*kind.forms} & {*RELAXATIONS})


def _lifted(request: Request, limit: Limit, kind: HeuristicKind | None) -> Solution:
    """Searches the lifted task with a heuristic of the delete relaxation, h_add by default; if even that is too large
    to ground, with the number of missing goal facts."""
    from commonsense_planning.grounding.lifted import lift
    from commonsense_planning.grounding.lifted_successors import LiftedTask
    from commonsense_planning.heuristics.lifted_relaxation import LiftedRelaxation
    from commonsense_planning.search.classical.first_better import FirstBetter, GoalCount

    task = LiftedTask(lift(request.task.problem))

    def report(what: str, best: int, evaluated: int) -> None:
        request.report("states evaluated, not grounded", evaluated, None)

    rng = np.random.default_rng(request.seed)
    try:
        relaxation = LiftedRelaxation(task, kind or heuristic_named("add"), request.task.max_operators)
        search = FirstBetter(task, relaxation, rng, relaxation.helpful)
    except TooLargeError:
        if kind is not None:
            raise
        search = FirstBetter(task, GoalCount(task), rng)
    found = search.run(Limits(limit.left), report)
    plan = None if found.plan is None else Plan(tuple(Step(o.name, o.arguments) for o in found.plan))
    return Solution(found.status, plan, expanded=found.expanded)


def _heuristic_file(name: str, folder: Path | None) -> Path | None:
    """The file of a heuristic: the one named, or one that ships with the domain; None for names of the registry."""
    file = Path(name)
    if file.is_file() or file.suffix == ".py":
        return file
    return None if name in HEURISTICS else heuristics_beside(folder).get(name)


def _search_with_file(request: Request, file: Path) -> Solution:
    """Searches with a heuristic that is a program. Raises MissingError if no plug-in that runs it is installed."""
    runs = plug_in(HEURISTIC_FILES, "python", f"search with the heuristic of a file, {file},")
    solution: Solution = runs(request, file)
    return solution


GBFS = Greedy()


def in_the_true_world(task: Task, seconds: float, states: int | None = None) -> tuple[Status, Why]:
    """What greedy search proves about the true world, regardless of observability: SOLVED, UNSOLVABLE, or BUDGET if the
    limits allow neither; and an explanation. Raises InputError if the task cannot be grounded."""
    from commonsense_planning.grounding.causes import Why
    from commonsense_planning.grounding.unreachable import NOTHING_TO_DO, exhausted

    try:
        with within_seconds(seconds), within_memory():
            ground, compiled = task.relevant
            found = alternating_search(compiled, make_state(compiled, ground.init), Limits(seconds, states))
            if found.status is Status.UNSOLVABLE:
                return found.status, why_unsolvable(task) or Why(exhausted(task.problem, found.expanded))
            return found.status, Why(NOTHING_TO_DO if found.operators == () else found.reason)
    except BudgetError as error:
        return Status.BUDGET, Why(str(error))


def why_unsolvable(task: Task) -> Why:
    """Why the true world, which has no plan, has none: by the delete relaxation, else by mutexes, too; empty if neither
    knows. Raises InputError if the task cannot be grounded."""
    from commonsense_planning.grounding.unreachable import unreachable
    from commonsense_planning.kernels.mutexes import free_facts, non_mutex_pairs

    ground = task.grounded
    why = unreachable(ground)
    if why or ground.fact_count > MOST_PAIRED:
        return why
    compiled = task.all_seen[1]
    pairs = non_mutex_pairs(compiled.table, make_state(compiled, ground.init), free_facts(compiled))
    both = np.unpackbits(pairs.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)
    return unreachable(ground, mutex=~both[: ground.fact_count, : ground.fact_count])


def _built_in(admissible: bool) -> str:
    """The built-in heuristics that are admissible, or those that are not, as text."""
    return ", ".join(name for name in HEURISTICS.built_in if HEURISTICS[name].admissible is admissible)


@dataclass(frozen=True)
class CheapestOptions(config.Options):
    """Options of A*."""

    evaluations: int | None = option(
        None, "Limit on the evaluated states; then a greedy plan, with a lower bound on the cost of all plans.", least=1
    )
    heuristic: str = option(
        "lmcut",
        f"{_built_in(admissible=True)}: a cheapest plan; {_built_in(admissible=False)}, a plug-in's: a plan.",
        metavar="NAME",
    )


class AStar(TrueWorldMethod):
    """Finds an optimal plan from the true initial state and proves that it is; at a limit, gives a plan and the bound
    proven for all plans."""

    name = "astar"
    summary = "cplan's A* with LM-cut, on the relevant part of the task: an optimal plan; knows the true world"
    Options = CheapestOptions

    def solve(self, request: Request) -> Solution:
        from commonsense_planning.search.classical.cheapest import cheapest_plan

        task, options = request.task.grounded, request.options_as(CheapestOptions)
        limits, kind = Limits(request.seconds, options.evaluations), heuristic_named(options.heuristic)
        found = cheapest_plan(
            task, request.task.pruning, limits, lambda what, f, n: request.report("states evaluated", n, None), kind
        )
        status, reason = found.result.status, ""
        if status is Status.BUDGET:
            reason = f"no plan costs less than {cost_text(found.bound)}; nothing more was proven within the limits"
            if found.cost is not None and limits.evaluations is not None:
                status = Status.SOLVED
        return Solution(
            status,
            None if found.result.operators is None else task.plan(found.result.operators),
            reason,
            operators=task.operator_count,
            facts=task.fact_count,
            expanded=found.result.expanded,
            bound=found.bound if kind.admissible and status is not Status.UNSOLVABLE else None,
        )


ASTAR = AStar()
