"""How large a task may be: a library with many rooms, places and wanted books in unknown places.

    python -m lab.benchmarks.many_goals [--goals 5,10,20] [--places 20,50,110] [--methods llm-mcts,…]

``--closed``: the share of places that are cupboards. A row has the libraries solved, processor seconds of the slowest
first and later decision, and steps, compared with gbfs in the true world.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from typing import Any

import numpy as np

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import Task
from lab.benchmarks.performance.table import head, line
from tests.library import library


def measured(task: Task, name: str, seconds: float) -> tuple[bool, int, float, float]:
    """Runs a method once; returns whether it solves the task, the steps, and processor seconds of the first decision,
    with its preparation, and of the slowest later one."""
    method, times = method_named(name), [time.process_time()]

    def step(event: dict[str, Any]) -> None:
        if event["event"] == "step":
            times.append(time.process_time())

    solution = solve(Request(task, method, seconds=seconds, emit=step))
    gaps, solved = np.diff(times), solution.status is Status.SOLVED
    return solved, len(solution.plan or ()), float(gaps[0]), float(gaps[1:].max(initial=0.0))


def numbers(text: str) -> list[int]:
    """Returns the numbers of a list such as 5,10."""
    return [int(number) for number in text.split(",")]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", type=numbers, default="5,10,20")
    parser.add_argument("--places", type=numbers, default="20,50,110")
    parser.add_argument("--methods", default="llm-mcts,llm-replan,look-nearest")
    parser.add_argument("--closed", type=float, default=0.0)
    parser.add_argument("--libraries", type=int, default=5, help="per row; their seeds are 0, 1, …")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of a run")
    given = parser.parse_args()
    methods = given.methods.split(",")
    measured(library(2, 4, 0.5, 0), methods[0], 60.0)  # kernels are loaded
    columns = "first decision, s", "slowest later, s", "steps", "gbfs, all seen"
    print(head("goals", "places", "method", "solved", *columns))
    for goals, places in product(given.goals, given.places):
        tasks = [library(goals, places, given.closed, seed) for seed in range(given.libraries)]
        plans = [solve(Request(task, method_named("gbfs"), seconds=given.seconds)).plan for task in tasks]
        known = sum(len(plan or ()) for plan in plans)  # steps in the true world
        for name in methods:
            runs = [measured(task, name, given.seconds) for task in tasks]
            solved, steps, first, later = zip(*runs, strict=True)
            told = f"{sum(solved)} of {len(runs)}", f"{max(first):.2f}", f"{max(later):.2f}", sum(steps), known
            print(line(goals, places, f"`{name}`", *told), flush=True)


if __name__ == "__main__":
    main()
