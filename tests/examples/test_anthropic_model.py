"""The plug-in for another provider's API, against a server that speaks it."""

import json
import sys
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning.support.registry import plug_ins
from tests.cli.running import Run, cplan
from tests.data import APPLE, REPOSITORY
from tests.examples.test_own_model import OWN_MODEL, install

__all__ = ["cplan"]

KEY = "sk-ant-right"
ASKED = ("solve", *APPLE, "--method", "llm-replan", "--model", "anthropic:some-model", "--json")
RULES = [line.partition(":") for line in (OWN_MODEL / "apple.txt").read_text().splitlines()]
Trouble = tuple[int, str, dict[str, str]]


class MessagesApi(BaseHTTPRequestHandler):
    """Answers as the Messages API does, and refuses what it refuses."""

    bodies: list[dict[str, Any]] = []
    troubles: deque[Trouble] = deque()
    stop, text = "end_turn", ""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        roles = {message["role"] for message in body.get("messages", ())}
        if self.path != "/v1/messages":
            self.refuse(404, "not_found_error")
        elif self.headers["x-api-key"] != KEY or self.headers["Authorization"]:
            self.refuse(401, "authentication_error", f"invalid x-api-key {self.headers['x-api-key']}")
        elif self.troubles:
            self.refuse(*self.troubles.popleft())
        elif not self.headers["anthropic-version"] or not body.get("max_tokens") or not roles <= {"user", "assistant"}:
            self.refuse(400, "invalid_request_error")
        elif unknown := {*body} - {"model", "max_tokens", "messages", "system", "temperature", "top_p", "top_k"}:
            self.refuse(400, "invalid_request_error", f"{min(unknown)}: Extra inputs are not permitted")
        else:
            self.bodies.append(body)
            question = body["messages"][-1]["content"]
            said = self.text or next((text for words, _, text in RULES if words in question), "I do not know.")
            parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": said}]
            cost = {"input_tokens": 50, "output_tokens": 5}
            self.give(200, {"type": "message", "content": parts, "stop_reason": self.stop, "usage": cost})

    def refuse(self, status: int, kind: str, message: str = "it cannot be", headers: Any = ()) -> None:
        self.give(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)

    def give(self, status: int, body: Any, headers: Any = ()) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[MessagesApi]]:
    """The API, which a plug-in that is installed reaches with a key."""
    handler = type("Api", (MessagesApi,), {"bodies": [], "troubles": deque()})
    (tmp_path / "site").mkdir()
    install(REPOSITORY / "examples" / "anthropic_model", tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    plug_ins.cache_clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    yield handler
    server.shutdown()
    server.server_close()
    plug_ins.cache_clear()
    sys.modules.pop("anthropic_model", None)


def test_a_task_is_solved_recorded_and_replayed(tmp_path: Path, cplan: Run, api: type[MessagesApi]) -> None:
    tape = tmp_path / "tape.jsonl"
    ended = cplan(*ASKED, "--record", tape, "--request-field", "top_k=5")
    assert ended.code == 0, ended.err
    assert all(body["top_k"] == 5 for body in api.bodies)
    assert ended.json["validators"]["VAL"] == "valid"
    calls = ended.json["usage"]["calls"]
    assert calls == len(api.bodies) and {body["model"] for body in api.bodies} == {"some-model"}
    assert (ended.json["usage"]["prompt_tokens"], ended.json["usage"]["completion_tokens"]) == (50 * calls, 5 * calls)
    assert KEY not in tape.read_text() + ended.out + ended.err
    again = cplan(*ASKED, "--replay", tape, "--request-field", "top_k=5")
    assert (again.json["plan"], len(api.bodies)) == (ended.json["plan"], calls)


def test_a_server_that_is_overloaded_is_asked_again(cplan: Run, api: type[MessagesApi]) -> None:
    api.troubles.extend(
        [(529, "overloaded_error", "Overloaded", {"retry-after": "0"}), (429, "rate_limit_error", "", {})]
    )  # type: ignore[list-item]
    ended = cplan(*ASKED, "--retry-pause", "0.01")
    assert (ended.code, ended.json["usage"]["retries"]) == (0, 2), ended.err


@pytest.mark.parametrize(("key", "code", "said"), [
    ("sk-ant-wrong", 3, "authentication_error|HTTP 401: invalid x-api-key"),
    ("", 3, "needs a key: set ANTHROPIC_API_KEY"),
])  # fmt: skip
def test_without_the_right_key_it_ends(
    key: str, code: int, said: str, cplan: Run, api: type[MessagesApi], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    ended = cplan(*ASKED)
    assert ended.code == code, ended.err
    assert any(part in ended.err for part in said.split("|")), ended.err
    assert "Look at ANTHROPIC_API_KEY" in ended.err or not key
    assert not key or key not in ended.err


@pytest.mark.parametrize(("stop", "text", "said"), [
    ("max_tokens", " ", "before a word was said"),
    ("refusal", " ", "the endpoint's content filter stopped it"),
])  # fmt: skip
def test_why_there_is_no_answer_is_said(stop: str, text: str, said: str, cplan: Run, api: type[MessagesApi]) -> None:
    api.stop, api.text = stop, text
    ended = cplan(*ASKED)
    assert said in ended.out + ended.err
