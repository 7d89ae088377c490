"""How large a task may be: a library with many rooms, places and wanted books in unknown places.

    python -m lab.benchmarks.many_goals [--goals 5,10,20] [--places 20,50,110] [--methods llm-mcts,…]

``--closed``: the share of places that are cupboards. A row has the libraries solved, processor seconds of the slowest
first and later decision, and steps, compared with gbfs in the true world.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import Task
from lab.benchmarks.performance.table import head, line
from tests.library import library


@dataclass(frozen=True)
class Measured:
    """``first``, ``later``: processor seconds of the first decision, with its preparation, and of the slowest
    later one. ``known``: steps of gbfs in the true world."""

    solved: bool
    steps: int
    first: float
    later: float
    known: int


def measured(task: Task, name: str, seconds: float, known: int = 0) -> Measured:
    """Runs a method once."""
    method, times = method_named(name), [time.process_time()]

    def step(event: dict[str, Any]) -> None:
        if event["event"] == "step":
            times.append(time.process_time())

    solution = solve(Request(task, method, seconds=seconds, emit=step))
    gaps, solved = np.diff(times), solution.status is Status.SOLVED
    return Measured(solved, len(solution.plan or ()), float(gaps[0]), float(gaps[1:].max(initial=0.0)), known)


def numbers(text: str) -> list[int]:
    """Returns the numbers of a list such as 5,10."""
    return [int(number) for number in text.split(",")]


def rows(arguments: argparse.Namespace) -> Iterator[tuple[int, int, str, list[Measured]]]:
    """Goals, places, method, and what was measured, by library."""
    for goals in numbers(arguments.goals):
        for places in numbers(arguments.places):
            tasks = [library(goals, places, arguments.closed, seed) for seed in range(arguments.libraries)]
            best = [solve(Request(task, method_named("gbfs"), seconds=arguments.seconds)) for task in tasks]
            known = [len(solution.plan or ()) for solution in best]
            for name in arguments.methods.split(","):
                runs = zip(tasks, known, strict=True)
                yield goals, places, name, [measured(task, name, arguments.seconds, k) for task, k in runs]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", default="5,10,20")
    parser.add_argument("--places", default="20,50,110")
    parser.add_argument("--methods", default="llm-mcts,llm-replan,look-nearest")
    parser.add_argument("--closed", type=float, default=0.0)
    parser.add_argument("--libraries", type=int, default=5, help="per row; their seeds are 0, 1, …")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of a run")
    arguments = parser.parse_args()
    measured(library(2, 4, 0.5, 0), arguments.methods.split(",")[0], 60.0)  # kernels are loaded
    columns = "first decision, s", "slowest later, s", "steps", "gbfs, all seen"
    print(head("goals", "places", "method", "solved", *columns))
    for goals, places, name, runs in rows(arguments):
        solved, steps, known = sum(r.solved for r in runs), sum(r.steps for r in runs), sum(r.known for r in runs)
        first, later = max(r.first for r in runs), max(r.later for r in runs)
        cells = goals, places, f"`{name}`", f"{solved} of {len(runs)}", f"{first:.2f}", f"{later:.2f}", steps, known
        print(line(*cells), flush=True)


if __name__ == "__main__":
    main()
