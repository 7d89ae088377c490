"""Compare cplan with programs that others wrote, on problems of the planning competition and on random tasks.

\b
successors  applicable operators and states along random walks, with unified-planning's simulator
plans       the replay's verdicts on mutated plans, with VAL's and unified-planning's
optimal     what a cheapest plan costs, with Fast Downward's A*
unsolvable  that there is no plan of a mutated problem, with Fast Downward
readers     what is read in files, spoilt ones too, with pddl, Loki (pypddl) and unified-planning
marginals   what is believed of random tiny worlds where sensors err, with Bayes over all joint worlds
oracle      plans, costs, "no" and verdicts, VAL's too, on random tasks, with a plain interpreter (tests.oracle)
contingent  in which worlds random contingent tasks are solved, with all their beliefs; one in eight of oracle's, too

Each ends with what it tried and what is lost: every difference without an explanation is. Exit code 1 if any is. The
files of a difference are kept, with the command that shows it again.
"""

from __future__ import annotations

import math
import os
import random
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import click

from lab.benchmarks.classical.problems import DATA, Task
from lab.benchmarks.reliability.differential import plans, searches, successors, tasks
from lab.benchmarks.reliability.differential.readers import MUTANTS, PDDL_PYTHON, Readers, there
from lab.benchmarks.reliability.differential.tally import Tally
from lab.benchmarks.reliability.differential.tasks import Case
from tests.oracle import comparing, contingent, marginals
from tests.oracle.drawing import draw

KEEP = Path("out") / "reliability" / "differential"


@dataclass(frozen=True)
class Comparison:
    """``compare`` is called with each task, ``real`` ones and random ones, among which may be ones with ``derived``
    predicates, and ones that are not ``plain``. It may go through the real ones ``again``, and makes ``each`` of what
    is counted of one."""

    compare: Callable[[Case, Tally], None]
    derived: bool = True
    plain: bool = True
    again: bool = False
    each: int = 1
    real: Callable[[Path], list[Task]] = tasks.smallest


def tiny_world(case: Case, tally: Tally) -> None:
    """Compares on a world of the case's seed, whatever its task."""
    with tempfile.TemporaryDirectory(prefix="cplan-tiny-") as name:
        try:
            marginals.compare(case.seed, Path(name), tally.tried)
        except AssertionError as error:
            files = Path(name) / "domain.pddl", Path(name) / "problem.pddl"
            tally.lose(replace(case, task=Task(case.task.name, *files)), str(error))


def random_task(case: Case, tally: Tally) -> None:
    """Compares on a random task, or on the one that is drawn by the seed of what was kept."""
    found = comparing.Found(tally.tried, tally.explained, tally.silent)
    tree = case.tree or draw(random.Random(case.seed))
    comparing.compare(tree, (case.task.domain, case.task.problem), case.seed, found, comparing.by_val)
    for said, plan in found.lost:
        tally.lose(case, said, plan)
    if case.seed % 8 == 0:
        contingent_task(case, tally)


def contingent_task(case: Case, tally: Tally) -> None:
    """Compares on a contingent task of the case's seed, whatever its task."""
    found = comparing.Found(tally.tried, tally.explained, tally.silent)
    with tempfile.TemporaryDirectory(prefix="cplan-contingent-") as name:
        contingent.compare(contingent.draw(random.Random(case.seed)), Path(name), found)
        files = Path(name) / "domain.pddl", Path(name) / "problem.pddl"
        for said, plan in found.lost:
            tally.lose(replace(case, task=Task(f"contingent/{case.seed}", *files)), said, plan)


COMPARISONS = {
    "successors": Comparison(successors.compare, derived=False),
    "plans": Comparison(plans.compare, again=True, each=plans.PLANS),
    "optimal": Comparison(searches.cheapest),
    "unsolvable": Comparison(searches.unsolvable, again=True, each=searches.PROBLEMS),
    "readers": Comparison(lambda case, tally: None, again=True, each=1 + MUTANTS, real=tasks.many),
    "marginals": Comparison(tiny_world, derived=False, real=tasks.none),
    "oracle": Comparison(random_task, plain=False, real=tasks.none),
    "contingent": Comparison(contingent_task, derived=False, real=tasks.none),
}


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice([*COMPARISONS]), metavar="[NAME…]")
@click.option("--count", type=click.IntRange(1), default=100, show_default=True, help="Tasks, plans or files of each.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of all random choices.")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, help="Folder with one folder per domain.")
@click.option("--keep", type=click.Path(path_type=Path), default=KEEP, show_default=True, help="Where findings go.")
@click.option("--on", type=click.Path(exists=True, path_type=Path), help="Only on what was kept in this folder.")
@click.option("--pddl-python", default=PDDL_PYTHON, show_default=True, help="A Python that has the package pddl.")
def main(
    names: tuple[str, ...], count: int, seed: int, data: Path, keep: Path, on: Path | None, pddl_python: str
) -> None:
    if not data.is_dir():
        print(f"{data} is not there: no problems of the competition", file=sys.stderr)
    tallies = [Tally(name, keep) for name in names or COMPARISONS]
    try:
        for tally in tallies:
            _run(tally, count, seed, data, on, pddl_python)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    for tally in tallies:
        print(*tally.summary(), sep="\n")
    sys.exit(any(tally.lost for tally in tallies))


def _run(tally: Tally, count: int, seed: int, data: Path, on: Path | None, pddl_python: str) -> None:
    """Makes the comparison that the tally is of."""
    comparison = COMPARISONS[tally.name]
    with (
        tempfile.TemporaryDirectory(prefix="cplan-differential-") as name,
        closing(Readers(there(pddl_python) if tally.name == "readers" else {})) as readers,
    ):
        os.environ["XDG_STATE_HOME"] = name  # what VAL crashes on is known here, and not kept for a report
        compare = readers.compare if tally.name == "readers" else comparison.compare
        wanted, how = math.ceil(count / comparison.each), (comparison.derived, comparison.again, comparison.plain)
        drawn = tasks.cases(comparison.real(data), wanted, seed, Path(name), *how)
        for case in [tasks.kept(on, seed)] if on is not None else drawn:
            compare(case, tally)
            tally.progress()


if __name__ == "__main__":
    main()
