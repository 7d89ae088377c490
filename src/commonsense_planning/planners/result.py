"""What a classical planner gives back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from commonsense_planning.pddl.plan import Plan


class Status(StrEnum):
    """How a planner ended. ``UNSOLVABLE`` is said only where the planner proves that there is no plan; a
    planner that merely found none has ``FAILED``. ``UNSUPPORTED``: it cannot take this task."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"


@dataclass(frozen=True)
class ClassicalResult:
    """A planner's answer; ``plan`` is there if and only if the status is solved, in the user's spelling and
    not yet validated. ``seconds`` is wall-clock time, ``reason`` says why there is no plan."""

    status: Status
    planner: str
    version: str
    seconds: float
    plan: Plan | None = None
    reason: str = ""
