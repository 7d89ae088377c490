"""Domain packs by name: ``household:demo`` is the problem ``demo`` of the pack ``household``.

A pack is a folder with ``domain.pddl``, ``problems/``, and other files that cplan reads from the folder of a domain.
cplan ships with the package ``commonsense_planning.packs``, a link to the folder ``pddl`` of the
repository, so that they are found in a checkout and in a wheel alike. A user's folder is also a pack, by its path:
``garden:tidy``. A link in a pack or in a domain's folder that leads out of it is not read (InputError).

Whatever takes a task finds its files here: ``cplan``'s arguments (``cli/task_arguments.py``), and ``read_task``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.pddl.syntax import GAME, check_path
from commonsense_planning.support.english import did_you_mean
from commonsense_planning.support.reading import within

if TYPE_CHECKING:
    from commonsense_planning.pddl.problem import Problem

DOMAIN, PROBLEMS, HEURISTICS, PROMPTS = "domain.pddl", "problems", "heuristics", "prompts"
ENDING = ".pddl"


@dataclass(frozen=True)
class Pack:
    """``name``: the name or path that the user gives; ``folder``: the folder of its files."""

    name: str
    folder: Path

    @property
    def domain(self) -> Path:
        """The domain file."""
        return within(self.folder, self.folder / DOMAIN)

    @property
    def problems(self) -> dict[str, Path]:
        """Name → file of each problem, in alphabetical order."""
        return {path.stem: within(self.folder, path) for path in sorted((self.folder / PROBLEMS).glob(f"*{ENDING}"))}

    def problem(self, name: str) -> Path:
        """The file of a problem. Raises UsageError for an unknown name, with the names that exist."""
        found = self.problems
        if name not in found:
            there = f"there are {', '.join(found)}" if found else f"there is none in {self.folder / PROBLEMS}"
            raise UsageError(f"the pack {self.name} has no problem called {name!r}{did_you_mean(name, found)}; {there}")
        return found[name]


def packs_folder() -> Path:
    """The folder of the packs that ship with cplan. Raises MissingError if they were not installed."""
    folder = Path(__file__).parents[1] / "packs"
    if not folder.is_dir():
        raise MissingError("the domain packs are not installed; in a checkout: run pip install -e . again")
    return folder.resolve()  # in a checkout, a link to ``pddl``


def packs() -> dict[str, Pack]:
    """Name → pack that ships with cplan, in alphabetical order. Raises as ``packs_folder``."""
    found = sorted(packs_folder().glob(f"*/{DOMAIN}"))
    return {path.parent.name: Pack(path.parent.name, path.parent) for path in found}


def pack_named(name: str) -> Pack:
    """The pack that ships with this name, or else the folder at this path. Raises UsageError if it is neither, with the
    names that exist."""
    ours = packs()
    if name in ours:
        return ours[name]
    if _is_file(Path(name) / DOMAIN):
        return Pack(name, Path(name))
    raise UsageError(
        f"no pack is called {name!r}{did_you_mean(name, ours)}, and there is no folder of that name with a {DOMAIN}; "
        f"there are {', '.join(ours)}; cplan packs lists their problems"
    )


def task_files(domain: str | Path, problems: Sequence[str | Path] = ()) -> tuple[Path, tuple[Path, ...]]:
    """The files of a domain and of problems, as a user names them.

    ``domain``: a file; a pack, for its domain; PACK:PROBLEM, for both; or a game of TextWorld. ``problems``: files, or
    more problems of that pack. A file has priority over a pack of the same name. Raises UsageError for unknown packs
    and problems, and for problems of several packs. Whether the files exist is not checked.
    """
    pack, problem = _parts(domain)
    if problem is not None or (str(domain).endswith(GAME) and str(domain) not in map(str, problems)):
        problems = (str(domain), *map(str, problems))
    found = pack.domain if pack else Path(domain)
    return found, tuple(_problem(str(problem), found) for problem in problems)


def heuristics_beside(folder: Path | None) -> dict[str, Path]:
    """Name → file of the written heuristics in that domain's folder, in alphabetical order."""
    found = [] if folder is None else sorted((folder / HEURISTICS).glob("*.py"))
    return {file.stem: within(file.parents[1], file) for file in found}


def beside(file: Path | None, name: str) -> Path | None:
    """The file or folder called ``name`` in the folder of a domain's or problem's ``file``; None if there is none, or
    no ``file``."""
    path = None if file is None else file.parent / name
    return within(path.parent, path) if path is not None and path.exists() else None


def _problem(word: str, domain: Path) -> Path:
    pack, problem = _parts(word)
    if pack is None or problem is None:
        return Path(word)
    if pack.domain != domain:
        raise UsageError(f"{word} is of the domain {pack.domain}, and not of {domain}: all problems are of one domain")
    return pack.problem(problem)


def others_beside(problem: Problem) -> list[Path]:
    """The other PDDL files in the folder of a problem's file, the smallest first."""
    own = {problem.problem_file.resolve(), problem.domain_file.resolve()}
    folder = problem.folders[1]
    return [] if folder is None else [file for file in by_size(folder) if file.resolve() not in own]


def by_size(folder: Path) -> list[Path]:
    """The PDDL files of a folder, the smallest first."""
    return sorted(folder.glob(f"*{ENDING}"), key=lambda file: (file.stat().st_size, file.name))


def _parts(word: str | Path) -> tuple[Pack | None, str | None]:
    """The pack of a word, and the name of its problem; None for a missing one."""
    check_path(word)
    if isinstance(word, Path) or word.endswith(ENDING) or _is_file(Path(word)):
        return None, None
    name, colon, problem = word.rpartition(":")
    return (pack_named(name), problem) if colon else (packs().get(word), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long or not a file's name, which its reader reports
        return False
