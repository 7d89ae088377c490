"""The benchmarks of the planning competition's learning track of 2023, and others that are laid out like these."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from commonsense_lab.pddl.obfuscate import rename, renamed
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.check import check_domain, check_task
from commonsense_planning.pddl.nodes import layout
from commonsense_planning.pddl.syntax import read_source
from commonsense_planning.support.writing import make_folder, write_text

LEVELS = ("easy", "medium", "hard")
PLAIN, OBFUSCATED = "plain", "obfuscated"


def domains(data: Path) -> list[str]:
    """Returns the domains of the benchmarks. Raises InputError if there are none."""
    found = sorted(file.parent.name for file in data.glob("*/domain.pddl") if (file.parent / "testing").is_dir())
    if not found:
        raise InputError(f"{data}: no benchmarks here; expected DOMAIN/domain.pddl and DOMAIN/testing/easy/p01.pddl …")
    return found


def problems(data: Path, domain: str, every: int, first: int | None = None) -> list[tuple[str, Path]]:
    """Returns (level, file) of each ``every``-th test problem, all levels in one row, from the ``first`` on, counted
    from 1, by default the middle of the first ``every``."""
    there = [(level, file) for level in LEVELS for file in sorted((data / domain / "testing" / level).glob("*.pddl"))]
    return there[every // 2 if first is None else first - 1 :: every]


def training(data: Path, domain: str, count: int) -> list[Path]:
    """Returns ``count`` training problems, evenly from the smallest to the largest. Raises InputError for none."""
    there = sorted((data / domain / "training").glob("*/*.pddl"), key=lambda file: (file.stat().st_size, file.name))
    if not there:
        raise InputError(f"{data / domain}/training: there are no problems (*.pddl) in this folder")
    if count == 1:
        return there[:1]
    places = [round(i * (len(there) - 1) / (count - 1)) for i in range(count)]
    return [there[place] for place in dict.fromkeys(places)]


def obfuscate(data: Path, domain: str, every: int, first: int | None, count: int, folder: Path) -> None:
    """Writes a domain, the test problems of ``problems`` and ``count`` training problems to ``folder``, laid out as in
    ``data``, under names without meaning, which depend only on the domain and these problems."""
    files = [*(file for _, file in problems(data, domain, every, first)), *training(data, domain, count)]
    source = read_source(data / domain / "domain.pddl")
    tasks = [check_task(check_domain(source), read_source(file)) for file in files]
    names = rename(tasks, None, np.random.default_rng(zlib.crc32(domain.encode())))
    for found in (source, *(task.source for task in tasks)):
        to = folder / found.path.relative_to(data)
        make_folder(to.parent, "the renamed benchmarks")
        write_text(to, f"{layout(renamed(found.root, names))}\n", "the renamed file")
