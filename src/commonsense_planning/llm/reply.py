"""What an endpoint sends back is input from a stranger: how much of it is taken, and what is read from it.

The body of every response, of an error or a redirect too, is cut off at ``MOST_BYTES``, counted after unpacking, before
anybody reads it. What an answer says is validated here and nowhere else: what is wrong in a part is as good as missing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import openai
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WrapValidator

from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, MOST_TOKENS, ChatRequest

MOST_BYTES = 4 * 2**20  # of a body: a hundred answers of 6,000 words
MOST_CHOICES = 10_000  # of an answer
MOST_TOLD = 10_000  # characters of an error that are looked at
PACKING = "gzip"  # what an endpoint may pack a body with
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class Refused(Exception):
    """A body that is not taken; trying again would not mend it."""


class NoReply(Exception):
    """A body that is no chat completion, this time."""


@dataclass(frozen=True)
class Reply:
    """One HTTP answer: how many ``choices`` it has, the ``texts`` of those that are not empty, and what it cost."""

    choices: int
    texts: tuple[str, ...]
    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    filtered: bool = False
    cut_short: bool = False

    @property
    def trouble(self) -> str:
        """Why there are no texts in it."""
        if self.filtered:
            return "the endpoint's content filter stopped it"
        return "the answer reached its limit before a word was said" if self.cut_short else "an empty answer"


async def take_body(response: Any) -> None:
    """Read the body, unpacked, in place of the client, which would take all that comes. Raises Refused and NoReply.

    It is a hook of ``openai``'s HTTP client, whose package differs between versions: hence ``Any``.
    """
    packed = response.headers.pop("Content-Encoding", "").strip().lower()
    if packed not in ("", "identity", PACKING):
        raise Refused(f"the body is packed with {packed[:40]}, which was not asked for")
    unpack = zlib.decompressobj(_GZIP_OR_ZLIB).decompress if packed == PACKING else None
    body, taken = bytearray(), 0
    try:
        async for chunk in response.stream:
            taken += len(chunk)
            body += chunk if unpack is None else unpack(chunk, MOST_BYTES + 1)
            if max(taken, len(body)) > MOST_BYTES:
                raise Refused(f"the body is longer than {MOST_BYTES // 2**20} MiB")
    except zlib.error as error:
        raise NoReply(f"the body is not packed with {packed} as it says") from error
    finally:
        await response.stream.aclose()
    response.stream = type(response)(200, content=bytes(body)).stream
    response.encoding = "utf-8"  # and nothing else that a header may name, such as hex


def read_reply(content: bytes, request: ChatRequest) -> Reply:
    """The body of a completion, which may hold anything. Tokens are estimated where they are not counted.

    Raises NoReply if it is not JSON, or there are no choices in it.
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise NoReply("the body of the answer is not the JSON that was expected") from error
    try:
        body = _Body.model_validate(data)
    except ValidationError as error:
        raise NoReply("an answer without choices that could be read") from error
    texts = tuple(c.message.content for c in body.choices if c.message is not None and c.message.content.strip())
    reasons = [choice.finish_reason for choice in body.choices]
    usage = body.usage or _Usage(
        prompt_tokens=sum(len(m["content"]) for m in request.messages) // CHARACTERS_PER_TOKEN,
        completion_tokens=sum(map(len, texts)) // CHARACTERS_PER_TOKEN,
    )
    return Reply(
        len(body.choices),
        texts,
        usage.prompt_tokens,
        usage.completion_tokens,
        body.usage is None,
        "content_filter" in reasons,
        "length" in reasons,
    )


def read_error(error: openai.APIStatusError) -> str:
    """What the server says of an error, in one line."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    said = message if isinstance(message, str) else error.response.text
    return " ".join(_writable(said[:MOST_TOLD]).split())


def named_in(error: openai.APIStatusError, field: str) -> str:
    """A field of an error, such as its code; empty if there is none, or no text."""
    value = getattr(error, field, None)
    return value if isinstance(value, str) else ""


def _writable(value: Any) -> Any:
    """Half of a surrogate pair is valid in JSON, but no text that could be written to a file."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _forgiving(value: Any, validate: Callable[[Any], Any]) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


_T = TypeVar("_T")
_Perhaps = Annotated[_T | None, WrapValidator(_forgiving)]
_Text = Annotated[str, BeforeValidator(_writable)]
_Tokens = Annotated[int, Field(strict=True, ge=0, le=MOST_TOKENS)]


class _Message(BaseModel):
    content: _Text


class _Choice(BaseModel):
    message: _Perhaps[_Message] = None
    finish_reason: _Perhaps[str] = None


class _Usage(BaseModel):
    prompt_tokens: _Tokens
    completion_tokens: _Tokens


class _Body(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1, max_length=MOST_CHOICES)]
    usage: _Perhaps[_Usage] = None
