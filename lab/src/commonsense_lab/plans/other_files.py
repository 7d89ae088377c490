"""The PDDL files that lie beside those of a task."""

from __future__ import annotations

from pathlib import Path

from commonsense_planning.pddl.packs import ENDING
from commonsense_planning.pddl.problem import Problem


def others_beside(problem: Problem) -> list[Path]:
    """The other PDDL files in the folder of a problem's file, the smallest first."""
    own = {problem.problem_file.resolve(), problem.domain_file.resolve()}
    folder = problem.folders[1]
    return [] if folder is None else [file for file in by_size(folder) if file.resolve() not in own]


def by_size(folder: Path) -> list[Path]:
    """The PDDL files of a folder, the smallest first."""
    return sorted(folder.glob(f"*{ENDING}"), key=lambda file: (file.stat().st_size, file.name))
