"""A reply that comes as a stream of events, joined to the body that it would be without one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

_JOINED = ("content", "reasoning", "reasoning_content", "refusal")  # fields of a message that come in pieces
BROKEN_OFF = "network_error"  # the reason to finish of such a choice
_LAST = ("finish_reason", "error")  # of a choice


def joined(events: Iterable[Any], whole: bool) -> dict[str, Any]:
    """Returns the body that the events of a stream make up: a chat completion, or the last whole response of the
    Responses API; the error if one of them is an error. Events of other forms are skipped. A choice without a reason to
    finish was broken off, unless the stream is ``whole``."""
    body: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    pieces: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for event in events:
        if not isinstance(event, dict):
            continue
        if event.get("error"):
            return event
        if isinstance(event.get("response"), dict):
            body = event["response"]
        if event.get("usage"):
            body["usage"] = event["usage"]
        chunks = event.get("choices")
        for chunk in chunks if isinstance(chunks, list) else ():
            index = chunk.get("index") if isinstance(chunk, dict) else None
            if not isinstance(index, int):
                continue
            choices.setdefault(index, {} if whole else {"finish_reason": BROKEN_OFF}).update(
                {name: chunk[name] for name in _LAST if chunk.get(name)}
            )
            delta = chunk.get("delta") or chunk.get("message") or {"content": chunk.get("text")}
            for name in _JOINED if isinstance(delta, dict) else ():
                parts = delta.get(name)
                for part in parts if isinstance(parts, list) else [parts]:
                    said = part.get("text") if isinstance(part, dict) else part
                    if isinstance(said, str):
                        pieces[index, name].append(said)
    if choices:
        body["choices"] = [
            {**choice, "message": {name: "".join(pieces[index, name]) for name in _JOINED if (index, name) in pieces}}
            for index, choice in sorted(choices.items())
        ]
    return body
