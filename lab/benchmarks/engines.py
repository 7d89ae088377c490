"""Engines of unified-planning on tasks with numbers, durations or hierarchies: how many they solve, and what is judged.

    python -m lab.benchmarks.engines LIST [SECONDS]

Each line of the file LIST names a domain and a problem. Every engine that is known for what a task needs gets it, for
at most SECONDS (30). The order of the engines in ``planners/up_files.py`` and ``docs/pddl.md`` comes from twenty tasks
of potassco/pddl-instances and of unified-planning's own tests.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from pathlib import Path

from commonsense_planning.errors import CplanError
from commonsense_planning.pddl.foreign import read_any
from commonsense_planning.planners.up_engine import UpEngine
from commonsense_planning.planners.up_files import ORDERS, order
from commonsense_planning.validation.validate import validate
from lab.benchmarks.performance.table import head, line


def main(listed: Path, seconds: float = 30.0) -> None:
    """Prints one Markdown row per task and engine, then one per need and engine."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    print(head("task", "engine", "outcome", "s", "verdicts"))
    for row in listed.read_text(encoding="utf-8").splitlines():
        domain, file = map(Path, row.split())
        problem = read_any(domain, file)
        needs = {one.need for one in problem.needs}
        for engine in order(problem) if needs else ():
            started, verdicts = time.perf_counter(), dict[str, str]()
            try:
                found = UpEngine(f"up:{engine}", engine).solve(problem, seconds)
                outcome = f"{found.status}{f': {found.reason}' * bool(found.reason)}"
            except CplanError as error:
                found, outcome = None, str(error).partition("\n")[0]
            took = time.perf_counter() - started
            if found is not None and found.plan is not None:
                verdicts = validate(problem, found.plan, everyone=True).verdicts
            said = ", ".join(f"{name} {verdict}" for name, verdict in verdicts.items())
            print(line(f"{file.parent.name}/{file.name}", engine, outcome, f"{took:.1f}", said), flush=True)
            tally = counts[next(need for need in ORDERS if need in needs), engine]
            for i, one in enumerate((1, bool(verdicts), verdicts.get("VAL") == "valid")):
                tally[i] += one
    print(f"\n{head('need', 'engine', 'tasks', 'solved', 'valid by VAL')}")
    for (need, engine), tally in counts.items():
        print(line(need, engine, *tally))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(float, sys.argv[2:]))
