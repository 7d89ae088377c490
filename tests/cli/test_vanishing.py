"""Files that vanish in mid-run: nobody goes on to work, or to pay, for what nobody would find."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chat_server import Behaviour, ChatServer, Request
from tests.chat_troubles import no_trouble
from tests.cli.endpoint import Solve, environment, server, solve

__all__ = ["environment", "server", "solve"]

GONE = "it has been removed or replaced in mid-run"


def removes(path: Path) -> Behaviour:
    """A good answer, and the file is gone."""
    return lambda request, server: path.unlink()


@pytest.mark.parametrize("option", ["--record", "--cache"])
def test_a_recording(option: str, server: ChatServer, solve: Solve, tmp_path: Path) -> None:
    tape = tmp_path / "answers.jsonl"
    server.next(no_trouble, removes(tape))
    ended = solve(server, option, tape)
    assert ended.code == 2
    assert f"{tape}: cannot write the recording: {GONE}" in ended.err
    assert len(server.requests) < 10 and not tape.exists()
    assert solve(server, option, tape).code == 0 and tape.exists()


def test_a_trace(server: ChatServer, solve: Solve) -> None:
    def remove(request: Request, server: ChatServer) -> None:
        solve.trace.unlink(missing_ok=True)

    server.always(remove)
    ended = solve(server)
    assert ended.code == 2
    assert f"{solve.trace}: cannot write the trace: {GONE}" in ended.err
    server.always()
    assert solve(server).code == 0 and solve.trace.exists()


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_of_the_task(which: int, server: ChatServer, solve: Solve) -> None:
    """It was read whole."""

    def remove(request: Request, server: ChatServer) -> None:
        solve.tiny[which].unlink(missing_ok=True)

    server.always(remove)
    ended = solve(server)
    assert (ended.code, ended.json["validators"]) == (0, {"VAL": "valid", "replay": "valid"})
    assert not solve.tiny[which].exists()
