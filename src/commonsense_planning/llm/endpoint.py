"""A chat endpoint made of a transport: several answers a request, retries, limits on parallel calls, and what the API
accepts.

Endpoints accept different parameters. The first refusal tells which one is not accepted; later requests avoid it, and
a note reports it once. Transient failures are retried after a pause; a permanent failure becomes the ``trouble`` of
that one request. An error is raised only if the endpoint has never answered anything, or rejects every request. Only a
completion that could be read counts as an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from functools import partial

from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import BudgetError, EndpointError
from commonsense_planning.llm.accepted import OPTIONAL, Accepted, cannot, unclear
from commonsense_planning.llm.advice import advice
from commonsense_planning.llm.elicitation import UnsupportedByEndpoint
from commonsense_planning.llm.model import ChatRequest, Completion, Endpoint
from commonsense_planning.llm.retry import Retries
from commonsense_planning.llm.tally import CallTally
from commonsense_planning.llm.transport import (
    ErrorResponse,
    OtherWay,
    PermanentFailure,
    Reply,
    TransientFailure,
    Transport,
)

PATIENCE = 20.0  # seconds after which it is said that the first answer has not come yet
LESSONS = 20  # refused parameters per request; more of them contradict each other


class ChatEndpoint(Endpoint):
    """Completes chats by the calls of a transport, at most ``config.parallel`` of them in flight. ``sleep`` waits for a
    number of seconds."""

    def __init__(
        self, transport: Transport, config: ModelConfig, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._transport = transport
        self._retries = Retries(config.retries, config.pause, sleep)
        self._accepted = Accepted(config.answer_tokens, transport.singly)
        self._flight = asyncio.Semaphore(config.parallel)
        self._worked: set[str] = set()  # parameters of requests that were answered
        self._under_way = 0  # requests in progress
        self._over = ""  # why no request will be answered any more

    async def complete(self, request: ChatRequest) -> Completion:
        """Makes as many calls as the request needs. Raises EndpointError and BudgetError as ``Endpoint.complete``."""
        tally, texts = CallTally(request.account), list[str]()
        trouble = unable = ""
        self._under_way += 1
        silence = asyncio.get_running_loop().call_later(PATIENCE, self._retries.report_silence, PATIENCE)
        try:
            trouble = await self._ask(request, texts, tally)
        except UnsupportedByEndpoint as error:
            unable = str(error)
        except (TransientFailure, PermanentFailure) as error:
            fatal = isinstance(error, PermanentFailure) and error.fatal
            unable = "" if fatal else cannot(request, error.status, str(error))
            if not unable:
                trouble = str(error)
                tally.silent = False
                if self._retries.is_hopeless(error, alone=self._under_way == 1):
                    raise self._hopeless(error, tally) from error
        except BudgetError as error:
            error.spent = tally.completion((), str(error)) if tally.calls else None
            raise
        finally:
            silence.cancel()
            self._under_way -= 1
        return tally.completion(texts[: int(request.parameters.get("n", 1))], trouble, unable)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def _ask(self, request: ChatRequest, texts: list[str], tally: CallTally) -> str:
        """Asks, and adds the answers to ``texts``. Returns the trouble of an answer without text."""
        wanted = int(request.parameters.get("n", 1))
        if self._accepted.singly or wanted == 1:
            return await self._one_by_one(request, wanted, texts, tally)
        reply = await self._retries.until_done(partial(self._adapt, request, wanted), tally)
        texts += reply.texts
        missing = wanted - reply.choices
        if missing > 0 and not (reply.filtered or reply.refusal):
            if not reply.alone:
                self._accepted.one_by_one(tally.notes)
            return await self._one_by_one(request, missing, texts, tally)
        return reply.trouble

    async def _one_by_one(self, request: ChatRequest, wanted: int, texts: list[str], tally: CallTally) -> str:
        """Asks for the last ``wanted`` answers, each in its own call, concurrently, and adds them to ``texts``.

        Returns the trouble of an answer without text. Raises the last failure if no answer came.
        """
        replies = await asyncio.gather(
            *(self._retries.until_done(partial(self._adapt, _seeded(request, i), 1), tally) for i in range(-wanted, 0)),
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
                if not isinstance(reply, TransientFailure | PermanentFailure | UnsupportedByEndpoint | BudgetError):
                    raise reply
        if failed is not None and not texts:
            raise failed
        return trouble

    async def _adapt(self, request: ChatRequest, n: int, tally: CallTally) -> Reply:
        """Calls, and calls again for each parameter that the endpoint turns out not to accept.

        The parameters are chosen when it is the call's turn, so that it uses what other calls have learnt. If an error
        names no parameter, the request is tried once for a single answer, then without all optional parameters.
        """
        accepted, status = self._accepted, 0
        without: Collection[str] = ()
        for _ in range(LESSONS):
            try:
                async with self._flight:
                    if n > 1 and accepted.singly:
                        return Reply(0)
                    if self._over:
                        raise PermanentFailure(self._over, fatal=True)
                    sent = accepted.parameters(request, n, without)
                    call = replace(request, parameters=sent)
                    async with tally.call(call):
                        reply = await self._transport.handle(call)
            except OtherWay as found:
                tally.notes += filter(None, [str(found)])
                if self._transport.singly:
                    accepted.one_by_one(tally.notes)
                continue
            except ErrorResponse as response:
                error = response.error
                if error.filtered:
                    return Reply(n, filtered=True)
                if error.out_of_tokens:
                    reply = Reply(n, cut_short=True)
                elif accepted.learn(error, sent, tally.notes):
                    continue
                elif n > 1 and "n" not in self._worked | tally.doubted and unclear(error):
                    n, status = 1, error.status
                    tally.doubted.add("n")
                    continue
                elif unclear(error) and error.status != 500 and {*OPTIONAL} & {*sent} - self._worked - tally.doubted:
                    without = OPTIONAL
                    tally.doubted.update(OPTIONAL)
                    continue
                else:
                    failure = response.failure
                    if isinstance(failure, PermanentFailure) and failure.fatal:
                        self._over = str(failure)
                    raise failure from response
            else:
                tally.add(reply)
                self._worked.update(sent)
                self._retries.succeeded()
            limit = next((int(sent[name]) for name in ("max_tokens", "max_completion_tokens") if name in sent), None)
            used_up = reply.cut_short
            if limit is not None:
                used_up |= not reply.estimated and reply.completion_tokens >= limit * reply.choices
                full = used_up and not reply.texts and accepted.is_full(limit, reply)
                if used_up and not (reply.texts or full) and accepted.more_room(limit, tally.notes):
                    continue
            self._settle(request, status, without, tally.notes)
            return replace(reply, limit=limit, cut_short=used_up, alone=bool(status), window=accepted.window)
        raise PermanentFailure("the endpoint contradicts itself in what it accepts")

    def _settle(self, request: ChatRequest, status: int, without: Collection[str], notes: list[str]) -> None:
        """Concludes, after a call has worked, what an error that named no parameter was about: several answers at a
        time (``status``: the error's, 0 if there was none), or the parameters that were left out (``without``)."""
        if without:
            asked = {**request.parameters, **({} if request.seed is None else {"seed": 0})}
            self._accepted.leave_out([name for name in without if name in asked], notes)
        elif status == 500:  # may have been chance
            self._accepted.crashed(notes)
        elif status:
            self._accepted.one_by_one(notes)

    def _hopeless(self, error: TransientFailure | PermanentFailure, tally: CallTally) -> EndpointError:
        """Returns the error that no request will be answered, with the cost of the last one."""
        transport, answered = self._transport, self._retries.answered
        hopeless = EndpointError(
            f"the endpoint at {transport.where} cannot be used{' any more' if answered else ''}: {error}\n"
            f"{'' if answered else transport.hint}"
            f"{advice(str(error), transport.where, transport.key_name)} --model embedded needs no endpoint."
        )
        hopeless.spent = tally.completion((), str(error))
        return hopeless


def _seeded(request: ChatRequest, i: int) -> ChatRequest:
    """Returns the request with the seed of its answer ``i``; a negative ``i`` counts from the last answer."""
    if request.seed is None:
        return request
    return replace(request, seed=request.seed + i % int(request.parameters.get("n", 1)))
