"""Our greedy search as an engine of unified-planning, beside Fast Downward's and pyperplan's, on ten IPC problems.

    python -m benchmarks.up_engines [SECONDS]

Each problem is read by unified-planning; what is timed is ``solve`` of each engine, whatever it does: translate, write
files, start programs. Of ours, the share that translating takes is told. The first problem is solved once before, so
that all is compiled. At most SECONDS for each, 60 if it is not said; pyperplan takes no notice of that.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import unified_planning.shortcuts as up
from unified_planning.io import PDDLReader

import commonsense_planning as cplan
from tests.data import data_root

IPC = data_root() / "ipc"
PROBLEMS = [
    "blocks/probBLOCKS-10-0",
    "driverlog/pfile7",
    "freecell/pfile1",
    "gripper/prob07",
    "trucks/p01",
    "miconic/s11-0",
    "rovers/p02",
    "satellite/p01-pfile1",
    "gripper/prob14",
    "rovers/p14",
]
ENGINES = {
    "cplan-gbfs": {},
    "fast-downward": {},
    "pyperplan": {"search": "gbf", "heuristic": "hff"},
}


def solve(name: str, problem: Any, seconds: float) -> str:
    """One engine on one problem: seconds, steps of the plan, and of ours the share of the translation."""
    with up.OneshotPlanner(name=name, params=ENGINES[name]) as planner:
        if not planner.supports(problem.kind):
            return "not supported"
        started = time.perf_counter()
        result = planner.solve(problem, timeout=None if name == "pyperplan" else seconds)
        took = time.perf_counter() - started
    if result.plan is None:
        return f"{took:.2f} s: {result.status.name.lower()}"
    told = f"{took:.2f} s, {len(result.plan.actions)} steps"
    if result.metrics and "translation_time" in result.metrics:
        told += f", {float(result.metrics['translation_time']) / took:.0%} of it translating"
    return told


def main() -> None:
    warnings.simplefilter("ignore")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    up.get_environment().credits_stream = None
    cplan.register_engines()
    print("| problem |", " | ".join(ENGINES), "|")
    print("|---" * (len(ENGINES) + 1) + "|")
    for number, name in enumerate(PROBLEMS):
        file = IPC / f"{name}.pddl"
        problem = PDDLReader().parse_problem(str(file.with_name("domain.pddl")), str(file))
        if not number:
            solve("cplan-gbfs", problem, 600)
        print(f"| {name} |", " | ".join(solve(engine, problem, seconds) for engine in ENGINES), "|", flush=True)


if __name__ == "__main__":
    main()
