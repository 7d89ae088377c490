"""A chat model behind an endpoint, a recording or a cache, as a LanguageModel."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import MissingError, UsageError
from commonsense_planning.language.budget import PRICES, Budget, Prices
from commonsense_planning.language.cassette import Cassette, Mode
from commonsense_planning.language.completion import ChatRequest, Completion, Endpoint
from commonsense_planning.language.model import Usage
from commonsense_planning.language.prompts import Prompts
from commonsense_planning.language.questions import NextAction, Placement, Question, Translation

PREFIX = "openai:"
OPENAI = "https://api.openai.com/v1"
NO_KEY = "no-key-needed"  # servers of one's own want a key to be sent and look at none
ANSWER_TOKENS = {Placement: 64, NextAction: 64, Translation: 256}  # limit on the length of an answer


class ChatModel:
    """Puts questions to an endpoint, all that are asked together at the same time."""

    def __init__(self, model: str, note: str, endpoint: Endpoint, prompts: Prompts, config: ModelConfig) -> None:
        self.name = PREFIX + model
        self.note = note
        self.usage = Usage()
        self._model = model
        self._endpoint = endpoint
        self._prompts = prompts
        self._config = config
        self._notes: list[str] = []
        self._runner = asyncio.Runner()

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """See LanguageModel. What came in before an error is recorded and counted."""
        requests = [self.request(question, n) for question in questions]
        started = time.perf_counter()
        outcomes = self._runner.run(self._complete(requests))
        self.usage.waiting += time.perf_counter() - started
        answers = []
        for request, outcome in zip(requests, outcomes, strict=True):
            if isinstance(outcome, Completion):
                self._count(request, outcome)
                answers.append(list(outcome.texts))
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return answers

    def take_notes(self) -> list[str]:
        """What was found out about the endpoint, and what went wrong, since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def request(self, question: Question, n: int) -> ChatRequest:
        """A question as it goes to the endpoint."""
        parameters: dict[str, Any] = {"n": n, "max_tokens": ANSWER_TOKENS[type(question)]}
        for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty"):
            value = getattr(self._config, name)
            if value is not None:
                parameters[name] = value
        return ChatRequest(self._model, self._prompts.messages(question), parameters, _about(question))

    async def _complete(self, requests: Sequence[ChatRequest]) -> list[Completion | BaseException]:
        return await asyncio.gather(*map(self._endpoint.complete, requests), return_exceptions=True)

    def _count(self, request: ChatRequest, completion: Completion) -> None:
        usage = self.usage
        usage.questions += 1
        usage.failures += bool(completion.trouble)
        usage.recorded += completion.recorded
        usage.calls += completion.calls
        usage.retries += completion.retries
        usage.prompt_tokens += completion.prompt_tokens
        usage.completion_tokens += completion.completion_tokens
        usage.estimated |= completion.estimated
        self._notes += completion.notes
        if completion.trouble:
            self._notes.append(f"the model did not answer {request.about}: {completion.trouble}")


@dataclass(frozen=True)
class Opened:
    """A chat model, and the budget that its endpoint keeps to."""

    model: ChatModel
    budget: Budget


def open_chat_model(config: ModelConfig, limits: BudgetConfig, prompts: Prompts) -> Opened:
    """The chat model that ``config`` asks for.

    Raises MissingError without a key, UsageError for a base URL or key that is none and for a budget in money with a
    model without a price, InputError for a recording that cannot be opened.
    """
    model = config.name.removeprefix(PREFIX)
    price = Prices.read(PRICES, *([limits.prices] if limits.prices else [])).of(model)
    budget = Budget(limits, price, model)
    if config.replay is not None:
        note = f"a language model, from the recording {config.replay.name}"
        endpoint: Endpoint = Cassette(config.replay, Mode.REPLAY, None)
        return Opened(ChatModel(model, note, endpoint, prompts, config), budget)
    from commonsense_planning.language.openai_api import OpenAiEndpoint

    url = config.base_url or os.environ.get("OPENAI_BASE_URL", "")
    key = _key(config.name, url)
    endpoint = OpenAiEndpoint(replace(config, base_url=_checked(url or OPENAI)), key, budget)
    if config.cache is not None:
        endpoint = Cassette(config.cache, Mode.CACHE, endpoint)
    if config.record is not None:
        endpoint = Cassette(config.record, Mode.RECORD, endpoint)
    return Opened(ChatModel(model, "a language model behind an endpoint", endpoint, prompts, config), budget)


def _key(model: str, url: str) -> str:
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError("OPENAI_API_KEY holds characters that no key has; look at how it is set")
    if not key and not url:
        raise MissingError(
            f"the model {model} needs an endpoint: set OPENAI_API_KEY for OpenAI's own, or name another with "
            "--base-url, such as http://localhost:11434/v1 for Ollama or http://localhost:8000/v1 for vLLM; "
            "--model embedded needs none"
        )
    return key or NO_KEY


def _checked(url: str) -> str:
    """The URL, if it is one of an endpoint."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:
        fine = False
    if not fine:
        raise UsageError(f"--base-url: {url!r} is no URL of an endpoint, such as http://localhost:8000/v1")
    return url


def _about(question: Question) -> str:
    if isinstance(question, Placement):
        return f"where the {question.thing} may be"
    if isinstance(question, NextAction):
        after = f" after: {', '.join(question.completed)}" if question.completed else " at first"
        return f"what to do{after}"
    return f'what "{question.instruction}" means'
