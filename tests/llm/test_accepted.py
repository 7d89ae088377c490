"""What an endpoint takes, by what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from commonsense_planning.llm.accepted import Accepted
from commonsense_planning.llm.server_errors import ServerError
from tests.llm.asking import question

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


def test_room_is_doubled_up_to_what_an_answer_may_have() -> None:
    accepted, notes, limits = Accepted(20_000), list[str](), []
    asked, limit = question(n=1, max_tokens=64), 64
    while accepted.more_room(limit, notes):
        limit = accepted.parameters(asked, 1)["max_tokens"]
        limits.append(limit)
    assert limits == [4096, 8192, 16_384, 20_000]
    assert len(notes) == 4
    assert accepted.parameters(replace(asked, parameters={"max_tokens": 30_000}), 1) == {"max_tokens": 30_000}
