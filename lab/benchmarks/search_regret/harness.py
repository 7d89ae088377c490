"""Agents in search problems: the exact expected number of steps, by an episode in every world that the prior allows.

An agent starts with the prior as its belief, and no model is asked where things are. Of a registered method the request
carries the prior (``Request.prior``), so any method can be tried, by its name.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.task import Task, read_task
from lab.benchmarks.search_regret.exact import Optimum, expected_steps, greedy
from lab.benchmarks.search_regret.problems import SearchProblem, numbered
from tests.data import REPOSITORY

HERE = REPOSITORY / "tests" / "search" / "pomdp" / "search_regret"
GREEDY = "greedy"
LIMIT = 200  # steps of an episode: a walk past all places takes at most half of them


@dataclass(frozen=True)
class Worlds:
    """A search problem read and grounded: ``tasks[i]`` is the world in which the thing is at place i; they share one
    grounding. ``prior``: float64 (places,), in the order of the exactly-one group's members."""

    problem: SearchProblem
    tasks: tuple[Task, ...]
    prior: Floats


def read_worlds(problem: SearchProblem, folder: Path) -> Worlds:
    """Writes the problem's files into a folder, and reads them."""
    for name in ("domain.pddl", "sensors.pddl"):
        shutil.copyfile(HERE / name, folder / name)
    tasks: list[Task] = []
    for truth in range(len(problem.places)):
        file = folder / f"{truth}.pddl"
        file.write_text(problem.pddl(truth), encoding="utf-8")
        tasks.append(replace(read_task(folder / "domain.pddl", file), like=tasks[0] if tasks else None))
    task, compiled = tasks[0].seen_in_part
    members = [task.fact_step(int(fact)).arguments[1] for fact in compiled.sensors.groups.row(0)]
    numbers = [int(member.rpartition("_")[2]) for member in members]
    return Worlds(problem, tuple(tasks), np.array(problem.prior)[numbers])


def run(worlds: Worlds, name: str, **options: Any) -> tuple[float, int]:
    """Runs an episode of a registered method in each world; returns expected steps, and how many episodes did not get
    there, which count as LIMIT. Raises UsageError for an unknown name, TypeError for options that it has not."""
    method, steps = method_named(name), list[int | None]()
    chosen = method.Options(**{"max_steps": LIMIT, **options})
    for task in worlds.tasks:
        solution = solve(Request(task, method, chosen, seed=0, prior=[worlds.prior]))
        steps.append(len(solution.plan or ()) if solution.status is Status.SOLVED else None)
    weighed = zip(worlds.problem.prior, steps, strict=True)
    return sum(p * (LIMIT if n is None else n) for p, n in weighed), steps.count(None)


def parsed(agent: str) -> tuple[str, dict[str, int]]:
    """Returns method and options of an agent, ``NAME`` or ``NAME@SIMULATIONS``."""
    name, _, simulations = agent.partition("@")
    return name, {"simulations": int(simulations)} if simulations else {}


class Score(NamedTuple):
    """Of one agent in one problem: its expected steps over the least, episodes that did not get there, seconds."""

    ratio: float
    missed: int
    seconds: float


def scores(number: int, agents: Sequence[str]) -> list[Score]:
    """Of each agent in problem ``number``."""
    problem = numbered(number)
    best = Optimum(problem).steps
    found = []
    with tempfile.TemporaryDirectory(prefix="cplan-search-") as folder:
        worlds = read_worlds(problem, Path(folder))
        for agent in agents:
            started = time.perf_counter()
            if agent == GREEDY:
                expected, missed = expected_steps(problem, greedy(problem)), 0
            else:
                name, options = parsed(agent)
                expected, missed = run(worlds, name, **options)
            found.append(Score(expected / best, missed, time.perf_counter() - started))
    return found
