"""The example of a plug-in: installed, it is a method like any other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import CPLAN
from tests.data import REPOSITORY

HOME = [str(REPOSITORY / "pddl" / "household" / name) for name in ("domain.pddl", "problems/small-apple.pddl")]


@pytest.fixture(scope="module")
def plugged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process in which the example is installed, in a folder of its own."""
    folder = tmp_path_factory.mktemp("plug-in")
    shutil.copytree(REPOSITORY / "examples" / "own_method", folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", folder / "site", folder / "source"], check=True, capture_output=True)
    return {**os.environ, "PYTHONPATH": str(folder / "site")}


def cplan(environment: dict[str, str], *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CPLAN, *args], env=environment, capture_output=True, text=True)


def test_it_is_listed_with_the_others(plugged: dict[str, str]) -> None:
    rows = json.loads(cplan(plugged, "methods", "--json").stdout)["methods"]
    assert {"llm-mcts", "own-breadth-first"} <= {row["name"] for row in rows}


def test_it_solves_a_task_and_the_plan_is_validated(plugged: dict[str, str], tmp_path: Path) -> None:
    ended = cplan(plugged, "solve", *HOME, "--method", "own-breadth-first", "--json")
    found = json.loads(ended.stdout)
    assert (found["status"], found["steps"], found["validators"]["VAL"]) == ("solved", 6, "valid"), ended.stderr
    few = cplan(plugged, "solve", *HOME, "--method", "own-breadth-first", "--max-states", "5")
    assert (few.returncode, "more than 5 states" in few.stdout) == (4, True)


def test_its_settings_are_options_with_help_and_range(plugged: dict[str, str]) -> None:
    told = cplan(plugged, "solve", "--method", "own-breadth-first", "--help").stdout
    assert "Options of own-breadth-first" in told
    assert "--max-states" in told
    wrong = cplan(plugged, "solve", *HOME, "--method", "own-breadth-first", "--max-states", "0")
    assert (wrong.returncode, "max-states must be at least 1, not 0" in wrong.stderr) == (2, True)
    other = cplan(plugged, "solve", *HOME, "--method", "gbfs", "--max-states", "5")
    assert "--max-states belongs to own-breadth-first, not to gbfs" in other.stderr
