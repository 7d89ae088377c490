"""However an experiment is ended, no process that it started goes on, and no temporary file is left."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.chat_server import ChatServer
from tests.cli.running import living
from tests.cli.test_endings import Begin, begin, wait_for

__all__ = ["begin"]
pytestmark = pytest.mark.processes


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_bench_does_not_wait_for_its_calls(end: signal.Signals, workers: str, begin: Begin, tmp_path: Path) -> None:
    """A shell has what it starts in the background ignore SIGINT, so the other signals must do."""
    options = ("--digits", "1-2", "--tasks", "3", "--seeds", "1", "--workers", workers, "--quiet")
    background = end is not signal.SIGINT
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if background else signal.default_int_handler)
    try:
        with ChatServer(lambda messages: "12", delay=300) as server:
            model = ("--model", "openai:slow", "--base-url", server.base_url)
            process = begin("bench", "multiplication", *options, *model, "-o", tmp_path / "results")
            wait_for(lambda: len(server.requests) >= int(workers), 60)
            process.send_signal(end)
            _, said = process.communicate(timeout=10)
            assert process.returncode == (-signal.SIGKILL if end is signal.SIGKILL else 128 + end), said
            assert "Traceback" not in said
            wait_for(lambda: not living(tmp_path), 5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert list((tmp_path / "temporary").iterdir()) == []
