"""Output that cannot be written: exit code 2, or a quiet end where the reader has gone; the files are whole."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import CPLAN, Run

pytestmark = pytest.mark.processes

TOLD = "cplan: cannot write to standard output: No space left on device\n"


def shell(command: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a line of bash; "$@" in it is cplan with these words."""
    line = ["bash", "-o", "pipefail", "-c", command, "bash", *CPLAN, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("words", ["methods", "--help", "--version", "doctor --help"])
def test_a_full_disk_is_said(words: str) -> None:
    ended = shell('"$@" > /dev/full', *words.split())
    assert (ended.returncode, ended.stderr) == (2, TOLD)


@pytest.mark.parametrize(("end", "code", "told"), [("> /dev/full", 2, TOLD), ("| head -1", 0, ""), (">&-", 0, "")])
def test_the_files_are_whole_where_the_output_is_lost(
    end: str, code: int, told: str, tiny: tuple[Path, Path], tmp_path: Path
) -> None:
    plan, trace = tmp_path / "plan", tmp_path / "trace"
    ended = shell(f'"$@" {end}', "solve", *tiny, "--plan", plan, "--trace", trace)
    assert (ended.returncode, ended.stderr) == (code, told)
    assert plan.read_text().endswith("(unit cost)\n")
    assert json.loads(trace.read_text().splitlines()[-1])["status"] == "solved"


def test_lost_messages_change_no_exit_code() -> None:
    assert shell('"$@" 2> /dev/full', "solve", "none", "none").returncode == 2
    assert shell('"$@" 2> /dev/full', "--version").returncode == 0


@pytest.mark.parametrize("option", ["--trace", "--plan"])
@pytest.mark.parametrize("method", ["llm-mcts", "gbfs"])
def test_a_file_that_cannot_be_written_is_named(method: str, option: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *tiny, "--method", method, option, "/dev/full")
    assert ended.code == 2
    assert f"/dev/full: cannot write the {option[2:]}: No space left on device" in ended.err
