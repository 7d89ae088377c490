"""The recording of an experiment: one file with the answers of all its episodes, and what is to be known of a replay
before it starts.

Each episode has a part of its own in it, named by its key, see ``llm/cassette.py``. When it ends, a last line says so,
and holds what a replay cannot find out again: how long it took, what it cost, which command ran it. So a replay's rows,
and its report, are those of the recorded run.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from commonsense_lab.runner.rows import EpisodeOutcome, Labels
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.syntax import counted
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.reading import json_value, reading

CIRCUMSTANCES = ("command", "version", "seconds", "decision_seconds", "waiting", "usd", "model_note")
"""Fields of rows that tell how an episode was run, not what came of it; as far as a row has them."""


@dataclass
class RecordedPart:
    """What a recording has of an episode: how many ``questions``, put with which versions of the templates, and, where
    it came to its end, its ``circumstances``."""

    questions: int = 0
    prompts: set[str] = field(default_factory=set)
    circumstances: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Coverage:
    """How many of the episodes that are wanted are ``whole`` in a recording, how many are ``cut`` off, and how many are
    ``missing``; and the questions of the first two. ``other_templates``: how many questions were put with templates of
    other versions than ``now``; those that say the same are answered all the same."""

    whole: int
    cut: int
    missing: int
    whole_questions: int
    cut_questions: int
    other_templates: int
    now: tuple[str, ...]

    def __str__(self) -> str:
        told = [f"it answers {counted(self.whole_questions, 'question')} of {counted(self.whole, 'episode')}"]
        if self.other_templates:
            told.append(
                f"{self.other_templates} were put with other templates than now ({', '.join(self.now)}): they are "
                "answered where their words are the same, which shows as they are asked"
            )
        if self.cut:
            told.append(
                f"{self.cut} cut off after {counted(self.cut_questions, 'question')}: what is asked next depends on "
                "answers that there are not"
            )
        if self.missing:
            told.append(f"{self.missing} not in it: what they ask is not known beforehand")
        return "; ".join(told)


class Recording:
    """The file at ``path``; one that is ``new`` may not be there yet. Raises InputError if it cannot be read."""

    def __init__(self, path: Path, new: bool = False) -> None:
        self.path = path
        self.parts: defaultdict[str, RecordedPart] = defaultdict(RecordedPart)
        self.models: Counter[str] = Counter()
        self.dates: set[str] = set()
        with reading(path, "a recording"):
            self._there = path.is_file() or not new
            lines = path.read_bytes().split(b"\n") if self._there else []
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
        """Model, dates and versions of the templates, in words."""
        dates = sorted(self.dates)
        when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "no date"
        prompts = sorted({version for part in self.parts.values() for version in part.prompts})
        return f"{self.path.name}: {', '.join(self.models) or 'no answers'}, {when}, prompts {', '.join(prompts)}"

    @property
    def commands(self) -> list[str]:
        """What it was made by."""
        known = (part.circumstances for part in self.parts.values() if part.circumstances is not None)
        return list(dict.fromkeys(str(found.get("command", "")) for found in known))

    def coverage(self, keys: Collection[str], versions: Collection[str]) -> Coverage:
        """What there is of the episodes with these ``keys``, whose questions are put now with templates of these
        ``versions``."""
        wanted = {key: self.parts[key] for key in keys if key in self.parts}
        others = [part for part in wanted.values() if not part.prompts <= set(versions)]
        whole = [part for part in wanted.values() if part.circumstances is not None]
        cut = [part for part in wanted.values() if part.circumstances is None]
        return Coverage(
            len(whole),
            len(cut),
            len(set(keys)) - len(wanted),
            sum(part.questions for part in whole),
            sum(part.questions for part in cut),
            sum(part.questions for part in others),
            tuple(sorted(versions)),
        )

    def has(self, key: str) -> bool:
        """Whether that episode is whole in it."""
        return key in self.parts and self.parts[key].circumstances is not None

    def as_recorded(self, labels: Labels, outcome: EpisodeOutcome) -> tuple[Labels, EpisodeOutcome]:
        """The row with the circumstances of the recorded run, if that came to its end."""
        known = self.parts[labels.key].circumstances if self.has(labels.key) else None
        return (labels, outcome) if known is None else (_with(labels, known), _with(outcome, known))

    def end(self, labels: Labels, outcome: EpisodeOutcome) -> None:
        """Add that an episode has come to its end. Raises InputError if that cannot be written."""
        if self.has(labels.key):
            return
        told = {
            name: getattr(value, name) for value in (labels, outcome) for name in CIRCUMSTANCES if hasattr(value, name)
        }
        self.parts[labels.key].circumstances = told
        try:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | (0 if self._there else os.O_CREAT), 0o644)
            self._there = True
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                append(self.path, file, {"part": labels.key, "circumstances": told})
            finally:
                os.close(file)
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the recording: {error.strerror}") from error


R = TypeVar("R", Labels, EpisodeOutcome)


def _with(part: R, known: Mapping[str, Any]) -> R:
    return replace(part, **{f.name: known[f.name] for f in fields(part) if f.name in known})
