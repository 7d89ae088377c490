"""A clock that is set, forwards or backwards, changes nothing: durations and limits go by one that cannot be."""

import ast
import random
import time
from pathlib import Path

import pytest

import commonsense_planning
from tests.chat_server import ChatServer
from tests.cli.conftest import cplan, tiny
from tests.cli.endpoint import QUICK, environment, sensible
from tests.cli.running import Run

__all__ = ["cplan", "environment", "tiny"]

SOURCES = Path(commonsense_planning.__file__).parent
THAT_CAN_BE_SET = {"time", "time_ns", "localtime", "gmtime", "ctime", "now", "utcnow", "today"}
ALLOWED = {"agent/agent.py": "the date of a decision", "llm/cassette.py": "the date of an answer"}
YEARS = 10 * 365 * 24 * 3600


def clocks(path: Path) -> list[str]:
    """The calls in a module that ask a clock which can be set."""
    calls = [node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    asked = [call for call in calls if isinstance(call, ast.Attribute) and call.attr in THAT_CAN_BE_SET]
    return [ast.unparse(call) for call in asked if ast.unparse(call.value) in ("time", "datetime", "date")]


def test_only_code_that_writes_a_date_reads_the_calendar() -> None:
    found = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if clocks(path)}
    assert found == set(ALLOWED)


def test_a_run_is_the_same_while_the_clock_jumps(
    cplan: Run, tiny: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(name: str) -> tuple[object, str]:
        with ChatServer(sensible) as server:
            model = ("--model", "openai:m", "--base-url", server.base_url, *QUICK, "--timeout", "60")
            trace = tmp_path / name
            ended = cplan("solve", *tiny, *model, "--simulations", "5", "--trace", trace, "--json")
        assert ended.code == 0, ended.err
        assert 0 <= ended.json["seconds"] < 60 and 0 <= ended.json["usage"]["waiting"] < 60
        return {**ended.json, "seconds": 0, "usage": {**ended.json["usage"], "waiting": 0}}, trace.read_text()

    before, rng, now = run("before"), random.Random(0), time.time
    monkeypatch.setattr(time, "time", lambda: now() + rng.uniform(-YEARS, YEARS))
    assert run("after") == before
