"""What comes of other projects' planning files: how many are read, why others are not, and what is planned for them.

Each problem below FOLDER is read with its domain: the file beside it, or above it, that defines the domain which it
names. ``gbfs`` plans for what is read, and VAL judges the plans.

    python -m lab.benchmarks.reliability.foreign_files FOLDER … [--seconds S]
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import click

from commonsense_planning.errors import CplanError, Status, UnsupportedFeature
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.support.processes import Limit
from commonsense_planning.task import read_task
from commonsense_planning.validation.val import validate_with_val

DEFINES = re.compile(r"\(\s*define\s*\(\s*(domain|problem)\s+([^\s()]+)", re.IGNORECASE)
DOMAIN_OF = re.compile(r"\(\s*:domain\s+([^\s()]+)", re.IGNORECASE)
NUMBER = re.compile(r"\d+")
QUOTED = re.compile(r"'[^']*'")


@cache
def text_of(file: Path) -> str:
    """What a file says without its comments, whatever its bytes."""
    return re.sub(r";.*", "", file.read_text(encoding="utf-8", errors="replace"))


def defines(file: Path) -> tuple[str, str]:
    """``domain`` or ``problem``, and its name, in lower case; empty where it defines neither."""
    found = DEFINES.search(text_of(file))
    return (found[1].lower(), found[2].lower()) if found else ("", "")


def domain_of(problem: Path, top: Path) -> Path | None:
    """The domain file of a problem, beside it or above it: one with the problem's number, or ``domain.pddl``, or
    the first of those that define the domain which it names."""
    named = DOMAIN_OF.search(text_of(problem))
    folder = problem.parent
    while True:
        beside = [file for file in sorted(folder.glob("*.pddl")) if defines(file)[0] == "domain"]
        fitting = [file for file in beside if named and defines(file)[1] == named[1].lower()]
        number = NUMBER.findall(problem.stem)
        own = [file for file in fitting if number and NUMBER.findall(file.stem) == number]
        usual = [file for file in fitting if file.stem == "domain"]
        if found := own or usual or fitting or (beside if len(beside) == 1 else []):
            return found[0]
        if folder == top or folder == folder.parent:
            return None
        folder = folder.parent


def outcome_of(domain: Path, problem: Path, seconds: float) -> str:
    """What came of a problem, in a few words."""
    try:
        task = read_task(domain, problem)
    except UnsupportedFeature as error:
        return f"not supported: {QUOTED.sub('…', error.problem)}"
    except CplanError as error:
        return f"refused: {QUOTED.sub('…', str(getattr(error, 'problem', error)))[:80]}"
    try:
        solution = solve(Request(task, method_named("gbfs"), seconds=seconds))
    except CplanError as error:
        return f"read, not planned for: {QUOTED.sub('…', str(error))[:80]}"
    if solution.status is not Status.SOLVED or solution.plan is None:
        return f"read, {solution.status}"
    return f"read, solved, VAL: {validate_with_val(task.problem, solution.plan, Limit(60)).verdict}"


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seconds", default=5.0, show_default=True, help="For each plan.")
@click.option("--named", is_flag=True, help="Say what came of each problem.")
def main(folders: tuple[Path, ...], seconds: float, named: bool) -> None:
    """Print what came of the problems below each FOLDER."""
    for folder in folders:
        counts: Counter[str] = Counter()
        for problem in sorted(file for file in folder.rglob("*.pddl") if defines(file)[0] == "problem"):
            domain = domain_of(problem, folder)
            outcome = "no domain" if domain is None else outcome_of(domain, problem, seconds)
            counts[outcome] += 1
            if named:
                print(f"{problem}: {outcome}", flush=True)
        print(f"{folder}: {counts.total()} problems")
        for outcome, count in sorted(counts.items()):
            print(f"  {count:4}  {outcome}", flush=True)


if __name__ == "__main__":
    main()
