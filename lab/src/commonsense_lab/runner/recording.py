"""The recording of an experiment: one file with the answers of all its episodes, and what it can replay.

Each episode has a part in it, named by its key, see ``llm/cassette.py``. The last line of a part marks its end and has
what a replay cannot measure: duration, cost, command. So a replay has the rows and the report of the recorded run.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from commonsense_lab.runner.rows import EpisodeOutcome, Labels
from commonsense_planning.errors import InputError
from commonsense_planning.support.english import counted
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.reading import json_value, read_bytes, reading

CIRCUMSTANCES = ("command", "version", "seconds", "decision_seconds", "waiting", "usd", "model_note")
"""Fields of rows about how an episode ran, not about its result; not every row has all of them."""


@dataclass
class RecordedPart:
    """An episode in a recording: the number of its ``questions``, the versions of their ``prompts``, and, if it ended,
    its ``circumstances``."""

    questions: int = 0
    prompts: set[str] = field(default_factory=set)
    circumstances: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Coverage:
    """The wanted episodes that are ``whole`` in a recording, those that are ``cut`` off, and how many are ``missing``.
    ``now``: the versions of the templates; questions put with others are answered if their text is the same."""

    whole: Sequence[RecordedPart]
    cut: Sequence[RecordedPart]
    missing: int
    now: Collection[str]

    def __str__(self) -> str:
        questions = counted(sum(part.questions for part in self.whole), "question")
        told = [f"it answers {questions} of {counted(len(self.whole), 'episode')}"]
        others = sum(part.questions for part in (*self.whole, *self.cut) if not part.prompts <= {*self.now})
        if others:
            told.append(
                f"{others} were put with other templates than now ({', '.join(sorted(self.now))}): they are answered "
                "if their text is the same, which shows when they are asked"
            )
        if self.cut:
            questions = counted(sum(part.questions for part in self.cut), "question")
            told.append(f"{len(self.cut)} cut off after {questions}: further questions depend on missing answers")
        if self.missing:
            told.append(f"{self.missing} not in it: their questions are not known beforehand")
        return "; ".join(told)


class Recording:
    """The file at ``path``, which may be missing if it is ``new``. Raises InputError if it cannot be read."""

    def __init__(self, path: Path, new: bool = False) -> None:
        self.path = path
        self.parts: defaultdict[str, RecordedPart] = defaultdict(RecordedPart)
        self.models: Counter[str] = Counter()
        self.dates: set[str] = set()
        with reading(path, "a recording"):
            self._there = path.is_file() or not new
            lines = read_bytes(path, "a recording").split(b"\n") if self._there else []
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            entry = json_value(line)
        except (ValueError, RecursionError):
            return  # torn
        if not isinstance(entry, dict) or not isinstance(entry.get("part"), str):
            return
        part = self.parts[entry["part"]]
        if isinstance(entry.get("circumstances"), dict):
            part.circumstances = entry["circumstances"]
        elif "texts" in entry and "stop" not in entry:
            part.questions += 1
            part.prompts.update(str(entry.get("prompts", "")).split())
            self.models[str(entry.get("model", ""))] += 1
            self.dates.add(str(entry.get("date", "")))

    @property
    def about(self) -> str:
        """Model, dates and versions of the templates, as text."""
        dates = sorted(self.dates)
        when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "no date"
        prompts = sorted({version for part in self.parts.values() for version in part.prompts})
        return f"{self.path.name}: {', '.join(self.models) or 'no answers'}, {when}, prompts {', '.join(prompts)}"

    def coverage(self, keys: Collection[str], versions: Collection[str]) -> Coverage:
        """Returns what it has of the episodes with these ``keys``, whose templates now have these ``versions``."""
        wanted = [self.parts[key] for key in {*keys} if key in self.parts]
        whole = [part for part in wanted if part.circumstances is not None]
        cut = [part for part in wanted if part.circumstances is None]
        return Coverage(whole, cut, len({*keys}) - len(wanted), versions)

    def has(self, key: str) -> bool:
        """Returns whether it has the whole episode."""
        return key in self.parts and self.parts[key].circumstances is not None

    def settle(self, labels: Labels, outcome: EpisodeOutcome) -> tuple[Labels, EpisodeOutcome]:
        """Returns the row with the circumstances of the recorded run, if that has ended; else adds the last line of
        the episode. Raises InputError if that cannot be written."""
        known = self.parts[labels.key].circumstances if labels.key in self.parts else None
        if known is not None:
            return _with(labels, known), _with(outcome, known)
        told = {
            name: getattr(value, name) for value in (labels, outcome) for name in CIRCUMSTANCES if hasattr(value, name)
        }
        self.parts[labels.key].circumstances = told
        try:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | (0 if self._there else os.O_CREAT), 0o644)
            self._there = True
            with os.fdopen(file, "r+b"):
                fcntl.flock(file, fcntl.LOCK_EX)
                append(self.path, file, {"part": labels.key, "circumstances": told})
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the recording: {error.strerror}") from error
        return labels, outcome


R = TypeVar("R", Labels, EpisodeOutcome)


def _with(part: R, known: Mapping[str, Any]) -> R:
    return replace(part, **{f.name: known[f.name] for f in fields(part) if f.name in known})
