"""Any endpoint that speaks OpenAI's chat completions: OpenAI's own, vLLM, Ollama, llama.cpp and others.

Endpoints differ in what they accept. What one refuses is found out from its first refusal, worked around from then
on, and said once. What goes wrong for a passing reason is tried again after a pause; what stays wrong is the trouble of
that one request. An error is only an endpoint that has never answered anything, or that lets nobody in any more.
"""

from __future__ import annotations

import asyncio
import email.utils
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import openai
import tenacity

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import BudgetError, MissingError
from commonsense_planning.llm.elicitation import Unable
from commonsense_planning.llm.model import CallCounter, ChatRequest, Completion
from commonsense_planning.llm.reply import (
    PACKING,
    NoReply,
    Refused,
    Reply,
    named_in,
    read_cost,
    read_error,
    read_reply,
    take_body,
)
from commonsense_planning.llm.score import SCORERS

OPTIONAL = ("seed", "temperature", "top_p", "presence_penalty", "frequency_penalty")
NEEDED = {  # parameters that a request cannot do without, and what an endpoint is called that does not take them
    "score": "scores no answers that it is given",
    "logprobs": "gives no log-probabilities",
    "response_format": "takes no schema for its answers",
}
CALL_SECONDS = 60.0  # limit of one call
FEWER = 5  # alternatives to a token, where an endpoint does not tell as many as are asked for
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HOPELESS = 3  # requests in a row that fail until an endpoint is given up that never answered, or that shuts us out
TIRED = 5  # failures in a row after which a request is tried once only, until one succeeds
MORE_ROOM = 4096  # tokens for an answer, once a model has used up its limit before it said a word
LONGEST_PAUSE = 60.0  # seconds; a server that asks for more is not waited for


class _Passing(Exception):
    """A failure that may be gone on the next try; ``pause``: seconds that the server asks for; ``status``: HTTP's, 0
    for what is no answer at all."""

    def __init__(self, reason: str, pause: float | None = None, status: int = 0) -> None:
        super().__init__(reason)
        self.pause = pause
        self.status = status


class _Lasting(Exception):
    """A failure that trying again does not mend. ``shut_out``: it may well be everybody's who asks with this key and
    for this model; ``fatal``: it is."""

    def __init__(self, reason: str, shut_out: bool = False, fatal: bool = False, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status
        self.shut_out = shut_out
        self.fatal = fatal


_Got = TypeVar("_Got")


class OpenAiEndpoint:
    """Completes chats with the ``openai`` package; not more than ``config.parallel`` calls are in flight.

    ``key`` is sent to the endpoint and appears nowhere else.
    """

    def __init__(self, config: ModelConfig, key: str) -> None:
        self._config = config
        self._key = key
        self._call_seconds = config.call_seconds or CALL_SECONDS
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=config.base_url,
            timeout=self._call_seconds,
            max_retries=0,
            default_headers={"Accept-Encoding": PACKING},
            # the client's own choice would try to close itself in whichever event loop runs when it is forgotten
            http_client=openai.DefaultAsyncHttpxClient(
                event_hooks={"response": [take_body]},
                follow_redirects=False,  # questions go where the user says, and nowhere else
                trust_env=urlsplit(config.base_url).hostname not in LOOPBACK,  # no proxy leads to this machine
            ),
        )
        self._flight = asyncio.Semaphore(config.parallel)
        self._refused: set[str] = set()  # parameters that are not sent any more
        self._singly = False  # several answers take several calls
        self._renamed = False  # the limit of an answer is called max_completion_tokens
        self._roomy = False  # the limit of an answer is raised
        self._alternatives = 10**9  # to a token, at most
        self._scorers = [*SCORERS]  # those that may be understood
        self._answered = False
        self._under_way = 0  # requests
        self._failures = 0  # in a row

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask, with as many calls as it takes. Raises MissingError and BudgetError as ``Endpoint.complete`` does."""
        tally, texts = _Tally(request.account), list[str]()
        trouble = unable = ""
        self._under_way += 1
        try:
            trouble = await self._ask(request, texts, tally)
        except Unable as error:
            unable = str(error)
        except (_Passing, _Lasting) as error:
            unable = _cannot(request, error)
            if not unable:
                trouble = str(error)
                self._give_up_if_hopeless(error, tally)
        except BudgetError as error:
            error.spent = tally.completion((), str(error)) if tally.calls else None
            raise
        finally:
            self._under_way -= 1
        return tally.completion(texts[: int(request.parameters.get("n", 1))], trouble, unable)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _ask(self, request: ChatRequest, texts: list[str], tally: _Tally) -> str:
        """Ask; what comes is added to ``texts``. Gives the trouble of an answer without text."""
        wanted = int(request.parameters.get("n", 1))
        if "score" in request.parameters:
            tally.logprobs = await self._score(request, tally)
            return ""
        if self._singly or wanted == 1:
            return await self._one_by_one(request, wanted, texts, tally)
        reply = await self._persist(partial(self._adapt, request, wanted), tally)
        texts += reply.texts
        missing = wanted - reply.choices
        if missing > 0 and not (reply.filtered or reply.refusal):
            self._note_singly(tally)
            return await self._one_by_one(request, missing, texts, tally)
        return reply.trouble

    async def _one_by_one(self, request: ChatRequest, wanted: int, texts: list[str], tally: _Tally) -> str:
        """Ask for the last ``wanted`` answers in as many calls, at the same time; what came is added to ``texts``.

        Gives the trouble of one without text. Raises the last failure if nothing came at all.
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
                if not isinstance(reply, _Passing | _Lasting | Unable | BudgetError):
                    raise reply
        if failed is not None and not texts:
            raise failed
        return trouble

    async def _score(self, request: ChatRequest, tally: _Tally) -> tuple[tuple[str, float], ...]:
        """What the model gives to each of the answers that are to be scored, in the first of the ways to do so that the
        server understands; the others are not tried again. Raises Unable if there is none."""

        async def post(path: str, body: Mapping[str, Any]) -> Any:
            where = str(self._client.base_url.copy_with(path=path)) if path.startswith("/") else path
            return await self._persist(partial(self._post, request, where, body), tally)

        options = request.parameters["score"]
        for scorer in tuple(self._scorers):
            try:
                scores = await scorer(request.model, request.messages, options, post)
            except Unable:
                self._scorers = [other for other in self._scorers if other is not scorer]
            else:
                return tuple(zip(options, scores, strict=True))
        raise Unable(NEEDED["score"])

    async def _post(self, request: ChatRequest, where: str, body: Mapping[str, Any], tally: _Tally) -> Any:
        """One HTTP call for something else than a chat. Raises Unable for what a server says that does not know it."""
        try:
            async with self._flight, tally.turn(request):
                data = await self._limited(lambda: self._client.post(where, cast_to=object, body=dict(body)), tally)
        except openai.APIStatusError as error:
            if error.status_code in (401, 402, 403, 408, 409, 429) or error.status_code >= 502:
                raise self._failure(error) from error
            raise Unable(NEEDED["score"]) from error
        except NoReply as error:
            raise Unable(NEEDED["score"]) from error
        tally.end_call(*read_cost(data))
        return data

    async def _persist(self, once: Callable[[_Tally], Awaitable[_Got]], tally: _Tally) -> _Got:
        """Try until it succeeds, the retries are used up, or trying is no use. ``once`` tries, and counts what that
        cost."""
        tries = 1 + (self._config.retries if self._answered else min(2, self._config.retries))
        if self._failures >= TIRED:
            tries = 1
        stubborn = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(_Passing),
            stop=tenacity.stop_after_attempt(tries),
            wait=self._pause,
            reraise=True,
        )
        async for attempt in stubborn:
            with attempt:
                before = tally.calls
                try:
                    got = await once(tally)
                finally:
                    tally.retries += attempt.retry_state.attempt_number > 1 and tally.calls > before
        self._answered = True
        self._failures = 0
        return got

    def _pause(self, state: tenacity.RetryCallState) -> float:
        """Seconds to wait: what the server asks for, else doubling."""
        error = state.outcome.exception() if state.outcome is not None else None
        asked = error.pause if isinstance(error, _Passing) else None
        backoff = tenacity.wait_random_exponential(self._config.pause, LONGEST_PAUSE)
        return asked if asked is not None else backoff(state)

    async def _adapt(self, request: ChatRequest, n: int, tally: _Tally) -> Reply:
        """Call, and once more for each thing that the endpoint turns out not to accept.

        What is sent is settled when the call's turn has come: what others found out until then is heeded.
        """
        while True:
            try:
                async with self._flight:
                    if n > 1 and self._singly:
                        return Reply(0, (), 0, 0, False)
                    parameters = self._parameters(request, n)
                    async with tally.turn(replace(request, parameters=parameters)):
                        reply = await self._call(request, parameters, tally)
            except openai.APIStatusError as error:
                if _filters(error):
                    return Reply(n, (), 0, 0, False, filtered=True)
                if not self._learn(error, parameters, tally):
                    raise self._failure(error) from error
                continue
            limit = parameters.get("max_tokens") or parameters.get("max_completion_tokens") or MORE_ROOM
            used_up = reply.cut_short or (reply.completion_tokens >= limit * reply.choices and not reply.estimated)
            if reply.texts or not used_up or limit >= MORE_ROOM or "logprobs" in parameters:
                return reply
            if not self._roomy:
                tally.notes.append(f"the model needs more room before it answers: {MORE_ROOM} tokens from now on")
            self._roomy = True

    def _parameters(self, request: ChatRequest, n: int) -> dict[str, Any]:
        asked = {**request.parameters, "seed": request.seed} if request.seed is not None else request.parameters
        parameters = {k: v for k, v in asked.items() if k not in self._refused and k != "n"}
        if n > 1:
            parameters["n"] = n
        limit = parameters.pop("max_tokens", None)
        if limit is not None and "max_tokens" not in self._refused:
            name = "max_completion_tokens" if self._renamed else "max_tokens"
            parameters[name] = MORE_ROOM if self._roomy and "logprobs" not in parameters else limit
        if "top_logprobs" in parameters:
            parameters["top_logprobs"] = min(parameters["top_logprobs"], self._alternatives)
        return parameters

    async def _call(self, request: ChatRequest, parameters: Mapping[str, Any], tally: _Tally) -> Reply:
        """One HTTP call for a chat."""
        create: Any = self._client.chat.completions.with_raw_response.create
        messages = list(request.messages)
        try:
            raw = await self._limited(lambda: create(model=request.model, messages=messages, **parameters), tally)
            reply = read_reply(raw.http_response.content, request)
        except NoReply as error:
            raise _Passing(str(error)) from error
        texts, refusal = tuple(map(self._without_key, reply.texts)), self._without_key(reply.refusal)
        logprobs = tuple((self._without_key(token), value) for token, value in reply.logprobs)
        reply = replace(reply, texts=texts, refusal=refusal, logprobs=logprobs)
        tally.add(reply)
        return reply

    async def _limited(self, send: Callable[[], Awaitable[_Got]], tally: _Tally) -> _Got:
        """One HTTP call; its limit holds for the whole answer, however slowly that drips. Raises NoReply for a body
        that cannot be read."""
        tally.begin_call()
        try:
            async with asyncio.timeout(self._call_seconds):
                return await send()
        except openai.APIStatusError:
            raise
        except (openai.APITimeoutError, TimeoutError) as error:
            raise _Passing(f"no whole answer within {self._call_seconds:g} s") from error
        except openai.OpenAIError as error:
            cause = error.__cause__  # older clients take what take_body raises for a broken connection
            if isinstance(cause, Refused):
                raise _Lasting(str(cause)) from error
            if isinstance(cause, NoReply):
                raise cause from error
            told = f": {self._without_key(str(cause))}" if cause else ""
            raise _Passing(f"no connection{told}") from error
        except Refused as error:
            raise _Lasting(str(error)) from error
        except (ValueError, RecursionError) as error:
            raise NoReply("the body of the answer is not the JSON that was expected") from error

    def _learn(self, error: openai.APIStatusError, parameters: Mapping[str, Any], tally: _Tally) -> bool:
        """Find out which parameter the endpoint refuses; whether there is something new to try. Raises Unable for one
        that the request cannot do without."""
        if error.status_code not in (400, 422):
            return False
        named, message = named_in(error, "param"), read_error(error).lower()

        def refused(name: str) -> bool:
            return name in parameters and (named == name or (not named and _mentions(message, name)))

        if refused("top_logprobs") and parameters["top_logprobs"] > FEWER:
            self._alternatives = FEWER
            return True
        for name in ("logprobs", "top_logprobs", "response_format"):
            if refused(name):
                raise Unable(NEEDED[name.removeprefix("top_")])
        if "max_completion_tokens" in message and "max_tokens" in parameters:
            self._renamed = True
            return True
        for name in ("max_tokens", "max_completion_tokens"):
            if refused(name):
                if "max_tokens" not in self._refused:
                    tally.notes.append("the endpoint takes no limit on the length of an answer: none is sent")
                self._refused.add("max_tokens")
                return True
        if refused("n"):
            self._note_singly(tally)
            return True
        for name in OPTIONAL:
            if refused(name):
                if name not in self._refused:
                    tally.notes.append(f"the endpoint does not take the {name} that was asked for: it uses its own")
                self._refused.add(name)
                return True
        return False

    def _note_singly(self, tally: _Tally) -> None:
        if not self._singly:
            tally.notes.append("the endpoint gives one answer a call: several are asked for in several calls")
        self._singly = True

    def _failure(self, error: openai.APIStatusError) -> _Passing | _Lasting:
        """An HTTP status that is an error, as ours."""
        status, message = error.status_code, self._without_key(read_error(error))[:300]
        reason = f"HTTP {status}: {message}" if message else f"HTTP {status}"
        elsewhere = self._without_key(error.response.headers.get("location", ""))[:300] if status < 400 else ""
        if elsewhere:
            reason = f"HTTP {status}: it redirects to {elsewhere}, where nothing is sent"
        if status in (401, 402) or named_in(error, "code") == "insufficient_quota":
            return _Lasting(reason, fatal=True)
        if elsewhere or status in (403, 404):  # 403 is also what some say of one question that they do not like
            return _Lasting(reason, shut_out=True, status=status)
        if status in (408, 409, 429) or status >= 500:
            pause = _retry_after(error.response.headers)
            if pause is not None and pause > LONGEST_PAUSE:
                return _Lasting(f"{reason} (it asks to wait for {pause:.0f} s)")
            return _Passing(reason, pause, status)
        return _Lasting(reason, status=status)

    def _give_up_if_hopeless(self, error: _Passing | _Lasting, tally: _Tally) -> None:
        """Count a failure. Raises MissingError if nobody would be answered: the endpoint says so, or it shuts out one
        request after the other, or it has never answered and either a few have failed or nobody else is waiting."""
        self._failures += 1
        fatal, shut_out = (error.fatal, error.shut_out) if isinstance(error, _Lasting) else (False, False)
        again_and_again = self._failures >= HOPELESS and (shut_out or not self._answered)
        if fatal or again_and_again or (not self._answered and self._under_way == 1):
            more = " any more" if self._answered else ""
            where = self._client.base_url.copy_with(userinfo=b"")  # a password may stand there
            hopeless = MissingError(
                f"the endpoint at {where} cannot be used{more}: {error}\n"
                "Look at --model, --base-url and OPENAI_API_KEY, or use --model embedded, which needs no endpoint."
            )
            hopeless.spent = tally.completion((), str(error))
            raise hopeless from error

    def _without_key(self, text: str) -> str:
        """What an endpoint said, in case that it repeats the key."""
        return text.replace(self._key, "***")


class _Tally:
    """What the calls of one request add up to; each is told to the request's ``account``."""

    def __init__(self, account: CallCounter | None) -> None:
        self.account = account
        self.calls = self.retries = self.prompt_tokens = self.completion_tokens = self.thinking_tokens = 0
        self.estimated = False
        self.notes: list[str] = []
        self.logprobs: tuple[tuple[str, float], ...] = ()

    def turn(self, request: ChatRequest) -> AbstractAsyncContextManager[None]:
        """Wait for a turn, see CallCounter."""
        return nullcontext() if self.account is None else self.account.turn(request)

    def begin_call(self) -> None:
        """Count a call that is about to be sent. Raises BudgetError if a limit is reached."""
        if self.account is not None:
            self.account.begin_call()
        self.calls += 1

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Count what a call cost."""
        if self.account is not None:
            self.account.end_call(prompt_tokens, completion_tokens)
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens

    def add(self, reply: Reply) -> None:
        """Count a reply's tokens."""
        self.end_call(reply.prompt_tokens, reply.completion_tokens)
        self.thinking_tokens += reply.thinking_tokens
        self.estimated |= reply.estimated
        self.logprobs = reply.logprobs or self.logprobs

    def completion(self, texts: Sequence[str], trouble: str, unable: str = "") -> Completion:
        """What came of the request, with what it cost."""
        return Completion(
            tuple(texts),
            self.calls,
            self.retries,
            self.prompt_tokens,
            self.completion_tokens,
            self.estimated,
            "" if texts or self.logprobs else trouble,
            tuple(self.notes),
            thinking_tokens=self.thinking_tokens,
            logprobs=self.logprobs,
            unable=unable,
        )


def _cannot(request: ChatRequest, error: _Passing | _Lasting) -> str:
    """What the endpoint cannot do, if its error may well be about a parameter that the request cannot do without."""
    of_ours = error.status in (400, 404, 422) or error.status >= 500
    return next((f"{what} ({error})" for name, what in NEEDED.items() if name in request.parameters and of_ours), "")


def _seeded(request: ChatRequest, i: int) -> ChatRequest:
    """The request with the seed of its answer ``i``, counted from its end where negative."""
    if request.seed is None:
        return request
    return replace(request, seed=request.seed + i % int(request.parameters.get("n", 1)))


def _mentions(message: str, parameter: str) -> bool:
    """Whether an error message is about a parameter; a name as short as ``n`` has to stand in quotes or before a >."""
    name = re.escape(parameter)
    bare = rf"\b{name}\b" if len(name) > 1 else rf"\b{name}\s*[>=]"
    return re.search(rf"['\"`]{name}['\"`]|{bare}", message) is not None


def _filters(error: openai.APIStatusError) -> bool:
    """Whether it is the endpoint's content filter that refuses the question."""
    return error.status_code == 400 and "content_filter" in (named_in(error, "code"), named_in(error, "type"))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or as a date; None if there is none. A date is compared
    with the server's own (RFC 9110, section 6.6.1), never with our clock, which may be wrong."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        then, now = map(email.utils.parsedate_to_datetime, (value, headers.get("date", "")))
        return max(0.0, (then - now).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
