"""The results of an experiment's episodes: typed rows, and their file.

A row is what is known of an episode beforehand (``Labels``) and its result (``EpisodeOutcome``); a study adds fields to
both. In the file a row is a line, a JSON object with a key. A killed process leaves at most one torn last line, which
readers skip. A run locks the file, so that no two runs do the same episodes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, TypeVar

from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.reading import json_value, read_bytes, reading, wrong_field

NAME = "episodes.jsonl"
REMOVE = "remove the line, and the experiment's command runs the episode again"


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What is known of an episode before it runs. ``key`` is unique in its experiment ``suite`` and the same in every
    run. ``setup``: everything that the results depend on, as text. ``command`` repeats the run, with cplan's
    ``version``. ``seed`` of random numbers, None without any. ``validators``: name → version."""

    key: str
    suite: str
    setup: str
    command: str
    version: str
    seed: int | None = None
    validators: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class EpisodeOutcome:
    """The result of an episode."""


@dataclass(frozen=True, kw_only=True)
class Failed(EpisodeOutcome):
    """An episode that raised ``error``, its last line."""

    error: str


@dataclass(frozen=True, kw_only=True)
class Unanswered(EpisodeOutcome):
    """An episode without a row, which asked a question that has no answer in the recording, or gets one ``later``."""

    reason: str
    later: bool


@dataclass(frozen=True, kw_only=True)
class Asked(EpisodeOutcome):
    """What an episode asked of its model, and what that cost; ``usd`` is None without a price. ``prompts``: the version
    of the templates, empty for a model that reads none. ``seconds`` of the whole episode."""

    questions: int
    calls: int
    failures: int
    tokens: int
    usd: float | None
    prompts: str = ""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class VariantLabels(Labels):
    """One variant of a method on one task, run for ``tables``. ``as_in_papers``: with the papers' prompts."""

    tables: tuple[str, ...]
    task: str
    variant: str
    method: str
    seed: int
    model: str
    as_in_papers: bool = False


@dataclass(frozen=True, kw_only=True)
class PlanOutcome(Asked):
    """How a method ended: a ``status``, as in ``Status``, and the ``reason`` if it did not solve the task."""

    status: str
    reason: str
    plan: list[str] | None
    steps: int | None
    model_note: str

    @property
    def solved(self) -> bool:
        """Whether the goal was reached by a plan that is not invalid."""
        return self.status == "solved"


@dataclass(frozen=True, kw_only=True)
class PlanRow(VariantLabels, PlanOutcome):
    """The row that tables of methods and tasks read."""

    @property
    def comparable(self) -> bool:
        """Whether published numbers are comparable: no model was asked, or one with the papers' prompts."""
        return self.as_in_papers or not self.questions


@dataclass(frozen=True, kw_only=True)
class DecisionOutcome(PlanOutcome):
    """``cause`` of a failure, empty for a success; the number of ``decisions`` and their ``decision_seconds``; the
    number of ``unmatched`` phrases of the model."""

    cause: str
    decisions: int
    decision_seconds: float
    unmatched: int


@dataclass(frozen=True, kw_only=True)
class DecisionRow(PlanRow, DecisionOutcome):
    """The row that tables with seconds per decision and causes of failures read."""


Row = TypeVar("Row", bound=Labels)


@dataclass(frozen=True)
class Line:
    """A line of the file: its place, its text and its ``data``, which has at least a key."""

    path: Path
    number: int
    text: bytes
    data: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The episode's key."""
        return str(self.data["key"])

    @property
    def error(self) -> str:
        """The error of the episode, empty without one."""
        return str(self.data.get("error") or "")

    def row(self, kind: type[Row]) -> Row:
        """Returns the line as a row of a kind, or of a union of kinds. Raises InputError, with the line, for fields
        that are missing or of another type."""
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(kind).validate_json(self.text, strict=True)
        except ValidationError as error:
            wrong = wrong_field(error.errors()[0])
            raise InputError(f"{self.path}:{self.number}:1: not a row: {wrong}; {REMOVE}") from error


def as_json(part: Labels | EpisodeOutcome) -> dict[str, Any]:
    """Returns the fields as JSON values, without those that are None and have a default."""
    optional = {each.name for each in fields(part) if each.default is not MISSING}
    return {name: value for name, value in asdict(part).items() if value is not None or name not in optional}


class RowFile:
    """The file of ``folder``, opened to append to, and made if need be. Raises InputError if that cannot be done, or if
    another run uses it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise InputError(f"{self.path}: cannot open the results: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise InputError(
                f"{self.path}: another run is writing here; wait for it, or choose another folder"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def append(self, labels: Labels, outcome: EpisodeOutcome) -> None:
        """Adds a row, on a separate line even after a torn one. Raises InputError if the disk is full or the file has
        gone."""
        try:
            append(self.path, self._file, {**as_json(labels), **as_json(outcome)})
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the results: {error.strerror}") from error


def read_lines(folder: Path) -> list[Line]:
    """Reads the lines of a folder's file, one per key, in the order of the keys' first lines; of several lines with one
    key the last counts; torn lines are skipped. Raises InputError for a file that cannot be read, and for lines with
    numbers, texts or lists that no row has."""
    path = folder / NAME
    data = read_bytes(path, "results")
    found: dict[str, Line] = {}
    for number, text in enumerate(data.split(b"\n"), start=1):
        with reading(path, "a row", number, REMOVE):
            try:
                row = json_value(text)
            except (json.JSONDecodeError, UnicodeDecodeError):
                continue  # torn
        if isinstance(row, dict) and isinstance(row.get("key"), str):
            found[row["key"]] = Line(path, number, text, row)
    return list(found.values())
