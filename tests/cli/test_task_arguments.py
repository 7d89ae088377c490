"""DOMAIN and PROBLEM, or PACK:PROBLEM in their place, for every command that takes a task; a pack of one's own."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.data import HOUSEHOLD

PROBLEM = HOUSEHOLD / "problems" / "small-apple.pddl"


@pytest.fixture
def plan(tmp_path: Path, cplan: Run) -> Path:
    file = tmp_path / "plan"
    assert cplan("solve", "household:small-apple", "--method", "gbfs", "--plan", file, "--quiet").code == 0
    return file


def test_commands_take_names(plan: Path, cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the current folder must not matter
    for command in ("check", "ground", "methods"):
        named = cplan(command, "household:small-apple", "--json")
        assert named.code == 0, named.err
        if command != "ground":  # which tells its seconds
            assert named.out == cplan(command, HOUSEHOLD / "domain.pddl", PROBLEM, "--json").out
    assert cplan("validate", "household:small-apple", plan).code == 0
    assert cplan("validate", "household", PROBLEM, plan).code == 0


def test_several_problems_of_a_pack(cplan: Run) -> None:
    ended = cplan("solve", "household:small-apple", "household:any-mug", "--method", "gbfs", "--quiet")
    assert ended.code == 0
    assert "2 of 2 problems solved" in ended.out


def test_packs_lists_what_there_is(cplan: Run) -> None:
    ended = cplan("packs")
    assert ended.code == 0
    assert "  household:two-apples          Two apples in the fridge, any two of four\n" in ended.out
    assert "  virtualhome:watch-tv                              watch tv\n" in ended.out
    only = cplan("packs", "kitchen", "--json")
    assert [(pack["name"], pack["problems"]) for pack in only.json["packs"]] == [("kitchen", ["hard-galley-0004"])]


def reads(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))


def test_standard_input_and_output(cplan: Run, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reads(monkeypatch, PROBLEM.read_text())
    piped = cplan("solve", "household", "-", "--method", "gbfs", "--plan", "-")
    assert (piped.code, piped.out) == (0, plan.read_text())
    assert "VAL     valid" in piped.err
    reads(monkeypatch, piped.out)
    assert cplan("validate", "household:small-apple", "-").code == 0
    traced = cplan("solve", "household:small-apple", "--trace", "-")
    events = [json.loads(line)["event"] for line in traced.out.splitlines()]
    assert (events[0], events[-1]) == ("start", "validated")
    assert {file.name for file in tmp_path.iterdir()} == {"plan"}


def test_a_new_domain_is_solved(tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = cplan("new-domain", "attic")
    assert made.code == 0, made.err
    assert made.out.endswith("next: cplan solve attic:first\n")
    checked = cplan("check", "attic:first", "--json")
    assert (checked.code, checked.json["files"][0]["hidden patterns"]) == (0, 1)
    solved = cplan("solve", "attic:first", "--plan", "plan")
    assert solved.code == 0, solved.err
    assert "walk" not in solved.out
    assert "take the milk" in solved.out
    assert cplan("validate", "attic:first", "plan").code == 0
    assert cplan("solve", "attic:first", "--method", "gbfs").code == 0
    readme = (tmp_path / "attic" / "README.md").read_text()
    assert "`cplan check attic:first`" in readme
    assert len(readme.splitlines()) <= 10


def test_a_path_may_come_before_the_name(tmp_path: Path, cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cplan("new-domain", "my/own/attic", "--json").json["folder"] == "my/own/attic"
    assert cplan("check", "my/own/attic:first").code == 0
    assert cplan("new-domain", "my/household").code == 0  # which its path tells from the pack
