"""Files that goldens read and that are not in the repository: written into the run's own folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from commonsense_lab.runner.rows import NAME
from lab.tests.report.lines import Row
from lab.tests.studies.rearrangement.rows import row as rearrangement_row
from lab.tests.studies.rearrangement.small_world import write_world
from lab.tests.studies.travelling.openflights_files import write_openflights
from lab.tests.studies.virtualhome.homes import SALMON_IN_FRIDGE, SCENE, write_problem
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
    nodes = [
        {
            "id": node.id,
            "class_name": node.class_name,
            "category": node.category,
            "properties": sorted(node.properties),
            "states": sorted(node.states),
        }
        for node in SCENE.nodes.values()
    ]
    edges = [{"from_id": e.source, "relation_type": e.relation, "to_id": e.target} for e in SCENE.edges]
    (folder / "graph.json").write_text(json.dumps({"nodes": nodes, "edges": edges}))
    (folder / "plan").write_text("".join(f"({step})\n" for step in SALMON_IN_FRIDGE))
    (folder / "short").write_text(f"({SALMON_IN_FRIDGE[0]})\n")
    write_problem(folder)


def rearrangement_rows(folder: Path) -> None:
    """Rows of the rearrangement experiment, made up."""
    _write(folder / "results", [rearrangement_row("mcts", "seen", "simple", 0, number) for number in range(2)])


def _write(folder: Path, rows: list[Row]) -> None:
    folder.mkdir()
    (folder / NAME).write_text("".join(json.dumps(row) + "\n" for row in rows))
