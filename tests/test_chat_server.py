"""The tests' chat server, over plain HTTP: what no test of the client would miss. How it misbehaves, and how it
answers, the tables of troubles and modes hold."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests import chat_troubles as troubles
from tests.chat_server import ChatServer


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda messages: ["red", "blue"]) as running:
        yield running


def post(server: ChatServer) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the reply to a question."""
    asked = {"model": "m", "messages": [{"role": "user", "content": "where is it"}]}
    request = urllib.request.Request(
        f"{server.base_url}/chat/completions",
        json.dumps(asked).encode(),
        {"Authorization": "Bearer secret", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:
            return reply.status, dict(reply.headers), reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def test_lists_models(server: ChatServer) -> None:
    with urllib.request.urlopen(f"{server.base_url}/models", timeout=5) as reply:
        assert json.load(reply)["data"][0]["id"] == "test-model"


def test_counts_simultaneous_requests() -> None:
    with ChatServer(lambda messages: "red", delay=0.1) as server:
        post(server)
        assert server.most_at_once == 1
        threads = [threading.Thread(target=post, args=(server,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 2 <= server.most_at_once <= 4


def test_behaviours_are_used_in_their_order(server: ChatServer) -> None:
    server.always(troubles.status(500))
    server.next(troubles.status(429, retry_after=2), troubles.says("green"))
    code, headers, _ = post(server)
    assert (code, headers["Retry-After"]) == (429, "2")
    assert b'"content": "green"' in post(server)[2]
    assert [post(server)[0] for _ in range(2)] == [500, 500]


def test_nothing_answers_afterwards() -> None:
    with ChatServer(lambda messages: "red") as server:
        connection = http.client.HTTPConnection("127.0.0.1", int(server.base_url.split(":")[2].split("/")[0]))
        connection.request("GET", "/v1/models")
        connection.getresponse().read()
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        connection.request("GET", "/v1/models")
        connection.getresponse()
    connection.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{server.base_url}/models", timeout=1)
