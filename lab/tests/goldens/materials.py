"""Files that goldens read and that are not in the repository: written into the run's own folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.tests.studies.rearrangement.small_world import write_world
from lab.tests.studies.travelling.openflights_files import write_openflights
from lab.tests.studies.virtualhome.homes import SALMON_IN_FRIDGE, write_problem, write_scene
from tests.data import REPOSITORY


def openflights(folder: Path) -> None:
    """OpenFlights' files with every kind of line that cannot be used."""
    write_openflights(folder)


def world(folder: Path) -> None:
    """OpenFlights' files of a small world."""
    write_world(folder)


def bare_flights(folder: Path) -> None:
    """The domain of flights and a problem, without its lexicon and prompts: the built-in prompts are asked."""
    shutil.copy(REPOSITORY / "pddl/flights/domain.pddl", folder)
    shutil.copy(REPOSITORY / "pddl/flights/problems/short-oslo-athens.pddl", folder / "problem.pddl")


def scene(folder: Path) -> None:
    """A scene of VirtualHome as a graph, a problem in it, and a plan of it."""
    write_scene(folder)
    (folder / "plan").write_text("".join(f"({step})\n" for step in SALMON_IN_FRIDGE))
    (folder / "short").write_text(f"({SALMON_IN_FRIDGE[0]})\n")
    write_problem(folder)
