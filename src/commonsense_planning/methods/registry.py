"""The one table of methods: name → how it solves."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from commonsense_planning.config import Choice, ClimbConfig, RolloutKind, SearchConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.opening import Models
from commonsense_planning.methods.task import Task
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Feature
from commonsense_planning.search.result import Status


class Source(StrEnum):
    """Where a prior or a policy comes from."""

    MODEL = "model"
    UNIFORM = "uniform"


@dataclass(frozen=True)
class Method:
    """One row. ``kind`` is ``mcts``, ``replan``, ``policy``, ``climb`` (hill climbing), ``guide`` (a guide as a plan),
    ``program``, ``learned`` (a trained policy), ``model`` and ``route`` (travelling), ``search`` (our own classical
    planners) or ``planner`` (others').

    ``observable``: it is given the true world. ``prior``, ``policy``, ``rollout`` and ``choose`` are
    what the paper varies, and how the action is chosen at the root. ``max_steps``: real actions before giving up, where
    the user sets no limit.
    """

    name: str
    summary: str
    kind: str
    observable: bool = False
    prior: Source = Source.MODEL
    policy: Source = Source.MODEL
    rollout: RolloutKind = RolloutKind.RELAXED_PLAN
    choose: Choice = Choice.VISITS
    max_steps: int = SearchConfig.max_steps

    @property
    def acts(self) -> bool:
        """Whether it acts step by step; otherwise it finds a plan at once."""
        return self.kind in ("mcts", "replan", "policy", "program", "learned")


METHODS = {
    m.name: m
    for m in (
        Method("llm-mcts", "Algorithm 1: search with the model's prior belief and policy", "mcts"),
        Method(
            "uct",
            "the same search, uniform prior, policy and roll-outs: no common sense",
            "mcts",
            prior=Source.UNIFORM,
            policy=Source.UNIFORM,
            rollout=RolloutKind.UNIFORM,
            choose=Choice.VALUE,
        ),
        Method(
            "llm-mcts-no-policy", "ablation: the model's prior, uniform policy", "mcts", policy=Source.UNIFORM
        ),
        Method(
            "llm-mcts-uniform-prior",
            "ablation: uniform prior, the model's policy",
            "mcts",
            prior=Source.UNIFORM,
        ),
        Method(
            "llm-mcts-observable", "ablation: the true world is known from the start", "mcts", observable=True
        ),
        Method(
            "llm-replan",
            "plan with gbfs in the likeliest believed world, act, plan again if surprised",
            "replan",
        ),
        Method(
            "llm-policy",
            "L-Policy, the paper's baseline: do at once what the model says comes next; no search",
            "policy",
            prior=Source.UNIFORM,
        ),
        Method(
            "llm-hill-climb",
            "the model picks among the applicable actions, step by step; knows the true world",
            "climb",
            True,
            max_steps=20,
        ),
        Method(
            "llm-guide",
            "a plan that the model writes at once, as far as it can be carried out; knows the true world",
            "guide",
            True,
            max_steps=20,
        ),
        Method(
            "llm-program",
            "ProgPrompt: carry out a program of actions and checks that the model writes; knows the true world",
            "program",
            observable=True,
            prior=Source.UNIFORM,
        ),
        Method(
            "learned-policy",
            "the paper's GPT-2 baseline: do what a policy trained on an expert's trajectories says (--weights DIR)",
            "learned",
            prior=Source.UNIFORM,
        ),
        Method(
            "llm-model",
            "travelling, L-Model: uniform-cost search over the ways that the model predicts from each place",
            "model",
            max_steps=6,
        ),
        Method("llm-route", "travelling, L-Policy: the route that the model writes", "route", max_steps=6),
        Method(
            "gbfs",
            "our greedy best-first search, h_FF and preferred operators; knows the true world",
            "search",
            True,
        ),
        Method("astar", "our A* with h_max: a cheapest plan; knows the true world", "search", True),
        Method(
            "astar-blind", "our A* without a heuristic: a cheapest plan; knows the true world", "search", True
        ),
        Method("fast-downward", "Fast Downward, lama-first; knows the true world", "planner", True),
        Method(
            "pyperplan",
            "pyperplan, gbf with hff, after compiling away what it lacks; knows the true world",
            "planner",
            True,
        ),
    )
}
UP_PREFIX = "up:"
TRAVELLING = ("model", "route")
"""Kinds of methods that take tasks of travelling only."""


def method_named(name: str) -> Method:
    """The row of a method; ``up:<engine>`` is any engine of unified-planning. Raises UsageError with a
    did-you-mean."""
    if name in METHODS:
        return METHODS[name]
    if name.startswith(UP_PREFIX):
        return Method(
            name, f"unified-planning's engine {name[len(UP_PREFIX) :]}; knows the true world", "planner", True
        )
    close = difflib.get_close_matches(name, METHODS, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise UsageError(f"no method is called {name}{hint}; there are {', '.join(METHODS)} and up:<engine>")


def why_not(method: Method, task: Task) -> str | None:
    """Why a method cannot take a task, or None if it can."""
    if method.kind == "planner":
        from commonsense_planning.planners.solve import why_not as planner_why_not

        return planner_why_not(task.problem, method.name)
    if Feature.CONTINGENT in task.problem.features:
        return (
            "a contingent :init (oneof, unknown) names no true world to act in; --world FILE names one, "
            "and where there is no such file yet, a world is drawn by the seed and written there"
        )
    if method.kind in TRAVELLING:
        from commonsense_planning.studies.travelling.travel import travel_of

        try:
            travel_of(task.problem)
        except UsageError as error:
            return str(error)
    return None


@dataclass(frozen=True)
class Request:
    """What to solve and how.

    ``models`` gives the one that answers. ``rollout``, ``choose`` None: the method's own. ``seconds`` None: no limit.
    ``instruction``: the goal in the user's own words, for the model; ``description``: what the model is told in its
    place by methods that do not tell it the goal. ``climb``: the settings of hill climbing and of guides. ``weights``:
    the folder of a trained policy. ``emit`` gets the events of the trace, ``report`` (what, count) the progress within
    a decision or a search.
    """

    task: Task
    method: Method
    models: Models = field(default_factory=Models)
    config: SearchConfig = field(default_factory=SearchConfig)
    rollout: RolloutKind | None = None
    choose: Choice | None = None
    seed: int = 0
    seconds: float | None = None
    instruction: str = ""
    description: str = ""
    climb: ClimbConfig = field(default_factory=ClimbConfig)
    weights: Path | None = None
    emit: Callable[[dict[str, Any]], None] = lambda event: None
    report: Callable[[str, int], None] = lambda what, count: None

    @property
    def tells_steps(self) -> bool:
        """Whether the steps of the plan, and no others, are told one by one as they are carried out."""
        one_way = self.climb.beam == 1 and not self.climb.backtrack
        return self.method.acts or self.method.kind == "guide" or (self.method.kind == "climb" and one_way)


@dataclass(frozen=True)
class Solution:
    """How it ended, not yet validated.

    ``plan``: what was found or carried out, None if there is nothing. ``model`` is empty where none was used;
    ``model_note`` says what kind it is; ``unmatched`` counts the phrases of its answers that name nothing here;
    ``usage`` what it was asked, and ``usd`` what that cost in this run, None if
    the price is not known.
    """

    status: Status
    plan: Plan | None
    seconds: float
    reason: str = ""
    model: str = ""
    model_note: str = ""
    usage: Usage | None = None
    usd: float | None = None
    unmatched: int = 0
    operators: int = 0
    facts: int = 0
    expanded: int | None = None
    version: str = ""


def solve(request: Request) -> Solution:
    """Solve a task with a method.

    Raises UsageError for an unknown model and a method that cannot take the task, MissingError for what is
    not installed, and InputError for what cannot be grounded.
    """
    started = time.perf_counter()
    reason = None if request.method.kind == "planner" else why_not(request.method, request.task)
    if reason is not None:
        raise UsageError(f"{request.method.name} cannot take this task: {reason}")
    if (request.method.kind == "learned") != (request.weights is not None):
        raise UsageError("--method learned-policy and --weights DIR go together: DIR is what cplan train-policy wrote")
    if request.method.kind == "planner":
        solution = _planner(request)
    elif request.method.kind == "search":
        from commonsense_planning.methods.searching import search

        solution = search(request)
    elif request.method.kind in ("climb", "guide"):
        from commonsense_planning.methods.climbing import climb

        solution = climb(request)
    elif request.method.kind in TRAVELLING:
        from commonsense_planning.studies.travelling.travelling import travel

        solution = travel(request)
    else:
        from commonsense_planning.methods.solving import act

        solution = act(request)
    return replace(solution, seconds=time.perf_counter() - started)


def _planner(request: Request) -> Solution:
    from commonsense_planning.planners.result import Status as PlannerStatus
    from commonsense_planning.planners.solve import solve_classical

    result = solve_classical(request.task.problem, request.method.name, request.seconds)
    if result.status == PlannerStatus.UNSUPPORTED:
        raise UsageError(f"{request.method.name} cannot take this task: {result.reason}")
    status = {
        PlannerStatus.SOLVED: Status.SOLVED,
        PlannerStatus.UNSOLVABLE: Status.UNSOLVABLE,
        PlannerStatus.TIMEOUT: Status.BUDGET,
        PlannerStatus.FAILED: Status.UNSOLVED,
    }[result.status]
    return Solution(status, result.plan, 0.0, result.reason, version=result.version)
