"""Whole runs with endpoints as people use them: a plan that used the model, or a clear error in time."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from commonsense_planning.llm import connection, openai_api
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.cli.endpoint import KEY, environment, sensible
from tests.cli.running import Run
from tests.data import REPOSITORY
from tests.endpoint_modes import MODES, NOT_HEARD, SETUPS, Clock, Mode, beside, table

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


def tried(mode: Mode, server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path]) -> None:
    """Fails unless a run with such a server ends as it says."""
    server.always(*mode.habits(clock))
    server.elsewhere, server.owner, server.key = mode.elsewhere, mode.owner, KEY
    url = server.base_url.removesuffix("/v1") + mode.path
    server.scores = mode.scores
    trace = tiny[0].with_name("trace.jsonl")
    solving = ("solve", *tiny, "--method", mode.method, "--samples", "2", "--max-steps", "6", "--trace", trace)
    command = ("belief", *tiny, "--prior-samples", "2") if mode.method == "belief" else solving  # the laboratory's
    ended = cplan(*command, "--model", "openai:m", "--base-url", url, *OPTIONS, *mode.options, "--json")
    said = ended.err + (trace.read_text() if trace.exists() else "")
    heard = json.loads(ended.out).get("heard")
    assert (ended.code, heard, mode.said if mode.said in said else said) == (mode.code, mode.heard, mode.said)
    assert len(server.requests) == mode.calls
    assert sum(clock.waits) >= mode.waits
    assert (NOT_HEARD in ended.err) is (heard is False)
    assert "Traceback" not in ended.err
    base = urlsplit(url).path.rstrip("/").removesuffix("/chat/completions")
    for path, authorization in server.asked:  # which gets no question
        assert (path.partition("?")[0], authorization) == (f"{base}/models", f"Bearer {KEY}")


@pytest.mark.parametrize("mode", [*MODES, *(setup.mode for setup in SETUPS)], ids=lambda mode: mode.name)
def test_mode(mode: Mode, server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path]) -> None:
    tried(mode, server, clock, cplan, tiny)


def test_the_page_of_models_has_the_table_of_set_ups() -> None:
    assert table() in (REPOSITORY / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "value", "said"), [
    ("ALL_PROXY", "socks://127.0.0.1:9", "ALL_PROXY: 'socks://127.0.0.1:9' is no URL of a proxy"),
    ("ALL_PROXY", "socks5://me:secret@127.0.0.1:9", "ALL_PROXY: the proxy socks5://127.0.0.1:9 needs a package"),
    ("HTTPS_PROXY", "http://127.0.0.1:99999", "HTTPS_PROXY: 'http://127.0.0.1:99999' is no URL of a proxy"),
    ("https_proxy", "http://me:secret@127.0.0.1:port", "https_proxy: 'http://127.0.0.1:port' is no URL of a proxy"),
    ("http_proxy", "http://[", "http_proxy: 'http://[' is no URL of a proxy"),
    ("SSL_CERT_FILE", "/nowhere/certificates.pem", "SSL_CERT_FILE: /nowhere/certificates.pem cannot be read"),
    ("SSL_CERT_FILE", "/etc/hostname", "SSL_CERT_FILE: /etc/hostname cannot be read"),
])  # fmt: skip
def test_what_the_environment_says_of_connections(
    name: str, value: str, said: str, cplan: Run, tiny: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda name: None)
    monkeypatch.setenv(name, value)
    ended = cplan("solve", *tiny, "--model", "openai:m", "--base-url", "http://endpoint.invalid/v1")
    assert (ended.code, ended.out.count("Traceback")) == (3, 0)
    assert said in ended.err
    assert "secret" not in ended.err


def test_a_time_out_names_its_limit(server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path]) -> None:
    server.always(troubles.too_slow)
    options = ("--model", "openai:m", "--base-url", server.base_url, *OPTIONS, "--call-timeout", "0.1")
    cplan("solve", *tiny, *options).says(3, "no whole answer within 0.1 s (--call-timeout)")


def test_what_a_server_is_is_not_waited_for(
    server: ChatServer, clock: Clock, cplan: Run, tiny: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_api, "PROBE_SECONDS", 0.1)
    server.elsewhere = beside(200, {}, wait=20)
    ended = cplan("solve", *tiny, "--model", "openai:m", "--base-url", server.base_url, *OPTIONS, "--json")
    assert (ended.code, ended.json["heard"]) == (0, True)


def test_a_key_of_azure_goes_in_its_own_header_too(server: ChatServer, cplan: Run, tiny: tuple[Path, Path]) -> None:
    url = f" {server.base_url}/chat/completions?api-version=2024-10-21 "
    assert cplan("solve", *tiny, "--model", "openai:m", "--base-url", url, *OPTIONS).code == 0
    assert server.requests[0].headers["api-key"] == KEY
    assert server.asked[0][0].endswith("/models?api-version=2024-10-21")
