"""The rows of the experiment: a heuristic that a model wrote for a domain, and a problem that a solver was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from commonsense_lab.runner.rows import Asked, EpisodeOutcome, Labels, Line


@dataclass(frozen=True, kw_only=True)
class DomainLabels(Labels):
    """``domain``: the name of its folder."""

    domain: str


@dataclass(frozen=True, kw_only=True)
class WritingLabels(DomainLabels):
    """A ``model`` writes a heuristic for a domain. ``training``: the problems that it is tried on."""

    part: Literal["writing"] = "writing"
    model: str
    training: list[str]


@dataclass(frozen=True, kw_only=True)
class WritingOutcome(Asked):
    """The best ``program``, empty if none can be used: ``name`` says which it is, how many training problems gbfs
    ``solved`` with it and hill climbing alone ``climbed``. ``candidates`` were written, of which ``refused`` were not
    let run; ``repairs`` were tried."""

    program: str
    name: str
    solved: int
    climbed: int
    candidates: int
    refused: int
    repairs: int
    model_note: str


@dataclass(frozen=True, kw_only=True)
class WritingRow(WritingLabels, WritingOutcome):
    """What came of writing."""


@dataclass(frozen=True, kw_only=True)
class SolvingLabels(DomainLabels):
    """A ``solver`` gets a ``problem`` of a ``level``: easy, medium, hard."""

    part: Literal["solving"] = "solving"
    solver: str
    level: str
    problem: str


@dataclass(frozen=True, kw_only=True)
class SolvingOutcome(EpisodeOutcome):
    """``status`` as a text of ``Status``, ``reason`` where it is not solved; ``steps`` of the plan, which the replay
    accepts; ``seconds`` of wall-clock time, reading and grounding included; ``expanded`` states and ``evaluated`` ones,
    which are the calls of a written heuristic, None where nobody says."""

    status: str
    reason: str
    steps: int | None
    seconds: float
    expanded: int | None
    evaluated: int | None = None

    @property
    def solved(self) -> bool:
        """Whether there is a plan that the replay accepts."""
        return self.status == "solved"


@dataclass(frozen=True, kw_only=True)
class SolvingRow(SolvingLabels, SolvingOutcome):
    """What came of a problem."""


def read_row(line: Line) -> DomainLabels:
    """A line of either kind. Raises InputError as ``Line.row`` does."""
    return line.row(WritingRow) if line.data.get("part") == "writing" else line.row(SolvingRow)
