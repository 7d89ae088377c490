"""The rows of a run: of each problem and agent, how far the agent is from the best."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.benchmarks.search_regret import chance
from lab.benchmarks.search_regret.exact import Optimum, expected_steps, greedy
from lab.benchmarks.search_regret.fetching import FAMILIES
from lab.benchmarks.search_regret.harness import Hidden, Paced, parsed, read_worlds, run
from lab.benchmarks.search_regret.problems import HARD, SearchProblem, numbered

GREEDY = "greedy"
COUNTS = {"one": 200, "hard": len(HARD), **dict.fromkeys(FAMILIES, 100), "chance": 26}
"""Family → the number of problems of a full run."""

Row = dict[str, Any]
"""Of one agent in one problem: ``family``, ``problem`` (its number), ``agent``; ``best``, the least expected steps;
``ratio`` of the agent's over it; ``missed`` episodes; ``ms`` of processor time a decision."""


def rows_of(family: str, job: tuple[int, Sequence[str]], episodes: int) -> list[Row]:
    """The rows of a problem, by its number, and agents; of one under chance that begins at its goal there are none."""
    number, agents = job
    about: Row = {"family": family, "problem": number}
    if family == "chance":
        return _under_chance(number, agents, episodes, about)
    if family in FAMILIES:
        problem, began = FAMILIES[family](number), time.process_time()
        best, model = problem.best, problem.model
        about |= {"hands": model.hands, "things": len(model.targets), "exact_s": time.process_time() - began}
        return _hidden(problem, best, agents, about)
    one = numbered(HARD[number] if family == "hard" else number)
    return _hidden(one, Optimum(one).steps, agents, about)


def _hidden(problem: Hidden, best: float, agents: Sequence[str], about: Row) -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory(prefix="cplan-search-") as folder:
        worlds = read_worlds(problem, Path(folder))
        for agent in agents:
            pace = Paced()
            if agent == GREEDY and isinstance(problem, SearchProblem):
                expected, missed = expected_steps(problem, greedy(problem)), 0
            else:
                name, options = parsed(agent)
                expected, missed = run(worlds, name, pace, **options)
            row = {**about, "worlds": len(worlds.tasks), "best": best, "agent": agent, "ratio": expected / best}
            rows.append({**row, "missed": missed, "ms": 1000 * pace.seconds / max(1, pace.decisions)})
    return rows


def _under_chance(number: int, agents: Sequence[str], episodes: int, about: Row) -> list[Row]:
    problem = chance.gathering(number)
    values = chance.Values(problem)
    rows = []
    with tempfile.TemporaryDirectory(prefix="cplan-chance-") as folder:
        task = problem.task(Path(folder))
        for agent in agents if values.least else ():
            ratio, missed, ms = chance.score(task, values, *parsed(agent), episodes)
            rows.append({**about, "best": values.least, "agent": agent, "ratio": ratio, "missed": missed, "ms": ms})
    return rows
