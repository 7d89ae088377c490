"""The results of an experiment's episodes: typed rows, and their file.

A row is what is known of an episode beforehand (``Labels``) and its result (``EpisodeOutcome``); a study adds fields to
both. In the file a row is a line (``row_file``).
"""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from commonsense_planning.support import row_file
from commonsense_planning.support.row_file import Line

NAME = "episodes.jsonl"


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


def as_json(part: Labels | EpisodeOutcome) -> dict[str, Any]:
    """Returns the fields as JSON values, without those that are None and have a default."""
    optional = {each.name for each in fields(part) if each.default is not MISSING}
    return {name: value for name, value in asdict(part).items() if value is not None or name not in optional}


def read_lines(folder: Path) -> list[Line]:
    """Reads the lines of a folder's file. Raises as ``row_file.read_lines`` does."""
    return row_file.read_lines(folder / NAME)
