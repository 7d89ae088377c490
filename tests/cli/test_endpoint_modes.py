"""Whole runs with endpoints as people use them: a plan that used the model, or a clear error in time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from commonsense_planning.llm import openai_api
from tests.chat_server import ChatServer
from tests.cli.endpoint import KEY, environment, sensible
from tests.cli.running import Run
from tests.endpoint_modes import BELIEF, MODES, NOT_HEARD, Clock, Mode

__all__ = ["environment"]
OPTIONS = ("--parallel", "1", "--retries", "2", "--call-timeout", "20")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """By which all endpoints wait."""
    clock = Clock()
    monkeypatch.setattr(openai_api, "OpenAiEndpoint", partial(openai_api.OpenAiEndpoint, sleep=clock.sleep))
    return clock


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(sensible) as running:
        running.beliefs = lambda text: 0.8 if "red" in text or text.startswith("take") else 0.1
        yield running


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_mode(mode: Mode, server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path]) -> None:
    server.always(*mode.habits(clock))
    server.elsewhere, server.owner = mode.elsewhere, mode.owner
    url = server.base_url.removesuffix("/v1") + mode.path
    trace = tiny[0].with_name("trace.jsonl")
    solving = ("solve", *tiny, "--method", mode.method, "--samples", "2", "--max-steps", "6", "--trace", trace)
    command = (BELIEF, *tiny, "--prior-samples", "2") if mode.method == BELIEF else solving
    ended = cplan(*command, "--model", "openai:m", "--base-url", url, *OPTIONS, *mode.options, "--json")
    said = ended.err + (trace.read_text() if trace.exists() else "")
    heard = json.loads(ended.out)["heard"] if ended.out else None
    assert (ended.code, heard, mode.said if mode.said in said else said) == (mode.code, mode.heard, mode.said)
    assert len(server.requests) == mode.calls
    assert sum(clock.waits) >= mode.waits
    assert (NOT_HEARD in ended.err) is (heard is False)
    assert "Traceback" not in ended.err
    base = urlsplit(url).path.rstrip("/").removesuffix("/chat/completions")
    for path, authorization in server.asked:  # questions and the key go to chats alone
        assert (path.partition("?")[0], KEY in authorization) == (f"{base}/models", False)
