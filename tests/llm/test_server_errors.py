"""What is read of a server's errors (words, code, how long to wait), and what cplan learns from them about a model."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.llm.accepted import Accepted
from commonsense_planning.llm.server_errors import MOST_SECONDS, ServerError, read_server_error, without_key
from tests.llm.asking import question


@pytest.mark.parametrize(("status", "body", "reason"), [
    (400, {"error": {"message": "bad n"}}, "HTTP 400: bad n"),
    (400, {"error": "bad n"}, "HTTP 400: bad n"),
    (400, [{"error": {"code": 400, "message": "bad n"}}], "HTTP 400: bad n"),
    (400, {"errors": [{"message": "bad n"}, {"message": "bad m"}]}, "HTTP 400: bad n; bad m"),
    (500, {"detail": "Internal Server Error"}, "HTTP 500: Internal Server Error"),
    (422, {"detail": [{"loc": ["body", "n"], "msg": "extra", "input": 3}]}, "HTTP 422: body.n: extra"),
    (422, {"message": {"detail": [{"loc": ["body", "n"], "msg": "extra"}]}}, "HTTP 422: body.n: extra"),
    (400, {"message": "[{'msg': 'extra', 'input': {'n': 'all that was sent'}}]"}, "HTTP 400: [{'msg': 'extra',"),
    (400, {"error": {"message": "too long", "n_ctx": 512}}, "HTTP 400: too long: n_ctx is 512"),
    (400, {"error": {"code": None}}, 'HTTP 400: {"error": {"code": null}}'),
    (404, b"404 page not found", "HTTP 404: 404 page not found"),
    (502, b"<html>\n<head><title>502\n Bad &amp; Gateway</title>", "HTTP 502: a web page, 502 Bad & Gateway"),
    (502, b"\xef\xbb\xbf <!doctype html><h1>Sorry</h1>", "HTTP 502: a web page, Sorry"),
    (503, b"", "HTTP 503"),
    (307, b"", "HTTP 307: it redirects to https://other/v1, where nothing is sent"),
    (200, {"error": {"message": "no", "code": 401}}, "HTTP 401: no"),
    (200, {"error": {"message": "no", "code": "429"}}, "HTTP 429: no"),
    (200, {"status": 402, "message": "no"}, "HTTP 402: no"),
    (200, {"error": "no such path"}, "an answer without choices that could be read: no such path"),
    (200, {"error": {"message": "no", "code": "unknown"}}, "an answer without choices that could be read: no"),
])  # fmt: skip
def test_reasons(status: int, body: object, reason: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    assert read_server_error(status, content, {"location": "https://other/v1"}).reason == reason


THEN = {"date": "Fri, 31 Dec 1999 23:59:50 GMT"}


@pytest.mark.parametrize(("message", "headers", "seconds"), [
    ("Please try again in 19.5s. Visit our page.", {}, 19.5),
    ("Please try again in 6m0s.", {}, 360),
    ("Please try again in 1h2m3.5s", {}, 3723.5),
    ("try again in 86ms", {}, 0.086),
    ("Please retry after 26 seconds.", {}, 26),
    ("Please wait 1 minute and 5 seconds", {}, 65),
    ("Too many requests; your limit resets in 30 s", {}, 30),
    ("Try again later. You have 3 s left", {}, None),
    ("Limit 3, used 3, requested 1", {}, None),
    ("Please try again in 20s.", {"retry-after": "7"}, 7),
    ("", {"retry-after": "7", "retry-after-ms": "1500"}, 1.5),
    ("", {"retry-after": "soon"}, None),
    ("", {"retry-after": "nan"}, None),
    ("", {"retry-after": "-5"}, 0),
    ("", {"retry-after": "Fri, 99 Foo 99999 99:99:99 GMT"}, None),
    ("", {"retry-after": "Sat, 01 Jan 2000 00:00:00 GMT"}, None),
    ("", {"retry-after": "inf"}, None),
    ("", {"x-ratelimit-reset": "30"}, 30),
    ("", {"x-ratelimit-reset": "946684799", **THEN}, 9),
    ("", {"x-ratelimit-reset": "946684799500", **THEN}, 9.5),
    ("", {"x-ratelimit-reset": "946684799"}, None),  # no clock but the server's is trusted
    ("", {"anthropic-ratelimit-tokens-reset": "1999-12-31T23:59:59Z", **THEN}, 9),
    ("", {"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
    ("", {"x-ratelimit-reset-requests": "2h", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-tokens": "1"},
     7200),
    ("", {"x-ratelimit-reset-requests": "soon"}, None),
    ("Please try again in 20s.", {"x-ratelimit-reset-requests": "6m0s"}, 20),
    ("", {"retry-after": "1764201600"}, None),
    ("", {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:50 GMT"}, 9),
])  # fmt: skip
def test_how_long_to_wait(message: str, headers: dict[str, str], seconds: float | None) -> None:
    found = read_server_error(429, json.dumps({"error": {"message": message}}).encode(), headers)
    assert found.pause == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(("field", "seconds"), [
    ('"details": [{"retryDelay": "20s"}]', 20),
    ('"estimated_time": 7.5', 7.5),
    ('"resets_in_seconds": 5432', 5432),
    ('"metadata": {"headers": {"X-RateLimit-Reset": "946684799500"}}', 9.5),
])  # fmt: skip
def test_the_wait_is_read_from_a_field(field: str, seconds: float) -> None:
    assert read_server_error(429, f'{{"error": {{"message": "no", {field}}}}}'.encode(), THEN).pause == seconds


@pytest.mark.parametrize(("status", "message", "no_money", "loading", "out_of_tokens"), [
    (400, "Your credit balance is too low to access the API.", True, False, False),
    (402, "Insufficient Balance", True, False, False),
    (429, "Insufficient quota", True, False, False),
    (400, "The two columns do not balance", False, False, False),
    (503, "Loading model", False, True, False),
    (503, "Model m is currently loading", False, True, False),
    (500, "Loading failed", False, False, False),
    (400, "Could not finish the message because max_tokens or model output limit was reached.", False, False, True),
    (400, "max completion tokens reached before generating a valid document", False, False, True),
    (400, "This model's maximum context length is 512 tokens.", False, False, False),
])  # fmt: skip
def test_what_an_error_means(status: int, message: str, no_money: bool, loading: bool, out_of_tokens: bool) -> None:
    found = read_server_error(status, json.dumps({"error": {"message": message}}).encode(), {})
    assert (found.no_money, found.loading, found.out_of_tokens) == (no_money, loading, out_of_tokens)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["error", "message", "detail", "code", "loc", "msg", "metadata", "x"]), inner)
    ),
    max_leaves=12,
)


@given(st.sampled_from([200, 307, 400, 503]), JSON.map(json.dumps).map(str.encode) | st.binary(max_size=60))
def test_anything_is_read(status: int, content: bytes) -> None:
    found = read_server_error(status, content, {"retry-after": content[:9].decode("latin-1")})
    found.reason.encode()
    assert found.pause is None or 0 <= found.pause <= MOST_SECONDS


@pytest.mark.parametrize(("key", "secret"), [("sk-1234", True), ("k" * 16, True), ("x", False), ("none", False)])
def test_a_key_is_taken_out_unless_it_may_be_a_word(key: str, secret: bool) -> None:
    assert without_key(f"in the {key} box", key) == (f"in the {'***' if secret else key} box")


CONTEXT = "This model's maximum context length is 4096 tokens and your request has 600 input tokens"


@pytest.mark.parametrize(("message", "then"), [
    ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", {"max_completion_tokens": 5000}),
    ("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 8000", {"max_tokens": 8000}),
    ("max_tokens must be at least 6000", {"max_tokens": 6000}),
    ("max_tokens is too low", {"max_tokens": 10000}),
    ("max_tokens is too large: 5000. This model supports at most 4096 completion tokens", {"max_tokens": 4096}),
    ("max_tokens: 5000 > 4000, which is the maximum allowed number of output tokens", {"max_tokens": 4000}),
    ("`max_tokens` must be less than or equal to `2048`", {"max_tokens": 2048}),
    ("the valid range of max_tokens is [1, 4096]", {"max_tokens": 4096}),
    ("max_output_tokens must be in the range from 1 (inclusive) to 4097 (exclusive)", {"max_tokens": 4096}),
    ("max_tokens is too large", {"max_tokens": 2500}),
    (f"'max_tokens' or 'max_completion_tokens' is too large: 5000. {CONTEXT}", {"max_tokens": 3496}),
    (f"{CONTEXT} and 5000 output tokens", {"max_tokens": 3496}),
    ("max_tokens is not permitted", {}),
])  # fmt: skip
def test_limits_are_raised_and_lowered_and_seldom_left_out(message: str, then: dict[str, Any]) -> None:
    accepted, asked = Accepted(32_768), question(n=1, max_tokens=5000)
    sent = accepted.parameters(asked, 1)
    assert accepted.learn(ServerError(400, message), sent, [])
    assert accepted.parameters(asked, 1) == then


@pytest.mark.parametrize("message", [
    "This model's maximum context length is 512 tokens. However, you requested 1021 in the messages",
    "the request exceeds the available context size",
    "no such model",
])  # fmt: skip
def test_nothing_is_learnt_of_what_no_parameter_mends(message: str) -> None:
    accepted = Accepted(32_768)
    assert not accepted.learn(ServerError(400, message), {"max_tokens": 2000, "temperature": 0.0}, [])


@pytest.mark.parametrize("param", ["n", "body.n", "['n']", "None", None])
def test_the_refused_parameter_is_found(param: str | None) -> None:
    body = {"error": {"message": "m does not support parameters: ['n']", "param": param}}
    accepted = Accepted(32_768)
    assert accepted.learn(read_server_error(400, json.dumps(body).encode(), {}), {"n": 3, "seed": 1}, [])
    assert accepted.singly


def test_room_is_doubled_up_to_what_an_answer_may_have() -> None:
    accepted, notes, limits = Accepted(20_000), list[str](), []
    asked, limit = question(n=1, max_tokens=64), 64
    while accepted.more_room(limit, notes):
        limit = accepted.parameters(asked, 1)["max_tokens"]
        limits.append(limit)
    assert limits == [4096, 8192, 16_384, 20_000]
    assert len(notes) == 4
    assert accepted.parameters(replace(asked, parameters={"max_tokens": 30_000}), 1) == {"max_tokens": 30_000}
