"""Errors that a server reports: the message, the code, and the pause that it asks for.

Servers have many forms for that: OpenAI's ``error`` object, the same in a list, a text, a list with an error for each
field, a page in HTML; with an HTTP status for errors, or with 200. The pause is in a header, in a field, or in the
message.
"""

from __future__ import annotations

import email.utils
import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

MOST_READ = 10_000  # characters of an error that are read
MOST_TOLD = 300  # characters of its message
MOST_SECONDS = 10**7  # longest pause; a larger number is something else, such as a time of day
LEAST_KEY, LEAST_WORD = 6, 16  # fewest characters of a key that is masked, and of one of letters only
_STATUSES = range(400, 600)
_MESSAGES = ("message", "msg", "detail", "details", "description", "error", "errors", "title", "reason")
_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = r"\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])"
_WAIT = re.compile(rf"\b(?:again|retry|wait|available|resets?)\b[^.\d\n]{{0,40}}((?:{_SPAN}[\s,]*(?:and\s)?)+)", re.I)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h|d)", re.I)
_SPANS = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhd]))+")
_DELAY = re.compile(
    r'"(?:retryDelay|retry_delay|retry_after|retry_after_seconds|resets_in_seconds|estimated_time)"'
    r'\s*:\s*"?(\d+(?:\.\d+)?)s?"?'
)
_RESET = re.compile(r"\brate-?limit\b.*\breset\b")  # a header: when a limit is reset
_RESET_FIELD = re.compile(r'"x-ratelimit-reset"\s*:\s*"?(\d+)', re.IGNORECASE)  # OpenRouter's, in the body
_MILLISECONDS = 10**11  # a number from here on is a time in milliseconds, one above MOST_SECONDS in seconds
_NOTHING = ("None", "null")  # what LiteLLM's proxy writes for a field that has no value
_ECHO = re.compile(r"""["']input["']\s*:.*""", re.DOTALL)  # a part of the request
_HEADINGS = re.compile(r"<(title|h1)\b[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_NO_MONEY = re.compile(r"\b(credit|account)s? balance\b|insufficient[ _](balance|credits?|funds|quota)", re.IGNORECASE)
_FULL = re.compile(
    r"could not finish the message|\b(max[ _]?(\w+[ _])?tokens?|output limit)\b[^.]{0,60}\breached\b", re.IGNORECASE
)

_STREAM = re.compile(
    r"\bonly\b[^.]{0,20}\bsupports?\b[^.]{0,20}\bstream|\bnon-?stream|\brequires?\b[^.]{0,20}\bstream"
    r"|\bstream(ing)?\b\W{0,2}\s[^.]{0,20}(must|has to|needs to|should) be\b|\bstream(ing)? is required\b",
    re.IGNORECASE,
)
_RESPONSES = re.compile(r"/responses\b|\bresponses (API|endpoint)\b|\bunsupported_api_for_model\b", re.IGNORECASE)


@dataclass(frozen=True)
class ServerError:
    """An error that a server reports. ``status``: the HTTP status; if that is 200, the one in the body, 0 if there is
    none. ``message``: one line, at most MOST_TOLD characters. ``code``, ``kind``, ``param``: its fields, empty if
    missing. ``pause``: seconds that the server asks to wait, None if it does not. ``elsewhere``: target of a
    redirect."""

    status: int
    message: str
    code: str = ""
    kind: str = ""
    param: str = ""
    pause: float | None = None
    elsewhere: str = ""

    @property
    def reason(self) -> str:
        """The error as a message."""
        if self.elsewhere:
            return f"HTTP {self.status}: it redirects to {self.elsewhere}, where nothing is sent"
        if not self.status:
            return f"an answer without choices that could be read{': ' if self.message else ''}{self.message}"
        return f"HTTP {self.status}: {self.message}" if self.message else f"HTTP {self.status}"

    @property
    def no_money(self) -> bool:
        """Whether the account has no money left."""
        return "insufficient_quota" in (self.code, self.kind) or _NO_MONEY.search(self.message) is not None

    @property
    def filtered(self) -> bool:
        """Whether a content filter rejects the question."""
        return self.status == 400 and "content_filter" in (self.code, self.kind)

    @property
    def invalid_json(self) -> bool:
        """Whether the model's answer broke the schema; another try may keep to it."""
        return self.code == "json_validate_failed"

    @property
    def loading(self) -> bool:
        """Whether the server is still loading the model."""
        return self.status == 503 and "loading" in self.message.lower()

    @property
    def wants_stream(self) -> bool:
        """Whether the server answers in streams only."""
        return self.status in (400, 422) and _STREAM.search(self.message) is not None

    @property
    def wants_responses(self) -> bool:
        """Whether the server names the Responses API in place of chat completions."""
        said = f"{self.message} {self.code}"
        return self.status in (400, 403, 404, 405, 422) and _RESPONSES.search(said) is not None

    @property
    def out_of_tokens(self) -> bool:
        """Whether an answer reached its limit of tokens before it had any text."""
        return self.status == 400 and _FULL.search(self.message) is not None


def without_key(text: str, key: str) -> str:
    """Returns the text with the key masked. A short key, such as ``none``, stays: any answer may contain it."""
    return text.replace(key, "***") if len(key) >= (LEAST_WORD if key.isalpha() else LEAST_KEY) else text


def read_server_error(status: int, content: bytes, headers: Mapping[str, str]) -> ServerError:
    """Reads an error from the HTTP status, the body, and the headers, whose names are in lower case."""
    text = content.decode(errors="replace")[:MOST_READ]
    data = _json(content)
    page = data is None and text.lstrip("\ufeff \t\r\n").startswith("<")
    message = _title(text) if page else _words(data) or text
    fields = list(_objects(data))
    codes = [_text(entry.get(name)) for entry in fields for name in ("code", "status", "status_code", "statusCode")]
    if status < 400 and not 300 <= status < 400:
        status = next((int(code) for code in codes if code.isdecimal() and int(code) in _STATUSES), 0)
    said = " ".join(_written(_ECHO.sub("", message)).split())
    return ServerError(
        status,
        said[:MOST_TOLD],
        next((code for code in codes if code), ""),
        next((_text(entry["type"]) for entry in fields if entry.get("type")), ""),
        next((_text(entry["param"]) for entry in fields if entry.get("param") not in (None, "", *_NOTHING)), ""),
        _pause(headers, text, said, status),
        _written(headers.get("location", ""))[:MOST_TOLD] if 300 <= status < 400 else "",
    )


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    """Yields the objects that may have an error's fields, the innermost first."""
    if isinstance(data, list) and data:
        yield from _objects(data[0])
    if isinstance(data, dict):
        inner = data.get("error")
        if isinstance(inner, dict):
            yield inner
        yield data


def _words(data: Any, depth: int = 4) -> str:
    """Returns the message of an error from whichever field holds it; several are joined."""
    if isinstance(data, str):
        return data
    if depth and isinstance(data, list):
        return "; ".join(filter(None, (_words(entry, depth - 1) for entry in data[:5])))
    if not depth or not isinstance(data, dict):
        return ""
    if isinstance(data.get("msg"), str) and isinstance(data.get("loc"), list):
        return f"{'.'.join(str(part) for part in data['loc'] if isinstance(part, str | int))}: {data['msg']}"
    inner = data.get("error", data.get("errors"))
    said = _words(inner, depth - 1) if inner else ""
    said = said or next(filter(None, (_words(data.get(name), depth - 1) for name in _MESSAGES)), "")
    metadata, size = data.get("metadata"), data.get("n_ctx")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    more = raw if isinstance(raw, str) else f"n_ctx is {size}" if said and isinstance(size, int) else ""
    return f"{said}: {more}" if more else said


def _title(page: str) -> str:
    found = _HEADINGS.search(page)
    return "a web page" + (f", {' '.join(html.unescape(found[2]).split())}" if found else "")


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _written(text: str) -> str:
    """Replaces lone surrogates, which are valid in JSON but cannot be written to a file."""
    return text.encode(errors="replace").decode()


def _pause(headers: Mapping[str, str], text: str, message: str, status: int) -> float | None:
    """Returns the seconds to wait from a header, a field or the message; None if there are none. If nothing else tells
    them, and there were too many requests, it is until a limit is reset."""
    asked = _seconds(headers.get("retry-after-ms"), 1e-3)
    asked = _retry_after(headers) if asked is None else asked
    if asked is None and (field := _DELAY.search(text)) is not None:
        asked = float(field[1])
    if asked is None and (said := _WAIT.search(message)) is not None:
        asked = _span(said[1])
    if asked is None and status == 429:
        asked = _until_reset(headers, text)
    return None if asked is None or asked > MOST_SECONDS else asked


def _span(text: str) -> float:
    parts = _PART.findall(text.lower())
    return sum(float(number) * _UNITS["ms" if unit == "milli" else unit] for number, unit in parts)


def _until_reset(headers: Mapping[str, str], text: str) -> float | None:
    """Returns the seconds until all limits that are used up are reset; until the first one is if none is said to be
    used up; None if there are none."""
    waits = {name: _until(value, headers) for name, value in headers.items() if _RESET.search(name)}
    if (field := _RESET_FIELD.search(text)) is not None:
        waits["field"] = _until(field[1], headers)
    found = {name: wait for name, wait in waits.items() if wait is not None}
    used_up = [wait for name, wait in found.items() if headers.get(name.replace("reset", "remaining")) == "0"]
    return max(used_up, default=None) if used_up else min(found.values(), default=None)


def _until(value: str, headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a value means: a number of them, spans such as 6m0s, or a time, which is compared with
    the server's Date; None if it cannot be read."""
    number = _seconds(value)
    try:
        if number is None:
            return _span(value) if _SPANS.fullmatch(value) else _since(datetime.fromisoformat(value), headers)
        if number <= MOST_SECONDS:
            return number
        return _since(datetime.fromtimestamp(number / (1000 if number > _MILLISECONDS else 1), UTC), headers)
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def _since(then: datetime, headers: Mapping[str, str]) -> float:
    """Returns the seconds from the server's Date to a time (RFC 9110, section 6.6.1), not from the local clock, which
    may be wrong. Raises ValueError and TypeError if there is no such date."""
    return max(0.0, (then - email.utils.parsedate_to_datetime(headers.get("date", ""))).total_seconds())


def _seconds(value: str | None, unit: float = 1.0) -> float | None:
    try:
        found = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, found) if found == found else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a Retry-After header asks for, as a number or a date; None if there is none."""
    value = headers.get("retry-after")
    asked = _seconds(value)
    if asked is not None or value is None:
        return asked
    try:
        return _since(email.utils.parsedate_to_datetime(value), headers)
    except (ValueError, TypeError, OverflowError):
        return None
