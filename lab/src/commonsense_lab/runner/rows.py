"""What comes of an experiment's episodes: typed rows, and the file that they go to.

A row is what is known of an episode beforehand (``Labels``) with what came of it (``EpisodeOutcome``): a study adds
its own fields to both. In the file it is a JSON object a line, found again by its key. A process that is killed leaves
at worst one torn last line, which readers skip. A run holds the file's lock as long as it lasts, so that no two runs
do the same episodes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from commonsense_planning.errors import InputError
from commonsense_planning.support.json_lines import append
from commonsense_planning.support.reading import json_value, reading, wrong_field

NAME = "episodes.jsonl"
REMOVE = "remove the line, and the experiment's command runs the episode again"


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What is known of an episode before it is run. ``key`` tells it from all others of its experiment, ``suite``, the
    same in every run. ``setup``: all that the results depend on, in words. ``command`` gives the run again, with our
    ``version``. ``seed``: of what is drawn, None where nothing is. ``validators``: who judges its plans → version."""

    key: str
    suite: str
    setup: str
    command: str
    version: str
    seed: int | None = None
    validators: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class EpisodeOutcome:
    """What came of an episode."""

    @property
    def paid(self) -> Mapping[str, float]:
        """What it cost of what may be limited: calls, tokens, usd."""
        return {}


@dataclass(frozen=True, kw_only=True)
class Failed(EpisodeOutcome):
    """An episode that broke off: ``error`` is the last line of what it raised."""

    error: str


@dataclass(frozen=True, kw_only=True)
class Waiting(EpisodeOutcome):
    """An episode that cannot go on before a question is answered, by ``reason``; it has no row."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Unanswered(EpisodeOutcome):
    """An episode of a replay that asks, by ``reason``, what its recording has no answer to; it has no row."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Asked(EpisodeOutcome):
    """What an episode asked of its model and what that cost; ``usd`` is None where no price is known. ``prompts``: the
    version of the templates, empty for a model that reads none. ``seconds``: of the whole episode."""

    questions: int
    calls: int
    failures: int
    tokens: int
    usd: float | None
    prompts: str = ""
    seconds: float

    @property
    def paid(self) -> Mapping[str, float]:
        return {"calls": self.calls, "tokens": self.tokens, "usd": self.usd or 0.0}


@dataclass(frozen=True, kw_only=True)
class VariantLabels(Labels):
    """One variant of a method on one task. ``tables``: those that it was run for. ``as_in_papers``: its model was asked
    in the papers' own words."""

    tables: tuple[str, ...]
    task: str
    variant: str
    method: str
    seed: int
    model: str
    as_in_papers: bool = False


@dataclass(frozen=True, kw_only=True)
class PlanOutcome(Asked):
    """How a method's plan ended: ``status`` as a text of ``Status``, and the ``reason`` where it is not solved."""

    status: str
    reason: str
    plan: list[str] | None
    steps: int | None
    model_note: str

    @property
    def solved(self) -> bool:
        """Whether the goal was reached; not where the plan was found invalid."""
        return self.status == "solved"


@dataclass(frozen=True, kw_only=True)
class PlanRow(VariantLabels, PlanOutcome):
    """What tables of methods and tasks read."""

    @property
    def comparable(self) -> bool:
        """Whether a published number may stand beside it: nobody was asked, or as in the papers."""
        return self.as_in_papers or not self.questions


@dataclass(frozen=True, kw_only=True)
class DecisionOutcome(PlanOutcome):
    """``cause`` of a failure, empty for a success; how many ``decisions`` were made in ``decision_seconds``; how many
    phrases of the model were ``unmatched``."""

    cause: str
    decisions: int
    decision_seconds: float
    unmatched: int


@dataclass(frozen=True, kw_only=True)
class DecisionRow(PlanRow, DecisionOutcome):
    """What tables with seconds per decision and causes of failures read."""


Row = TypeVar("Row", bound=Labels)


@dataclass(frozen=True)
class Line:
    """A line of the file: its place, its text, and what that says, at least a key."""

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
        """What the episode failed of; empty if it did not."""
        return str(self.data.get("error") or "")

    def row(self, kind: type[Row]) -> Row:
        """The line as a row of that kind, or of one of a union of kinds. Raises InputError, with the line, for fields
        that are missing or of another type."""
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(kind).validate_json(self.text, strict=True)
        except ValidationError as error:
            wrong = wrong_field(error.errors()[0])
            raise InputError(f"{self.path}:{self.number}:1: not a row: {wrong}; {REMOVE}") from error


def as_json(part: Labels | EpisodeOutcome) -> dict[str, Any]:
    """The fields of labels or of an outcome as JSON values, without those that are None by default and are None."""
    optional = {each.name for each in fields(part) if each.default is not MISSING}
    return {name: value for name, value in asdict(part).items() if value is not None or name not in optional}


class RowFile:
    """The file of ``folder``, which is made where it is missing, opened for adding to it.

    Raises InputError if that cannot be done, or if another run is at it.
    """

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def append(self, labels: Labels, outcome: EpisodeOutcome) -> None:
        """Add a row, on a line of its own even where the last line is torn. Raises InputError if the disk is full, or
        if the file has gone."""
        try:
            append(self.path, self._file, {**as_json(labels), **as_json(outcome)})
        except OSError as error:
            raise InputError(f"{self.path}: cannot write the results: {error.strerror}") from error


def read_lines(folder: Path) -> list[Line]:
    """The lines of a folder's file, one per key, in the order of the keys' first lines; of several lines with one key
    the last counts, and torn ones do not. Raises InputError if there is no file that can be read, and for lines with
    numbers, texts or lists that no row has."""
    path = folder / NAME
    with reading(path, "results"):
        data = path.read_bytes()
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
