"""The laboratory's commands: their help, what was once called otherwise, and how an interrupt ends them."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import pytest

from commonsense_lab.runner import runner
from commonsense_planning.cli.main import LABORATORY, MOVED, PLUG_INS
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import LABORATORY as METHODS
from commonsense_planning.methods.registry import method_named
from commonsense_planning.support.registry import plug_ins
from tests.cli.running import Run
from tests.cli.test_commands import ENDS


@pytest.mark.parametrize("command", LABORATORY)
def test_help_teaches(command: str, cplan: Run) -> None:
    ended = cplan(command, "--help")
    assert ended.code == 0
    assert f"cplan {command}" in ended.out.split("Example")[1], "an example of its own"


def test_the_core_knows_what_the_laboratory_adds() -> None:
    assert {*LABORATORY} == {*plug_ins(PLUG_INS)}
    assert [method_named(name).name for name in METHODS] == [*METHODS]


@pytest.mark.parametrize("now", MOVED.values())
def test_a_command_that_moved_is_there(now: str, cplan: Run) -> None:
    assert cplan(*now.split(), "--help").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("end", ENDS)
def test_an_interrupt_ends_an_experiment_after_a_method(
    end: str, number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cplan: Run
) -> None:
    asked: list[Request] = []

    def solve(request: Request) -> Solution:
        asked.append(request)
        with suppress(KeyboardInterrupt):  # as methods do that keep what they have
            signal.raise_signal(number)
        return ENDS[end]

    monkeypatch.setattr(runner, "solve", solve)
    ended = cplan("bench", "kitchen", "--tasks", "1", "--workers", "1", "--out", tmp_path / "out")
    assert (ended.code, len(asked)) == (128 + number, 1)
