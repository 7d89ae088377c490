"""``cplan solve`` with recordings, caches and budgets: whole runs, some of which do not end well."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.cli.endpoint import KEY, QUICK, Solve, environment, sensible, server, solve
from tests.cli.running import CPLAN, Ended

__all__ = ["environment", "server", "solve"]


EACH_STEP = ("--method", "llm-policy", "--max-steps", "8")  # it asks before each, and does not get there in these


@pytest.fixture
def ten_boxes(tiny: tuple[Path, Path]) -> None:
    """More boxes to open than there are steps, so that there is something to choose at each."""
    more = " ".join(f"box-{i}" for i in range(40))
    text = tiny[1].read_text().replace("red-box blue-box - box", f"red-box blue-box zinc-box {more} - box")
    tiny[1].write_text(text.replace("(in ball blue-box)", "(in ball zinc-box)"))


class Recorded:
    """A run that was recorded, and what it wrote."""

    def __init__(self, solve: Solve, server: ChatServer, *args: str | Path, code: int = 0) -> None:
        self.solve, self.args = solve, args
        self.tape = solve.folder / "tape.jsonl"
        self.ended = solve(server, "--record", self.tape, *args)
        assert self.ended.code == code, self.ended.err
        self.written = self.files()

    def files(self) -> list[bytes]:
        return [self.solve.plan.read_bytes(), self.solve.trace.read_bytes()]

    def replay(self, stopped: ChatServer, *args: str | Path) -> Ended:
        """Again, without a network, and without what the first run wrote."""
        self.solve.plan.unlink(missing_ok=True)
        self.solve.trace.unlink(missing_ok=True)
        return self.solve(stopped, "--replay", self.tape, *self.args, *args)


def test_a_replay_needs_no_network_and_no_key(solve: Solve, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(sensible) as server:
        recorded = Recorded(solve, server)
    monkeypatch.delenv("OPENAI_API_KEY")
    tape = recorded.tape.read_bytes()
    ended = recorded.replay(server)
    assert ended.code == 0
    assert recorded.files() == recorded.written
    assert recorded.tape.read_bytes() == tape
    usage, first = ended.json["usage"], recorded.ended.json["usage"]
    assert usage["recorded"] == usage["questions"] == first["questions"]
    assert [usage[name] for name in ("calls", "prompt_tokens")] == [first[name] for name in ("calls", "prompt_tokens")]
    assert "recording tape.jsonl" in ended.err


def test_trace_recording_and_result_name_the_version_of_the_prompts(solve: Solve) -> None:
    tape = solve.folder / "tape.jsonl"
    with ChatServer(lambda messages: "in the red box") as server:
        ended = solve(server, "--record", tape, "--prompts", "paper")
    version = json.loads(solve.trace.read_text().splitlines()[0])["prompts"]
    assert version.startswith("paper-")
    answers = [entry for entry in map(json.loads, tape.read_text().splitlines()) if "texts" in entry]
    assert {entry["prompts"] for entry in answers} == {version}
    assert ended.json["usage"]["prompts"] == version


def test_a_missing_answer_is_named(solve: Solve) -> None:
    with ChatServer(sensible) as server:
        recorded = Recorded(solve, server)
    lines = recorded.tape.read_text().splitlines(keepends=True)
    recorded.tape.write_text("".join(lines[:1]))
    recorded.replay(server).says(3, "the recording has no answer to what to do")
    assert recorded.replay(server, "--temperature", "0.1").code == 3


@pytest.mark.usefixtures("ten_boxes")
def test_a_recording_goes_on_where_it_ended(solve: Solve, server: ChatServer) -> None:
    recorded = Recorded(solve, server, *EACH_STEP, code=1)
    asked = len(server.requests)
    lines = recorded.tape.read_bytes().splitlines(keepends=True)
    recorded.tape.write_bytes(b"".join(lines[:2]) + lines[2][:50])
    assert solve(server, "--record", recorded.tape, *EACH_STEP).code == 1
    assert len(server.requests) == 2 * asked - 2
    assert recorded.files() == recorded.written
    assert recorded.replay(server).code == 1
    assert recorded.files() == recorded.written


@pytest.mark.usefixtures("ten_boxes")
@pytest.mark.processes
def test_kill_in_mid_run(solve: Solve) -> None:
    with ChatServer(sensible, delay=0.05) as server:
        tape = solve.folder / "tape.jsonl"
        options = ["--model", "openai:m", "--base-url", server.base_url, *QUICK, "--record", str(tape), "--quiet"]
        options += EACH_STEP
        process = subprocess.Popen([*CPLAN, "solve", *map(str, solve.tiny), *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 100
        while not tape.exists() or tape.read_bytes().count(b"\n") < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        kept = tape.read_bytes().count(b"\n")
        server.delay = 0
        recorded = Recorded(solve, server, *EACH_STEP, code=1)
        assert recorded.ended.json["usage"]["recorded"] == kept
    assert recorded.replay(server).code == 1
    assert recorded.files() == recorded.written


def test_two_runs_share_a_cache(solve: Solve, server: ChatServer) -> None:
    cache = solve.folder / "cache.jsonl"
    first = solve(server, "--cache", cache)
    asked = len(server.requests)
    assert 0 < asked <= first.json["usage"]["questions"]
    second = solve(server, "--cache", cache)
    assert (first.code, second.code) == (0, 0)
    assert len(server.requests) == asked
    assert second.json["usage"]["recorded"] == second.json["usage"]["questions"]


@pytest.mark.processes
def test_processes_write_a_cache_at_once(solve: Solve) -> None:
    with ChatServer(sensible, delay=0.01) as server:
        cache = solve.folder / "cache.jsonl"
        options = ["--model", "openai:m", "--base-url", server.base_url, *QUICK, "--cache", str(cache)]
        options += ["--max-steps", "2", "--quiet"]
        command = [*CPLAN, "solve", *map(str, solve.tiny), *options]
        runs = [subprocess.Popen([*command, "--seed", s], stdout=subprocess.DEVNULL) for s in "01"]
        assert [run.wait(100) for run in runs] == [1, 1]  # nothing is found in two steps
        entries = [json.loads(line) for line in cache.read_text().splitlines()]
        prompts = {request.prompt for request in server.requests}
        assert {entry["messages"][-1]["content"] for entry in entries} == prompts


@pytest.mark.usefixtures("ten_boxes")
def test_troubles_are_replayed(solve: Solve) -> None:
    with ChatServer(sensible) as server:
        server.next(troubles.says("open red box"), troubles.filtered, *[troubles.echo(500)] * 2)
        recorded = Recorded(solve, server, "--parallel", "1", *EACH_STEP, code=1)
    assert recorded.ended.json["usage"]["failures"] > 0
    assert recorded.replay(server).code == 1
    assert recorded.files() == recorded.written
    assert KEY not in recorded.tape.read_text()


@pytest.mark.parametrize("limit", [0, 1, 2])
@pytest.mark.usefixtures("ten_boxes")
def test_a_budget_of_calls(limit: int, solve: Solve) -> None:
    with ChatServer(sensible) as server:
        recorded = Recorded(solve, server, "--max-calls", str(limit), *EACH_STEP, code=4)
        assert len(server.requests) == limit
    found = recorded.ended.json
    assert found["status"] == "out of budget"
    assert f"the limit on calls, {limit}, is reached" in recorded.ended.err
    assert len(found["plan"]) == found["steps"]
    assert recorded.solve.plan.exists()
    assert recorded.replay(server).code == 4
    assert recorded.files() == recorded.written


@pytest.mark.usefixtures("ten_boxes")
def test_a_budget_of_tokens(solve: Solve, server: ChatServer) -> None:
    spent = solve(server, "--parallel", "1", *EACH_STEP).json["usage"]
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    asked = len(server.requests)
    ended = solve(server, "--max-tokens", str(tokens // 2), "--parallel", "1", *EACH_STEP)
    usage = ended.json["usage"]
    assert ended.code == 4
    assert tokens // 2 <= usage["prompt_tokens"] + usage["completion_tokens"] < tokens
    assert len(server.requests) < 2 * asked


@pytest.mark.usefixtures("ten_boxes")
def test_a_budget_of_money(solve: Solve, server: ChatServer) -> None:
    solve(server, "--max-usd", "0.001").says(2, "--prices")
    prices = solve.folder / "prices.toml"
    prices.write_text('[models."m"]\ninput = 10.0\noutput = 10.0\n')
    ended = solve(server, "--max-usd", "0.001", "--parallel", "1", "--prices", prices, *EACH_STEP)
    assert ended.code == 4
    assert ended.json["usd"] >= 0.001 and len(server.requests) == 1
    assert "US dollars in this run" in ended.err


def test_a_budget_of_time_ends_a_call_that_hangs(solve: Solve, server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(troubles.too_slow)
    ended = solve(server, "--max-seconds", "1.5", "--retries", "5")
    assert (ended.code, ended.json["status"]) == (4, "out of budget")
    assert "the time is up" in ended.err
    assert ended.json["seconds"] < 25  # the server is silent for 30 s, a call may last 60 s


def test_a_recording_of_another_task_is_no_help(solve: Solve, server: ChatServer, tmp_path: Path) -> None:
    tape = tmp_path / "text"
    shutil.copy(__file__, tape)
    solve(server, "--replay", tape).says(3, "the recording has no answer to where the ball may be")
