"""The laboratory's commands: their help, settings and old names, and how an interrupt ends them."""

import signal
from contextlib import suppress
from pathlib import Path

import pytest

from commonsense_lab.runner import runner
from commonsense_planning.cli.main import MOVED
from commonsense_planning.methods.method import Request, Solution
from tests.cli.running import Run
from tests.cli.test_commands import ENDS
from tests.cli.test_settings import here, sources

__all__ = ["here"]


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


def test_commands_below_groups_are_set(here: Path, cplan: Run) -> None:
    (here / "work" / "cplan.toml").write_text("[bench.household]\nrepeats = 2\n[data.tasks]\nseed = 4\n")
    assert sources(cplan, "bench", "household") == {"repeats": ("2", "cplan.toml:2")}
    assert sources(cplan, "data", "tasks") == {"seed": ("4", "cplan.toml:4")}


@pytest.mark.parametrize("text", ["ray = 'auto'", "[bench.kitchen]\nray = 'somewhere:6379'"])
def test_a_folder_s_settings_let_nothing_out(here: Path, cplan: Run, text: str) -> None:
    (here / "work" / "cplan.toml").write_text(text)
    ended = cplan("bench", "kitchen")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "a folder's cplan.toml cannot decide where data is sent and who may connect" in ended.err
