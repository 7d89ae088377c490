"""A chat model behind an endpoint, a recording or a cache, as a LanguageModel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from commonsense_planning.config import ModelConfig
from commonsense_planning.llm.batches import ask_together
from commonsense_planning.llm.model import ChatRequest, Completion, Endpoint, Usage
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.questions import Question


class ChatModel:
    """Puts questions to an endpoint, all that are asked together at the same time; ``matcher`` reads the answers.
    ``seeds`` draws the seeds of requests; None: they have none."""

    def __init__(
        self,
        config: ModelConfig,
        note: str,
        endpoint: Endpoint,
        prompts: Prompts,
        matcher: Matcher,
        runner: asyncio.Runner,
        usage: Usage,
        speaker: str = "",
        seeds: np.random.Generator | None = None,
    ) -> None:
        self.name = config.name
        self.note = note
        self.usage = usage
        self._model = speaker or config.name.partition(":")[2]
        self._seeds = seeds
        self._endpoint = endpoint
        self._prompts = prompts
        self._matcher = matcher
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

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """By ``n`` sampled answers to each."""
        answers = ask_together(self.ask, self._prompts.puts, questions, n)
        return [read_answers(q, texts, self._matcher) for q, texts in zip(questions, answers, strict=True)]

    def take_notes(self) -> list[str]:
        """What was found out about the endpoint, and what went wrong, since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def answers(self, kind: type[Question]) -> bool:
        """Whatever the question, an endpoint says something."""
        return True

    def request(self, question: Question, n: int) -> ChatRequest:
        """A question as it goes to the endpoint."""
        own = self._config.temperature
        parameters: dict[str, Any] = {
            "n": n,
            "max_tokens": question.most_tokens,
            "temperature": question.temperature if own is None else own,
        }
        for name in ("top_p", "presence_penalty", "frequency_penalty"):
            value = getattr(self._config, name)
            if value is not None:
                parameters[name] = value
        version = self._prompts.version(question.template.parent)
        seed = None if self._seeds is None else int(self._seeds.integers(2**31))
        return ChatRequest(self._model, self._prompts.messages(question), parameters, question.about, version, seed)

    async def _complete(self, requests: Sequence[ChatRequest]) -> list[Completion | BaseException]:
        return await asyncio.gather(*map(self._endpoint.complete, requests), return_exceptions=True)

    def _count(self, request: ChatRequest, completion: Completion) -> None:
        usage = self.usage
        usage.put_with(request.prompts)
        usage.questions += 1
        usage.failures += bool(completion.trouble)
        usage.recorded += completion.recorded
        usage.calls += completion.calls
        usage.retries += completion.retries
        usage.prompt_tokens += completion.prompt_tokens
        usage.completion_tokens += completion.completion_tokens
        usage.thinking_tokens += completion.thinking_tokens
        usage.estimated |= completion.estimated
        self._notes += completion.notes
        if completion.trouble:
            self._notes.append(f"the model did not answer {request.about}: {completion.trouble}")
