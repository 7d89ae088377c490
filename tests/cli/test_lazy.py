"""Commands of plug-ins: listed beside our own, and a broken one takes down nothing but itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint

import pytest

from commonsense_planning.cli.main import MOVED
from commonsense_planning.support import registry
from tests.cli.running import Run

PLUG_INS = {
    "broken": EntryPoint("broken", "a_module_that_nobody_has:command", "commonsense_planning.commands"),
    "lengths": EntryPoint(
        "lengths", "commonsense_lab.studies.description_length.commands:mdl", "commonsense_planning.commands"
    ),
}


@pytest.fixture
def two_plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plug-in that works and one that cannot be loaded."""

    def plug_ins(group: str) -> Mapping[str, EntryPoint]:
        return PLUG_INS if group == "commonsense_planning.commands" else {}

    monkeypatch.setattr(registry, "plug_ins", plug_ins)


@pytest.mark.usefixtures("two_plug_ins")
def test_a_broken_command_is_listed_with_its_cause(cplan: Run) -> None:
    ended = cplan("--help")
    assert ended.code == 0
    listed = {name: text for name, _, text in (line.strip().partition("  ") for line in ended.out.splitlines())}
    assert listed["broken"].strip() == "BROKEN: No module named 'a_module_that_nobody_has'"
    assert listed["solve"].strip().startswith("Solve a task")
    assert cplan("lengths", "flights", "--sizes", "10").code == 0


@pytest.mark.usefixtures("two_plug_ins")
def test_asking_for_a_broken_command_says_why(cplan: Run) -> None:
    for args in (("broken",), ("broken", "--help"), ("broken", "some", "words")):
        ended = cplan(*args)
        assert ended.code == 3
        assert "the plug-in broken (a_module_that_nobody_has:command) cannot be loaded: ModuleNotFound" in ended.err


@pytest.mark.parametrize(("once", "now"), MOVED.items())
def test_a_command_that_moved_says_where(once: str, now: str, cplan: Run) -> None:
    ended = cplan(once, "--help")
    assert ended.code == 2 and f"{once} is now cplan {now}" in ended.err
    assert cplan(*now.split(), "--help").code == 0


def test_solving_loads_no_study_that_it_does_not_use() -> None:
    code = "import sys; from commonsense_planning.cli.main import main; main(['solve', '--help']); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[2] for name in ended.stdout.split() if name.startswith("commonsense_planning.studies.")}
    assert loaded <= {"travelling"}  # whose methods --help lists
