"""Questions that are answered later, by a person with a chat window or a program with another endpoint.

A question without an answer in the recording is appended as a line without ``texts``, and the run ends. Appending the
line again with ``texts`` answers it, and the same command continues to its next question. Readers of recordings skip
lines without an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError, WaitingError
from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, ChatRequest, Completion, Endpoint
from commonsense_planning.support.json_lines import append, locked
from commonsense_planning.support.reading import json_value, read_bytes

UNABLE = "answers later, in text alone"


class AskedLater(Endpoint):
    """An endpoint that writes its questions to the recording at ``path``, as questions of ``part``."""

    def __init__(self, path: Path, part: str = "") -> None:
        self._path = path
        self._part = part

    async def complete(self, request: ChatRequest) -> Completion:
        """Writes the question and raises WaitingError; InputError if it cannot be written. Scores are refused, and so
        is a schema of which the question does not show the form, as nobody could keep to it."""
        shown = request.messages[-1]["content"]
        if "score" in request.parameters or not all(f'"{name}"' in shown for name in _fields(request.parameters)):
            return Completion((), calls=0, unable=UNABLE)
        question = {
            **({"part": self._part} if self._part else {}),
            "key": request.key,
            "model": request.model,
            "prompts": request.prompts,
            **request.content,
            "about": request.about,
        }
        with locked(self._path) as file:
            if _whose(question) not in map(_whose, waiting(self._path)):
                append(self._path, file, question)
        raise WaitingError(
            f"{self._path}: a question waits for its answer: cplan answer {self._path} shows it and takes the answer; "
            "then the same command continues"
        )

    async def close(self) -> None:
        """Nothing is held."""


def waiting(path: Path) -> list[dict[str, Any]]:
    """The lines of a recording that are questions without an answer yet, in order. Raises InputError if the file cannot
    be read."""
    lines = read_bytes(path, "a recording").split(b"\n")
    entries = [entry for line in lines if (entry := _question(line)) is not None]
    answered = Counter(_whose(entry) for entry in entries if "texts" in entry)
    asked: Counter[tuple[str, str]] = Counter()
    found = []
    for entry in entries:
        if "texts" not in entry:
            asked[_whose(entry)] += 1
            if asked[_whose(entry)] > answered[_whose(entry)]:
                found.append(entry)
    return found


def answer_to(path: Path, question: dict[str, Any], text: str) -> None:
    """Appends a text as the answer to a question, with estimated tokens. Raises InputError if it has not the form that
    the question shows, or cannot be written."""
    if (fields := _fields(question["parameters"])) and not all(f'"{name}"' in text for name in fields):
        raise InputError(
            "the answer has not the form that the question asks for, a JSON object with "
            f"{', '.join(fields)}; nothing was recorded, and the question still waits"
        )
    shown = sum(len(message["content"]) for message in question["messages"])
    tokens = {"prompt_tokens": shown // CHARACTERS_PER_TOKEN, "completion_tokens": len(text) // CHARACTERS_PER_TOKEN}
    with locked(path) as file:
        append(path, file, {**question, **tokens, "texts": [text], "notes": [], "estimated": True})


def _fields(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of the JSON object that a request wants for an answer; none if it wants text."""
    wanted = parameters.get("response_format")
    return tuple(wanted["json_schema"]["schema"]["properties"]) if wanted else ()


def _whose(entry: dict[str, Any]) -> tuple[str, str]:
    return str(entry.get("part", "")), str(entry["key"])


def _question(line: bytes) -> dict[str, Any] | None:
    """A line as a question, answered or not; None for a torn line, a refusal, or a line of another form."""
    try:
        entry = json_value(line)
        told = [(str(message["role"]), str(message["content"])) for message in entry["messages"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return entry if told and "key" in entry and not entry.get("unable") else None
