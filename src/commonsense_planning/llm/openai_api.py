"""Any endpoint that speaks OpenAI's chat completions: OpenAI's own, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from commonsense_planning.config import ModelConfig
from commonsense_planning.llm.accepted import NEEDED
from commonsense_planning.llm.connection import Connection
from commonsense_planning.llm.elicitation import UnsupportedByEndpoint
from commonsense_planning.llm.endpoint import ChatEndpoint
from commonsense_planning.llm.model import ChatRequest
from commonsense_planning.llm.reply import read_cost, read_reply
from commonsense_planning.llm.responses_api import read_response, responses_body
from commonsense_planning.llm.score import SCORERS, Scorer
from commonsense_planning.llm.server_errors import ServerError
from commonsense_planning.llm.tally import CallTally
from commonsense_planning.llm.transport import (
    ErrorResponse,
    OtherWay,
    PermanentFailure,
    Reply,
    TransientFailure,
    Transport,
)

PROBE_SECONDS = 5.0  # limit of the call that asks which server it is
PASSING, SHUT_OUT = (408, 409, 425, 429), (401, 402, 403)


class ChatCompletions(Transport):
    """OpenAI's chat completions, in streams if the server wants that; or its Responses API, if the server names that
    instead."""

    key_name = "OPENAI_API_KEY"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.where, self.hint = connection.where, connection.hint
        self._found: set[str] = set()  # what a server wants: "stream", no "stream_options", "responses"

    async def handle(self, request: ChatRequest) -> Reply:
        """See Transport."""
        found = {*self._found}  # which other calls may change meanwhile
        if responses := "responses" in found:
            path, body = "responses", responses_body(request)
        else:
            path, body = "chat/completions", {"model": request.model, "messages": list(request.messages)}
            body |= request.parameters
        if "stream" in found:
            body["stream"] = True
            if not found & {"stream_options", "responses"}:
                body["stream_options"] = {"include_usage": True}
        read = partial(read_response if responses else read_reply, request=request)
        try:
            return await self._connection.post(path, {**body, **request.fields}, read)
        except ErrorResponse as response:
            learnt = _wanted(response.error) - found
            if not learnt or (learnt == {"stream_options"} and "stream" not in found):
                raise
            new = sorted(learnt - self._found)
            self._found |= learnt
            self.singly = "responses" in self._found
            raise OtherWay("; ".join(filter(None, map(_NOTES.get, new)))) from response

    async def close(self) -> None:
        """Closes the connections."""
        await self._connection.close()


_NOTES = {
    "stream": "the endpoint answers in streams only: they are read",
    "responses": "the endpoint offers this model by its Responses API only: that is used",
}


def _wanted(error: ServerError) -> set[str]:
    """Returns what an error wants that the next call can do."""
    told = {"stream": error.wants_stream, "responses": error.wants_responses}
    told["stream_options"] = "stream_options" in f"{error.message} {error.param}"
    if told["stream_options"]:
        return {"stream_options"}
    return {name for name, wanted in told.items() if wanted}


class OpenAiEndpoint(ChatEndpoint):
    """Chat completions, and scores of the options where the server can give them.

    ``key`` is sent to the endpoint and appears nowhere else. ``server``: the kind of server, a key of ``SCORERS``; by
    default it is read from the list of models. Raises MissingError and UsageError as ``Connection`` does.
    """

    def __init__(
        self,
        config: ModelConfig,
        key: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        server: str | None = None,
    ) -> None:
        self._connection = Connection(config.base_url or "", key, config.call_seconds)
        super().__init__(ChatCompletions(self._connection), config, sleep)
        self._server = server
        self._scorer: Scorer | None = None
        self._asked_for_scores = asyncio.Lock()
        self._scores: bool | None = None  # whether the endpoint scores; None: not known yet

    async def _ask(self, request: ChatRequest, texts: list[str], tally: CallTally) -> str:
        if "score" not in request.parameters:
            return await super()._ask(request, texts, tally)
        tally.logprobs = await self._score(request, tally)
        return ""

    async def _score(self, request: ChatRequest, tally: CallTally) -> tuple[tuple[str, float], ...]:
        """Returns the score of each option of the request. Raises UnsupportedByEndpoint if the server cannot score;
        that is found out once."""

        async def post(path: str, body: Mapping[str, Any]) -> Any:
            return await self._retries.until_done(partial(self._post, request, path, body), tally)

        options = request.parameters["score"]
        async with self._asked_for_scores:
            if self._scores is None:
                self._scorer = await self._found_scorer()
        if self._scorer is None:
            raise UnsupportedByEndpoint(NEEDED["score"])
        try:
            scores = await self._scorer(request.model, request.messages, options, post)
        except (UnsupportedByEndpoint, TransientFailure, PermanentFailure) as error:
            if self._scores and not isinstance(error, UnsupportedByEndpoint):
                raise
            self._scorer, self._scores = None, False
            raise UnsupportedByEndpoint(NEEDED["score"]) from error
        self._scores = True
        self._retries.succeeded()
        return tuple(zip(options, scores, strict=True))

    async def _found_scorer(self) -> Scorer | None:
        """Returns the scorer for the kind of server, by the owner in its list of models if it is not named; that call
        carries no question."""
        server = self._server
        try:
            models = {} if server is not None else await self._connection.get("models", PROBE_SECONDS)
        except (ErrorResponse, TransientFailure, PermanentFailure):
            models = {}
        listed = models.get("data") if isinstance(models, dict) else None
        first = listed[0] if isinstance(listed, list) and listed else None
        owner = str(first.get("owned_by", "")) if isinstance(first, dict) else ""
        found = SCORERS.get(owner if server is None else server)
        self._scores = False if found is None else self._scores
        return found

    async def _post(self, request: ChatRequest, path: str, body: Mapping[str, Any], tally: CallTally) -> Any:
        """Makes one HTTP call other than a chat. Raises UnsupportedByEndpoint if the server does not know the call."""
        try:
            async with self._flight, tally.call(request):
                data = await self._connection.post(path, {**body, **request.fields}, json.loads)
        except ErrorResponse as error:
            failure = error.failure
            if failure.status in (*PASSING, *SHUT_OUT) or failure.status >= 502:
                raise failure from error
            raise UnsupportedByEndpoint(NEEDED["score"]) from error
        tally.end_call(*read_cost(data))
        return data
