"""Problems of the planning competition, all in one process of ours and all in one of pyperplan's.

    python -m benchmarks.performance.together [--data FOLDER] [--limit SECONDS] [--jobs N]

finds the problems to compare on, those that both solve, and writes them to ``common.txt``, one ``domain/problem`` a
line.
Of each domain the problems are tried the smallest files first; after ``GIVE_UP`` in a row that
pyperplan did not solve, the larger ones are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.classical.problems import DATA, Task, collection
from benchmarks.performance.planning import warm
from benchmarks.performance.table import Row, figure, release

COMMON = Path(__file__).with_name("common.txt")
GIVE_UP = 3
TIMES_FASTER = 10.0
RUNS = 3  # of ours; the median counts

@dataclass(frozen=True)
class Ran:
    """A process with many problems: ``solved``: problem → seconds since the one before, the start being in the first's;
    ``seconds`` from start to exit; ``processor``: seconds of processor time, with all that it started."""

    solved: dict[str, float]
    seconds: float
    processor: float


def together(data: Path, limit: float, folder: Path) -> list[Row]:
    """The row: total times on the problems that both solve."""
    names = COMMON.read_text(encoding="utf-8").split()
    tasks = [task for tasks in collection(data).tasks.values() for task in tasks if task.name in names]
    warm(folder)
    runs = sorted((one_process("ours", tasks, limit, folder) for _ in range(RUNS)), key=lambda ran: ran.seconds)
    mine, theirs = runs[len(runs) // 2], one_process("pyperplan", tasks, limit, folder)
    both = mine.solved.keys() & theirs.solved.keys()
    ratios = [theirs.solved[name] / mine.solved[name] for name in both]
    unsolved = f"; {len(tasks) - len(both)} of {len(tasks)} not solved this time" if len(both) < len(tasks) else ""
    return [
        Row(
            f"{len(both)} problems of the competition that both solve, in one process each, VAL and replay included: "
            "pyperplan (gbf, hff), total time",
            f"{figure(mine.seconds)} s",
            f"{figure(theirs.seconds)} s",
            f"{figure(theirs.seconds / mine.seconds)} ×",
            f"{TIMES_FASTER:g} ×",
            theirs.seconds >= TIMES_FASTER * mine.seconds,
            f"{release('pyperplan')}, its plans not validated; ours median of {RUNS}; median ratio of a problem "
            f"{figure(statistics.median(ratios))} ×; processor time {figure(mine.processor)} and "
            f"{figure(theirs.processor)} s, {figure(theirs.processor / mine.processor)} ×{unsolved}",
        )
    ]


def one_process(planner: str, tasks: list[Task], limit: float, folder: Path) -> Ran:
    """Let ``planner``, "ours" or "pyperplan", solve the problems one after the other in one process."""
    listed = folder / "listed.json"
    listed.write_text(json.dumps([[str(task.domain), str(task.problem)] for task in tasks]), encoding="utf-8")
    before, began = _processor(), time.perf_counter()
    solved, last = {}, began
    with tempfile.TemporaryFile("w+") as errors:
        command = [sys.executable, "-m", f"{__package__}.one_process", planner, str(listed), str(limit)]
        # pyperplan's plans, and how long they take to find, depend on the order of its sets
        told = {**os.environ, "PYTHONHASHSEED": "0"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=told) as process:
            assert process.stdout is not None
            for line in process.stdout:
                ended, now = json.loads(line), time.perf_counter()
                if ended["status"] == "solved":
                    solved[ended["file"]] = now - last
                last = now
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"{planner} failed:\n{errors.read()[-2000:]}")
    return Ran(solved, time.perf_counter() - began, _processor() - before)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def find(data: Path, limit: float, jobs: int) -> list[str]:
    """The names of the problems that both solve."""
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda tasks: list(_common(tasks, limit)), collection(data).tasks.values())
        return sorted(name for names in found for name in names)


def _common(tasks: list[Task], limit: float) -> Iterator[str]:
    failures = 0
    for task in sorted(tasks, key=lambda task: task.problem.stat().st_size):
        with tempfile.TemporaryDirectory(prefix="cplan-bench-") as folder:
            solved = bool(one_process("pyperplan", [task], limit, Path(folder)).solved)
            failures = 0 if solved else failures + 1
            if solved and one_process("ours", [task], limit, Path(folder)).solved:
                yield task.name
        if failures == GIVE_UP:
            return


def main() -> None:
    """Find the problems and write their names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.performance.together")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with one folder per competition domain")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of processor time per problem [60]")
    parser.add_argument("--jobs", type=int, default=2, help="domains at a time [2]")
    given = parser.parse_args()
    names = find(given.data, given.limit, given.jobs)
    COMMON.write_text("\n".join(names) + "\n", encoding="utf-8")
    print(f"{len(names)} problems in {COMMON}")


if __name__ == "__main__":
    main()
