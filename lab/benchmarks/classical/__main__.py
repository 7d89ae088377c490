"""Measure the tables of docs/classical.md, and write them.

    python -m lab.benchmarks.classical TABLE… --data FOLDER [--planners A,B] [--limit S] [--jobs N] [--out FILE.jsonl]
    python -m lab.benchmarks.classical --tables FILE.jsonl [--page docs/classical.md]

A row for each planner and problem is written at once; problems with a row are skipped, so that the same command resumes
an interrupted run. ``--tables`` makes the tables of the file alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

from commonsense_planning.errors import InputError
from commonsense_planning.support.interrupts import ending_in_order
from commonsense_planning.support.writing import write_text
from lab.benchmarks.classical.measure import measure
from lab.benchmarks.classical.planners import PLANNERS, Missing
from lab.benchmarks.classical.problems import DATA, Task, collection
from lab.benchmarks.classical.rows import Conditions, Row, RowFile, read
from lab.benchmarks.classical.tables import TABLES, Table, page
from lab.benchmarks.performance.homes import DOMAIN
from lab.benchmarks.performance.table import machine
from lab.benchmarks.performance.whole_process import run

OUT = Path("out") / "classical.jsonl"
WARMING = 120.0  # seconds


def main() -> None:
    """Measures, or only writes the tables."""
    given = _arguments()
    try:
        rows = [] if given.tables is None else read(given.tables)
        if given.names:
            with closing(RowFile(given.out)) as file:
                try:
                    with ending_in_order():
                        for name in given.names:
                            _measure(TABLES[name], given, file)
                except KeyboardInterrupt:
                    print("interrupted: the same command resumes", file=sys.stderr)
            rows = file.rows
        _show(rows, given.page)
    except InputError as error:
        sys.exit(str(error))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.classical")
    parser.add_argument("names", nargs="*", metavar="TABLE", help=f"which to measure: {', '.join(TABLES)}")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with one folder per domain")
    parser.add_argument("--planners", help="only these, separated by commas [all of the table]")
    parser.add_argument("--first", type=int, help="only the first problems of each table")
    parser.add_argument("--limit", type=float, help="seconds for each planner and problem [30 or 60, by the table]")
    parser.add_argument("--memory", type=int, default=8192, help="MB for each process [8192]")
    parser.add_argument("--jobs", type=int, default=1, help="problems at a time, each on a separate core [1]")
    parser.add_argument("--out", type=Path, default=OUT, help=f"the file of rows, which is added to [{OUT}]")
    parser.add_argument("--tables", type=Path, metavar="FILE", help="write the tables of this file, measure nothing")
    parser.add_argument("--page", type=Path, help="put the tables into this page, between their marks; else print them")
    given = parser.parse_args()
    given.planners = given.planners.split(",") if given.planners else [*PLANNERS]
    for what, names, known in (("table", given.names, TABLES), ("planner", given.planners, PLANNERS)):
        if unknown := [name for name in names if name not in known]:
            parser.error(f"there is no {what} {unknown[0]!r}; there are {', '.join(known)}")
    if (given.tables is None) == (not given.names):
        parser.error("name the tables to measure, or a file with --tables")
    if given.tables is not None and not given.tables.is_file():
        parser.error(f"{given.tables} is not there")
    if given.names and not given.data.is_dir():
        parser.error(f"{given.data} is not there: give a folder with one folder per domain with --data")
    return given


def _measure(table: Table, given: argparse.Namespace, rows: RowFile) -> None:
    """The rows of a table that are missing."""
    conditions = Conditions(
        limit=given.limit or table.limit,
        memory=given.memory,
        machine=machine(),
        jobs=given.jobs,
        load=round(os.getloadavg()[0], 2),
        date=datetime.now(UTC).isoformat(timespec="minutes"),
    )
    rows.fits(table.name, conditions)
    versions = {}
    for name in (name for name in table.planners if name in given.planners):
        try:
            versions[name] = PLANNERS[name].version()
        except Missing as missing:
            print(f"{name} is left out: {missing}", file=sys.stderr)
    there = collection(given.data)
    if there.none:
        print(f"no files are there of {', '.join(there.none)}", file=sys.stderr)
    ours = table.planners[0]
    for name in there.none if table.smallest and ours in versions else ():
        absent = Row(
            table=table.name,
            planner=ours,
            version=versions[ours],
            problem=name,
            files=("", ""),
            conditions=conditions,
            outcome="left out",
            said="its files are not there",
        )
        if not rows.has(absent.key):
            rows.add(absent)
    tasks = table.tasks(there)[: given.first]
    waiting = [(task, name) for task in tasks for name in versions if not rows.has((table.name, name, task.name))]
    print(f"{table.name}: {len(waiting)} of {len(tasks) * len(versions)} to measure", file=sys.stderr)
    if waiting:
        _warm({name for _, name in waiting})
        _in_parallel(table.name, waiting, versions, conditions, rows)


def _warm(names: set[str]) -> None:
    """Lets each planner run once, so that what it compiles or caches once per version belongs to no row."""
    problem = DOMAIN.parent / "problems" / "small-apple.pddl"
    for name in sorted(names):
        with tempfile.TemporaryDirectory(prefix="cplan-bench-") as folder:
            run(PLANNERS[name].command(DOMAIN, problem, WARMING), Path(folder), WARMING)


def _in_parallel(
    table: str, waiting: list[tuple[Task, str]], versions: dict[str, str], conditions: Conditions, rows: RowFile
) -> None:
    """Measures planners on tasks, in parallel as the conditions say; an interrupt ends running ones."""
    cores: SimpleQueue[int | None] = SimpleQueue()
    for core in range(conditions.jobs):
        cores.put(core if conditions.jobs > 1 else None)
    stop = os.eventfd(0)

    def work(number: int) -> None:
        task, name = waiting[number]
        core = cores.get()
        try:
            row = measure(table, PLANNERS[name], versions[name], task, conditions, core, stop)
        finally:
            cores.put(core)
        rows.add(row)
        said = f"{row.seconds:.1f} s, {row.processor:.1f} s of a processor, {row.outcome} {row.said[:100]}"
        print(f"  {number + 1}/{len(waiting)} {name} {task.name}: {said}", file=sys.stderr, flush=True)

    try:
        with ThreadPoolExecutor(conditions.jobs) as pool:
            try:
                for _ in pool.map(work, range(len(waiting))):
                    pass
            except BaseException:
                os.eventfd_write(stop, 1)
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        os.close(stop)


def _show(rows: list[Row], file: Path | None) -> None:
    """Prints the tables, or puts them into a page."""
    texts = page(rows)
    if file is None:
        print("\n\n".join(f"## {name}\n\n{text}" for name, text in texts.items()))
        return
    written = file.read_text(encoding="utf-8")
    for name, text in texts.items():
        begin, end = f"<!-- table {name} -->", f"<!-- end of table {name} -->"
        before, found, rest = written.partition(begin)
        _, ended, after = rest.partition(end)
        if not (found and ended):
            raise InputError(f"{file}: no place for the table {name}: {begin} … {end}")
        written = f"{before}{begin}\n\n{text}\n\n{end}{after}"
    write_text(file, written, "the page")


if __name__ == "__main__":
    main()
