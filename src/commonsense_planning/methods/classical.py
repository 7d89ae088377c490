"""Classical planners: our own, and other people's (Fast Downward, pyperplan, any engine of unified-planning).

They know the true world and ask nobody: neither language model nor belief is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commonsense_planning import config
from commonsense_planning.config import option
from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.kernels.compiled import Compiled, State, make_state
from commonsense_planning.methods.method import Estimate, Method, Request, Solution, World
from commonsense_planning.methods.task import Task
from commonsense_planning.pddl.problem import Feature
from commonsense_planning.planners import fast_downward
from commonsense_planning.planners.planner import Planner
from commonsense_planning.planners.up_engine import PYPERPLAN as PYPERPLAN_ENGINE
from commonsense_planning.planners.up_engine import UpEngine
from commonsense_planning.search.anytime import Anytime, Improvement
from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.search.cheapest import cheapest_plan
from commonsense_planning.search.compiled_search import Limits, Report, SearchResult
from commonsense_planning.search.lazy import alternating_search
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.processes import Limit

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
        limit = Limit(request.seconds)
        whole, (task, compiled) = request.task.grounded, request.task.relevant

        def report(what: str, best: int, evaluated: int) -> None:
            request.report("states evaluated", evaluated, None)

        result = self.search(compiled, make_state(compiled, task.init), Limits(limit.left), report)
        return Solution(
            result.status,
            None if result.operators is None else task.plan(result.operators),
            result.reason,
            operators=whole.operator_count,
            facts=whole.fact_count,
            expanded=result.expanded,
        )

    def estimate(self, request: Request) -> Estimate | None:
        return None


_FIRST_PLAN = BestFirstSearch(
    "gbfs",
    "our greedy best-first search: h_FF, landmarks and novelty in turn; knows the true world",
    alternating_search,
)


@dataclass(frozen=True)
class GreedyOptions(config.Options):
    """Of greedy search."""

    anytime: bool = option(
        False, "Go on for cheaper plans until --max-seconds are over, none is cheaper, or Ctrl-C; the best one is kept."
    )


class Greedy:
    """A plan from the true initial state; with ``anytime`` then cheaper ones, of which the trace tells."""

    name, summary, world = _FIRST_PLAN.name, _FIRST_PLAN.summary, _FIRST_PLAN.world
    Options = GreedyOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        if not request.options.anytime:
            return _FIRST_PLAN.solve(request)
        limit = Limit(request.seconds)
        whole, (task, compiled) = request.task.grounded, request.task.relevant

        def told(better: Improvement) -> None:
            request.emit({"event": "improved", "cost": better.cost, "evaluated": better.evaluated})

        def report(what: str, best: int, evaluated: int) -> None:
            request.report("states evaluated" if what == "h" else f"cost {best}, states evaluated", evaluated, None)

        state = make_state(compiled, task.init)
        found = Anytime(task, compiled, state, Limits(limit.left), report, told).run()
        plans = len(found.improvements)
        reason = f"{found.ended}; the last of {plans} plans, each cheaper than those before it"
        return Solution(
            found.result.status,
            None if found.result.operators is None else task.plan(found.result.operators),
            reason if plans else found.result.reason,
            operators=whole.operator_count,
            facts=whole.fact_count,
            expanded=found.result.expanded,
            bound=found.improvements[-1].cost if found.proven else None,
            improvements=tuple((round(better.seconds, 3), better.cost) for better in found.improvements),
        )

    def estimate(self, request: Request) -> Estimate | None:
        return None


GBFS = Greedy()


def in_the_true_world(task: Task, seconds: float, states: int | None = None) -> Status:
    """What greedy search proves of the true world, whatever an agent sees of it: SOLVED, UNSOLVABLE, or nothing within
    the limits, BUDGET. Raises InputError for what cannot be grounded."""
    try:
        with within_seconds(seconds), within_memory():
            ground, compiled = task.relevant
            return alternating_search(compiled, make_state(compiled, ground.init), Limits(seconds, states)).status
    except BudgetError:
        return Status.BUDGET


ASTAR_BLIND = BestFirstSearch(
    "astar-blind",
    "our A* without a heuristic: a cheapest plan; knows the true world",
    lambda task, state, limits, report: BestFirst(task, Blind(task)).astar(state, 1, limits, report),
)


@dataclass(frozen=True)
class CheapestOptions(config.Options):
    """Of A*."""

    evaluations: int | None = option(
        None, "States that are evaluated at most; then comes a greedy plan, with a bound on all plans.", least=1
    )


class AStar:
    """A cheapest plan from the true initial state, and the proof that it is one; where a limit is in the way, a plan
    and what is proven about all plans."""

    name = "astar"
    summary = "our A* with LM-cut, on what matters for the goal: a cheapest plan; knows the true world"
    world = World.KNOWN
    Options = CheapestOptions

    def why_not(self, task: Task) -> str | None:
        return task.no_world

    def solve(self, request: Request) -> Solution:
        task, options = request.task.grounded, request.options
        limits = Limits(request.seconds, options.evaluations)
        found = cheapest_plan(
            task, request.task.pruning, limits, lambda what, f, n: request.report("states evaluated", n, None)
        )
        status, reason = found.result.status, ""
        if status is Status.BUDGET:
            reason = f"no plan costs less than {found.bound:g}, which is all that was proven within the limits"
            if found.cost is not None and limits.evaluations is not None:
                status = Status.SOLVED
        return Solution(
            status,
            None if found.result.operators is None else task.plan(found.result.operators),
            reason,
            operators=task.operator_count,
            facts=task.fact_count,
            expanded=found.result.expanded,
            bound=None if status is Status.UNSOLVABLE else found.bound,
        )

    def estimate(self, request: Request) -> Estimate | None:
        return None


ASTAR = AStar()


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
