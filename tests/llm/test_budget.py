"""Prices, and the limits on calls, tokens, money and time."""

import asyncio
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from commonsense_planning import BudgetConfig, BudgetError, ChatRequest, Completion, Endpoint, InputError, UsageError
from commonsense_planning.llm.budget import PRICES, Budget, Prices, TokenPrice, WithinBudget
from tests import chat_troubles as troubles
from tests.chat_server import ChatServer
from tests.llm.asking import ask, ask_at_once, endpoint, outcomes, question, server, unlimited

__all__ = ["server"]


DEAR = TokenPrice(input=1.0, output=10.0)


@pytest.mark.parametrize(("limits", "price", "calls", "said"), [
    ({}, None, [(10_000, 10_000)] * 1000, ""),
    ({"max_calls": 0}, None, [], "the limit of 0 calls is reached"),
    ({"max_calls": 5}, None, [(0, 0)] * 5, "the limit of 5 calls is reached"),
    ({"max_tokens": 100}, None, [(60, 39)] * 2, "the limit of 100 tokens"),
    ({"max_tokens": 100}, None, [(100, 0)], "the limit of 100 tokens"),
    ({"max_usd": 0.5}, DEAR, [(100_000, 4_000)] * 4, r"the limit of 0\.5 US dollars"),
    ({"max_usd": 0.5}, DEAR, [(500_000, 0)], r"the limit of 0\.5 US dollars"),
])  # fmt: skip
def test_the_call_after_the_one_that_reaches_a_limit_is_refused(
    limits: dict[str, Any], price: TokenPrice | None, calls: list[tuple[int, int]], said: str
) -> None:
    budget = unlimited(price, **limits)
    for tokens in calls:
        assert not budget.used_up
        budget.begin_call()
        budget.end_call(*tokens)
    assert budget.used_up is bool(said)
    with pytest.raises(BudgetError, match=said) if said else nullcontext():
        budget.begin_call()
    told = (budget.prompt_tokens, budget.completion_tokens)
    assert told == (sum(asked for asked, _ in calls), sum(said for _, said in calls))
    assert (budget.calls, budget.usd) == (len(calls) + (not said), price and pytest.approx(price.of(*told)))


def test_a_limit_on_money_needs_a_price() -> None:
    with pytest.raises(UsageError, match="--prices"):
        Budget(BudgetConfig(max_usd=1.0), None, "m")


def test_time_is_limited() -> None:
    budget = unlimited()
    budget.deadline = time.monotonic()
    with pytest.raises(BudgetError, match="the time is up"):
        budget.begin_call()
    assert budget.seconds_left == 0


def test_prices_by_the_longest_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[models."a"]\ninput = 1\noutput = 2\n[models."a-mini"]\ninput = 3\noutput = 4\n')
    prices = Prices.read(PRICES, path)
    assert prices.of("a-mini-2024") == TokenPrice(3, 4)
    assert prices.of("a-maxi") == TokenPrice(1, 2)
    assert prices.of("b") is None
    assert TokenPrice(1, 2).of(1_000_000, 500_000) == 2.0


@pytest.mark.parametrize(
    "text", ["", "[", "models = 3", "[models.a]\ninput = 1", '[models.a]\ninput = "x"\noutput = 1']
)
def test_a_file_that_is_no_price_table(text: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(InputError, match="not a price table"):
        Prices.read(path)


@pytest.mark.parametrize(("code", "questions"), [(200, 10), (500, 1)])
def test_the_endpoint_keeps_to_its_calls_and_retries_count(code: int, questions: int, server: ChatServer) -> None:
    server.always(troubles.no_trouble if code == 200 else troubles.status(code))
    with pytest.raises(BudgetError):
        ask_at_once(endpoint(server, unlimited(max_calls=3), retries=9), [question(str(i)) for i in range(questions)])
    assert len(server.requests) == 3


CENT = TokenPrice(input=1e4, output=1e4)  # a token


@pytest.mark.parametrize("refuses_n", [False, True])
@pytest.mark.parametrize(("limits", "price"), [({"max_tokens": 20}, None), ({"max_usd": 0.20}, CENT)])
@pytest.mark.parametrize(("requests", "n"), [(20, 1), (1, 20), (3, 3)])
def test_tokens_and_money_are_passed_by_one_call_at_most(
    requests: int, n: int, limits: dict[str, Any], price: TokenPrice | None, refuses_n: bool, server: ChatServer
) -> None:
    if refuses_n:
        server.always(troubles.refuses_n)
    budget = unlimited(price, **limits)
    outcomes(endpoint(server, budget, parallel=8), [question(str(i), n=n) for i in range(requests)])
    calls = [request for request in server.requests if not (refuses_n and request.body.get("n", 1) > 1)]
    most = max(1, -(-20 * len(calls) // max(1, budget.prompt_tokens + budget.completion_tokens)))
    assert 1 <= len(calls) <= most
    assert budget.under_way == []


class Slow(Endpoint):
    """Tells of its calls afterwards; ``most`` were made at once."""

    asked = now = most = 0

    async def complete(self, request: ChatRequest) -> Completion:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return Completion(("yes",), 1, 0, 30, 1)


def test_an_endpoint_that_tells_of_its_calls_afterwards_waits_for_its_turn_too() -> None:
    slow = Slow()
    with pytest.raises(BudgetError, match="the limit of 20 tokens"):
        ask_at_once(WithinBudget(unlimited(max_tokens=20), slow), [question(str(i)) for i in range(5)])
    assert slow.asked == 1
    roomy = WithinBudget(unlimited(max_tokens=1_000_000), slow)
    ask_at_once(roomy, [question(str(i), max_tokens=9) for i in range(5)])
    assert slow.most == 5


def test_what_came_before_the_limit_is_kept(server: ChatServer) -> None:
    server.always(troubles.refuses_n)
    asked = endpoint(server, unlimited(max_calls=3), parallel=1)
    (found,) = ask(asked, [question(n=5)])
    assert len(found.texts) == 2  # one call went to find out that n is refused
    assert len(server.requests) == 3


def test_no_endpoint_is_waited_for_beyond_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Endpoint):
        async def complete(self, request: ChatRequest) -> Completion:
            return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(Budget, "seconds_left", 0.001)
    with pytest.raises(BudgetError, match="the time is up") as caught:
        ask(WithinBudget(unlimited(), Silent()), [question()])
    assert caught.value.spent == Completion((), calls=1, trouble="the time is up")


def test_no_pause_is_longer_than_the_time_left(server: ChatServer) -> None:
    server.always(troubles.status(429, retry_after=50))
    budget = unlimited()
    asked = endpoint(server, budget)
    budget.deadline = time.monotonic() + 2
    with pytest.raises(BudgetError, match="the time is up"):
        ask(asked, [question()])
    assert len(server.requests) == 1
