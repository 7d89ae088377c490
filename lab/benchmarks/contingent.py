"""Contingent problems: in how many of their worlds a method reaches the goal, in how many steps, and how many the
cheapest plan has for who knows the world (A* with LM-cut).

    python -m lab.benchmarks.contingent --method llm-mcts --method llm-replan wumpus:cave-3 medical:ward-6

Of a problem with few worlds all are taken; of others ``--worlds`` are drawn. A table in Markdown goes to standard
output.
"""

from __future__ import annotations

import argparse
import time
from statistics import fmean

from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.validation.validate import validate
from commonsense_planning.validation.verdict import Verdict
from tests.all_worlds import tasks

PROBLEMS = (
    *("wumpus:cave-3", "wumpus:cave-4", "wumpus:cave-5", "wumpus:cave-6"),
    *("medical:ward-3", "medical:ward-6", "medical:ward-12"),
    *("colour-balls:yard-2", "colour-balls:yard-3"),  # yard-4 takes minutes a world
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=PROBLEMS, help="as PACK:PROBLEM")
    parser.add_argument("--method", action="append", dest="methods", default=None)
    parser.add_argument("--worlds", type=int, default=20, help="that are drawn, where there are more")
    arguments = parser.parse_args()
    methods = arguments.methods or ["llm-mcts", "llm-replan"]
    print("| problem | worlds | method | solved | steps | most steps | known world | s a world |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in arguments.problems:
        pack, _, which = name.partition(":")
        files = pack_named(pack).domain, pack_named(pack).problem(which)
        worlds = list(tasks(*files, arguments.worlds))
        best = [solve(Request(task, method_named("astar"))).plan for task in worlds]
        cheapest = fmean(len(plan) for plan in best if plan is not None)
        for method in methods:
            steps, solved, begun = [], 0, time.perf_counter()
            for task in worlds:
                found = solve(Request(task, method_named(method)))
                if found.status is Status.SOLVED and found.plan is not None:
                    solved += validate(task.problem, found.plan).verdict is Verdict.VALID
                    steps.append(len(found.plan))
            seconds = (time.perf_counter() - begun) / len(worlds)
            mean, most = (f"{fmean(steps):.1f}", max(steps)) if steps else ("-", "-")
            cells = name, len(worlds), f"`{method}`", solved, mean, most, f"{cheapest:.1f}", f"{seconds:.1f}"
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
