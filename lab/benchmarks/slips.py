"""Household tasks where actions fail and sensors err: success and steps, beside the same search given the truth.

The domain is ``pddl/household/domain-slips.pddl`` with its sensors, with other numbers: each try to grab or to open
fails with a chance, and each reading is wrong with a chance, either way. Tasks are those of ``cplan data tasks``, the
same for all rows; a run's seed is its task's number. ``bound`` is llm-mcts that knows the true world
(``--observable``): its actions fail likewise.

    python -m lab.benchmarks.slips [--tasks N] [--methods llm-mcts,bound] [--slips 0,0.1] [--errors 0,0.1] [-o ROWS]

What has a row in ROWS is not done again, so a run that was broken off goes on.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import click
from commonsense_lab.studies.homes.home_task import homes_of
from commonsense_lab.studies.rearrangement.tasks import write_tasks

from commonsense_planning.errors import CplanError, Status
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.packs import pack_named
from commonsense_planning.support.statistics import rate
from commonsense_planning.task import read_task

MAX_STEPS = 200
BOUND = "bound"
HOUSEHOLD = pack_named("household").folder


def world(slips: float, errors: float, folder: Path) -> tuple[Path, Path]:
    """The domain and the sensors of a cell."""
    domain, sensors = folder / f"domain-{slips}.pddl", folder / f"sensors-{errors}.pddl"
    text = (HOUSEHOLD / "domain-slips.pddl").read_text(encoding="utf-8")
    assert "probabilistic 0.8" in text
    domain.write_text(text.replace("probabilistic 0.8", f"probabilistic {1 - slips:g}"), encoding="utf-8")
    text = (HOUSEHOLD / "sensors-slips.pddl").read_text(encoding="utf-8")
    sure = text.replace("(:miss 0.1)", "").replace("(:false-alarm 0.02)", f"(:accuracy {1 - errors:g})")
    assert sure.count(":accuracy") == 1
    sensors.write_text(sure, encoding="utf-8")
    return domain, sensors


def rows(
    problems: list[Path], methods: list[str], slips: list[float], errors: list[float], folder: Path, done: set[Any]
) -> Iterator[dict[str, Any]]:
    """One episode after the other, but for those that are ``done``."""
    for slip in slips:
        for error in errors:
            domain, sensors = world(slip, error, folder)
            for seed, problem in enumerate(problems):
                task = read_task(domain, problem, sensors, HOUSEHOLD / "lexicon.toml")
                for name in methods:
                    if (slip, error, name, problem.stem) in done:
                        continue
                    method = method_named("llm-mcts" if name == BOUND else name)
                    sight = {"observable": True} if name == BOUND else {}
                    options = method.Options.of({"max_steps": MAX_STEPS, **sight})
                    began = time.process_time()
                    try:
                        found = solve(Request(task, method, options, seed=seed))
                        status, steps = str(found.status), len(found.plan or ())
                    except CplanError as ended:
                        status, steps = f"error: {ended}", 0
                    yield {
                        "slips": slip,
                        "errors": error,
                        "method": name,
                        "problem": problem.stem,
                        "status": status,
                        "steps": steps,
                        "seconds": time.process_time() - began,
                    }


def show(found: list[dict[str, Any]]) -> None:
    """One line a cell and method."""
    cells = dict.fromkeys((row["slips"], row["errors"]) for row in found)
    for cell in cells:
        here = [row for row in found if (row["slips"], row["errors"]) == cell]
        bound = {row["problem"]: row["steps"] for row in here if row["method"] == BOUND and solved(row)}
        for method in dict.fromkeys(row["method"] for row in here):
            mine = [row for row in here if row["method"] == method]
            won = [row for row in mine if solved(row)]
            share = rate(len(won), len(mine))
            both = [row for row in won if row["problem"] in bound]
            ratio = sum(r["steps"] for r in both) / max(1, sum(bound[r["problem"]] for r in both))
            slowest = max(row["seconds"] for row in mine)
            print(
                f"slips {cell[0]:.0%}, errors {cell[1]:.0%}  {method:<11} {len(won)} of {len(mine)}"
                f" [{share.low:.2f}, {share.high:.2f}], {fmean(r['steps'] for r in won) if won else 0:.1f} steps,"
                f" {ratio:.2f} x bound, {slowest:.1f} s at most"
            )


def solved(row: dict[str, Any]) -> bool:
    """Whether an episode ended at its goal."""
    return bool(row["status"] == Status.SOLVED)


def numbers(text: str) -> list[float]:
    """Several, with commas between them."""
    return [float(part) for part in text.split(",")]


@click.command()
@click.option("--tasks", default=48)
@click.option("--methods", default=f"llm-mcts,llm-replan,llm-policy,{BOUND}")
@click.option("--slips", default="0,0.1,0.2,0.3")
@click.option("--errors", default="0,0.1,0.2")
@click.option("-o", "--out", type=click.Path(path_type=Path))
def main(tasks: int, methods: str, slips: str, errors: str, out: Path | None) -> None:
    """Run all cells and show them."""
    found: list[dict[str, Any]] = []
    if out is not None and out.exists():
        found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    done = {(row["slips"], row["errors"], row["method"], row["problem"]) for row in found}
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_tasks(homes_of(None), -(-tasks // 10) * 10, 0, 0, folder / "tasks")
        problems = sorted((folder / "tasks").glob("*.pddl"))[:tasks]
        for row in rows(problems, methods.split(","), numbers(slips), numbers(errors), folder, done):
            found.append(row)
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    show(found)


if __name__ == "__main__":
    main()
