"""Limits of the methods that ask for ways and routes."""

from __future__ import annotations

import pytest

from tests.chat_server import ChatServer
from tests.cli.running import Run


@pytest.mark.parametrize("method", ["llm-model", "llm-route"])
def test_no_call_is_sent_beside_one_that_may_reach_the_limit(method: str, cplan: Run) -> None:
    with ChatServer(lambda messages: "Oslo, Norway") as server:
        asked = ("--model", "openai:m", "--base-url", server.base_url, "--retries", "0", "--max-tokens", "15")
        cplan("solve", "flights:short-oslo-athens", "--method", method, *asked, "--quiet")
    assert len(server.requests) == 1
