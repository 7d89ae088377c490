"""What is read of other people's planning tasks under chance: files read, and why the others are not.

FOLDER is searched for domains with chance in their effects, and for their problems: beside the domain, or in folders of
its name (``tireworld.pddl``, ``tireworld``, ``tireworld_test``). Reading is all that is done: parsing, checks, normal
form, Tarski's problem.

    python -m benchmarks.chance_files FOLDER …
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
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
    found = [file for file in sorted(folder.glob("*.pddl")) if PROBLEM.search(text_of(file))]
    numbers = re.findall(r"\d+", domain.stem)
    return [file for file in found if not numbers or re.findall(r"\d+", file.stem) == numbers] or found


def text_of(file: Path) -> str:
    """What a file says, whatever its bytes."""
    return file.read_text(encoding="utf-8", errors="replace")


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, exists=True), required=True)
def main(folders: tuple[Path, ...]) -> None:
    """Read all, and say what was refused, once for each reason."""
    for folder in folders:
        read, refused, whole, partly, count = 0, Counter[str](), 0, 0, 0
        for domain in domains(folder):
            here = problems(domain)
            errors = []
            for problem in here:
                try:
                    read_problem(domain, problem)
                except CplanError as error:
                    errors.append(str(error).replace(f"{folder}/", "").splitlines()[0])
            count += 1
            read += len(here) - len(errors)
            whole += bool(here) and not errors
            partly += bool(here) and len(here) > len(errors) > 0
            refused.update(errors)
            first = f": {errors[0]}" if errors else ""
            print(f"{domain.relative_to(folder)}: {len(here) - len(errors)} of {len(here)} read{first}")
        total = read + refused.total()
        print(f"{folder}: {count} domain files, {whole} read with all problems, {partly} with some;")
        print(f"{read} of {total} problems read")


if __name__ == "__main__":
    main()
