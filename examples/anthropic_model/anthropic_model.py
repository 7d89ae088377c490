"""Another provider's API as a plug-in: Anthropic's Messages API.

    pip install examples/anthropic_model
    export ANTHROPIC_API_KEY=...
    cplan solve domain.pddl problem.pddl --method llm-mcts --model anthropic:NAME

A transport makes one call: a request in, its reply or its error out. Retries, pauses, budgets, recordings and further
answers to a question are cplan's. ``--base-url`` or ANTHROPIC_BASE_URL names another server with this API.
"""

from __future__ import annotations

import json
import os

from commonsense_planning import (
    Adapter,
    ChatEndpoint,
    ChatRequest,
    Connection,
    LanguageModel,
    MissingError,
    ModelContext,
    Reply,
    Transport,
    key_from,
)

URL = "https://api.anthropic.com/v1"
VERSION = "2023-06-01"  # of the API
KEY = "ANTHROPIC_API_KEY"
MOST_TOKENS = 1024  # of an answer, if the request names no limit: the API requires one
PARAMETERS = ("max_tokens", "temperature", "top_p")  # that the API has, of those that a request may have


class Messages(Transport):
    """The Messages API: the system's messages are a parameter, and a call gives one answer."""

    key_name, singly = KEY, True

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.where, self.hint = connection.where, connection.hint

    async def handle(self, request: ChatRequest) -> Reply:
        """See Transport."""
        body = {"model": request.model, "max_tokens": MOST_TOKENS}
        body |= {name: request.parameters[name] for name in PARAMETERS if name in request.parameters}
        body["messages"] = [message for message in request.messages if message["role"] != "system"]
        system = [message["content"] for message in request.messages if message["role"] == "system"]
        if system:
            body["system"] = "\n\n".join(system)
        body |= request.fields
        return await self.connection.post("messages", body, read)

    async def close(self) -> None:
        """Closes the connections."""
        await self.connection.close()


def read(content: bytes) -> Reply:
    """The reply in a body. Raises ValueError if it is none."""
    try:
        message = json.loads(content)
        text = "".join(part["text"] for part in message["content"] if part["type"] == "text")
        cost, stop = message["usage"], message["stop_reason"]
        tokens = int(cost["input_tokens"]), int(cost["output_tokens"])
    except (KeyError, TypeError) as error:
        raise ValueError("no message") from error
    texts = (text,) if text.strip() else ()
    return Reply(1, texts, *tokens, filtered=stop == "refusal", cut_short=stop == "max_tokens")


def open_model(context: ModelContext) -> LanguageModel:
    """The model of a name. Raises MissingError without a key."""

    def endpoint() -> ChatEndpoint:
        key, config = key_from(KEY), context.config
        if not key:
            raise MissingError(f"the model {config.name} needs a key: set {KEY}; --model embedded needs none")
        url = config.base_url or os.environ.get("ANTHROPIC_BASE_URL", "") or URL
        headers = {"x-api-key": key, "anthropic-version": VERSION}
        return ChatEndpoint(Messages(Connection(url, key, config.call_seconds, headers)), config)

    return context.chat(endpoint)


ANTHROPIC = Adapter(("anthropic:NAME",), "asks Anthropic's Messages API", open_model, kind="a language model")
