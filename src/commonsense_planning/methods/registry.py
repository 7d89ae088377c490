"""The registry of methods by name: the built-in ones, and those of installed packages.

A package registers a method through the entry point group ``commonsense_planning.methods``, name → "module:OBJECT".
Nothing is imported before it is needed.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commonsense_planning import config
from commonsense_planning.errors import BudgetError, CplanError, InputError, MissingError, Status, UsageError
from commonsense_planning.methods.method import Estimate, Method, Observability, Request, Solution
from commonsense_planning.support.limits import within_memory, within_seconds
from commonsense_planning.support.registry import Registry

if TYPE_CHECKING:
    from commonsense_planning.task import Task

GROUP = ROOM = "commonsense_planning.methods"

BUILT_IN = {
    "llm-mcts": "llm_mcts:LLM_MCTS",
    "llm-mcts-paper": "tree_search:LLM_MCTS_PAPER",
    "uct": "tree_search:UCT",
    "llm-replan": "replan:REPLAN",
    "look-greedy": "look_order:GREEDY",
    "look-nearest": "look_order:NEAREST",
    "llm-policy": "tree_search:POLICY",
    "llm-hill-climb": "hill_climb:HILL_CLIMB",
    "llm-guide": "hill_climb:GUIDE",
    "gbfs": "classical:GBFS",
    "astar": "classical:ASTAR",
    "fast-downward": "external:FAST_DOWNWARD",
    "pyperplan": "external:PYPERPLAN",
}

_ABLATIONS = {"no-policy": "--policy uniform", "uniform-prior": "--prior uniform", "observable": "--observable"}
RENAMED = {
    "astar-blind": "--method astar --heuristic blind",
    **{f"{m}-{a}": f"--method {m} {now}" for m in ("llm-mcts", "llm-mcts-paper") for a, now in _ABLATIONS.items()},
}


EXPLAINING, EXPLAINING_STATES = 10.0, 10_000
"""Limits in seconds and in evaluated states for finding out why there is no plan."""


@dataclass(frozen=True)
class UnloadableMethod:
    """A method that cannot be loaded, and why."""

    name: str
    error: MissingError
    world: Observability = Observability.KNOWN
    Options: type[config.Options] = config.Options

    @property
    def summary(self) -> str:
        """Why."""
        return str(self.error)

    def why_not(self, task: Task) -> str | None:
        raise self.error

    def solve(self, request: Request) -> Solution:
        raise self.error

    def estimate(self, request: Request) -> Estimate | None:
        raise self.error


METHODS: Registry[Method] = Registry(
    "method",
    GROUP,
    Method,  # type: ignore[type-abstract]
    {name: f"{ROOM}.{place}" for name, place in BUILT_IN.items()},
    UnloadableMethod,
)
"""All methods: name → method. One that cannot be loaded is an ``UnloadableMethod``, and does not affect the rest."""


def method_named(name: str) -> Method:
    """The method of that name. Raises UsageError with a suggestion, or MissingError for a known plug-in's method if the
    plug-in is not installed."""
    if name in METHODS:
        return METHODS[name]
    from commonsense_planning.methods.external import UP_ENGINES, up_engine
    from commonsense_planning.planners.up_engine import UP

    if name == UP or name.startswith(f"{UP}:") and name != f"{UP}:":
        return up_engine(name.partition(":")[2])
    if name in RENAMED:
        raise UsageError(f"the method {name} is now {RENAMED[name]}")
    raise METHODS.unknown(name, (UP_ENGINES,))


def why_not(method: Method, task: Task) -> str | None:
    """Why a method cannot solve a task here; None if it can."""
    try:
        reason = method.why_not(task)
        if reason is None:
            task.check_costs()
        return reason
    except (MissingError, InputError) as error:
        return str(error).partition("\n")[0]


def check_takes(method: Method, task: Task) -> None:
    """Raises UsageError, with the reason, for a method that cannot solve a task, InputError for costs that no method
    accepts, and what the method itself raises."""
    reason = method.why_not(task)
    if reason is not None:
        raise UsageError(f"{method.name} cannot solve this task: {reason}")
    task.check_costs()


def recommended(task: Task, unknown: bool = False) -> tuple[str, str]:
    """The name of the method to try first, and the reason. ``unknown``: the embedded model knows no likely place of
    anything hidden."""
    if task.needs:
        return "up", f"{task.problem.beyond}: unified-planning's engines"
    if unknown and why_not(METHODS["look-nearest"], task) is None:
        what = "something is hidden, and embedded does not know where: use llm-mcts with --model embeddings or another"
        return "look-nearest", what
    if task.sensors is not None or task.contingent.atoms:
        return "llm-mcts", "something is hidden, and llm-mcts looks where common sense expects it"
    return "gbfs", "nothing is hidden, and gbfs finds a plan fastest"


def solve(request: Request | Task) -> Solution:
    """Solves a task with a method; for a Task instead of a Request, with the ``recommended`` method.

    Raises UsageError for an unknown model and a method that cannot solve the task, MissingError for something that is
    not installed, and InputError if the task cannot be grounded. If there is no plan, ``reason`` explains why, as far
    as the delete relaxation shows it (``grounding/unreachable.py``). If time, memory or operators run out where the
    method does not handle it, only that outcome is returned.
    """
    started = time.perf_counter()
    if not isinstance(request, Request):
        request = Request(request, "gbfs" if not hasattr(request, "problem") else recommended(request)[0])
    try:
        with within_seconds(request.seconds), within_memory():
            check_takes(request.method, request.task)
            contradiction = _contradiction(request.task)
            if contradiction:
                return Solution(Status.UNSOLVABLE, None, contradiction, seconds=time.perf_counter() - started)
            solution = request.method.solve(request)
    except BudgetError as error:
        solution = Solution(Status.BUDGET, None, str(error))
    seconds = time.perf_counter() - started
    left = EXPLAINING if request.seconds is None else min(EXPLAINING, request.seconds - seconds)
    told, explanation = _known(request, solution, max(0.0, left))
    reason = "; ".join(filter(None, (solution.reason, told)))
    return replace(solution, reason=reason, explanation=explanation or solution.explanation, seconds=seconds)


def _contradiction(task: Task) -> str:
    """Why two parts of the goal never hold together; empty if nothing is known to exclude them."""
    from commonsense_planning.grounding.exclusive import exclusive_goals
    from commonsense_planning.grounding.lifted import lift

    return "" if task.no_world else exclusive_goals(lift(task.problem))


def _known(request: Request, solution: Solution, seconds: float) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """What neither the method nor its trace tells: that the goal held from the start, or why the true world has no
    plan, if ``seconds`` are enough to prove that; and the chains of reasons."""
    nothing_to_do = solution.status is Status.SOLVED and solution.plan is not None and not len(solution.plan)
    unsolved = solution.status in (Status.UNSOLVABLE, Status.UNSOLVED) and request.task.no_world is None
    if not nothing_to_do and not unsolved:
        return "", ()
    from commonsense_planning.grounding.causes import Why
    from commonsense_planning.grounding.unreachable import NOTHING_TO_DO, exhausted
    from commonsense_planning.methods.classical import in_the_true_world, why_unsolvable

    if nothing_to_do:
        return NOTHING_TO_DO, ()
    why = Why()
    with suppress(CplanError):  # too large to ground, say
        if solution.status is Status.UNSOLVED:
            status, why = in_the_true_world(request.task, seconds, EXPLAINING_STATES)
            given = (
                "the true world has no plan either" if request.world is not Observability.KNOWN else "there is no plan"
            )
            said = "" if str(why).replace("at first", "now") in solution.reason else f": {why}"
            if status is Status.SOLVED and solution.explanation:
                which = " with other outcomes" if request.task.problem.outcomes else ""
                return f"the true world has a plan{which}, which was not found", ()
            return (f"{given}{said}", why.chains) if status is Status.UNSOLVABLE else ("", ())
        with within_seconds(seconds), within_memory():
            why = why_unsolvable(request.task)
    return str(why) or exhausted(request.task.problem, solution.expanded), why.chains
