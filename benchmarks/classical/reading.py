"""Read every problem of a folder of domain folders in one process, and say what is refused and why, what is warned of,
and what it takes: ``python -m benchmarks.classical.reading --data FOLDER [--ground] [--only DOMAIN,…]``.

Reading is all that ``cplan check`` does. ``--ground`` takes the smallest problem of each domain alone, and grounds it,
too, as ``cplan ground`` does.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.classical.problems import DATA, Task, collection
from commonsense_planning.errors import CplanError
from commonsense_planning.grounding.grounding import ground
from commonsense_planning.pddl.reader import read_problem


@dataclass(frozen=True)
class Read:
    """How a problem was read: ``refused`` is the first line of the error, or empty; ``seconds`` of processor time, the
    grounder's process not included; ``warnings``, what was warned of."""

    task: Task
    refused: str
    seconds: float
    warnings: tuple[str, ...]


def read_all(tasks: Iterable[Task], and_ground: bool = False) -> Iterator[Read]:
    """Read the problems one after the other."""
    for task in tasks:
        started, refused = time.process_time(), ""
        warnings: tuple[str, ...] = ()
        try:
            problem = read_problem(task.domain, task.problem)
            warnings = tuple(warning.problem for warning in problem.warnings)
            if and_ground:
                ground(problem)
        except CplanError as error:
            refused = str(error).splitlines()[0]
        yield Read(task, refused, time.process_time() - started, warnings)


def report(found: Iterable[Read], what: str) -> Iterator[str]:
    """What to print, line by line, as it becomes known."""
    count, done, seconds, slowest = 0, 0, 0.0, 0.0
    warned: Counter[str] = Counter()
    for read in found:
        count, done, seconds = count + 1, done + (not read.refused), seconds + read.seconds
        slowest = max(slowest, read.seconds)
        warned.update(set(read.warnings))
        if read.refused:
            yield f"refused: {read.task.name}: {read.refused}"
    yield from (f"warned of in {number} problems: {problem}" for problem, number in warned.most_common(20))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    yield f"{what}: {done} of {count}; {seconds:.0f} s of processor time, at most {slowest:.1f} s for one; {memory} MB"


def main() -> None:
    """Read, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classical.reading")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with one folder per domain")
    parser.add_argument("--ground", action="store_true", help="ground the smallest problem of each domain")
    parser.add_argument("--only", default="", metavar="DOMAIN,…", help="only these domains")
    given = parser.parse_args()
    every, only = collection(given.data), set(filter(None, given.only.split(",")))
    tasks = every.smallest() if given.ground else [task for name in every.tasks.values() for task in name]
    chosen = [task for task in tasks if not only or task.name.partition("/")[0] in only]
    for line in report(read_all(chosen, given.ground), "read and ground" if given.ground else "read"):
        print(line, flush=True)


if __name__ == "__main__":
    main()
