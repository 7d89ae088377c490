"""``cplan bench rearrangement``: what it prints and writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_planning.runner.rows import NAME
from tests.cli.running import Run
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "household"


def bench(*args: str | Path) -> tuple[str | Path, ...]:
    return ("bench", "rearrangement", "--pack", PACK, "--tasks", "10", "--workers", "1", *args)


def test_a_small_run_writes_rows_and_a_report_and_goes_on_where_it_was(cplan: Run, tmp_path: Path) -> None:
    first = cplan(*bench("--methods", "expert", "-o", tmp_path))
    assert first.code == 0
    assert "10 episodes: 0 were there, 10 run" in first.out
    rows = [json.loads(line) for line in (tmp_path / NAME).read_text().splitlines()]
    assert {row["status"] for row in rows} == {"solved"}
    assert {row["command"] for row in rows} == {
        f"cplan bench rearrangement --methods expert --tasks 10 --pack {PACK} -o results"
    }
    second = cplan(*bench("--methods", "expert,replan", "-o", tmp_path, "--json"))
    assert (second.json["total"], second.json["found"], second.json["done"]) == (20, 10, 10)
    assert "Table 1" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--tasks", "3"), "3 tasks are too few"),
        (("--scene", "a.json"), "--scene and --unseen-scene go together"),
        (("--methods", "magic"), "there is no variant magic"),
        (("--methods", "learned"), "the learned policy needs --weights"),
        (("--simulations", "0"), "simulations must be at least 1"),
        (("--ray", "auto", "--workers", "2"), "--workers is for this machine"),
    ],
)
def test_what_is_wrong_is_said(cplan: Run, tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    ended = cplan("bench", "rearrangement", "--pack", PACK, "-o", tmp_path, *args)
    assert ended.code == 2
    assert message in ended.err
