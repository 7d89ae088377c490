"""Files that goldens read and that are not in the repository: written into the run's own folder."""

import shutil
from pathlib import Path

from tests.data import REPOSITORY


def nothing(folder: Path) -> None:
    """No files."""


def bare_household(folder: Path) -> None:
    """The household domain and a problem, without its lexicon and prompts: the built-in prompts are asked."""
    for name in ("domain.pddl", "sensors.pddl"):
        shutil.copy(REPOSITORY / "pddl/household" / name, folder)
    shutil.copy(REPOSITORY / "pddl/household/problems/small-apple.pddl", folder / "problem.pddl")
