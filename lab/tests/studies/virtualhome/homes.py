"""Problems of the virtualhome domain in a small scene."""

import json
from pathlib import Path

from commonsense_lab.studies.homes.scene_graph import SceneGraph
from commonsense_lab.studies.homes.scene_import import ImportOptions
from commonsense_lab.studies.virtualhome.home import import_home, render_home
from commonsense_lab.studies.virtualhome.tasks import HouseholdTask
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from lab.tests.studies.homes.test_scene_import import FLAT, graph, graph_json
from lab.tests.studies.virtualhome.plans import DOMAIN

ROWS = [
    *FLAT,
    (46, "toothpaste", "Props", "GRABBABLE POURABLE CREAM", "", "INSIDE 1, ON 11"),
    (47, "toothbrush", "Props", "GRABBABLE", "", "INSIDE 1, ON 11"),
    (48, "tv", "Electronics", "HAS_SWITCH LOOKABLE HAS_PLUG", "OFF", "INSIDE 2"),
]
"""The flat of the importer's tests, with something to brush one's teeth and a television."""
SCENE = graph(ROWS)
GOAL = "(inside salmon_30 fridge_10)"
SALMON_IN_FRIDGE = ("walk-to-fixture fridge_10", "grab salmon_30", "open fridge_10", "putin salmon_30 fridge_10")


def write_scene(folder: Path) -> Path:
    """The scene as a file."""
    file = folder / "graph.json"
    file.write_text(json.dumps(graph_json(ROWS)))
    return file


def problem_text(goal: str = GOAL, room: str | None = None, scene: SceneGraph = SCENE) -> str:
    """A problem with that goal (without classes) in the scene; ``room`` is the one to start in."""
    # a formula of the table begins with a quantifier; this one's class has one member
    task = HouseholdTask("try", "try", f"(exists (?f - fridge) {goal})")
    return render_home(import_home(scene, ImportOptions(room))[0], "try", task, "")


def write_problem(folder: Path) -> Path:
    """The problem as a file."""
    file = folder / "problem.pddl"
    file.write_text(problem_text(), encoding="utf-8")
    return file


def problem_with(goal: str = GOAL, room: str | None = None, scene: SceneGraph = SCENE) -> Problem:
    """The problem of :func:`problem_text`, read."""
    return read_problem(DOMAIN, Text(problem_text(goal, room, scene)))
