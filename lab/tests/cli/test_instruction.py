"""``--instruction`` with the long grammar of the embedded model."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.shelves import warehouse

HOUSEHOLD = REPOSITORY / "pddl" / "household"
DEMO = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")


def test_a_goal_is_shown_in_pddl_and_in_english(cplan: Run, tmp_path: Path) -> None:
    kept = tmp_path / "instructed.pddl"
    text = "clear all plates into the dishwasher, but never open the oven"
    ended = cplan("solve", *DEMO, "--instruction", text, "--method", "gbfs", "--save-problem", kept, "--json")
    assert ended.code == 0
    assert set(ended.json["validators"].values()) == {"valid"}
    said = ("- every plate is inside the dishwasher", "- always: the oven is closed")
    for shown in ("(always (not (opened oven_1)))", *said):
        assert shown in ended.err
    assert "(:constraints (and (always (not (opened oven_1)))))" in kept.read_text()
    words = cplan("solve", *DEMO, "--instruction", text, "--prompts", "paper")
    assert words.code == 2  # the paper's tuples cannot say it


def test_one_of_two_places(cplan: Run, tmp_path: Path) -> None:
    domain, problem = warehouse(tmp_path)
    ended = cplan("solve", domain, problem, "--method", "gbfs", "--instruction", "put drill_1 at s2 or s3")
    assert "(or (stored drill_1 s2) (stored drill_1 s3))" in ended.out
