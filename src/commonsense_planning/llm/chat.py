"""A chat model behind an endpoint, a recording or a cache, as a LanguageModel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from commonsense_planning.config import ModelConfig
from commonsense_planning.llm.completion import ChatRequest, Completion, Endpoint
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.questions import (
    ChooseAction,
    Neighbours,
    NextAction,
    Placement,
    Product,
    Question,
    Translation,
    WriteGuide,
    WriteProgram,
    WriteRoute,
)

# limit on the length of an answer, in tokens, by kind of question
ANSWER_TOKENS = {
    Placement: 64,
    NextAction: 64,
    Translation: 256,
    ChooseAction: 64,
    WriteGuide: 512,
    WriteProgram: 600,
    Neighbours: 512,
    WriteRoute: 128,
    Product: 64,
}
THINKING_TOKENS = 1024  # in place of that, where it may be reasoned first
# where the user sets none; for choices and guides that of "Large Language Models as Common-Sense Heuristics" (section
# 4.1), for programs that of the code published with ProgPrompt
TEMPERATURE = {
    Placement: 0.7,
    NextAction: 0.7,
    Translation: 0.7,
    ChooseAction: 0.2,
    WriteGuide: 0.2,
    WriteProgram: 0.0,
    Neighbours: 0.0,  # facts; the paper does not say
    WriteRoute: 0.0,
    Product: 0.0,
}


class ChatModel:
    """Puts questions to an endpoint, all that are asked together at the same time."""

    def __init__(
        self,
        config: ModelConfig,
        note: str,
        endpoint: Endpoint,
        prompts: Prompts,
        runner: asyncio.Runner,
        usage: Usage,
    ) -> None:
        self.name = config.name
        self.note = note
        self.usage = usage
        self._model = config.name.partition(":")[2]
        self._endpoint = endpoint
        self._prompts = prompts
        self._config = config
        self._runner = runner
        self._notes: list[str] = []

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
        kind, thinks = type(question), isinstance(question, ChooseAction) and question.think
        parameters: dict[str, Any] = {"n": n, "max_tokens": THINKING_TOKENS if thinks else ANSWER_TOKENS[kind]}
        own = self._config.temperature
        parameters["temperature"] = TEMPERATURE[kind] if own is None else own
        for name in ("top_p", "presence_penalty", "frequency_penalty"):
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


def _about(question: Question) -> str:
    if isinstance(question, Placement):
        return f"where the {question.thing} may be"
    if isinstance(question, NextAction):
        after = f" after: {', '.join(question.completed)}" if question.completed else " at first"
        return f"what to do{after}"
    if isinstance(question, ChooseAction):
        return f'which of {len(question.actions)} actions is best for "{question.description}"'
    if isinstance(question, WriteGuide):
        return f'for a guide to "{question.description}"'
    if isinstance(question, WriteProgram):
        return f'which program does "{question.description}"'
    if isinstance(question, Neighbours):
        return f"where one gets from {question.place}"
    if isinstance(question, WriteRoute):
        return f"how one gets from {question.source} to {question.destination}"
    if isinstance(question, Product):
        return f"what {question.first} times {question.second} is"
    return f'what "{question.instruction}" means'
