"""Our methods on one household problem, over seeds: how many runs reach the goal, in how many steps and seconds.

    python -m benchmarks.household [PROBLEM] [SEEDS]
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import read_task

ACTING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("llm-mcts", {}),
    ("uct", {}),
    ("llm-mcts", {"policy": "uniform"}),
    ("llm-mcts", {"prior": "uniform"}),
    ("llm-mcts", {"observable": True}),
    *((name, {}) for name in ("llm-replan", "llm-policy", "llm-program")),
)
HOUSEHOLD = Path(__file__).parents[1] / "pddl" / "household"


def main(name: str, seeds: int) -> None:
    """Print one Markdown row per method that acts: solved runs, median steps of these, median seconds a step."""
    task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / f"{name}.pddl")
    print(f"{name}, {seeds} seeds, 100 simulations a decision, at most 30 steps")
    print("| method | solved | steps (median) | seconds a step (median) |")
    print("|---|---|---|---|")
    for name, settings in ACTING:
        method = method_named(name)
        runs = [solve(Request(task, method, method.Options.of(settings), seed=seed)) for seed in range(seeds)]
        steps = [len(run.plan) for run in runs if run.plan is not None and run.status == Status.SOLVED]
        pace = statistics.median(run.seconds / max(1, len(run.plan or ())) for run in runs)
        label = " ".join([name, *(f"--{key} {value}".removesuffix(" True") for key, value in settings.items())])
        middle = f"{statistics.median(steps):g}" if steps else "–"
        print(f"| `{label}` | {len(steps)} of {seeds} | {middle} | {pace:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "demo", int(sys.argv[2]) if len(sys.argv) > 2 else 5)
