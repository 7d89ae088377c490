"""A language model that was not written here, on this machine: a household task, a hill climb and a belief."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonsense_lab.llm.local_weights import SMOLLM2
from tests.cli.running import Run
from tests.data import REPOSITORY

HOUSEHOLD = REPOSITORY / "pddl" / "household"
DEMO = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "demo.pddl")
SMALL = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")
LOCAL = ("--model", "local")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def test_weights_that_are_not_there(cplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ended = cplan("local-model", "--path")
    assert (ended.code, ended.out) == (3, "")
    assert f"not at {tmp_path}" in ended.err


@pytest.mark.local
def test_weights_that_are_there(cplan: Run) -> None:
    assert cplan("local-model", "--path").out == f"{SMOLLM2.path}\n"
    assert f"the weights of the local model are at {SMOLLM2.path}" in cplan("local-model").out
    assert cplan("local-model", "--json").json["sha256"] == SMOLLM2.sha256


@pytest.mark.local
@pytest.mark.parametrize("method", ["llm-mcts", "llm-replan"])
def test_the_demo(method: str, cplan: Run, tmp_path: Path) -> None:
    record = ("--record", tmp_path / "tape.jsonl", "--trace", tmp_path / "trace.jsonl")
    ended = cplan("solve", *DEMO, "--method", method, *LOCAL, *record)
    assert ended.code == 0, ended.err
    assert f"local: {SMOLLM2.file}, a language model on this machine" in ended.out
    tape = [json.loads(line) for line in (tmp_path / "tape.jsonl").read_text().splitlines()]
    assert {entry["model"] for entry in tape if "made_with" not in entry} == {SMOLLM2.file}
    replay = ("--replay", tmp_path / "tape.jsonl", "--trace", tmp_path / "again.jsonl")
    assert cplan("solve", *DEMO, "--method", method, *LOCAL, *replay).code == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "trace.jsonl").read_bytes()


@pytest.mark.local
def test_a_hill_climb(cplan: Run) -> None:
    ended = cplan("solve", *SMALL, "--method", "llm-hill-climb", *LOCAL, "--max-steps", "4", "--json")
    assert ended.code in (0, 1), ended.err  # it need not get there
    assert ended.json["usage"]["calls"] > 0 and ended.json["usage"]["failures"] == 0


@pytest.mark.local
def test_a_belief(cplan: Run) -> None:
    ended = cplan("belief", *SMALL, *LOCAL, "--prior-samples", "3")
    assert ended.code == 0, ended.err
    assert f"local: {SMOLLM2.file}" in ended.out
    assert ended.out == cplan("belief", *SMALL, *LOCAL, "--prior-samples", "3").out
