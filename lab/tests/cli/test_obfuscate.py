"""``cplan obfuscate``: files, the way back, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import Run
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"


def test_a_plan_of_the_renamed_task_is_one_of_the_task(tmp_path: Path, cplan: Run) -> None:
    folder, plan, back = tmp_path / "a" / "renamed", tmp_path / "plan.txt", tmp_path / "back.txt"
    made = cplan("obfuscate", "household:small-apple", "household:open-fridge", "-o", folder, "--shuffle")
    assert made.code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        *("domain.pddl", "map.json", "problem-1.pddl", "problem-2.pddl", "sensors.pddl")
    ]
    files = json.loads((folder / "map.json").read_text())["files"]
    assert files["problem-1.pddl"].endswith("small-apple.pddl")
    assert "apple" not in "".join(path.read_text() for path in folder.glob("*.pddl"))
    task = folder / "domain.pddl", folder / "problem-1.pddl"
    assert cplan("solve", *task, "--method", "llm-replan", "--plan", plan).code == 0  # the sensors are read
    read = cplan("obfuscate", "--back", folder / "map.json", plan)
    assert read.code == 0 and "apple_1" in read.out
    back.write_text(read.out)
    assert cplan("validate", "household:small-apple", back).code == 0


def test_what_makes_no_sense_is_refused(tmp_path: Path, cplan: Run) -> None:
    domain = HOUSEHOLD / "domain.pddl"
    for words, message in (
        ((domain, "-o", tmp_path), "at least one problem"),
        (("household:demo",), "-o FOLDER is needed"),
        (("--back", tmp_path / "none.json", tmp_path / "plan"), "none.json: cannot be read"),
        (("--back", "map", "a", "b"), "one plan"),
        ((domain, tmp_path / "none.pddl", "-o", tmp_path), "no such file"),
        (("household:demo", "-o", domain), "cannot write the renamed files"),
    ):
        ended = cplan("obfuscate", *words)
        assert ended.code == 2 and message in ended.err, words
    assert not list(tmp_path.iterdir())
