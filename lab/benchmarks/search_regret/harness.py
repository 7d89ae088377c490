"""Agents in search problems: the exact expected number of steps, by an episode in every world that the prior allows.

An agent starts with the prior as its belief, and no model is asked where things are. Of a registered method the request
carries the prior (``Request.prior``), so any method can be tried, by its name.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.observer import Observer
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.task import Task, read_task

LIMIT = 200  # steps of an episode: a walk past all places takes at most half of them


class Hidden(Protocol):
    """A problem whose worlds differ in where things are. ``folder`` has its ``domain.pddl`` and ``sensors.pddl``;
    ``worlds``: each with its probability."""

    @property
    def folder(self) -> Path: ...
    @property
    def worlds(self) -> Sequence[tuple[Any, float]]: ...
    def pddl(self, world: Any, /) -> str:
        """The problem file of a world."""

    def weight(self, fact: Sequence[str]) -> float:
        """The prior of a fact of an exactly-one group, by its arguments."""


@dataclass(frozen=True)
class Worlds:
    """A problem read and grounded: ``tasks[i]`` is the i-th world, ``weights[i]`` its probability; they share one
    grounding. ``prior``: of each exactly-one group, float64 (members,)."""

    tasks: tuple[Task, ...]
    weights: tuple[float, ...]
    prior: tuple[Floats, ...]


def read_worlds(problem: Hidden, folder: Path) -> Worlds:
    """Writes the problem's files into a folder, and reads them."""
    tasks: list[Task] = []
    for number, (world, _) in enumerate(problem.worlds):
        file = folder / f"{number}.pddl"
        file.write_text(problem.pddl(world), encoding="utf-8")
        task = read_task(problem.folder / "domain.pddl", file, sensors=problem.folder / "sensors.pddl")
        tasks.append(replace(task, like=tasks[0] if tasks else None))
    ground, compiled = tasks[0].seen_in_part
    groups = [compiled.sensors.groups.row(group).tolist() for group in range(len(compiled.sensors.groups))]
    prior = [np.array([problem.weight(ground.fact_step(fact).arguments) for fact in facts]) for facts in groups]
    return Worlds(tuple(tasks), tuple(weight for _, weight in problem.worlds), tuple(prior))


@dataclass
class Paced(Observer):
    """Puts itself between the agent and the episode, and counts its decisions, and their seconds of processor time."""

    decisions: int = 0
    seconds: float = 0.0
    agent: Any = field(default=None, init=False)

    def watch(self, agent: Any, say: Any, belief: Any, relevance: Any) -> Any:
        self.agent = agent
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.agent, name)

    def decide(self, report: Any = None) -> Any:
        began = time.process_time()
        decision = self.agent.decide(report)
        self.seconds += time.process_time() - began
        self.decisions += 1
        return decision


def run(worlds: Worlds, name: str, pace: Paced | None = None, **options: Any) -> tuple[float, int]:
    """Runs an episode of a registered method in each world; returns expected steps, and how many episodes did not get
    there, which count as LIMIT. Raises UsageError for an unknown name, TypeError for options that it has not."""
    method, steps, watching = method_named(name), list[int | None](), pace or Paced()
    chosen = method.Options(**{"max_steps": LIMIT, **options})
    for task in worlds.tasks:
        prior = [row.copy() for row in worlds.prior]
        solution = solve(Request(task, method, chosen, seed=0, prior=prior, observer=watching))
        steps.append(len(solution.plan or ()) if solution.status is Status.SOLVED else None)
    weighed = zip(worlds.weights, steps, strict=True)
    return sum(p * (LIMIT if n is None else n) for p, n in weighed), steps.count(None)


def parsed(agent: str) -> tuple[str, dict[str, int]]:
    """Returns method and options of an agent, ``NAME`` or ``NAME@SIMULATIONS``."""
    name, _, simulations = agent.partition("@")
    return name, {"simulations": int(simulations)} if simulations else {}
