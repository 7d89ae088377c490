"""Settings of the laboratory's commands, which are below groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.cli.test_settings import here, sources

__all__ = ["here"]


def test_commands_below_groups_are_set(here: Path, cplan: Run) -> None:
    (here / "work" / "cplan.toml").write_text('[bench.household]\nrepeats = 2\n[data.tasks]\nseed = 4\n')
    assert sources(cplan, "bench", "household") == {"repeats": ("2", "cplan.toml:2")}
    assert sources(cplan, "data", "tasks") == {"seed": ("4", "cplan.toml:4")}


@pytest.mark.parametrize("text", ["ray = 'auto'", "[bench.kitchen]\nray = 'somewhere:6379'"])
def test_a_folder_s_settings_let_nothing_out(here: Path, cplan: Run, text: str) -> None:
    (here / "work" / "cplan.toml").write_text(text)
    ended = cplan("bench", "kitchen")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "a folder's cplan.toml cannot decide where data is sent and who may connect" in ended.err
