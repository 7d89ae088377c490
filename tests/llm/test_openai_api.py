"""The layer that knows endpoints, with the real client against a real server."""

import gzip
import tracemalloc
from dataclasses import asdict, replace
from typing import Any

import pytest

from commonsense_planning import MissingError
from tests import chat_troubles as troubles
from tests.chat_server import Behaviour, ChatServer, Reply, Request, as_json, completion
from tests.llm.asking import KEY, ask, ask_at_once, endpoint, outcomes, question, server, told
from tests.trouble_table import REASONING, RETRIES, TABLE, Row

__all__ = ["server"]

PENALTIES: dict[str, Any] = {"presence_penalty": 0.5, "frequency_penalty": 0.5}


def test_a_good_answer(server: ChatServer) -> None:
    found = told(server, temperature=0.5, max_tokens=9, **PENALTIES)
    assert found.texts == ("red", "blue")
    assert (found.calls, found.retries, found.prompt_tokens, found.completion_tokens) == (1, 0, 2, 2)
    assert (found.trouble, found.notes, found.estimated, found.recorded) == ("", (), False, False)
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    sent = {"model": "m", "n": 2, "temperature": 0.5, "max_tokens": 9, **PENALTIES}
    assert {name: value for name, value in request.body.items() if name != "messages"} == sent


def test_each_answer_has_its_own_seed(server: ChatServer) -> None:
    server.always(troubles.refuses_n)
    ask(endpoint(server), [replace(question(), seed=5), replace(question(n=3), seed=8)])
    assert sorted(request.body["seed"] for request in server.requests[1:]) == [5, 6, 8, 9, 10]


def test_a_seed_does_not_count_for_the_content_and_may_be_refused(server: ChatServer) -> None:
    assert replace(question(), seed=5).key == question().key
    server.always(troubles.refuses("seed"))
    (found,) = ask(endpoint(server), [replace(question(), seed=5)])
    assert found.texts == ("red", "blue")
    assert found.notes == ("the endpoint does not accept the seed that was asked for: it uses its own",)


@pytest.mark.parametrize("row", [row for row in TABLE if not row.ends], ids=lambda row: row.name)
def test_trouble(row: Row, server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(row.behaviour)
    asked = endpoint(server, retries=RETRIES, call_seconds=0.7 if row.slow else 20)
    good, found = ask(asked, [question("a good one?"), question(max_tokens=64, temperature=0.7)])
    assert good.texts == ("red", "red")
    assert row.trouble in found.trouble
    assert bool(found.texts) == (row.trouble == "")
    assert found.calls == row.calls
    assert KEY not in str(asdict(found))
    "".join((found.trouble, *found.texts)).encode()  # can be written to a file
    assert found.prompt_tokens < 10**9


@pytest.mark.parametrize("row", REASONING, ids=lambda row: row.name)
def test_what_a_reasoning_model_answers(row: Row, server: ChatServer) -> None:
    found = told(server, row.behaviour, max_tokens=64, temperature=0.7)
    assert [text.split()[-1] for text in found.texts] == ["red", "blue"]
    assert (max(map(len, found.texts)) <= len("answer blue"), found.trouble) == (True, "")


@pytest.mark.parametrize("in_the_total_only", [False, True])
def test_thoughts_are_counted_and_paid(in_the_total_only: bool, server: ChatServer) -> None:
    found = told(server, troubles.thinks(500, in_the_total_only=in_the_total_only), text="which box is it?")
    assert (found.prompt_tokens, found.completion_tokens, found.thinking_tokens) == (4, 502, 500)
    assert not found.estimated


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_thoughts_that_the_endpoint_does_not_count_are_estimated(field: str, server: ChatServer) -> None:
    def thinks(good: dict[str, Any]) -> None:
        del good["usage"]
        for choice in good["choices"]:
            choice["message"][field] = "x" * 400

    found = told(server, troubles.changed(thinks))
    assert (found.completion_tokens, found.estimated) == ((800 + len("redblue")) // 4, True)


@pytest.mark.parametrize("row", [row for row in TABLE if row.ends], ids=lambda row: row.name)
def test_whoever_is_shut_out_in_mid_run_is_told(row: Row, server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(row.behaviour)
    with pytest.raises(MissingError, match=rf"cannot be used any more: .*{row.trouble}"):
        ask(endpoint(server), [question("a good one?"), question()])


def test_once_all_is_spent_nothing_more_is_sent(server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(troubles.status(402))
    _, *rest = outcomes(endpoint(server, parallel=2), [question(str(i), n=1) for i in range(10)], before=1)
    assert all(isinstance(outcome, MissingError) for outcome in rest)
    assert len(server.requests) == 1 + 2  # what was in flight


def test_no_question_follows_a_redirect(server: ChatServer) -> None:
    with ChatServer(lambda messages: "green") as elsewhere:
        there = f"{elsewhere.base_url}/chat/completions"
        with pytest.raises(MissingError, match=rf"HTTP 307: it redirects to {there}, where nothing is sent\n.*base"):
            told(server, troubles.redirects(there))
        assert (len(server.requests), len(elsewhere.requests)) == (1, 0)


def test_one_refused_question_ends_no_run_but_three_do(server: ChatServer) -> None:
    answered, shut_out = troubles.says("red"), troubles.status(403)  # as some moderators say it
    server.next(answered, shut_out, shut_out, answered, shut_out, shut_out, shut_out)
    with pytest.raises(MissingError, match="cannot be used any more: HTTP 403"):
        ask(endpoint(server), [question(str(i)) for i in range(9)])
    assert len(server.requests) == 7


@pytest.mark.parametrize("asked_at_once", [1, 2])
def test_few_questions_show_a_dead_endpoint_too(asked_at_once: int, server: ChatServer) -> None:
    server.always(troubles.status(500))
    with pytest.raises(MissingError, match=rf"{server.base_url}/ cannot be used: HTTP 500"):
        ask_at_once(endpoint(server, retries=0), [question(str(i)) for i in range(asked_at_once)])


def test_one_bad_question_of_two_is_no_dead_endpoint(server: ChatServer) -> None:
    server.always(lambda request, _: troubles.error(400) if request.prompt == "bad" else None)
    found = ask_at_once(endpoint(server), [question("bad"), question("good")])
    assert [bool(f.texts) for f in found] == [False, True]


@pytest.mark.parametrize("behaviour", [
    troubles.sends(troubles.LINE * 1000),
    troubles.sends(troubles.BOMB, Content_Encoding="gzip"),
    troubles.sends(troubles.LINE * 1000, 400),
], ids=["long", "packed", "error"])  # fmt: skip
def test_a_huge_body_takes_little_memory(behaviour: Behaviour, server: ChatServer) -> None:
    server.next(troubles.says("red"), behaviour)
    tracemalloc.start()
    try:
        found = ask(endpoint(server), [question(), question()])[1]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "longer than 4 MiB" in found.trouble
    assert peak < 40 * 2**20


def test_a_packed_answer_is_unpacked(server: ChatServer) -> None:
    def pack(good: Reply) -> Reply:
        return replace(good, body=gzip.compress(good.body), headers={**good.headers, "Content-Encoding": "gzip"})

    found = told(server, troubles.spoilt(pack))
    assert found.texts == ("red", "blue")
    assert server.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("row", [row for row in TABLE if row.code == 3], ids=lambda row: row.name)
def test_nothing_ever_answered(row: Row, server: ChatServer) -> None:
    server.always(row.behaviour)
    with pytest.raises(MissingError) as caught:
        ask(endpoint(server, retries=0, call_seconds=0.2 if row.slow else 20), [question()] * 3)
    assert row.trouble in str(caught.value)
    assert "\n" in str(caught.value)  # what to do
    assert KEY not in str(caught.value)


UNCLEAR = ("HTTP 400", "HTTP 500")  # tried otherwise, not again
PASSING = [row for row in TABLE if row.calls == 1 + RETRIES and row.code and not row.trouble.startswith(UNCLEAR)]


@pytest.mark.parametrize("row", PASSING, ids=lambda row: row.name)
def test_passing_trouble_is_forgotten(row: Row, server: ChatServer) -> None:
    server.next(row.behaviour)
    (found,) = ask(endpoint(server, retries=RETRIES, call_seconds=0.7 if row.slow else 20), [question()])
    assert (found.texts, found.trouble) == (("red", "blue"), "")
    assert (found.calls, found.retries) == (2, 1)


def test_no_server_listens() -> None:
    with ChatServer(lambda messages: "red") as server:
        gone = endpoint(server, retries=0)
    with pytest.raises(MissingError, match="no connection"):
        ask(gone, [question()] * 3)


def test_an_endpoint_that_has_answered_is_not_given_up(server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(troubles.status(500))
    found = ask(endpoint(server, retries=3), [question(str(i)) for i in range(9)])
    assert [bool(f.texts) for f in found] == [True] + [False] * 8
    assert [f.calls for f in found] == [1, 4, 4, 4, 4, 4, 1, 1, 1]  # tired of it, it stops to insist


def test_retry_after_is_kept_to(server: ChatServer) -> None:
    server.next(troubles.status(429, retry_after=0.3))
    ask(endpoint(server), [question()])
    first, second = server.requests
    assert second.time - first.time >= 0.3


def test_calls_in_flight_are_limited() -> None:
    with ChatServer(lambda messages: "red", delay=0.03) as server:
        server.always(troubles.refuses_n)
        found = ask_at_once(endpoint(server, parallel=3), [question(str(i), n=4) for i in range(4)])
        assert [len(f.texts) for f in found] == [4] * 4
        assert server.most_at_once == 3


@pytest.mark.parametrize(("behaviours", "parameters", "note", "dropped"), [
    ([troubles.refuses_n], {}, "one answer a call", {"n"}),
    ([troubles.ignores_n], {}, "one answer a call", {"n"}),
    ([troubles.refuses_temperature], {"temperature": 0.7}, "temperature", {"temperature"}),
    (list(troubles.refuses_penalties), PENALTIES, "penalty", set(PENALTIES)),
    ([troubles.refuses_max_tokens], {"max_tokens": 64}, "", {"max_tokens"}),
    ([troubles.refuses_max_tokens, troubles.refuses("max_completion_tokens")], {"max_tokens": 64},
     "no limit on the length", {"max_tokens", "max_completion_tokens"}),
    (
        [lambda request, _: as_json({"detail": [{"loc": ["body", "top_p"], "msg": "extra"}]}, 422)
         if "top_p" in request.body else None],
        {"top_p": 0.9},
        "top_p",
        {"top_p"},
    ),
], ids=["n", "n ignored", "temperature", "penalties", "max_tokens", "any limit", "named in a list"])  # fmt: skip
def test_what_an_endpoint_refuses(
    behaviours: list[Behaviour], parameters: dict[str, Any], note: str, dropped: set[str], server: ChatServer
) -> None:
    server.always(*behaviours)
    found = ask(endpoint(server), [question(str(i), **parameters) for i in range(3)])
    assert [len(f.texts) for f in found] == [2, 2, 2]
    assert [f.trouble for f in found] == ["", "", ""]
    notes = [text for f in found for text in f.notes]
    assert len(notes) == (max(1, len(parameters)) if note else 0)
    assert all(note in text for text in notes)
    later = [request for request in server.requests if request.prompt != "0"]
    assert not any(dropped & set(request.body) for request in later)  # it is asked once


def test_questions_in_flight_share_the_larger_limit(server: ChatServer) -> None:
    def thinks(request: Request, _: ChatServer) -> Reply | None:
        return completion(request, "", finish="length") if request.body["max_tokens"] < 1000 else None

    server.always(thinks)
    found = ask_at_once(endpoint(server), [question(str(i), max_tokens=64) for i in range(4)])
    assert [f.trouble for f in found] == [""] * 4
    assert sum(len(f.notes) for f in found) == 1


def test_unknown_refusal_is_said(server: ChatServer) -> None:
    server.next(troubles.says("red"))
    server.always(troubles.refuses_unknown())
    found = ask(endpoint(server), [question(), question("again?", stop="x")])[1]
    assert "Extra inputs are not permitted" in found.trouble


def test_some_empty_choices_are_no_reason_to_ask_again(server: ChatServer) -> None:
    found = told(server, troubles.says(None, "red"), n=4)
    assert (found.texts, found.calls, found.notes) == (("red", "red"), 1, ())


def test_more_choices_than_wanted(server: ChatServer) -> None:
    found = told(server, lambda request, _: completion(request, "a", "b", "c", "d"))
    assert (found.texts, found.calls) == (("a", "b"), 1)


@pytest.mark.parametrize("behaviour", [
    troubles.no_usage,
    troubles.odd_usage,
    troubles.uses(int("9" * 400)),
    troubles.uses(-1),
    troubles.uses(1.0),
    troubles.uses(True),
    troubles.uses(1, None),
])  # fmt: skip
def test_tokens_are_estimated_where_nobody_counts(behaviour: Behaviour, server: ChatServer) -> None:
    found = told(server, behaviour, text="x" * 400)
    assert (found.prompt_tokens, found.completion_tokens, found.estimated) == (100, 1, True)


def test_one_lost_answer_of_several(server: ChatServer) -> None:
    server.next(troubles.refuses_n, troubles.says("red"), troubles.status(400))
    (found,) = ask(endpoint(server), [question()])
    assert (found.texts, found.trouble) == (("red",), "")
