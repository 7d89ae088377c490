"""Which problems of a folder of domain folders are tried.

A domain folder of the public collection of classical domains holds ``api.py``, which lists pairs of a domain file and
a problem file; some of the largest files may be absent. In a folder without one, every other file than the domains' is
a problem, those in folders below it too, and its domain is ``PROBLEM-domain.pddl`` or, where there is none, the nearest
``domain.pddl`` in its folder or above.
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass
from pathlib import Path

from tests.data import data_root

DATA = data_root() / "ipc"
"""A sample of the planning competition's problems; it is no part of the project, and need not be there."""


@dataclass(frozen=True)
class Task:
    """A problem under the ``name`` that rows and pages call it by, its path from the folder of the domains."""

    name: str
    domain: Path
    problem: Path

    @property
    def bytes(self) -> int:
        """The size of both files."""
        return self.domain.stat().st_size + self.problem.stat().st_size


@dataclass(frozen=True)
class Collection:
    """The ``tasks`` of each domain folder whose files are there, and the folders that have ``none``."""

    tasks: dict[str, list[Task]]
    none: list[str]

    def smallest(self) -> list[Task]:
        """Returns the smallest problem of each domain, by the bytes of both files."""
        return [min(tasks, key=lambda task: (task.bytes, task.name)) for tasks in self.tasks.values()]

    def spread(self, count: int) -> list[Task]:
        """Returns at most ``count`` problems of a domain, evenly spread over its problems in their order: first one of
        every domain, then another one, and so on."""
        rounds: dict[int, list[Task]] = {}
        for tasks in self.tasks.values():
            most = min(count, len(tasks))
            for i in range(most):
                rounds.setdefault(i, []).append(tasks[i * len(tasks) // most])
        return [task for i in sorted(rounds) for task in rounds[i]]


def collection(data: Path) -> Collection:
    """Returns all problems below ``data``. Raises FileNotFoundError where there is no such folder."""
    tasks, none = {}, []
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        found = [pair for pair in _pairs(folder) if all(path.is_file() for path in pair)]
        if found:
            tasks[folder.name] = [
                Task(
                    f"{folder.name}/{problem.relative_to(folder) if folder in problem.parents else problem.name}",
                    domain,
                    problem,
                )
                for domain, problem in found
            ]
        elif any(folder.iterdir()):
            none.append(folder.name)
    return Collection(tasks, none)


def _pairs(folder: Path) -> list[tuple[Path, Path]]:
    listed = folder / "api.py"
    if listed.is_file():
        tree = ast.parse(listed.read_text(encoding="utf-8"))
        value = next(
            statement.value
            for statement in tree.body
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "domains"
        )
        pairs = (pair for entry in ast.literal_eval(value) for pair in entry["problems"])
        return sorted({(folder.parent / domain, folder.parent / problem) for domain, problem in pairs})
    found = []
    for problem in sorted(path for path in folder.rglob("*.pddl") if "domain" not in path.name):
        own = problem.with_name(f"{problem.stem}-domain.pddl")
        above = itertools.takewhile(lambda path: path != folder.parent, problem.parents)
        nearest = (path / "domain.pddl" for path in above if (path / "domain.pddl").is_file())
        found.append((own if own.exists() else next(nearest, folder / "domain.pddl"), problem))
    return found
