"""The cost of one request, which may take several calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext

from commonsense_planning.llm.model import CallCounter, ChatRequest, Completion
from commonsense_planning.llm.transport import Reply


class CallTally:
    """The sums over the calls of one request; each call is also counted in the request's ``account``."""

    def __init__(self, account: CallCounter | None) -> None:
        self.account = account
        self.calls = self.retries = self.prompt_tokens = self.completion_tokens = self.thinking_tokens = 0
        self.estimated = False
        self.silent = True  # trouble, if any, is an answer without text, not a failure
        self.doubted: set[str] = set()  # parameters already suspected after errors that named none
        self.notes: list[str] = []
        self.logprobs: tuple[tuple[str, float], ...] = ()

    @asynccontextmanager
    async def call(self, request: ChatRequest) -> AsyncIterator[None]:
        """To be entered around a call: waits for room in the budget, and counts the call. Raises BudgetError if a limit
        is reached."""
        async with nullcontext() if self.account is None else self.account.turn(request):
            self.calls += 1
            yield

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
