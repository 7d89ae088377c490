"""The reply of an endpoint, which is untrusted input: how much of it is accepted, and how it is read.

The body of every response, errors and redirects included, is limited to ``MOST_BYTES`` after unpacking
(``MOST_STREAMED`` for a stream of events), before anything is parsed. Replies are validated here and nowhere else; an
invalid field is treated as missing.

The answer is the ``content`` of a message, a text or a list of parts, without the model's thoughts, whether those come
in a separate field or in tags; if there is no content, the answer is the tool call in words.
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WrapValidator

from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, MOST_TOKENS, ChatRequest
from commonsense_planning.llm.server_errors import MOST_READ, MOST_TOLD, read_server_error, without_key
from commonsense_planning.llm.thoughts import answer_in, unfinished
from commonsense_planning.llm.transport import ErrorResponse, PermanentFailure, Reply, TransientFailure

MOST_BYTES = 4 * 2**20  # of a body: a hundred answers of 6,000 words
STREAM = "text/event-stream"
MOST_STREAMED = 4 * MOST_BYTES  # of a body of events, each with a word or less
MOST_CHOICES = 10_000  # of an answer
PACKING = "gzip"  # the only encoding of a body that is accepted
NO_JSON = "the body of the answer is not the JSON that was expected"
MOST_REFUSED = 300  # characters of a refusal that are reported
_BROKEN_OFF = {"error", "abort", "cancelled", "network_error"}  # reasons to finish that only some servers give
_FILTERED = {"content_filter", "sensitive", "safety", "prohibited_content", "blocklist", "recitation"}
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


async def take_body(response: Any, key: str) -> None:
    """Reads and unpacks the body, up to a limit that the HTTP client itself does not have, and masks the key, which
    it may repeat. Raises TransientFailure and PermanentFailure.

    This is a hook of ``openai``'s HTTP client, whose package differs between versions: hence ``Any``.
    """
    packed = response.headers.pop("Content-Encoding", "").strip().lower()
    if packed not in ("", "identity", PACKING):
        raise PermanentFailure(f"the body is packed with {packed[:40]}, which was not asked for")
    unpack = zlib.decompressobj(_GZIP_OR_ZLIB).decompress if packed == PACKING else None
    body, taken = bytearray(), 0
    most = MOST_STREAMED if STREAM in response.headers.get("Content-Type", "") else MOST_BYTES
    try:
        async for chunk in response.stream:
            taken += len(chunk)
            body += chunk if unpack is None else unpack(chunk, most + 1)
            if max(taken, len(body)) > most:
                raise PermanentFailure(f"the body is longer than {most // 2**20} MiB")
    except zlib.error as error:
        raise TransientFailure(f"the body is not packed with {packed} as it says") from error
    finally:
        await response.stream.aclose()
    content = without_key(body.decode("latin-1"), key).encode("latin-1")
    response.stream = type(response)(200, content=content).stream
    if "Location" in response.headers:
        response.headers["Location"] = without_key(response.headers["Location"], key)
    response.encoding = "utf-8"  # whatever the header names, such as hex


def read_reply(content: bytes, request: ChatRequest) -> Reply:
    """Reads the body of a completion. Tokens are estimated where the endpoint does not count them.

    Raises TransientFailure if the body is not JSON, has no choices or was broken off, ErrorResponse if it is an error.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise TransientFailure(f"{NO_JSON}, but {_kind_of(content)}"[:MOST_TOLD]) from error
    try:
        body = _Body.model_validate(data)
    except ValidationError as error:
        raise _unread(content) from error
    messages = [choice.message or choice.delta or _Message(content=choice.text) for choice in body.choices]
    reasons = [(choice.finish_reason or "").lower() for choice in body.choices]
    ended = ((m.answer, reason) for m, reason in zip(messages, reasons, strict=True) if reason not in _BROKEN_OFF)
    texts = tuple(t for t, reason in ended if t.strip() and not (reason == "length" and unfinished(t)))
    failed = next((choice.error for choice in body.choices if choice.error), None)
    if failed is not None and not texts:
        raise _unread(json.dumps({"error": failed}).encode())
    if not texts and (broken := next(filter(_BROKEN_OFF.__contains__, reasons), "")):
        raise TransientFailure(f"the answer was broken off ({broken})")
    usage = body.usage or _Usage(
        prompt_tokens=sum(len(m["content"]) for m in request.messages) // CHARACTERS_PER_TOKEN,
        completion_tokens=sum(message.length for message in messages) // CHARACTERS_PER_TOKEN,
    )
    return Reply(
        len(body.choices),
        texts,
        usage.prompt_tokens,
        usage.billed,
        body.usage is None,
        not _FILTERED.isdisjoint(reasons),
        "length" in reasons,
        usage.thinking,
        next((message.said_no for message in messages if message.said_no), ""),
        next((message.thoughts for message in messages if message.thoughts), "") if not texts else "",
    )


def read_cost(data: Any) -> tuple[int, int]:
    """Returns the tokens of prompt and completion that an answer other than a chat reports, 0 if it reports none;
    llama.cpp does not count tokens that it found in its cache."""
    try:
        cost = _Cost.model_validate(data)
    except ValidationError:
        return 0, 0
    if cost.timings is not None:
        return cost.timings.prompt_n, cost.timings.predicted_n
    return (0, 0) if cost.usage is None else (cost.usage.prompt_tokens, cost.usage.completion_tokens)


def _unread(content: bytes) -> ErrorResponse | TransientFailure:
    """Returns the error for a body that is not a completion: the one that it holds, if there is one."""
    error = read_server_error(200, content, {})
    return ErrorResponse(error) if error.status else TransientFailure(error.reason)


def _kind_of(content: bytes) -> str:
    """Returns what a body that is not JSON seems to be."""
    text = content[:MOST_READ].decode(errors="replace").lstrip()
    if text.startswith(("data:", "event:", ":")):
        return "a stream of events, which was not asked for"
    return read_server_error(200, content, {}).message or "nothing"


def _writable(value: Any) -> Any:
    """Replaces lone surrogates, which are valid in JSON but cannot be written to a file."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _leaves(value: Any) -> Iterator[str]:
    """Yields the leaves of a JSON value as text, without the names of fields."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    elif value is not None:
        yield str(value)


def _forgiving(value: Any, validate: Callable[[Any], Any]) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


_T = TypeVar("_T")
_Perhaps = Annotated[_T | None, WrapValidator(_forgiving)]
_Text = Annotated[str, BeforeValidator(_writable)]
_Tokens = Annotated[int, Field(strict=True, ge=0, le=MOST_TOKENS)]


class _Part(BaseModel):
    """A part of a message's content; parts of other types, such as thoughts, have no text."""

    type: _Perhaps[_Text] = None
    text: _Perhaps[_Text] = None
    refusal: _Perhaps[_Text] = None


class _Call(BaseModel):
    """A tool call: a name, and arguments, usually JSON."""

    name: _Text
    arguments: _Perhaps[_Text] = None

    @property
    def words(self) -> str:
        """The call in English: ``open_container({"name": "fridge"})`` is "open container fridge"."""
        try:
            said = list(_leaves(json.loads(self.arguments or "{}")))
        except (ValueError, RecursionError):
            said = [self.arguments or ""]
        return " ".join([self.name.replace("_", " "), *said])


class _Tool(BaseModel):
    function: _Call


class _Message(BaseModel):
    content: _Perhaps[_Text | list[_Perhaps[_Part]] | _Part] = None
    refusal: _Perhaps[_Text] = None
    tool_calls: _Perhaps[list[_Perhaps[_Tool]]] = None
    reasoning: _Perhaps[_Text] = None
    reasoning_content: _Perhaps[_Text] = None

    @property
    def parts(self) -> list[_Part]:
        """The content in parts."""
        if isinstance(self.content, list):
            return [part for part in self.content if part is not None]
        return [self.content if isinstance(self.content, _Part) else _Part(text=self.content)]

    @property
    def answer(self) -> str:
        """The text without thoughts; the tool calls if there is no text."""
        said = answer_in("".join(part.text or "" for part in self.parts))
        if said.strip() or not self.tool_calls:
            return said
        return ", ".join(tool.function.words for tool in self.tool_calls if tool is not None)

    @property
    def said_no(self) -> str:
        """The text of a refusal in one line, at most MOST_REFUSED characters; empty if the message is not a refusal."""
        refusals = [self.refusal, *(part.refusal for part in self.parts)]
        return " ".join(" ".join(filter(None, refusals)).split())[:MOST_REFUSED]

    @property
    def thoughts(self) -> str:
        """The name of the field with the thoughts of a message without an answer; empty if there are none."""
        names = (name for name in ("reasoning", "reasoning_content") if (getattr(self, name) or "").strip())
        inside = any(part.type == "thinking" or (part.text or "").strip() for part in self.parts)
        return next(names, "content" if inside else "")

    @property
    def length(self) -> int:
        """Characters of text and thoughts."""
        said = [self.reasoning or self.reasoning_content, *(part.text for part in self.parts)]
        return len(self.answer if self.tool_calls else "") + sum(map(len, filter(None, said)))


class _Choice(BaseModel):
    message: _Perhaps[_Message] = None
    delta: _Perhaps[_Message] = None
    text: _Perhaps[_Text] = None
    error: _Perhaps[dict[str, Any]] = None
    finish_reason: _Perhaps[str] = None


class _Details(BaseModel):
    reasoning_tokens: _Perhaps[_Tokens] = None


class _Usage(BaseModel):
    prompt_tokens: _Tokens
    completion_tokens: _Tokens
    total_tokens: _Perhaps[_Tokens] = None
    completion_tokens_details: _Perhaps[_Details] = None

    @property
    def thinking(self) -> int:
        """Tokens of thoughts."""
        details = self.completion_tokens_details
        return 0 if details is None else details.reasoning_tokens or 0

    @property
    def billed(self) -> int:
        """Tokens of the completion, thoughts included; some endpoints count thoughts only in the total."""
        apart = self.total_tokens == self.prompt_tokens + self.completion_tokens + self.thinking
        return self.completion_tokens + (self.thinking if apart else 0)


class _Body(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1, max_length=MOST_CHOICES)]
    usage: _Perhaps[_Usage] = None


class _Timings(BaseModel):
    prompt_n: _Tokens
    predicted_n: _Tokens


class _Cost(BaseModel):
    usage: _Perhaps[_Usage] = None
    timings: _Perhaps[_Timings] = None
