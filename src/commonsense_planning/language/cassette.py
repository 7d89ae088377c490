"""Recordings of a model's answers: a JSON object a line, found by the content of the question.

A file is only ever appended to, a whole line in one write and under a lock: several processes may share one, and a
process that is killed leaves at worst one torn last line, which readers skip. The same request may be asked several
times in a run: a recording gives its answers in order.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter, defaultdict
from dataclasses import asdict, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from commonsense_planning.errors import BudgetError, InputError, MissingError
from commonsense_planning.language.completion import ChatRequest, Completion, Endpoint


class Mode(Enum):
    """RECORD: give what is there, ask for the rest and add it. REPLAY: give what is there, never ask. CACHE: as RECORD,
    but the same request always gets the same answer, and failures are not kept."""

    RECORD = auto()
    REPLAY = auto()
    CACHE = auto()


class Cassette:
    """An endpoint that answers from ``path`` and, unless it only replays, asks ``endpoint`` for what is not there.

    Raises InputError if the file cannot be read or written.
    """

    def __init__(self, path: Path, mode: Mode, endpoint: Endpoint | None) -> None:
        self.path = path
        self.mode = mode
        self.endpoint = endpoint
        self._kept: defaultdict[str, list[Completion | BudgetError]] = defaultdict(list)
        self._asked: Counter[str] = Counter()
        self._offset = 0
        flags = os.O_RDONLY if mode is Mode.REPLAY else os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            self._file = os.open(path, flags, 0o644)
            self._catch_up()
        except OSError as error:
            raise InputError(f"{path}: cannot open the recording: {error.strerror}") from error

    async def complete(self, request: ChatRequest) -> Completion:
        """The recorded completion, or one that is asked for now and recorded.

        A recorded stop by a budget stops a replay too. Raises MissingError on a replay without this answer.
        """
        turn = 0 if self.mode is Mode.CACHE else self._asked[request.key]
        self._asked[request.key] += 1
        if self.mode is Mode.CACHE and not self._kept[request.key]:
            self._catch_up()
        outcomes = self._kept[request.key]
        if turn < len(outcomes):
            outcome = outcomes[turn]
            if isinstance(outcome, Completion):
                return replace(outcome, recorded=True)
            if self.endpoint is None:
                raise outcome
        if self.endpoint is None:
            times = f" for the {turn + 1}th time" if turn else ""
            raise MissingError(
                f"{self.path}: the recording has no answer to {request.about}{times} (key {request.key[:12]}): "
                "was it made with the same files, seed, method and options?"
            )
        try:
            completion = await self.endpoint.complete(request)
        except BudgetError as error:
            if self.mode is Mode.RECORD:
                self._append({"key": request.key, "stop": str(error)})
            raise
        if self.mode is Mode.RECORD or not completion.trouble:
            self._keep(request, completion)
        return completion

    def _keep(self, request: ChatRequest, completion: Completion) -> None:
        fields = asdict(completion)
        del fields["recorded"]
        entry = {
            "key": request.key,
            "model": request.model,
            "parameters": dict(request.parameters),
            "messages": [dict(message) for message in request.messages],
            **fields,
        }
        self._append(entry)
        outcomes = self._kept[request.key]
        if outcomes and isinstance(outcomes[-1], BudgetError):
            outcomes.pop()
        outcomes.append(completion)

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, sort_keys=True) + "\n"
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            end = os.lseek(self._file, 0, os.SEEK_END)
            torn = end > 0 and os.pread(self._file, 1, end - 1) != b"\n"
            os.write(self._file, ("\n" if torn else "").encode() + line.encode())
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the recording: {error.strerror}") from error
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _catch_up(self) -> None:
        """Read the whole lines that were added since the last look, by whichever process."""
        size = os.fstat(self._file).st_size
        text = os.pread(self._file, size - self._offset, self._offset)
        whole = text.rfind(b"\n") + 1
        self._offset += whole
        for line in text[:whole].splitlines():
            entry = _entry(line)
            if entry is None:
                continue
            outcomes = self._kept[entry["key"]]
            if "stop" in entry:
                outcomes.append(BudgetError(entry["stop"]))
                continue
            if outcomes and isinstance(outcomes[-1], BudgetError):
                outcomes.pop()
            outcomes.append(_completion(entry))


def _entry(line: bytes) -> dict[str, Any] | None:
    """A line as an entry; None for a torn line."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(entry, dict) and isinstance(entry.get("key"), str) and ("texts" in entry or "stop" in entry)
    return entry if whole else None


def _completion(entry: dict[str, Any]) -> Completion:
    known = {name: entry[name] for name in Completion.__dataclass_fields__ if name in entry}
    return Completion(**{**known, "texts": tuple(entry["texts"]), "notes": tuple(entry.get("notes", ()))})
