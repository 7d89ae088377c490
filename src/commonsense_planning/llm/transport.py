"""The seam between an endpoint and a provider's API: one request, and its reply or its error.

A transport makes one call. It knows nothing of retries, pauses, budgets, recordings, or further answers to a question:
``endpoint.ChatEndpoint`` adds these to any transport.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from commonsense_planning.llm.model import CUT_SHORT, EMPTY, ChatRequest
from commonsense_planning.llm.server_errors import ServerError

CALLS = re.compile(r"(/chat)?/completions/*$|/responses/*$")  # the path of a call, at the end of a URL
LONGEST_PAUSE = 60.0  # seconds; if a server asks for a longer pause, the request fails
HOPELESS_PAUSE = 600.0  # seconds; if it asks for a longer one, all requests do


class TransientFailure(Exception):
    """A failure that may be gone on the next try. ``pause``: seconds that the server asks for; ``status``: HTTP status,
    0 if there was no answer; ``loading``: the server still loads its model; ``late``: the time limit of a call was
    reached."""

    def __init__(
        self, reason: str, pause: float | None = None, status: int = 0, loading: bool = False, late: bool = False
    ) -> None:
        super().__init__(reason)
        self.late = late
        self.pause = pause
        self.status = status
        self.loading = loading


class PermanentFailure(Exception):
    """A failure that trying again does not fix. ``shut_out``: it may affect every request with this key and model;
    ``fatal``: it does."""

    def __init__(self, reason: str, shut_out: bool = False, fatal: bool = False, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status
        self.shut_out = shut_out
        self.fatal = fatal


class OtherWay(Exception):
    """The call is to be made again at once: the transport has learnt from an error to make calls in another way. The
    text is a note about that, empty if there is none."""


class ErrorResponse(Exception):
    """A server's answer that is an error, from which something about the parameters of requests may be learnt."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(error.reason)
        self.error = error

    @property
    def failure(self) -> TransientFailure | PermanentFailure:
        """The failure of the request, if nothing is learnt from the error: the one place that tells what a status
        means."""
        error = self.error
        status, reason = error.status, error.reason
        if status in (401, 402) or error.no_money:
            return PermanentFailure(reason, fatal=True, status=status)
        if error.elsewhere or status in (403, 404, 405):  # some also answer 403 to a single question that they reject
            return PermanentFailure(reason, shut_out=True, status=status)
        if status in (408, 409, 425, 429) or error.invalid_json or status >= 500:
            if error.pause is not None and error.pause > LONGEST_PAUSE:
                hours = f", {error.pause / 3600:.1f} hours" if error.pause > 3600 else ""
                asked = f"{reason} (it asks to wait for {error.pause:.0f} s{hours})"
                return PermanentFailure(asked, fatal=error.pause > HOPELESS_PAUSE, status=status)
            return TransientFailure(reason, error.pause, status, error.loading)
        return PermanentFailure(reason, status=status)


@dataclass(frozen=True)
class Reply:
    """The answer to one call: the number of ``choices``, the ``texts`` of those that are not empty, and the cost in
    tokens, ``estimated`` if the server does not count them. ``filtered``: a content filter stopped it; ``cut_short``:
    it reached its limit of tokens. ``thinking_tokens``: the completion's tokens that the server counts as thoughts.
    ``refusal``: the text of a refusal. ``thoughts``: the field that all text is in, where thoughts belong. ``limit`` of
    a choice in tokens, None if none was sent. ``alone``: a single answer was requested where several were wanted.
    ``window``: the size of the model's context in tokens, if question and thoughts fill it. A transport leaves the
    last three alone."""

    choices: int
    texts: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    filtered: bool = False
    cut_short: bool = False
    thinking_tokens: int = 0
    refusal: str = ""
    thoughts: str = ""
    limit: int | None = None
    alone: bool = False
    window: int = 0

    @property
    def trouble(self) -> str:
        """Why it has no texts."""
        if self.filtered:
            return "the endpoint's content filter stopped it"
        if self.refusal:
            return f"the model refuses: {self.refusal}"
        if not self.cut_short:
            return f"{EMPTY}: all text is in the field {self.thoughts}, as thoughts" if self.thoughts else EMPTY
        if self.window:
            full = f"question and thoughts fill the model's context of {self.window} tokens"
            return f"{CUT_SHORT}: {full}; give it a larger one"
        limit = "" if self.limit is None else f" of {self.limit} tokens (--answer-tokens)"
        return f"{CUT_SHORT}{limit} before a word was said"


class Transport(Protocol):
    """A provider's API. ``where`` and ``key_name`` name the endpoint and the environment variable of its key in
    messages, ``hint`` is a line on what may be wrong with a URL that has never answered, or empty. ``singly``: a call
    gives one answer, whatever ``n`` is."""

    where: str
    key_name: str
    hint: str = ""
    singly: bool = False

    async def handle(self, request: ChatRequest) -> Reply:
        """Makes one call, with the messages and the parameters of the request.

        Raises ErrorResponse, TransientFailure, PermanentFailure or OtherWay.
        """

    async def close(self) -> None:
        """Closes the connections; by default there are none."""
        return
