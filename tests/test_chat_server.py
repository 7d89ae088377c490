"""The tests' chat server: what it says well and badly, over plain HTTP."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests import chat_troubles as troubles
from tests.chat_server import ChatServer


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda messages: ["red", "blue"]) as running:
        yield running


def post(server: ChatServer, timeout: float = 5, **body: Any) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the reply to a question."""
    asked = {"model": "m", "messages": [{"role": "user", "content": "where is it"}], **body}
    request = urllib.request.Request(
        f"{server.base_url}/chat/completions",
        json.dumps(asked).encode(),
        {"Authorization": "Bearer secret", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return reply.status, dict(reply.headers), reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def choices(server: ChatServer, **body: Any) -> list[str]:
    """The texts of a good reply."""
    return [choice["message"]["content"] for choice in json.loads(post(server, **body)[2])["choices"]]


def test_answers_with_as_many_choices_as_wanted(server: ChatServer) -> None:
    assert choices(server) == ["red"]
    assert choices(server, n=3) == ["red", "blue", "red"]
    usage = json.loads(post(server, n=3)[2])["usage"]
    assert usage == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}


def test_keeps_requests(server: ChatServer) -> None:
    post(server, n=2)
    (request,) = server.requests
    assert (request.body["n"], request.headers["authorization"]) == (2, "Bearer secret")
    assert request.prompt == "where is it"


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
    assert choices(server) == ["green"]
    assert [post(server)[0] for _ in range(2)] == [500, 500]


def test_refusals_leave_other_requests_alone(server: ChatServer) -> None:
    server.always(troubles.refuses_n, troubles.refuses_temperature)
    for body, param in [({"n": 2}, "n"), ({"temperature": 1}, "temperature")]:
        code, _, answer = post(server, **body)
        assert (code, json.loads(answer)["error"]["param"]) == (400, param)
    assert choices(server, n=1) == ["red"]


@pytest.mark.parametrize(("behaviour", "error"), [
    (troubles.dropped_before_headers, http.client.RemoteDisconnected),
    (troubles.dropped_after_headers, http.client.IncompleteRead),
    (troubles.dropped_in_body, http.client.IncompleteRead),
    (troubles.too_slow, TimeoutError),
], ids=lambda value: value.__name__)  # fmt: skip
def test_broken_connections(behaviour: Any, error: type[Exception], server: ChatServer) -> None:
    server.next(behaviour)
    with pytest.raises(error):
        post(server, timeout=0.1)
    assert choices(server) == ["red"]


@pytest.mark.parametrize(("behaviour", "code", "part"), [
    (troubles.wrong_key, 401, b"Bearer secret"),
    (troubles.echo(500), 500, b"Bearer secret"),
    (troubles.echo_in_the_answer, 200, b'"Bearer secret"'),
    (troubles.unknown_model, 404, b"model_not_found"),
    (troubles.filtered, 200, b'"content_filter"'),
    (troubles.filtered_prompt, 400, b'"content_filter"'),
    (troubles.html, 200, b"<html>"),
    (troubles.no_choices, 200, b'"choices": []'),
    (troubles.null_content, 200, b'"content": null'),
    (troubles.says(troubles.HUGE), 200, b"over the rainbow some"),
    (troubles.redirects(), 307, b""),
])  # fmt: skip
def test_bodies(behaviour: Any, code: int, part: bytes, server: ChatServer) -> None:
    server.next(behaviour)
    found, _, answer = post(server)
    assert found == code
    assert part in answer


def test_spoilt_json(server: ChatServer) -> None:
    server.next(troubles.truncated, troubles.missing_choices)
    with pytest.raises(json.JSONDecodeError):
        json.loads(post(server)[2])
    assert "choices" not in json.loads(post(server)[2])


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
