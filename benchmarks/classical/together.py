"""Ours on many problems in one process, which pays for its start once."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.classical.planners import PLANNERS
from benchmarks.classical.problems import Task
from benchmarks.classical.rows import Conditions, Row, RowFile, Unfit
from commonsense_planning.support.processes import end_tree

PLANNER = "gbfs-together"
TABLE = "together"
SECOND = 1.0  # what it takes Fast Downward at least
ROOT = Path(__file__).parents[2]


def large_ones(rows: Iterable[Row]) -> list[Task]:
    """The problems that lama-first solves in a second or more, those of a domain together. Raises Unfit where there are
    none."""
    tasks = {
        row.problem: Task(row.problem, *map(Path, row.files))
        for row in rows
        if row.planner == "lama-first" and row.solved and row.seconds >= SECOND
    }
    if not tasks:
        raise Unfit(f"{TABLE}: no problem takes lama-first {SECOND:g} s in the file: measure solved and sample first")
    return sorted(tasks.values(), key=lambda task: (str(task.domain), task.name))


def together(tasks: list[Task], conditions: Conditions, rows: RowFile) -> None:
    """Solve those that have no row yet, one after the other in one process, VAL and the replay included. A row's
    seconds are those since the one before; the start is in the first's. Where the process dies, another goes on."""
    while waiting := [task for task in tasks if not rows.has((TABLE, PLANNER, task.name))]:
        print(f"{TABLE}: {len(waiting)} of {len(tasks)} to measure", file=sys.stderr)
        for row in _one_process(waiting, conditions):
            rows.add(row)
            print(f"  {row.problem}: {row.seconds:.1f} s, {row.outcome} {row.said}"[:150], file=sys.stderr, flush=True)


def _one_process(tasks: list[Task], conditions: Conditions) -> Iterable[Row]:
    """A row for each problem that the process gets to; the last one is that which it died of, if it died."""
    version = PLANNERS["gbfs"].version()
    with tempfile.TemporaryDirectory(prefix="cplan-bench-") as name, tempfile.TemporaryFile("w+") as errors:
        listed = Path(name) / "listed.json"
        listed.write_text(json.dumps([[str(task.domain), str(task.problem)] for task in tasks]), encoding="utf-8")
        module = "benchmarks.performance.one_process"
        command = [sys.executable, "-m", module, "ours", str(listed), f"{conditions.limit:g}"]
        command = ["prlimit", f"--data={conditions.memory * 2**20}", *command]
        if conditions.jobs > 1:
            command = ["taskset", "--cpu-list", "0", *command]
        last = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, start_new_session=True
        )
        try:
            assert process.stdout is not None
            for task in tasks:
                line = process.stdout.readline()
                now = time.perf_counter()
                ended = json.loads(line) if line else {"status": "died"}
                solved = ended["status"] == "solved"
                if not line:
                    process.wait()
                    errors.seek(0)
                    ended["reason"] = errors.read().strip().rpartition("\n")[2][-200:]
                yield Row(
                    table=TABLE,
                    planner=PLANNER,
                    version=version,
                    problem=task.name,
                    files=(str(task.domain), str(task.problem)),
                    conditions=conditions,
                    outcome="solved" if solved else "time" if ended["status"] == "out of budget" else "none",
                    said="" if solved else f"{ended['status']}: {ended.get('reason', ended.get('error', ''))}",
                    seconds=now - last,
                    cost=ended.get("cost"),
                    steps=ended.get("steps"),
                    expanded=ended.get("expanded"),
                )
                last = now
                if not line:
                    return
        finally:
            assert process.stdout is not None
            process.stdout.close()
            end_tree(process)
