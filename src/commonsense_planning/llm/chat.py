"""A chat model behind an endpoint, a recording or a cache, as a LanguageModel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import CplanError, EndpointError, MissingError
from commonsense_planning.llm.elicitation import ElicitationFallback, ElicitationRequest, UnsupportedByEndpoint
from commonsense_planning.llm.loop import EventLoopThread
from commonsense_planning.llm.model import ChatRequest, Completion, Endpoint, Usage
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.answers import own_turn
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.questions import FORMS, Batch, ChooseAction, NextAction, Question

Ask = Callable[[Sequence[Question], int], list[list[str]]]
BATCH = 12  # questions in a batch
MOST_OPTIONS = 250  # of one weighted list


class ChatModel:
    """Asks an endpoint questions, several concurrently. ``fallback``: the elicitation methods that the endpoint may
    support, with the findings about them; ``matcher`` matches free text with options. ``seeds`` draws the seeds of
    requests; None: requests have no seed."""

    def __init__(
        self,
        config: ModelConfig,
        note: str,
        endpoint: Endpoint,
        prompts: Prompts,
        fallback: ElicitationFallback,
        matcher: Matcher,
        loop: EventLoopThread,
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
        self._fallback = fallback
        self._matcher = matcher
        self._config = config
        self._loop = loop
        self._notes: list[str] = []
        self._plays = False  # the model has gone on as the world, which was noted

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """See LanguageModel. Answers that came before an error are recorded and counted."""
        with self._hearing() as heard:
            answers = self._ask(questions, n)
            heard += [text for texts in answers for text in texts if text.strip()]
        return answers

    @contextmanager
    def _hearing(self) -> Iterator[list[object]]:
        """Counts the questions asked within as unheard, unless the caller adds something usable to the yielded list;
        notes an EndpointError."""
        before, heard = self.usage.questions, list[object]()
        try:
            yield heard
        except EndpointError:
            self.usage.lost = True
            raise
        finally:
            self.usage.unheard += 0 if heard else self.usage.questions - before

    def _ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        requests = [self.request(question, {"n": n}) for question in questions]
        started = time.perf_counter()
        outcomes = self._loop.run(self._complete(requests))
        self.usage.waiting += time.perf_counter() - started
        answers = []
        for question, request, outcome in zip(questions, requests, outcomes, strict=True):
            came = outcome.spent if isinstance(outcome, CplanError) else outcome
            if isinstance(came, Completion):
                self._count([(request, came)])
                self._check_turns(question, came)
                answers.append(list(came.texts))
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return answers

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """See LanguageModel. Uses the best elicitation method that the endpoint supports, which the first question of a
        run finds out. With lists and plain samples, questions that can be combined are asked in one call."""
        with self._hearing() as heard:
            found = self._weigh_together(questions, n)
            left = [question for question in questions if question not in found]
            if left:
                found |= dict(zip(left, self._weigh_apart(left, n), strict=True))
            heard += [weights for weights in found.values() if weights.usable]
            if not heard:
                self.usage.quote(next((weights.first for weights in found.values() if weights.first), ""))
        return [found[question] for question in questions]

    def _weigh_apart(self, questions: Sequence[Question], n: int) -> list[Weights]:
        if len(questions) > 1 and not self._fallback.settled(questions, n):
            return [*self._weigh_each(questions[:1], n), *self._weigh_apart(questions[1:], n)]
        if any(len(self._fallback.methods(question, n)) > 1 for question in questions):
            return self._weigh_each(questions, n)
        answers = ask_together(self._ask, self._prompts.puts, questions, n)
        read = [read_answers(q, texts, self._matcher) for q, texts in zip(questions, answers, strict=True)]
        return [weights.tempered(self._config.weight_temperature) for weights in read]

    def _weigh_together(self, questions: Sequence[Question], n: int) -> dict[Question, Weights]:
        """Weighs all questions by one list, if they can be combined and a list is the best method that the endpoint
        supports, as the first question finds out. Questions that the list leaves out are not in the result; it is empty
        if a recording has an answer to each question alone."""
        batch = next(iter(_batches(questions)), None)
        if batch is None or len(batch.parts) < len(questions) or len(batch.options) > MOST_OPTIONS:
            return {}
        fit = [self._fallback.methods(part, n) for part in batch.parts if len(part.options) > 1]
        if len(fit) < len(batch.parts) or not self._prompts.puts(batch):
            return {}
        if not all(any(method.together for method in methods) for methods in fit):
            return {}
        asked = (
            ElicitationRequest(q, self.request, self._endpoint.complete, self._matcher) for q in (batch.parts[0], batch)
        )
        first, whole = asked
        found: dict[Question, Weights] = {}
        started = time.perf_counter()
        try:
            found = self._loop.run(self._list(first, whole, batch.parts, n))
        except MissingError:
            pass
        finally:
            self.usage.waiting += time.perf_counter() - started
            self._count(first.sent, int(first.question in found and not whole.sent))
            self._count(whole.sent)
        return {question: w.tempered(self._config.weight_temperature) for question, w in found.items() if w.said}

    async def _list(
        self, first: ElicitationRequest, whole: ElicitationRequest, parts: Sequence[Question], n: int
    ) -> dict[Question, Weights]:
        for method in self._fallback.methods(first.question, n):
            try:
                if method.together:
                    found = dict(zip(parts, await method.weigh_parts(whole, parts, n), strict=True))
                else:
                    found = {first.question: await method.weigh(first, n)}
            except UnsupportedByEndpoint as why:
                if method.together:
                    break
                self._notes += self._fallback.cannot(method, why)
            else:
                self._notes += self._fallback.works(method) if any(w.said for w in found.values()) else ()
                return found
        return {}

    def _weigh_each(self, questions: Sequence[Question], n: int) -> list[Weights]:
        started = time.perf_counter()
        outcomes = self._loop.run(self._weigh_all(questions, n))
        self.usage.waiting += time.perf_counter() - started
        weights = []
        for elicitation, outcome in outcomes:
            self._count(elicitation.sent)
            for _, came in elicitation.sent:
                self._check_turns(elicitation.question, came)
            if isinstance(outcome, Weights):
                weights.append(outcome.tempered(self._config.weight_temperature))
        for _, outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return weights

    def take_notes(self) -> list[str]:
        """See LanguageModel: notes on the endpoint and its failures."""
        notes, self._notes = self._notes, []
        return notes

    def answers(self, kind: type[Question]) -> bool:
        """True: an endpoint answers any question."""
        return True

    def request(self, question: Question, parameters: Mapping[str, Any], form: str = "", **given: Any) -> ChatRequest:
        """Returns a question as a request; ``form`` names the template about the form of the answer, see
        ``Prompts.messages``. ``parameters`` take precedence over those of the question and the user."""
        own = self._config.temperature
        usual: dict[str, Any] = {
            "max_tokens": question.most_tokens,
            "temperature": question.temperature if own is None else own,
        }
        version = self._prompts.version(question.template.parent)
        if form:
            version = f"{version} {self._prompts.version(FORMS)}"
        messages = self._prompts.messages(question, form, **given)
        seed = None if self._seeds is None else int(self._seeds.integers(2**31))
        fields = self._config.request_fields or {}
        about = question.about
        return ChatRequest(self._model, messages, {**usual, **parameters}, about, version, seed, fields=fields)

    async def _weigh_all(
        self, questions: Sequence[Question], n: int
    ) -> list[tuple[ElicitationRequest, Weights | BaseException]]:
        """Returns each question with its result. Questions are asked one after the other until the method is known, the
        others concurrently."""
        asked = [
            ElicitationRequest(question, self.request, self._endpoint.complete, self._matcher) for question in questions
        ]
        outcomes: list[Weights | BaseException] = []
        while not self._fallback.settled(questions[len(outcomes) :], n):
            outcomes += await asyncio.gather(self._weigh(asked[len(outcomes)], n), return_exceptions=True)
        rest = asked[len(outcomes) :]
        outcomes += await asyncio.gather(*(self._weigh(elicitation, n) for elicitation in rest), return_exceptions=True)
        return list(zip(asked, outcomes, strict=True))

    async def _weigh(self, elicitation: ElicitationRequest, n: int) -> Weights:
        fallback = self._fallback
        *methods, plain = fallback.methods(elicitation.question, n)
        for method in methods if len(elicitation.question.options) > 1 else ():
            try:
                weights = await method.weigh(elicitation, n)
            except UnsupportedByEndpoint as why:
                self._notes += fallback.cannot(method, why)
            else:
                self._notes += fallback.works(method) if weights.said else ()
                return weights
        weights = await plain.weigh(elicitation, n)
        self._notes += fallback.works(plain) if weights.said else ()
        return weights

    def _check_turns(self, question: Question, completion: Completion) -> None:
        """Notes, once, that the model goes on after the action that it is asked for."""
        acts = isinstance(question, NextAction | ChooseAction)
        if acts and not self._plays and any(own_turn(text) != text for text in completion.texts):
            self._plays = True
            self._notes.append("the model plays the world as well: only its first action counts")

    async def _complete(self, requests: Sequence[ChatRequest]) -> list[Completion | BaseException]:
        return await asyncio.gather(*map(self._endpoint.complete, requests), return_exceptions=True)

    def _count(self, sent: Sequence[tuple[ChatRequest, Completion]], questions: int = 1) -> None:
        """Counts the requests and replies of a question; ``questions`` is 0 if the question is counted elsewhere."""
        usage = self.usage
        usage.questions += questions * bool(sent)
        usage.recorded += questions * bool(sent) and all(completion.recorded for _, completion in sent)
        usage.failures += any(completion.trouble for _, completion in sent)
        came = any(completion.texts or completion.logprobs or completion.silent for _, completion in sent)
        usage.unreached += 0 if came else questions * bool(sent)
        for request, completion in sent:
            usage.put_with(request.prompts)
            usage.calls += completion.calls
            usage.retries += completion.retries
            usage.prompt_tokens += completion.prompt_tokens
            usage.completion_tokens += completion.completion_tokens
            usage.thinking_tokens += completion.thinking_tokens
            usage.estimated |= completion.estimated
            self._notes += completion.notes
            if completion.trouble:
                usage.trouble = completion.trouble
                self._notes.append(f"the model did not answer {request.about}: {completion.trouble}")


def ask_together(ask: Ask, put: Callable[[Batch], bool], questions: Sequence[Question], n: int) -> list[list[str]]:
    """Asks in batches where possible: at most ``n`` answers to each question, in fewer calls than ``ask`` alone.
    ``put``: whether there is a template for a batch."""
    batches = [batch for batch in _batches(questions) if put(batch)]
    answers: dict[Question, list[str]] = {}
    if batches:
        for batch, texts in zip(batches, ask(batches, n), strict=True):
            split = [batch.apart(text) for text in texts]
            for i, question in enumerate(batch.parts):
                answers[question] = [parts[i] for parts in split if parts[i]]
    left = [question for question in questions if not answers.get(question)]
    if left:
        answers |= dict(zip(left, ask(left, n), strict=True))
    return [answers[question] for question in questions]


def _batches(questions: Sequence[Question]) -> list[Batch]:
    """Returns batches of the questions that can be asked together: questions of one kind, at most BATCH."""
    kinds: dict[type[Batch], list[Question]] = {}
    for question in dict.fromkeys(questions):
        if question.batch is not None:
            kinds.setdefault(question.batch, []).append(question)
    cut = [(kind, many[i : i + BATCH]) for kind, many in kinds.items() for i in range(0, len(many), BATCH)]
    return [kind(tuple(several)) for kind, several in cut if len(several) > 1]
