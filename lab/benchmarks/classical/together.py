"""Ours on many problems in one process, which pays for its start once."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from commonsense_planning.support.processes import end_tree
from lab.benchmarks.classical.planners import PLANNERS, last_words
from lab.benchmarks.classical.problems import Task
from lab.benchmarks.classical.rows import Conditions, Row, RowFile, Unfit

PLANNER = "gbfs-together"
TABLE = "together"
SECOND = 1.0  # what it takes Fast Downward at least
ROOT = Path(__file__).parents[3]


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
    """Solve those that have no row yet, one after the other in one process, VAL and the replay included; or in as many
    processes as there are jobs, each with its share on a core of its own, as the peer's were measured. A row's seconds
    are those since the one before; the start is in the first's. Where a process dies, another goes on."""
    while waiting := [task for task in tasks if not rows.has((TABLE, PLANNER, task.name))]:
        print(f"{TABLE}: {len(waiting)} of {len(tasks)} to measure", file=sys.stderr)
        shares = [waiting[i :: conditions.jobs] for i in range(conditions.jobs)]
        with ExitStack() as stack:
            running = [
                stack.enter_context(_Process(share, conditions, core if conditions.jobs > 1 else None))
                for core, share in enumerate(shares)
                if share
            ]
            with ThreadPoolExecutor(len(running)) as pool:
                try:
                    for _ in pool.map(lambda process: process.add_to(rows), running):
                        pass
                except BaseException:
                    for process in running:
                        process.end()
                    raise


class _Process:
    """One process with a list of tasks, as long as the block lasts."""

    def __init__(self, tasks: list[Task], conditions: Conditions, core: int | None) -> None:
        self.tasks = tasks
        self.conditions = conditions
        self.version = PLANNERS["gbfs"].version()
        self._ended = False
        self._folder = tempfile.TemporaryDirectory(prefix="cplan-bench-")
        listed = Path(self._folder.name) / "listed.json"
        listed.write_text(json.dumps([[str(task.domain), str(task.problem)] for task in tasks]), encoding="utf-8")
        command = [sys.executable, "-m", "lab.benchmarks.classical.one_process", str(listed), f"{conditions.limit:g}"]
        command = ["prlimit", f"--data={conditions.memory * 2**20}", *command]
        if core is not None:
            command = ["taskset", "--cpu-list", str(core), *command]
        self._said = Path(self._folder.name) / "said"
        self._began = time.perf_counter()
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=said, text=True, cwd=ROOT, start_new_session=True
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._folder.cleanup()

    def end(self) -> None:
        """End it with all that it started; what it was at gets no row."""
        self._ended = True
        end_tree(self._process)

    def add_to(self, rows: RowFile) -> None:
        """A row for each problem that the process gets to, and for that which it died of, if it died."""
        assert self._process.stdout is not None
        for task in self.tasks:
            line = self._process.stdout.readline()
            if self._ended:
                return
            now = time.perf_counter()
            row = self._row(task, json.loads(line) if line else self._died(), now - self._began)
            self._began = now
            rows.add(row)
            print(f"  {row.problem}: {row.seconds:.1f} s, {row.outcome} {row.said}"[:150], file=sys.stderr, flush=True)
            if not line:
                return

    def _died(self) -> dict[str, Any]:
        code = self._process.wait()
        return {"status": f"died with exit code {code}", "reason": last_words(self._said.read_text(encoding="utf-8"))}

    def _row(self, task: Task, ended: dict[str, Any], seconds: float) -> Row:
        solved = ended["status"] == "solved"
        return Row(
            table=TABLE,
            planner=PLANNER,
            version=self.version,
            problem=task.name,
            files=(str(task.domain), str(task.problem)),
            conditions=self.conditions,
            outcome="solved" if solved else "time" if ended["status"] == "out of budget" else "none",
            said="" if solved else f"{ended['status']}: {ended.get('reason') or ended.get('error', '')}",
            seconds=seconds,
            cost=ended.get("cost"),
            steps=ended.get("steps"),
            expanded=ended.get("expanded"),
        )
