"""What goes to an endpoint and what comes back, whoever stands between: the endpoint itself, a recording, a cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

Message = Mapping[str, str]

CHARACTERS_PER_TOKEN = 4  # where nobody counts, a token is taken to be so long


@dataclass(frozen=True)
class ChatRequest:
    """A question as an endpoint gets it: the model's name, the messages, the sampling parameters (``n`` among them).

    ``about`` says in words what is asked; it is for error messages and does not count.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    about: str = ""

    @cached_property
    def key(self) -> str:
        """The address of this content: equal requests have equal keys, on any machine."""
        messages = [dict(message) for message in self.messages]
        content = {"model": self.model, "parameters": dict(self.parameters), "messages": messages}
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Completion:
    """What came back. ``texts``: the sampled answers; none if ``trouble`` says why there is nothing to use.

    ``calls``, ``retries``, tokens: what it cost; tokens are ``estimated`` where the endpoint did not count them.
    ``notes``: what was found out about the endpoint on the way. ``recorded``: not asked for in this run.
    """

    texts: tuple[str, ...]
    calls: int = 1
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    trouble: str = ""
    notes: tuple[str, ...] = field(default=())
    recorded: bool = False


class Endpoint(Protocol):
    """Completes chats."""

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request; what goes wrong with this one request is the completion's ``trouble``.

        Raises MissingError if the endpoint cannot be used at all, BudgetError if a limit is reached.
        """
