"""Recordings of a model's answers: one JSON object per line, found by the content of the question.

A question is found by its content alone; the version of the templates is recorded for information. If an answer is
missing, the error shows how the nearest recorded question differs.

Files are only appended to, each line in one write under a lock. So several processes may share a file, and a process
that is killed leaves at most one torn last line, which readers skip. If a run asks the same request several times, the
recording gives its answers in order. Equal requests at the same time wait for each other, so that the order does not
depend on which answer comes first. If several processes ask the same at the same time, all take the answer that is in
the file first.

Failures are recorded too, and a replay repeats them. If there is an endpoint, a failed question is asked again, and the
new line names the turn that it replaces.

The episodes of an experiment share a file, in which each has its own part. A refusal by the endpoint holds for all
parts: a request with the same names of parameters is answered with that refusal if its part has no answer. That saves
calls, and works in a replay too.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path
from typing import Any

from commonsense_planning.errors import BudgetError, InputError, UnansweredError
from commonsense_planning.llm.missing_answer import nearest_recorded
from commonsense_planning.llm.model import MOST_TOKENS, ChatRequest, Completion, Endpoint
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.reading import json_value

_EMPTY = Completion(())
_REFUSED, _NOT_REFUSED = b'"unable": ', b'"unable": ""'


class Mode(Enum):
    """RECORD: recorded answers are used; missing and failed ones are asked for and added. REPLAY: recorded answers are
    used, nothing is asked. CACHE: like RECORD, but equal requests get equal answers, and failures are not kept."""

    RECORD = auto()
    REPLAY = auto()
    CACHE = auto()


Asked = tuple[str, frozenset[str]]
"""A model, and the names of a request's parameters; a refusal holds for both."""


@dataclass(frozen=True)
class Entry:
    """A line of a recording: its ``part``, the ``key`` of the question, the ``outcome``, the model and names of
    ``parameters``. ``turn``: the outcome replaces that of the turn-th time (from 0) that this was asked."""

    part: str
    key: str
    outcome: Completion | BudgetError
    parameters: Asked = ("", frozenset())
    turn: int | None = None


class Cassette:
    """An endpoint that answers from ``path`` and, unless it only replays, asks ``endpoint`` for missing answers. Only
    the lines of ``part`` are used.

    Raises InputError if the file cannot be read or written.
    """

    def __init__(self, path: Path, mode: Mode, endpoint: Endpoint | None, part: str = "") -> None:
        self.path = path
        self.mode = mode
        self.endpoint = endpoint
        self._part = part
        self._mark = json.dumps(part, ensure_ascii=False).encode()
        self._refused: dict[Asked, str] = {}  # of all parts
        self._kept: defaultdict[str, list[Completion | BudgetError]] = defaultdict(list)
        self._asked: Counter[str] = Counter()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._offset = 0
        flags = os.O_RDONLY if mode is Mode.REPLAY else os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            self._file = os.open(path, flags, 0o644)
            self._catch_up()
        except OSError as error:
            raise InputError(f"{path}: cannot open the recording: {error.strerror}") from error

    async def complete(self, request: ChatRequest) -> Completion:
        """Returns the recorded completion, or asks for one and records it.

        A recorded stop by a budget stops a replay too. Raises UnansweredError if a replay lacks the answer.
        """
        async with self._locks[request.key]:
            return await self._complete(request)

    async def close(self) -> None:
        """Closes the file and the endpoint."""
        os.close(self._file)
        if self.endpoint is not None:
            await self.endpoint.close()

    async def _complete(self, request: ChatRequest) -> Completion:
        turn = 0 if self.mode is Mode.CACHE else self._asked[request.key]
        self._asked[request.key] += 1
        if self.mode is Mode.CACHE and not self._kept[request.key]:
            self._catch_up()
        outcomes = self._kept[request.key]
        if turn < len(outcomes):
            outcome = outcomes[turn]
            if isinstance(outcome, Completion) and not (outcome.trouble and self.endpoint):
                return replace(outcome, recorded=True)
            if isinstance(outcome, BudgetError) and self.endpoint is None:
                raise outcome
        refused = self._refused.get((request.model, frozenset(request.content["parameters"])))
        if refused is not None:
            return Completion((), calls=0, unable=refused, recorded=True)
        if self.endpoint is None:
            times = f", asked {turn + 1} times" if turn else ""
            raise UnansweredError(
                f"{self.path}: the recording has no answer to {request.about}{times} (key {request.key[:12]}): "
                f"{nearest_recorded(self.path, self._part, request)}"
            )
        try:
            completion = await self.endpoint.complete(request)
        except BudgetError as error:
            if self.mode is Mode.RECORD:
                with self._up_to_date():
                    spent = {} if error.spent is None else self._entry_of(request, error.spent)
                    self._append({"key": request.key, "stop": str(error), **spent})
            raise
        if self.mode is Mode.RECORD or not completion.trouble:
            return self._keep(request, turn, completion)
        return completion

    def _keep(self, request: ChatRequest, turn: int, completion: Completion) -> Completion:
        """Adds the answer to the file; if another process was first, its answer is returned instead."""
        with self._up_to_date():
            outcomes = self._kept[request.key]
            first = outcomes[turn] if turn < len(outcomes) else None
            if isinstance(first, Completion) and not first.trouble:
                return first
            replacing = {} if first is None or isinstance(first, BudgetError) else {"turn": turn}
            self._append({**self._entry_of(request, completion), **replacing})
            self._take(request.key, completion, replacing.get("turn"))
        return completion

    def _entry_of(self, request: ChatRequest, completion: Completion) -> dict[str, Any]:
        fields = asdict(completion)
        del fields["recorded"]
        return {
            "key": request.key,
            "date": datetime.now(UTC).date().isoformat(),
            "model": request.model,
            "prompts": request.prompts,
            **request.content,
            **fields,
        }

    def _take(self, key: str, outcome: Completion | BudgetError, turn: int | None = None) -> None:
        """Keeps an outcome of the file in memory. It replaces a stop before it, or the outcome of its ``turn``."""
        outcomes = self._kept[key]
        if turn is not None and turn < len(outcomes):
            outcomes[turn] = outcome
            return
        if outcomes and isinstance(outcomes[-1], BudgetError):
            outcomes.pop()
        outcomes.append(outcome)

    @contextmanager
    def _up_to_date(self) -> Iterator[None]:
        """Holds the file's lock, with all of its lines read."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            self._catch_up()
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _append(self, entry: dict[str, Any]) -> None:
        try:
            append(self.path, self._file, {**entry, **({"part": self._part} if self._part else {})})
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the recording: {error.strerror}") from error
        self._offset = os.fstat(self._file).st_size

    def _catch_up(self) -> None:
        """Reads the lines that any process has added since the last time. The last line may lack its line end."""
        size = os.fstat(self._file).st_size
        text = os.pread(self._file, max(0, size - self._offset), self._offset)
        *lines, last = text.split(b"\n")
        if _entry(last) is not None:
            lines.append(last)
            last = b""
        self._offset += len(text) - len(last)
        for line in lines:
            ours, refused = not self._part or self._mark in line, _REFUSED in line and _NOT_REFUSED not in line
            entry = _entry(line) if ours or refused else None
            if entry is not None and isinstance(entry.outcome, Completion) and entry.outcome.unable:
                self._refused[entry.parameters] = entry.outcome.unable
            if entry is not None and entry.part == self._part:
                self._take(entry.key, entry.outcome, entry.turn)


def _entry(line: bytes) -> Entry | None:
    """Returns a line as an entry; None for a line that is torn or has another form."""
    try:
        entry = json_value(line)
        part = entry.get("part", "")
        if not isinstance(part, str):
            return None
        stop = BudgetError(entry["stop"]) if isinstance(entry.get("stop"), str) else None
        if isinstance(entry["key"], str) and stop is not None and "texts" not in entry:
            return Entry(part, entry["key"], stop)  # before anything was spent
        kinds = {name: type(getattr(_EMPTY, name)) for name in Completion.__dataclass_fields__}
        fields = {name: entry[name] for name in kinds if name in entry}
        fields |= {name: _texts(entry[name]) for name in ("texts", "notes")}
        fields["logprobs"] = tuple((str(text), float(value)) for text, value in entry.get("logprobs", ()))
        fine = isinstance(entry["key"], str) and all(isinstance(fields[name], kinds[name]) for name in fields)
        fine = fine and all(0 <= value <= MOST_TOKENS for value in fields.values() if isinstance(value, int))
        completion = Completion(**fields) if fine else None
        if stop is not None:
            stop.spent = completion and replace(completion, recorded=True)
        asked = str(entry.get("model", "")), frozenset(entry.get("parameters", ()))
        turn = entry.get("turn")
        turn = turn if isinstance(turn, int) and turn >= 0 else None
        return Entry(part, entry["key"], stop or completion, asked, turn) if completion is not None else None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("a list of texts was expected")
    return tuple(values)
