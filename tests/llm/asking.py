"""Asking the tests' chat server through the layer that knows endpoints."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from commonsense_planning import BudgetConfig, ChatRequest, Completion, Endpoint, ModelConfig
from commonsense_planning.llm.budget import Budget, TokenPrice, WithinBudget
from commonsense_planning.llm.openai_api import OpenAiEndpoint
from tests.chat_server import Behaviour, ChatServer

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that always says red, or blue."""
    with ChatServer(lambda messages: ["red", "blue"]) as running:
        yield running


def question(text: str = "which box?", **parameters: Any) -> ChatRequest:
    """A request for two answers."""
    return ChatRequest("m", ({"role": "user", "content": text},), {"n": 2, **parameters}, f"the question {text}")


def endpoint(server: ChatServer, budget: Budget | None = None, **settings: Any) -> Endpoint:
    """The layer in front of the server, within a budget; does not pause between tries."""
    config = ModelConfig("openai:m", server.base_url, **{"pause": 0.0, "parallel": 4, "call_seconds": 5.0, **settings})
    return WithinBudget(budget or unlimited(), OpenAiEndpoint(config, KEY))


def unlimited(price: TokenPrice | None = None, **limits: Any) -> Budget:
    """A budget with no limits but these."""
    return Budget(BudgetConfig(**limits), price, "m")


def told(server: ChatServer, *behaviours: Behaviour, text: str = "which box?", **parameters: Any) -> Completion:
    """What comes of a question for a server that always behaves like this."""
    server.always(*behaviours)
    return ask(endpoint(server), [question(text, **parameters)])[0]


def ask(asked: Endpoint, requests: Sequence[ChatRequest]) -> list[Completion]:
    """One after the other."""

    async def run() -> list[Completion]:
        return [await asked.complete(request) for request in requests]

    return asyncio.run(run())


def outcomes(asked: Endpoint, requests: Sequence[ChatRequest], before: int = 0) -> list[Completion | BaseException]:
    """All at the same time, ``before`` of them one after the other before."""

    async def run() -> list[Completion | BaseException]:
        first = [await asked.complete(request) for request in requests[:before]]
        return [*first, *await asyncio.gather(*map(asked.complete, requests[before:]), return_exceptions=True)]

    return asyncio.run(run())


def ask_at_once(asked: Endpoint, requests: Sequence[ChatRequest]) -> list[Completion]:
    """All at the same time; if some raise, the first of them does, after all have ended."""
    completions = []
    for outcome in outcomes(asked, requests):
        if isinstance(outcome, BaseException):
            raise outcome
        completions.append(outcome)
    return completions
