"""Compare cplan with programs that others wrote, on random tasks and on problems of the planning competition.

Each comparison ends with what it tried and what is lost: each difference without an explanation is. Exit code 1 if any
is. The files of a difference are kept, with the command that shows it again.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.classical.problems import DATA
from benchmarks.reliability.differential import plans, searches, successors, tasks
from benchmarks.reliability.differential.tally import Tally
from benchmarks.reliability.differential.tasks import Case

KEEP = Path("out") / "reliability" / "differential"


@dataclass(frozen=True)
class Comparison:
    """``compare`` is called with each task, among which may be ones with ``derived`` predicates, and it may go through
    the same problem ``again``; it makes ``each`` of what is counted of one."""

    compare: Callable[[Case, Tally], None]
    derived: bool
    again: bool = False
    each: int = 1


COMPARISONS = {
    "successors": Comparison(successors.compare, derived=False),
    "plans": Comparison(plans.compare, derived=True, again=True, each=plans.PLANS),
    "optimal": Comparison(searches.cheapest, derived=True),
    "unsolvable": Comparison(searches.unsolvable, derived=True, again=True, each=searches.PROBLEMS),
}


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice([*COMPARISONS]))
@click.option("--count", type=click.IntRange(1), default=30, show_default=True, help="So many tasks, plans, or mutated problems.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of all that is drawn.")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, help="Folder with one folder per domain.")
@click.option("--keep", type=click.Path(path_type=Path), default=KEEP, show_default=True, help="Where findings go.")
@click.option("--on", type=click.Path(exists=True, path_type=Path), help="Only on what was kept in this folder.")
def main(names: tuple[str, ...], count: int, seed: int, data: Path, keep: Path, on: Path | None) -> None:
    tallies = []
    for name in names or COMPARISONS:
        comparison = COMPARISONS[name]
        tally = Tally(name, keep)
        tallies.append(tally)
        with tempfile.TemporaryDirectory(prefix="cplan-differential-") as folder:
            wanted = math.ceil(count / comparison.each)
            cases = tasks.cases(wanted, seed, data, Path(folder), comparison.derived, comparison.again)
            for case in [tasks.kept(on, seed)] if on is not None else cases:
                comparison.compare(case, tally)
                tally.progress()
    for tally in tallies:
        print(*tally.summary(), sep="\n")
    sys.exit(any(tally.lost for tally in tallies))


if __name__ == "__main__":
    main()
