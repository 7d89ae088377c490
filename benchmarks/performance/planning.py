"""Whole processes on planning tasks: a large household beside Fast Downward, the planning competition's problems beside
Fast Downward and pyperplan, and how long starting takes."""

from __future__ import annotations

import re
import shutil
import statistics
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from benchmarks.performance.homes import DOMAIN, write_home
from benchmarks.performance.table import Row, figure, release
from benchmarks.performance.whole_process import Ran, run
from commonsense_planning.planners.fast_downward import ALIAS, driver, version

CPLAN = (sys.executable, "-c", "import sys; from commonsense_planning.cli.main import main; sys.exit(main())")
DATA = Path(__file__).parents[3] / "shared" / "data" / "ipc"
HALF = 0.5  # of Fast Downward's time that ours may take
RUNS = 3
STARTS = 7
HELP_SECONDS = 0.3
SMALLEST_SECONDS = 1.0

Planner = Callable[[Path, Path, Path, float, int | None], tuple[Ran, bool]]
"""(domain, problem, empty folder, seconds, core or None) → the process, and whether it found a plan."""


def warm(folder: Path) -> None:
    """Let our kernels be compiled, if they are not yet: that happens once per version and belongs to no run."""
    problem = DOMAIN.parent / "problems" / "small-apple.pddl"
    for method in ("gbfs", "llm-mcts"):
        run([*CPLAN, "solve", str(DOMAIN), str(problem), "--method", method, "--quiet"], folder)


def gbfs(domain: Path, problem: Path, folder: Path, limit: float, core: int | None = None) -> tuple[Ran, bool]:
    """Ours, with the validation that ``solve`` always does: exit code 0 says that VAL took the plan."""
    ran = run([*CPLAN, "solve", str(domain), str(problem), "--method", "gbfs", "--quiet"], folder, limit, core)
    return ran, ran.code == 0


def fast_downward(domain: Path, problem: Path, folder: Path, limit: float, core: int | None = None) -> tuple[Ran, bool]:
    """Fast Downward's lama-first."""
    script = driver()
    if script is None:
        sys.exit("Fast Downward is not installed: pip install up-fast-downward")
    plan = folder / "plan"
    command = [sys.executable, str(script), "--plan-file", str(plan), "--alias", ALIAS, str(domain), str(problem)]
    ran = run(command, folder, limit, core)
    return ran, plan.exists()


def pyperplan(domain: Path, problem: Path, folder: Path, limit: float, core: int | None = None) -> tuple[Ran, bool]:
    """Pyperplan's gbf with hff, on copies, since it writes the plan beside the problem."""
    for source, name in ((domain, "domain.pddl"), (problem, "problem.pddl")):
        shutil.copyfile(source, folder / name)
    command = [sys.executable, "-m", "pyperplan", "-s", "gbf", "-H", "hff", "domain.pddl", "problem.pddl"]
    ran = run(command, folder, limit, core)
    return ran, (folder / "problem.pddl.soln").exists()


def large(folder: Path) -> list[Row]:
    """Time and memory at 75,000 operators, ours and Fast Downward in turn."""
    problem = write_home(75_000, folder)
    warm(folder)
    ours, theirs = [], []
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
    """Bytes, as the translator says at its end."""
    said = re.search(r"Translator peak memory: (\d+) KB", output)
    if said is None:
        sys.exit("Fast Downward's translator did not say its peak memory")
    return int(said[1]) * 1024


def competition(data: Path, per_domain: int, limit: float, jobs: int, folder: Path) -> list[Row]:
    """``gbfs`` beside pyperplan and Fast Downward on problems of the planning competition, ``jobs`` problems at a time;
    if these are several, each problem has a core of its own. Interrupted, it gives the rows of the problems that all
    three have tried by then."""
    warm(folder)
    problems = sample(data, per_domain)
    cores: SimpleQueue[int | None] = SimpleQueue()
    for core in range(jobs):
        cores.put(core if jobs > 1 else None)
    taken: list[tuple[float | None, ...]] = []

    def measure(number: int) -> None:
        domain, problem = problems[number]
        core = cores.get()
        found = []
        for planner in (gbfs, pyperplan, fast_downward):
            ran, solved = planner(domain, problem, _empty(folder / f"ipc-{number}-{planner.__name__}"), limit, core)
            found.append(ran.seconds if solved else None)
        cores.put(core)
        taken.append(tuple(found))
        told = "  ".join("–" if seconds is None else f"{seconds:.1f} s" for seconds in found)
        print(f"  {problem.parent.name}/{problem.name}: {told}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            list(pool.map(measure, range(len(problems))))
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
    if not taken:
        return []
    ours, by_pyperplan, by_downward = ([seconds[k] for seconds in taken] for k in range(3))
    count = f"{len(taken)}" if len(taken) == len(problems) else f"the first {len(taken)} of {len(problems)}"
    names = f"gbfs over {count} problems of the competition, {limit:g} s each"
    return [
        _total(names, "pyperplan (gbf, hff)", ours, by_pyperplan, release("pyperplan")),
        _solved(names, "pyperplan (gbf, hff)", ours, by_pyperplan, release("pyperplan")),
        _solved(names, f"Fast Downward {ALIAS}", ours, by_downward, version()),
    ]


def sample(data: Path, per_domain: int) -> list[tuple[Path, Path]]:
    """(domain, problem) pairs, at most ``per_domain`` of a domain, evenly spread over its problems in their order:
    first one of every domain, then another one, and so on."""
    rounds: dict[int, list[tuple[Path, Path]]] = {}
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        problems = sorted(p for p in folder.glob("*.pddl") if "domain" not in p.name)
        count = min(per_domain, len(problems))
        for i in range(count):
            problem = problems[i * len(problems) // count]
            own = folder / f"{problem.stem}-domain.pddl"
            rounds.setdefault(i, []).append((own if own.exists() else folder / "domain.pddl", problem))
    return [pair for i in sorted(rounds) for pair in rounds[i]]


def _total(names: str, peer: str, ours: list[float | None], theirs: list[float | None], note: str) -> Row:
    both = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
    mine, other = sum(a for a, _ in both), sum(b for _, b in both)
    ratio = f"{figure(other / mine)} ×" if both else "–"
    what = f"{names}: {peer}, total time on the {len(both)} commonly solved"
    return Row(what, f"{figure(mine)} s", f"{figure(other)} s", ratio, "–", None, f"{note}; see the row together")


def _solved(names: str, peer: str, ours: list[float | None], theirs: list[float | None], note: str) -> Row:
    mine, other = (sum(seconds is not None for seconds in taken) for taken in (ours, theirs))
    only = sum(a is None and b is not None for a, b in zip(ours, theirs, strict=True))
    difference = f"{mine - other:+d}"
    note = f"{note}; {only} only by the peer"
    return Row(f"{names}: {peer}, solved", str(mine), str(other), difference, "never fewer", mine >= other, note)


def starting(folder: Path) -> list[Row]:
    """``--help`` and the smallest problem beside an empty Python, kernels compiled."""
    problem = DOMAIN.parent / "problems" / "small-apple.pddl"
    solve = [*CPLAN, "solve", str(DOMAIN), str(problem), "--quiet"]
    commands = {
        "cplan --help": ([*CPLAN, "--help"], HELP_SECONDS),
        "cplan solve, small-apple, gbfs": ([*solve, "--method", "gbfs"], SMALLEST_SECONDS),
        "cplan solve, small-apple, llm-mcts": (solve, SMALLEST_SECONDS),
    }
    empty = [sys.executable, "-c", "pass"]
    warm(folder)
    rows = []
    for what, (command, wanted) in commands.items():
        ours, theirs = [], []
        for _ in range(STARTS):
            ours.append(run(command, folder).seconds)
            theirs.append(run(empty, folder).seconds)
        mine, other = statistics.median(ours), statistics.median(theirs)
        note = f"median of {STARTS}"
        ratio = f"{figure(mine / other)} × its time"
        rows.append(
            Row(
                f"{what}: python -c pass",
                f"{mine:.3f} s",
                f"{other:.3f} s",
                ratio,
                f"{wanted:g} s",
                mine <= wanted,
                note,
            )
        )
    return rows


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder
