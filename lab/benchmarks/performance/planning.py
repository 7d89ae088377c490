"""Whole processes: a large household compared with Fast Downward, and the time of starting."""

from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path

from commonsense_planning.planners.fast_downward import ALIAS, driver, version
from lab.benchmarks.performance.homes import DOMAIN, write_home
from lab.benchmarks.performance.table import Row, figure
from lab.benchmarks.performance.whole_process import CPLAN, Ran, run

HALF = 0.5  # of Fast Downward's time that ours may take
RUNS = 3
STARTS = 7
HELP_SECONDS = 0.3
LIBRARIES = "import numpy, click, tarski"  # what cplan cannot plan without
MOST_BESIDE_LIBRARIES = 1.5


def warm(folder: Path) -> None:
    """Reads cplan's files once, so that no run pays for the disk."""
    problem = DOMAIN.parent / "problems" / "small-apple.pddl"
    for method in ("gbfs", "llm-mcts"):
        run([*CPLAN, "solve", str(DOMAIN), str(problem), "--method", method, "--quiet"], folder)


def gbfs(domain: Path, problem: Path, folder: Path, limit: float) -> tuple[Ran, bool]:
    """Runs cplan with the validation of ``solve``: exit code 0 means that VAL accepts the plan."""
    ran = run([*CPLAN, "solve", str(domain), str(problem), "--method", "gbfs", "--quiet"], folder, limit)
    return ran, ran.code == 0


def fast_downward(domain: Path, problem: Path, folder: Path, limit: float) -> tuple[Ran, bool]:
    """Fast Downward's lama-first."""
    script = driver()
    if script is None:
        sys.exit("Fast Downward is not installed: pip install up-fast-downward")
    plan = folder / "plan"
    command = [sys.executable, str(script), "--plan-file", str(plan), "--alias", ALIAS, str(domain), str(problem)]
    ran = run(command, folder, limit)
    return ran, plan.exists()


def large(folder: Path) -> list[Row]:
    """Time and memory at 75,000 operators, ours and Fast Downward in turn."""
    problem = write_home(75_000, folder)
    warm(folder)
    ours: list[Ran] = []
    theirs: list[Ran] = []
    for i in range(RUNS):
        for planner, found in ((gbfs, ours), (fast_downward, theirs)):
            ran, solved = planner(DOMAIN, problem, _empty(folder / f"large-{i}-{planner.__name__}"), 3600)
            if not solved:
                sys.exit(f"{planner.__name__} found no plan for {problem.name}:\n{ran.output[-2000:]}")
            found.append(ran)
    seconds, peer_seconds = (statistics.median(ran.seconds for ran in runs) for runs in (ours, theirs))
    peak = statistics.median(ran.peak for ran in ours)
    translator = statistics.median(_translator_peak(ran.output) for ran in theirs)
    note = f"{version()}, median of {RUNS}"
    what = "household, about 75,000 operators, gbfs, whole process"
    return [
        Row(
            f"{what}: Fast Downward {ALIAS}, time",
            f"{figure(seconds)} s",
            f"{figure(peer_seconds)} s",
            f"{seconds / peer_seconds:.3f}",
            f"at most {HALF:g}",
            seconds <= HALF * peer_seconds,
            note,
        ),
        Row(
            f"{what}: Fast Downward's translator, peak memory",
            f"{figure(peak / 2**20)} MiB",
            f"{figure(translator / 2**20)} MiB",
            f"{peak / translator:.2f}",
            "at most 1",
            peak <= translator,
            note,
        ),
    ]


def _translator_peak(output: str) -> int:
    """Returns the bytes in the last lines of the translator."""
    said = re.search(r"Translator peak memory: (\d+) KB", output)
    if said is None:
        sys.exit("Fast Downward's translator did not say its peak memory")
    return int(said[1]) * 1024


def starting(folder: Path) -> list[Row]:
    """Measures processor time of ``--help``, and of the smallest problem compared with its imports alone."""
    problem = DOMAIN.parent / "problems" / "small-apple.pddl"
    solve = [*CPLAN, "solve", str(DOMAIN), str(problem), "--quiet"]
    commands = {
        "cplan --help": ([*CPLAN, "--help"], "pass"),
        "cplan solve, small-apple, gbfs": ([*solve, "--method", "gbfs"], LIBRARIES),
        "cplan solve, small-apple, llm-mcts": (solve, LIBRARIES),
    }
    warm(folder)
    rows = []
    for what, (command, peer) in commands.items():
        ours, theirs = [], []
        for _ in range(STARTS):
            ours.append(run(command, folder).processor)
            theirs.append(run([sys.executable, "-c", peer], folder).processor)
        mine, other = statistics.median(ours), statistics.median(theirs)
        most = MOST_BESIDE_LIBRARIES * other if peer == LIBRARIES else HELP_SECONDS
        rows.append(
            Row(
                f"{what}: python -c '{peer}'",
                f"{mine:.3f} s",
                f"{other:.3f} s",
                f"{figure(mine / other)} × its time",
                f"{figure(most)} s",
                mine <= most,
                f"processor time, median of {STARTS}",
            )
        )
    return rows


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder
