"""Limits on time, memory and operators hold whatever is under way, and end with exit code 4 and a reason."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from commonsense_planning.pddl import reader
from tests.cli.running import Run, cplan_process
from tests.cli.test_endings import DOMAIN, PROBLEM
from tests.data import write_task

pytestmark = pytest.mark.processes

FREE = "(:action act :parameters (?a ?b ?c) :precondition () :effect (on ?a ?b ?c))"
HELD = "(:action act :parameters (?a ?b ?c) :precondition (ready) :effect (and (on ?a ?b ?c) (not (ready))))"


def wide(folder: Path, action: str, objects: int, init: str = "(ready)") -> tuple[Path, Path]:
    """A task of one action over so many objects of one type; nothing static binds them."""
    domain = DOMAIN[: DOMAIN.index("(:action")].replace("(never)", "(never) (ready)") + action + ")"
    problem = PROBLEM.format(" ".join(f"o{n}" for n in range(objects))).replace("(:init)", f"(:init {init})")
    return write_task(folder, domain, problem)


def test_too_many_operators_are_known_before_grounding(tmp_path: Path, cplan: Run) -> None:
    ended = cplan("solve", *wide(tmp_path, FREE, 400), "--method", "astar", "--json")
    assert (ended.code, ended.json["status"]) == (4, "out of budget")
    assert "more than 2000000 operators (--max-operators)" in ended.json["reason"]
    assert "act alone may have 64,000,000 operators" in ended.json["reason"]


@pytest.mark.parametrize("command", [("solve", "--method", "astar"), ("ground",)])
def test_or_counted_as_they_come(command: tuple[str, ...], tmp_path: Path, cplan: Run) -> None:
    files = wide(tmp_path, HELD, 100)
    ended = cplan(command[0], *files, *command[1:], "--max-operators", "1000")
    assert ended.code == 4
    reason = "more than 1000 operators (--max-operators) in grounding: act alone may have 1,000,000"
    assert reason in ended.out + ended.err


def test_hidden_facts_are_counted_too(tmp_path: Path, cplan: Run) -> None:
    files = wide(tmp_path, FREE, 20)
    (tmp_path / "sensors.pddl").write_text("(define (sensors s) (:domain wide) (:hidden (on ?a ?b ?c)))")
    ended = cplan("ground", *files, "--sensors", tmp_path / "sensors.pddl", "--max-operators", "7999")
    assert (ended.code, "may be hidden in 8000 ways" in ended.err) == (4, True)


@pytest.mark.parametrize("method", ["gbfs", "uct", "llm-mcts"])
def test_time_holds_while_grounding(method: str, tmp_path: Path) -> None:
    """300 to the fourth operators, all to be looked at."""
    files = wide(tmp_path, HELD.replace("?c)", "?c ?d)", 1), 300)
    options = ("--method", method, "--max-seconds", "3", "--max-operators", "100000000000", "--json")
    started = time.monotonic()
    ended = cplan_process("solve", *files, *options)
    assert (ended.code, ended.json["status"]) == (4, "out of budget")
    assert "the time is up" in ended.json["reason"]
    assert ended.json["seconds"] < 10 < 60 > time.monotonic() - started


LATE = {
    "solve": "cplan: the time is up\n",
    "check": "cplan: {problem}: not checked to its end: the time is up\n",
    "ground": "cplan: the time is up\n",
}


@pytest.mark.parametrize("command", LATE)
def test_time_holds_while_reading(
    command: str, tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*args: object, **settings: object) -> None:
        for _ in range(1000):
            time.sleep(0.05)

    monkeypatch.setattr(reader, "read_problem", slowly)
    monkeypatch.setattr("commonsense_planning.task.read_any", slowly)
    ended = cplan(command, *tiny, "--max-seconds", "0.1")
    assert (ended.code, ended.err) == (4, LATE[command].format(problem=tiny[1]))
    if command == "check":
        told = cplan(command, *tiny, "--max-seconds", "0.1", "--json").json
        assert (told["ok"], told["errors"][0]["message"].endswith("the time is up")) == (False, True)


@pytest.mark.parametrize("method", ["gbfs", "fast-downward"])
def test_memory_holds(method: str, tmp_path: Path) -> None:
    files = wide(tmp_path, HELD, 300)
    options = ("--method", method, "--max-memory", "300", "--max-operators", "100000000", "--max-seconds", "20")
    ended = cplan_process("solve", *files, *options, "--json")
    assert (ended.code, ended.json["status"]) == (4, "out of budget"), ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("megabytes", ["100", "120"])
def test_less_memory_than_the_libraries_take_is_said_at_once(megabytes: str, tiny: tuple[Path, Path]) -> None:
    """Under such a limit OpenBLAS would ask for its buffers without end."""
    ended = cplan_process("solve", *tiny, "--method", "gbfs", "--max-memory", megabytes, "--json")
    assert (ended.code, ended.json["status"], ended.err) == (4, "out of budget", f"cplan: {ended.json['reason']}\n")
    assert ended.json["reason"].startswith(f"out of memory: of {megabytes} MB (--max-memory) cplan itself takes ")


def test_memory_that_runs_out_here_is_a_reason(
    tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*args: object, **settings: object) -> None:
        raise MemoryError

    monkeypatch.setattr("commonsense_planning.task.ground", greedy)
    ended = cplan("solve", *tiny, "--method", "gbfs", "--max-memory", "2000", "--json")
    assert (ended.code, ended.json["reason"]) == (4, "out of memory: the limit is 2000 MB (--max-memory)")
    monkeypatch.setattr("commonsense_planning.task.read_any", greedy)
    ended = cplan("solve", *tiny, "--max-memory", "2000")
    assert (ended.code, ended.err) == (4, "cplan: out of memory: the limit is 2000 MB (--max-memory)\n")
