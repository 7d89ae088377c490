"""Any endpoint that speaks OpenAI's chat completions: OpenAI's own, vLLM, Ollama, llama.cpp and others.

Endpoints accept different parameters. The first refusal tells which one is not accepted; later requests avoid it, and
a note reports it once. Temporary failures are retried after a pause; a lasting failure becomes the ``trouble`` of that
one request. An error is raised only if the endpoint has never answered anything, or rejects every request. Only a
completion that could be read counts as an answer.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import BudgetError, MissingError
from commonsense_planning.llm.accepted import NEEDED, OPTIONAL, Accepted, cannot, unclear
from commonsense_planning.llm.connection import LONGEST_PAUSE, Answered, ChatClient, Lasting, Passing, failure_of
from commonsense_planning.llm.elicitation import UnsupportedByEndpoint
from commonsense_planning.llm.model import CallCounter, ChatRequest, Completion
from commonsense_planning.llm.reply import Reply, read_cost
from commonsense_planning.llm.score import SCORERS, Scorer

HOPELESS = 3  # failed requests in a row after which an endpoint that never answered, or denies access, is given up
TIRED = 5  # failures in a row after which requests are not retried, until one succeeds
LOADING_PAUSE = 5.0  # seconds between two attempts while the server loads its model
LONGEST_LOADING = 600.0  # seconds to wait for that
TOLD_PAUSE = 3.0  # seconds; longer pauses are reported
LESSONS = 20  # refused parameters per request; more of them contradict each other
PASSING, SHUT_OUT = (408, 409, 425, 429), (401, 402, 403)

_Got = TypeVar("_Got")


class OpenAiEndpoint:
    """Completes chats; at most ``config.parallel`` calls are in flight. ``sleep`` waits for a number of seconds.

    ``key`` is sent to the endpoint and appears nowhere else. ``server``: the kind of server, a key of ``SCORERS``; by
    default it is read from the list of models. Raises MissingError and UsageError as ``ChatClient`` does.
    """

    def __init__(
        self,
        config: ModelConfig,
        key: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        server: str | None = None,
    ) -> None:
        self._config = config
        self._client = ChatClient(config, key)
        self._accepted = Accepted(config.answer_tokens)
        self._flight = asyncio.Semaphore(config.parallel)
        self._sleep = sleep
        self._server = server
        self._jitter = random.Random(0)
        self._scorer: Scorer | None = None
        self._asked_for_scores = asyncio.Lock()
        self._scores: bool | None = None  # whether the endpoint scores; None: not known yet
        self._worked: set[str] = set()  # parameters of requests that were answered
        self._answered = False
        self._under_way = 0  # requests in progress
        self._waiting = 0  # those of them that pause before a retry
        self._failures = 0  # in a row
        self._over = ""  # why no request will be answered any more

    async def complete(self, request: ChatRequest) -> Completion:
        """Makes as many calls as the request needs. Raises MissingError and BudgetError as ``Endpoint.complete``."""
        tally, texts = _Tally(request.account), list[str]()
        trouble = unable = ""
        self._under_way += 1
        try:
            trouble = await self._ask(request, texts, tally)
        except UnsupportedByEndpoint as error:
            unable = str(error)
        except (Passing, Lasting) as error:
            fatal = isinstance(error, Lasting) and error.fatal
            unable = "" if fatal else cannot(request, error.status, str(error))
            if not unable:
                trouble = str(error)
                tally.silent = False
                self._give_up_if_hopeless(error, tally)
        except BudgetError as error:
            error.spent = tally.completion((), str(error)) if tally.calls else None
            raise
        finally:
            self._under_way -= 1
        return tally.completion(texts[: int(request.parameters.get("n", 1))], trouble, unable)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def _ask(self, request: ChatRequest, texts: list[str], tally: _Tally) -> str:
        """Asks, and adds the answers to ``texts``. Returns the trouble of an answer without text."""
        wanted = int(request.parameters.get("n", 1))
        if "score" in request.parameters:
            tally.logprobs = await self._score(request, tally)
            return ""
        if self._accepted.singly or wanted == 1:
            return await self._one_by_one(request, wanted, texts, tally)
        reply = await self._persist(partial(self._adapt, request, wanted), tally)
        texts += reply.texts
        missing = wanted - reply.choices
        if missing > 0 and not (reply.filtered or reply.refusal):
            if not reply.alone:
                self._accepted.one_by_one(tally.notes)
            return await self._one_by_one(request, missing, texts, tally)
        return reply.trouble

    async def _one_by_one(self, request: ChatRequest, wanted: int, texts: list[str], tally: _Tally) -> str:
        """Asks for the last ``wanted`` answers, each in its own call, concurrently, and adds them to ``texts``.

        Returns the trouble of an answer without text. Raises the last failure if no answer came.
        """
        replies = await asyncio.gather(
            *(self._persist(partial(self._adapt, _seeded(request, i), 1), tally) for i in range(-wanted, 0)),
            return_exceptions=True,
        )
        failed: BaseException | None = None
        trouble = ""
        for reply in replies:
            if isinstance(reply, Reply):
                texts += reply.texts
                trouble = reply.trouble
            else:
                failed = reply
                if not isinstance(reply, Passing | Lasting | UnsupportedByEndpoint | BudgetError):
                    raise reply
        if failed is not None and not texts:
            raise failed
        return trouble

    async def _score(self, request: ChatRequest, tally: _Tally) -> tuple[tuple[str, float], ...]:
        """Returns the score of each option of the request. Raises UnsupportedByEndpoint if the server cannot score;
        that is found out once."""

        async def post(path: str, body: Mapping[str, Any]) -> Any:
            return await self._persist(partial(self._post, request, path, body), tally)

        options = request.parameters["score"]
        async with self._asked_for_scores:
            if self._scores is None:
                self._scorer = await self._found_scorer()
        if self._scorer is None:
            raise UnsupportedByEndpoint(NEEDED["score"])
        try:
            scores = await self._scorer(request.model, request.messages, options, post)
        except (UnsupportedByEndpoint, Passing, Lasting) as error:
            if self._scores and not isinstance(error, UnsupportedByEndpoint):
                raise
            self._scorer, self._scores = None, False
            raise UnsupportedByEndpoint(NEEDED["score"]) from error
        self._scores = self._answered = True
        self._failures = 0
        return tuple(zip(options, scores, strict=True))

    async def _found_scorer(self) -> Scorer | None:
        """Returns the scorer for the kind of server that its list of models tells."""
        try:
            found = SCORERS.get(self._server or await self._client.owner())
        except (Answered, Passing, Lasting):
            found = None
        self._scores = False if found is None else self._scores
        return found

    async def _post(self, request: ChatRequest, path: str, body: Mapping[str, Any], tally: _Tally) -> Any:
        """Makes one HTTP call other than a chat. Raises UnsupportedByEndpoint if the server does not know the call."""
        try:
            async with self._flight, tally.turn(request):
                tally.begin_call()
                data = await self._client.post(path, body)
        except Answered as error:
            failure = failure_of(error.error)
            if failure.status in (*PASSING, *SHUT_OUT) or failure.status >= 502:
                raise failure from error
            raise UnsupportedByEndpoint(NEEDED["score"]) from error
        tally.end_call(*read_cost(data))
        return data

    async def _persist(self, once: Callable[[_Tally], Awaitable[_Got]], tally: _Tally) -> _Got:
        """Calls ``once`` until it succeeds, the retries are used up, or the failure is lasting; ``once`` counts the
        cost. Waiting for a server that loads its model is not a retry."""
        tries, loading = 0, 0.0
        while True:
            before, again = tally.calls, bool(tries or loading)
            try:
                return await once(tally)
            except Passing as error:
                if error.loading and loading < LONGEST_LOADING:
                    pause = max(1.0, error.pause or LOADING_PAUSE)
                    self._tell("" if loading else f"waiting up to {LONGEST_LOADING:.0f} s for the endpoint", error)
                    loading += pause
                else:
                    tries += 1
                    if tries > self._config.retries or self._failures >= TIRED:
                        raise
                    pause = self._backoff(tries) if error.pause is None else error.pause
                    said = f"waiting {pause:.0f} s for the endpoint" if pause >= TOLD_PAUSE else ""
                    self._tell("asking the endpoint again" if error.late else said, error)
                await self._wait(pause)
            finally:
                tally.retries += again and tally.calls > before

    def _backoff(self, tries: int) -> float:
        """Returns the seconds before the next try: exponential, with jitter so that not all requests return at once."""
        longest = min(LONGEST_PAUSE, self._config.pause * 2.0 ** min(tries - 1, 20))
        return longest * (0.5 + 0.5 * self._jitter.random())

    def _tell(self, what: str, error: Passing) -> None:
        """Reports a long wait on stderr, once if several requests wait."""
        if what and not self._waiting:
            print(f"cplan: {what}: {_visible(str(error))}", file=sys.stderr, flush=True)

    async def _wait(self, seconds: float) -> None:
        self._waiting += 1
        try:
            await self._sleep(seconds)
        finally:
            self._waiting -= 1

    async def _adapt(self, request: ChatRequest, n: int, tally: _Tally) -> Reply:
        """Calls, and calls again for each parameter that the endpoint turns out not to accept.

        The parameters are chosen when it is the call's turn, so that it uses what other calls have learnt. If an error
        names no parameter, the request is tried once for a single answer, then without all optional parameters.
        """
        accepted, wanted, status = self._accepted, n, 0
        without: Collection[str] = ()
        for _ in range(LESSONS):
            try:
                async with self._flight:
                    if n > 1 and accepted.singly:
                        return Reply(0, (), 0, 0, False)
                    if self._over:
                        raise Lasting(self._over, fatal=True)
                    sent = accepted.parameters(request, n, without)
                    async with tally.turn(replace(request, parameters=sent)):
                        tally.begin_call()
                        reply = await self._client.chat(request, sent)
            except Answered as error:
                told = error.error
                if told.filtered:
                    return Reply(n, (), 0, 0, False, filtered=True)
                if told.out_of_tokens:
                    reply = Reply(n, (), 0, 0, False, cut_short=True)
                elif accepted.learn(told, sent, tally.notes):
                    continue
                elif n > 1 and "n" not in self._worked | tally.doubted and unclear(told):
                    n, status = 1, told.status
                    tally.doubted.add("n")
                    continue
                elif unclear(told) and told.status != 500 and set(OPTIONAL) & set(sent) - self._worked - tally.doubted:
                    without = OPTIONAL
                    tally.doubted.update(OPTIONAL)
                    continue
                else:
                    failure = failure_of(told)
                    if isinstance(failure, Lasting) and failure.fatal:
                        self._over = str(failure)
                    raise failure from error
            else:
                tally.add(reply)
                self._worked.update(sent)
                self._answered = True
                self._failures = 0
            limit = next((int(sent[name]) for name in ("max_tokens", "max_completion_tokens") if name in sent), None)
            used_up = reply.cut_short
            if limit is not None:
                used_up |= not reply.estimated and reply.completion_tokens >= limit * reply.choices
                if used_up and not reply.texts and accepted.more_room(limit, tally.notes):
                    continue
            self._settle(request, wanted > n, status, without, tally)
            return replace(reply, limit=limit, cut_short=used_up, alone=wanted > n)
        raise Lasting("the endpoint contradicts itself in what it accepts")

    def _settle(self, request: ChatRequest, alone: bool, status: int, without: Collection[str], tally: _Tally) -> None:
        """Concludes, after a call has worked, what an error that named no parameter was about: several answers at a
        time (``alone``), or the parameters that were left out (``without``). A 500 may have been chance."""
        if without:
            asked = {**request.parameters, **({} if request.seed is None else {"seed": 0})}
            self._accepted.leave_out([name for name in without if name in asked], tally.notes)
        elif alone and status == 500:
            self._accepted.crashed(tally.notes)
        elif alone:
            self._accepted.one_by_one(tally.notes)

    def _give_up_if_hopeless(self, error: Passing | Lasting, tally: _Tally) -> None:
        """Counts a failure. Raises MissingError if no request would be answered: the error is fatal, or the endpoint
        denies access again and again, or it has never answered and HOPELESS requests failed or this is the only one."""
        self._failures += 1
        fatal, shut_out = (error.fatal, error.shut_out) if isinstance(error, Lasting) else (False, False)
        again_and_again = self._failures >= HOPELESS and (shut_out or not self._answered)
        if fatal or again_and_again or (not self._answered and self._under_way == 1):
            more = " any more" if self._answered else ""
            hopeless = MissingError(
                f"the endpoint at {self._client.where} cannot be used{more}: {error}\n"
                f"{'' if self._answered else self._client.way_out}"
                "Look at --model, --base-url and OPENAI_API_KEY, or use --model embedded, which needs no endpoint."
            )
            hopeless.spent = tally.completion((), str(error))
            raise hopeless from error


class _Tally:
    """The sums over the calls of one request; each call is also counted in the request's ``account``."""

    def __init__(self, account: CallCounter | None) -> None:
        self.account = account
        self.calls = self.retries = self.prompt_tokens = self.completion_tokens = self.thinking_tokens = 0
        self.estimated = False
        self.silent = True  # trouble, if any, is an answer without text, not a failure
        self.doubted: set[str] = set()  # parameters already suspected after errors that named none
        self.notes: list[str] = []
        self.logprobs: tuple[tuple[str, float], ...] = ()

    def turn(self, request: ChatRequest) -> AbstractAsyncContextManager[None]:
        """See CallCounter."""
        return nullcontext() if self.account is None else self.account.turn(request)

    def begin_call(self) -> None:
        """Counts a call that is about to be sent. Raises BudgetError if a limit is reached."""
        if self.account is not None:
            self.account.begin_call()
        self.calls += 1

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Counts the tokens of a call."""
        if self.account is not None:
            self.account.end_call(prompt_tokens, completion_tokens)
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens

    def add(self, reply: Reply) -> None:
        """Counts the tokens of a reply."""
        self.end_call(reply.prompt_tokens, reply.completion_tokens)
        self.thinking_tokens += reply.thinking_tokens
        self.estimated |= reply.estimated

    def completion(self, texts: Sequence[str], trouble: str, unable: str = "") -> Completion:
        """Returns the result of the request, with its cost."""
        trouble = "" if texts or self.logprobs else trouble
        return Completion(
            tuple(texts),
            self.calls,
            self.retries,
            self.prompt_tokens,
            self.completion_tokens,
            self.estimated,
            trouble,
            tuple(self.notes),
            thinking_tokens=self.thinking_tokens,
            logprobs=self.logprobs,
            unable=unable,
            silent=bool(trouble) and self.silent,
        )


def _seeded(request: ChatRequest, i: int) -> ChatRequest:
    """Returns the request with the seed of its answer ``i``; a negative ``i`` counts from the last answer."""
    if request.seed is None:
        return request
    return replace(request, seed=request.seed + i % int(request.parameters.get("n", 1)))


def _visible(text: str) -> str:
    """Returns untrusted text without characters that control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)
