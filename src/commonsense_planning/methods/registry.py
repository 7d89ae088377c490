"""All methods by name: those that ship, and those that installed packages register.

A package registers a method through the entry point group ``commonsense_planning.methods``, name → "module:OBJECT"; the
studies that ship do so too. Nothing is imported before it is asked for.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commonsense_planning import config
from commonsense_planning.errors import BudgetError, CplanError, MissingError, Status, UsageError
from commonsense_planning.methods.method import Estimate, Family, Method, Observability, Request, Solution
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
    "llm-policy": "policy:POLICY",
    "llm-hill-climb": "hill_climb:HILL_CLIMB",
    "llm-guide": "hill_climb:GUIDE",
    "llm-plan": "llm_plan:LLM_PLAN",
    "llm-modulo": "llm_plan:LLM_MODULO",
    "gbfs": "classical:GBFS",
    "astar": "classical:ASTAR",
    "fast-downward": "classical:FAST_DOWNWARD",
    "pyperplan": "classical:PYPERPLAN",
}
LABORATORY = ("learned-policy", "llm-heuristic", "llm-model", "llm-program", "llm-route")
"""Those that the laboratory registers."""

_ABLATIONS = {"no-policy": "--policy uniform", "uniform-prior": "--prior uniform", "observable": "--observable"}
RENAMED = {
    "astar-blind": "--method astar --heuristic blind",
    **{f"{m}-{a}": f"--method {m} {now}" for m in ("llm-mcts", "llm-mcts-paper") for a, now in _ABLATIONS.items()},
}


EXPLAINING, EXPLAINING_STATES = 10.0, 10_000
"""Seconds that it may take to find out why there is no plan, and states that are evaluated, at most."""


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
    LABORATORY,
)
"""Name → method. One that cannot be loaded is there as ``UnloadableMethod``, and does not take down the rest."""


def families() -> dict[str, Family]:
    """Prefix → methods without number."""
    from commonsense_planning.methods.classical import UP_ENGINES

    return {"up": UP_ENGINES}


def method_named(name: str) -> Method:
    """The method of that name. Raises UsageError with a did-you-mean, MissingError for one of the laboratory's where
    that is not installed."""
    if name in METHODS:
        return METHODS[name]
    prefix, colon, rest = name.partition(":")
    if colon and prefix in families():
        return families()[prefix].named(rest)
    if name in RENAMED:
        raise UsageError(f"the method {name} is {RENAMED[name]} now")
    raise METHODS.unknown(name, (family.members for family in families().values()))


def why_not(method: Method, task: Task) -> str | None:
    """Why a method cannot take a task here, or None if it can."""
    try:
        return method.why_not(task)
    except MissingError as error:
        return str(error)


def check_takes(method: Method, task: Task) -> None:
    """Raise UsageError, with the reason, for a method that cannot take a task. Raises MissingError as ``why_not``."""
    reason = method.why_not(task)
    if reason is not None:
        raise UsageError(f"{method.name} cannot take this task: {reason}")


def recommended(task: Task, unknown: bool = False) -> tuple[str, str]:
    """The name of the method to begin with, and why. ``unknown``: the embedded model knows of nothing that is hidden
    where it may be."""
    if unknown and why_not(METHODS["look-nearest"], task) is None:
        what = "something is hidden, and only a language model may know where: llm-mcts with --model NAME asks one"
        return "look-nearest", what
    if task.sensors is not None or task.contingent.atoms:
        return "llm-mcts", "something is hidden, and it looks where common sense expects it"
    return "gbfs", "nothing is hidden, and it finds a plan soonest"


def solve(request: Request | Task) -> Solution:
    """Solve a task with a method; a task that comes alone, with the one that is ``recommended``.

    Raises UsageError for an unknown model and a method that cannot take the task, MissingError for what is not
    installed, and InputError for what cannot be grounded. Why there is no plan is part of the ``reason``, as far as
    the delete relaxation knows (``grounding/unreachable.py``). Time, memory or operators that run out where no method
    is ready for it leave nothing but that outcome.
    """
    started = time.perf_counter()
    if not isinstance(request, Request):
        request = Request(request, "gbfs" if not hasattr(request, "problem") else recommended(request)[0])
    check_takes(request.method, request.task)
    try:
        with within_seconds(request.seconds), within_memory():
            solution = request.method.solve(request)
    except BudgetError as error:
        solution = Solution(Status.BUDGET, None, str(error))
    seconds = time.perf_counter() - started
    left = EXPLAINING if request.seconds is None else min(EXPLAINING, request.seconds - seconds)
    told = solution.reason, _known(request, solution, max(0.0, left))
    return replace(solution, reason="; ".join(filter(None, told)), seconds=seconds)


def _known(request: Request, solution: Solution, seconds: float) -> str:
    """What nobody told the method, nor its trace: that the goal held from the start, or why the true world has no plan,
    if ``seconds`` are enough to prove that."""
    from commonsense_planning.grounding.unreachable import NOTHING_TO_DO, exhausted, unreachable
    from commonsense_planning.methods.classical import in_the_true_world

    if solution.status is Status.SOLVED and solution.plan is not None and not len(solution.plan):
        return NOTHING_TO_DO
    if solution.status not in (Status.UNSOLVABLE, Status.UNSOLVED) or request.task.no_world is not None:
        return ""
    why = ""
    with suppress(CplanError):  # too large to ground, say
        if solution.status is Status.UNSOLVED:
            status, why = in_the_true_world(request.task, seconds, EXPLAINING_STATES)
            given = (
                "the true world has no plan either" if request.world is not Observability.KNOWN else "there is no plan"
            )
            said = "" if why.replace("at first", "now") in solution.reason else f": {why}"
            return f"{given}{said}" if status is Status.UNSOLVABLE else ""
        with within_seconds(seconds), within_memory():
            why = unreachable(request.task.grounded)
    return why or exhausted(request.task.problem, solution.expanded)
