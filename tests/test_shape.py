"""What users and plug-ins rely on: the top level, the packages, and the command as it is written everywhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.data import REPOSITORY, data_root

PACKAGE = REPOSITORY / "src" / "commonsense_planning"

COMMAND = "cplan solve domain.pddl problem.pddl --method llm-mcts"
ROOMS = {
    "agent",
    "cli",
    "elicitation",
    "embedded",
    "grounding",
    "heuristics",
    "instructions",
    "interfaces",
    "kernels",
    "llm",
    "matching",
    "methods",
    "pddl",
    "planners",
    "pomdp",
    "search",
    "support",
    "validation",
    "view",
    "wording",
}


def test_the_top_level() -> None:
    files = ["setup.cfg", "setup.py", "Makefile", "README.md", "CONTRIBUTING.md", "LICENSE"]
    folders = ["src/commonsense_planning", "tests", "examples", "docs", "pddl/household", "pddl/virtualhome"]
    assert [name for name in files if not (REPOSITORY / name).is_file()] == []
    assert [name for name in folders if not (REPOSITORY / name).is_dir()] == []


def test_the_default_run_is_the_same_without_data_beside_the_checkout() -> None:
    assert not data_root().exists()


def test_ci_runs_the_first_commands_of_the_readme_as_they_stand_there() -> None:
    commands = re.search(r"```sh\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert commands is not None
    first = [line.partition("#")[0].strip() for line in commands[1].splitlines()[:2]]
    script = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    start = script.index('cd "$empty/cplan"')
    assert [line for line in script[start:] if line.startswith("make ")][:2] == first


def test_the_belief_is_made_in_one_place() -> None:
    made = [path for path in PACKAGE.rglob("*.py") if re.search(r"(?<!\w)Belief\(", path.read_text())]
    assert made == [PACKAGE / "elicitation" / "prior.py"]


def test_the_packages() -> None:
    package = REPOSITORY / "src" / "commonsense_planning"
    rooms = {init.parent for init in package.glob("*/__init__.py")}
    assert {room.name for room in rooms if not room.is_symlink()} == ROOMS
    modules = {"__init__.py", "config.py", "errors.py", "state.py", "task.py", "testing.py"}
    assert {path.name for path in package.glob("*.py")} == modules
    kinds = {path.suffix for path in package.rglob("*") if path.is_file() and path.parent.name != "__pycache__"}
    kinds -= {".so", ""}  # compiled kernels, and the mark of when that was
    assert kinds <= {".py", ".toml", ".jinja", ".js", ".css", ".txt", ".typed"}


def test_the_command(tmp_path: Path) -> None:
    pack = REPOSITORY / "pddl" / "household"
    for name in ("domain.pddl", "sensors.pddl", "lexicon.toml"):
        shutil.copy(pack / name, tmp_path)
    shutil.copy(pack / "problems" / "demo.pddl", tmp_path / "problem.pddl")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ended = subprocess.run(
        COMMAND, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == "demo of household, method llm-mcts: " + (
        "search among places to look at, with the model's prior, and its policy if it can give one"
    )
