"""Reading and grounding a household of 250 movables and 150 places, beside Fast Downward's translator.

Both read the same two files, each as a whole process of its own, in turn; the medians of the runs are compared.

    python -m benchmarks.grounding [RUNS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.performance.homes import random_home
from commonsense_planning.planners.fast_downward import driver, version
from commonsense_planning.studies.homes.household import Placing, place_goal, render_problem

DOMAIN = Path(__file__).parents[1] / "pddl" / "household" / "domain.pddl"


def household(path: Path) -> None:
    """Write the problem file: 250 movables, 100 containers, 50 surfaces."""
    apartment = random_home(250, 100, 50)
    fridge = next(f.name for f in apartment.furniture if f.name.startswith("fridge"))
    thing = apartment.movables[0].name
    path.write_text(
        render_problem(apartment, "household-250-150", place_goal(Placing.INSIDE, thing, [fridge])), encoding="utf-8"
    )


def timed(command: list[str], folder: Path) -> tuple[float, str]:
    """Wall-clock seconds of a whole process, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return time.perf_counter() - started, done.stdout


def main(runs: int) -> None:
    """Print the medians and their ratio."""
    fast_downward = driver()
    if fast_downward is None:
        sys.exit("Fast Downward is not installed: pip install up-fast-downward")
    with tempfile.TemporaryDirectory(prefix="cplan-bench-") as name:
        folder = Path(name)
        problem = folder / "problem.pddl"
        household(problem)
        ours, theirs = [], []
        counts = ""
        for _ in range(runs):
            cplan = str(Path(sys.executable).with_name("cplan"))
            seconds, counts = timed([cplan, "ground", str(DOMAIN), str(problem), "--json"], folder)
            ours.append(seconds)
            command = [sys.executable, str(fast_downward), "--translate"]
            theirs.append(timed([*command, str(DOMAIN), str(problem)], folder)[0])
    print(f"household, 250 movables, 150 places: {counts.strip()}")
    print(f"cplan ground, whole process: {statistics.median(ours):.2f} s (median of {runs})")
    print(f"{version()}, translator, whole process: {statistics.median(theirs):.2f} s (median of {runs})")
    print(f"ratio: {statistics.median(ours) / statistics.median(theirs):.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
