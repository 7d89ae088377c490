"""What is read of other people's planning tasks under chance: files read, and why the others are not.

FOLDER is searched for domains with chance in their effects, and for their problems: beside the domain, or in folders of
its name (``tireworld.pddl``, ``tireworld``, ``tireworld_test``). Reading is all that is done: parsing, checks, normal
form, Tarski's problem.

    python -m lab.benchmarks.chance_files FOLDER … [--every K] [--minutes M]
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from commonsense_planning.errors import CplanError
from commonsense_planning.pddl.reader import read_problem

CHANCE = re.compile(r"\(\s*(probabilistic|oneof)\s", re.IGNORECASE)
DOMAIN = re.compile(r"\(\s*define\s*\(\s*domain\s", re.IGNORECASE)
PROBLEM = re.compile(r"\(\s*define\s*\(\s*problem\s", re.IGNORECASE)


def domains(folder: Path) -> Iterator[Path]:
    """The domain files with chance."""
    for file in sorted(folder.rglob("*.pddl")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if DOMAIN.search(text) and CHANCE.search(text):
            yield file


def problems(domain: Path) -> list[Path]:
    """The problem files of a domain: all beside it, or where it has numbers in its name, as ``d_10_1.pddl``, those with
    the same."""
    folder = domain.parent
    own = [name for name in (domain.stem, f"{domain.stem}_test") if (folder / name).is_dir()]
    if own:
        return [file for name in own for file in sorted((folder / name).glob("*.pddl"))]
    found = problem_files(folder)
    numbers = re.findall(r"\d+", domain.stem)
    return [file for file in found if not numbers or re.findall(r"\d+", file.stem) == numbers] or found


@cache
def problem_files(folder: Path) -> list[Path]:
    """Those of a folder; it may hold hundreds of domains."""
    return [file for file in sorted(folder.glob("*.pddl")) if PROBLEM.search(text_of(file))]


def text_of(file: Path) -> str:
    """What a file says, whatever its bytes."""
    return file.read_text(encoding="utf-8", errors="replace")


def reason(error: str) -> str:
    """What is wrong, without the place and the names."""
    _, _, message = re.sub(r"^\S*?:\d+:\d+: ", "\0", error).rpartition("\0")
    return re.sub(r"'[^']*'|\(.*\)", "…", message)


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--every", default=1, help="Of a folder's problems, read the first and each so-manieth after it.")
@click.option("--minutes", type=float, help="Read no more after that; how many were not tried is said.")
def main(folders: tuple[Path, ...], every: int, minutes: float | None) -> None:
    """Read all, and say what was refused, once for each reason."""
    ends = math.inf if minutes is None else time.monotonic() + 60 * minutes
    for folder in folders:
        pairs = [(domain, problem) for domain in domains(folder) for problem in problems(domain)]
        tried: Counter[Path] = Counter()
        refused: dict[str, list[str]] = {}
        partly: Counter[Path] = Counter()
        for domain, problem in pairs[::every]:
            if time.monotonic() > ends:
                break
            tried[domain] += 1
            try:
                read_problem(domain, problem)
            except CplanError as error:
                message = str(error).replace(f"{folder}/", "").splitlines()[0]
                refused.setdefault(reason(message), []).append(message)
                partly[domain] += 1
        for domain, count in tried.items():
            print(f"{domain.relative_to(folder)}: {count - partly[domain]} of {count} read")
        total = tried.total()
        print(f"\n{folder.name}: {len(tried)} domain files, {len(tried) - len(partly)} with nothing refused;")
        print(f"{total - partly.total()} of {total} problems read, {len(pairs) - total} of {len(pairs)} not tried\n")
        print("| refused | reason | the first |\n|---|---|---|")
        for why, messages in sorted(refused.items(), key=lambda item: -len(item[1])):
            print(f"| {len(messages)} | {why} | {messages[0]} |")
        print(flush=True)


if __name__ == "__main__":
    main()
