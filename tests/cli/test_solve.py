"""``cplan solve``: what it prints and writes, equal seeds, interrupts."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from commonsense_planning.pddl.plan import read_plan
from tests.cli.running import CPLAN, Run, cplan_process
from tests.cli.test_exit_codes import HOUSEHOLD
from tests.support.children import children

KEYS = {"status", "method", "model", "seed", "plan", "steps", "seconds", "validators", "usage", "usd"}
HOME = (HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / "small-apple.pddl")


@pytest.mark.parametrize("method", ["llm-mcts", "gbfs", "pyperplan"])
def test_json(method: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *tiny, "--method", method, "--seed", "3", "--json")
    found = ended.json
    assert found.keys() >= KEYS
    assert (found["method"], found["seed"], found["steps"]) == (method, 3, len(found["plan"]))
    assert found["validators"] == {"VAL": "valid", "replay": "valid"}
    assert found["plan"][-1].startswith("(close-box")
    asked = method == "llm-mcts"
    assert (found["model"], found["usage"] is not None) == (("embedded", True) if asked else ("", False))


def test_all_validators_are_asked_where_that_is_wanted(tiny: tuple[Path, Path], cplan: Run) -> None:
    found = cplan("solve", *tiny, "--method", "gbfs", "--validate", "all", "--json").json
    assert found["validators"] == {"VAL": "valid", "unified-planning": "valid", "replay": "valid"}


def test_unsolved_steps_are_shown_and_not_validated(tiny: tuple[Path, Path], cplan: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    ended = cplan("solve", *tiny, "--max-steps", "1", "--json", "--plan", plan)
    assert (ended.json["steps"], ended.json["validators"]) == (1, {})
    assert "1 step carried out" in ended.err
    assert f"steps written to {plan}; they are not known to solve the task" in ended.err
    assert len(read_plan(plan)) == 1


def test_report_says_who_answered(tiny: tuple[Path, Path], cplan: Run) -> None:
    told = cplan("solve", *tiny)
    assert "model   embedded: hand-written commonsense tables" in told.out
    assert "not a language model" in told.out
    assert "(open-box" in told.out
    assert "saw 1: (in ball blue-box)" in told.out
    assert "true world" not in told.out
    told = cplan("solve", *tiny, "--method", "gbfs")
    assert "none was asked" in told.out
    assert "gbfs was given the true world" in told.out
    (tiny[0].parent / "sensors.pddl").unlink()
    assert "was given the true world" not in cplan("solve", *tiny, "--method", "gbfs").out


def test_quiet_prints_the_outcome_only(tiny: tuple[Path, Path], cplan: Run) -> None:
    ended = cplan("solve", *tiny, "--quiet")
    assert ended.out.startswith("solved\n")
    assert ended.err == ""


@pytest.mark.parametrize("method", ["llm-mcts", "uct", "llm-replan"])
def test_equal_seeds_give_equal_plans_and_traces(method: str, tmp_path: Path, cplan: Run) -> None:
    written = []
    for run in "ab":
        files = tmp_path / f"{run}.plan", tmp_path / f"{run}.jsonl"
        cplan("solve", *HOME, "--method", method, "--seed", "7", "--plan", files[0], "--trace", files[1])
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1]
    events = [json.loads(line) for line in written[0][1].splitlines()]
    assert [events[0]["event"], events[-2]["event"], events[-1]["event"]] == ["start", "end", "validated"]


@pytest.mark.processes
def test_processes_of_equal_seeds_write_equal_traces_and_draw_no_bar_in_a_pipe(
    tmp_path: Path, tiny: tuple[Path, Path]
) -> None:
    traces = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for trace in traces:
        ended = cplan_process("solve", *tiny, "--trace", trace)
        assert (ended.code, ended.err) == (0, "")
        assert "\x1b" not in ended.out
        assert "\r" not in ended.out
    assert traces[0].read_bytes() == traces[1].read_bytes()


@pytest.mark.processes
@pytest.mark.parametrize(("quiet", "drawn"), [(False, True), (True, False)])
def test_a_bar_on_a_terminal(quiet: bool, drawn: bool, tiny: tuple[Path, Path]) -> None:
    ours, theirs = pty.openpty()
    command = [*CPLAN, "solve", *map(str, tiny), *(["--quiet"] if quiet else [])]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert process.wait() == 0
    assert (b"simulations" in shown or b"preparing" in shown) == drawn
    assert b"solved" in shown


def _read(terminal: int) -> bytes:
    """The next output; empty when the other side is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.parametrize(("options", "code"), [
    (("--method", "gbfs"), 0),
    (("--method", "llm-mcts", "--max-steps", "1"), 1),
    (("--method", "magic"), 2),
    (("--method", "fast-downward", "--timeout", "0.01"), 4),
])  # fmt: skip
def test_no_process_is_left(options: tuple[str, ...], code: int, tiny: tuple[Path, Path], cplan: Run) -> None:
    before = children()
    assert cplan("solve", *tiny, *options).code == code
    assert children() == before
