"""``cplan solve`` with a model behind an endpoint: the real client, a real server, whole runs."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from commonsense_planning.cli.output import visible
from commonsense_planning.llm import endpoint
from tests import chat_habits as habits
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer, as_json
from tests.cli.endpoint import KEY, QUICK, Solve, environment, server, solve
from tests.cli.running import Run, cplan_process
from tests.trouble_table import TABLE, Row

__all__ = ["environment", "server", "solve"]


def test_a_good_endpoint(solve: Solve, server: ChatServer) -> None:
    ended = solve(server)
    found = ended.json
    assert (ended.code, found["status"], found["model"]) == (0, "solved", "openai:m")
    usage = found["usage"]
    assert usage["calls"] == usage["questions"] == len(server.requests)
    assert (usage["failures"], usage["retries"], usage["recorded"]) == (0, 0, 0)
    assert usage["prompt_tokens"] == sum(len(request.prompt.split()) for request in server.requests)
    assert usage["completion_tokens"] > 0
    assert found["usd"] is None  # the price of m is unknown
    assert 0 < usage["waiting"] < found["seconds"]
    assert f"{usage['calls']} calls" in ended.err
    assert f"{usage['calls'] / found['steps']:.1f} a step" in ended.err
    assert "price not known" in ended.err
    assert re.search(r"time +[\d.]+ s waiting, [\d.]+ s thinking", ended.err)
    assert "a language model behind an endpoint" in ended.err
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
    assert server.most_at_once <= 4
    assert solve.notes == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_trouble(row: Row, solve: Solve, server: ChatServer) -> None:
    server.always(row.behaviour)
    ended = solve(server, "--call-timeout", "0.2" if row.slow else "20")
    assert ended.code == row.code, ended.err
    if row.code == 3:
        assert "cannot be used" in ended.err
        assert visible(row.trouble) in ended.err
        assert not solve.plan.exists()
        return
    assert ended.json["status"] == "solved"
    usage = ended.json["usage"]
    assert usage["failures"] == (usage["questions"] if row.trouble else 0)
    if row.trouble:
        assert any(row.trouble in note for note in solve.notes)
        assert any("equally likely" in note for note in solve.notes)
        assert any("uniform policy" in note for note in solve.notes)
        assert f"{usage['failures']} without a usable answer" in ended.err


def test_thoughts_are_shown_where_the_endpoint_counts_them(solve: Solve, server: ChatServer) -> None:
    assert "thinking_tokens" not in solve(server).json["usage"]
    server.always(troubles.thinks(100))
    ended = solve(server)
    thoughts = 100 * ended.json["usage"]["calls"]
    assert ended.json["usage"]["thinking_tokens"] == thoughts
    assert f"(of these {thoughts} thoughts)" in ended.err


@pytest.mark.parametrize("text", [troubles.NONSENSE, troubles.OTHER_LANGUAGE, troubles.HUGE, "\x00", "[]{}()", "..."])
def test_answers_that_name_nothing_are_said(text: str, solve: Solve, server: ChatServer) -> None:
    server.always(troubles.says(text))
    assert solve(server).code == 0
    assert any("equally likely" in note for note in solve.notes)
    assert any("uniform policy" in note for note in solve.notes)


def test_trouble_that_passes_leaves_no_trace(solve: Solve, server: ChatServer) -> None:
    def trace() -> list[dict[str, object]]:
        events = map(json.loads, solve.trace.read_text(encoding="utf-8").splitlines())
        return [{name: value for name, value in event.items() if name != "spent"} for event in events]

    solve(server)
    untroubled = trace()
    server.next(troubles.status(503), troubles.html, troubles.no_trouble, troubles.dropped_in_body, troubles.truncated)
    ended = solve(server, "--retries", "9")
    assert (ended.code, ended.json["usage"]["failures"], ended.json["usage"]["retries"]) == (0, 0, 4)
    assert trace() == untroubled  # but for what it cost


def test_no_key_and_no_endpoint(tiny: tuple[Path, Path], cplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    ended = cplan("solve", *tiny, "--model", "openai:m")
    assert ended.code == 3
    for way_out in ("OPENAI_API_KEY", "--base-url", "--model embedded"):
        assert way_out in ended.err


@pytest.mark.parametrize(("key", "sent"), [("", "Bearer "), (f"{KEY}\n", f"Bearer {KEY}")])
def test_an_endpoint_of_ones_own_needs_no_key_and_a_line_end_is_no_part_of_one(
    key: str, sent: str, solve: Solve, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key) if key else monkeypatch.delenv("OPENAI_API_KEY")
    assert solve(server).code == 0
    assert re.fullmatch(sent if key else f"{sent}.+", server.requests[0].headers["authorization"])


def test_the_endpoint_of_the_environment(
    tiny: tuple[Path, Path], cplan: Run, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert cplan("solve", *tiny, "--model", "openai:m", *QUICK).code == 0
    assert server.requests


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://x/v1", "http://[", "http://", "\x01", "http://x:99999/v1"])
def test_a_url_that_is_invalid(url: str, tiny: tuple[Path, Path], cplan: Run) -> None:
    cplan("solve", *tiny, "--model", "openai:m", "--base-url", url).says(2, "--base-url")


@pytest.mark.parametrize("key", ["sk-very-\nsecret", "sk-é", "sk-\x01"])
def test_a_key_that_is_invalid(
    key: str, tiny: tuple[Path, Path], cplan: Run, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    ended = cplan("solve", *tiny, "--model", "openai:m", "--base-url", server.base_url, *QUICK)
    ended.says(2, "OPENAI_API_KEY")
    assert key not in ended.err


def test_further_fields_are_in_each_request_and_in_the_recording_where_they_matter(
    solve: Solve, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPLAN_REQUEST_FIELD", 'user="me"\nprovider={"only": ["a b"]}')
    tape = solve.folder / "tape.jsonl"
    assert solve(server, "--record", tape).code == 0
    assert [(r.body["user"], r.body["provider"]) for r in server.requests] == [("me", {"only": ["a b"]})] * len(
        server.requests
    )
    *asked, made = map(json.loads, tape.read_text().splitlines())
    assert all(line["parameters"]["provider"] and "user" not in line["parameters"] for line in asked)
    assert "provider" in made["made_with"]["model"]
    assert solve(server, "--replay", tape, "--request-field", 'user="you"').code == 3  # other fields, and no provider
    own = solve.folder / "own.toml"
    own.write_text('request-field = [\'provider={"only": ["a b"]}\', \'user="you"\']')
    monkeypatch.delenv("CPLAN_REQUEST_FIELD")
    monkeypatch.setenv("CPLAN_CONFIG", str(own))
    assert solve(server, "--replay", tape).code == 0


@pytest.mark.parametrize(("field", "said"), [
    ("effort=low", "'effort=low' is not KEY=JSON (Expecting value"),
    ("effort", "(there is no KEY= before it); write it as in --request-field reasoning_effort='\"low\"'"),
    ("effort=NaN", "request-field: effort must be a JSON value, not nan"),
    ("temperature=1", "request-field: cplan sets temperature itself: see --temperature"),
    ("max_tokens=9", "request-field: cplan sets max_tokens itself: see --answer-tokens"),
])  # fmt: skip
def test_a_field_that_is_no_field_or_cplan_s_is_refused(field: str, said: str, solve: Solve) -> None:
    ended = solve.cplan("solve", *solve.tiny, "--model", "openai:m", "--request-field", field)
    ended.says(2, said)


LEFT = habits.too_many("Usage limit reached.", X_RateLimit_Reset_Requests="2h")


def test_an_endpoint_that_ends_in_the_middle_keeps_the_steps(solve: Solve, server: ChatServer) -> None:
    server.always(habits.then(1, LEFT))
    ended = solve(server, "--method", "llm-policy", "--parallel", "1")
    assert (ended.code, ended.json["status"], ended.json["steps"], len(ended.json["plan"])) == (3, "unsolved", 1, 1)
    assert "any more: HTTP 429: Usage limit reached. (it asks to wait for 7200 s, 2.0 hours)" in ended.json["reason"]
    assert len(server.requests) == 2


def test_a_first_answer_that_takes_long_is_waited_for_aloud(
    solve: Solve, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "PATIENCE", 0.05)
    server.always(troubles.spoilt(lambda good: replace(good, wait=0.3)))
    assert solve(server).err.count("still waiting for the endpoint's first answer, after 0 s") == 1


def test_the_server_s_reason_is_given_for_an_instruction(solve: Solve, server: ChatServer) -> None:
    refused = {"choices": [{"message": {"content": None, "refusal": troubles.SORRY}}]}
    server.always(lambda request, server: as_json(refused))
    ended = solve(server, "--instruction", "put the ball away")
    ended.says(2, "cannot be put into a goal: the model openai:m gives no answer: the model refuses: I am sorry")


def test_certificates_of_the_environment_hold_for_this_machine_too(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    asked = ("solve", *solve.tiny, "--model", "openai:m", "--base-url")
    solve.cplan(*asked, "https://localhost:1/v1").says(3, "SSL_CERT_FILE: /nowhere/certificates.pem cannot be read")
    solve.cplan(*asked, "http://localhost:1/v1", *QUICK).says(3, "no connection")


def test_a_password_in_the_url_is_not_said(solve: Solve) -> None:
    url = f"http://me:{KEY}@127.0.0.1:1/v1"
    ended = solve.cplan("solve", *solve.tiny, "--model", "openai:m", "--base-url", url, *QUICK)
    assert (ended.code, KEY in ended.err) == (3, False)
    assert "http://127.0.0.1:1/v1" in ended.err


def test_what_cannot_be_sent_is_said(solve: Solve, server: ChatServer) -> None:
    url = ("--base-url", server.base_url)
    ended = solve.cplan("solve", *solve.tiny, "--model", "openai:\udcff", *url, *QUICK)  # 0xff on a command line
    assert (ended.code, server.requests) == (2, [])
    assert r"holds '\udcff', which is no UTF-8" in ended.err


@pytest.mark.processes
def test_a_separate_process_leaves_a_clean_stderr(tiny: tuple[Path, Path], server: ChatServer) -> None:
    options = ("--model", "openai:m", "--base-url", server.base_url, "--max-steps", "1", *QUICK)
    ended = cplan_process("solve", *tiny, *options)
    assert (ended.code, ended.err) == (1, "")
