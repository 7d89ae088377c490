"""Print the table of measured ratios.

    python -m lab.benchmarks.performance [ROWS…] [--data FOLDER] [--plot FILE]

For classical planners: ``python -m lab.benchmarks.classical``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from lab.benchmarks.classical.problems import DATA
from lab.benchmarks.performance import decisions, growth, planning, walks
from lab.benchmarks.performance.table import HEADING, Row, head, machine, markdown

PLOT = Path(__file__).parents[2] / "docs" / "growth.svg"


def main() -> None:
    """Measures the rows that are asked for, by default all, and prints them."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.performance")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"which to measure: {', '.join(_measures())}")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with one folder per competition domain")
    parser.add_argument("--plot", type=Path, default=PLOT, help="the file of the plot of growth [lab/docs/growth.svg]")
    given = parser.parse_args()
    measures = _measures()
    unknown = [name for name in given.rows if name not in measures]
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}; there are {', '.join(measures)}")
    load = f"load average {os.getloadavg()[0]:.1f} at the start"
    print(f"{machine()}, {load}", "", head(*HEADING), sep="\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="cplan-bench-") as folder:
        for name in given.rows or measures:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            for row in measures[name](Path(folder), given):
                print(markdown(row), flush=True)


def _measures() -> dict[str, Callable[[Path, argparse.Namespace], list[Row]]]:
    """Returns name → what measures these rows, with an empty folder to write in."""
    return {
        "household-walk": lambda folder, given: walks.household(folder),
        "strips-walk": lambda folder, given: _on_data(given.data, walks.strips),
        "growth": lambda folder, given: _growth(folder, given.plot),
        "decision": lambda folder, given: decisions.decision(given.data.parent / "virtualhome", folder),
        "simulations": lambda folder, given: decisions.simulations(folder),
        "large": lambda folder, given: planning.large(folder),
        "starting": lambda folder, given: planning.starting(folder),
    }


def _growth(folder: Path, file: Path) -> list[Row]:
    points = growth.measure(folder)
    growth.plot(points, file)
    return growth.rows(points)


def _on_data(data: Path, measure: Callable[[Path], list[Row]]) -> list[Row]:
    """Returns the rows of ``measure``; none where there is no such folder, which is said."""
    if data.is_dir():
        return measure(data)
    print(f"{data} is not there: give the competition's problems with --data; left out", file=sys.stderr)
    return []


if __name__ == "__main__":
    main()
