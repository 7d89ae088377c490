"""The verdicts of validators on a plan, and the interface of plug-ins for ``cplan validate --with NAME``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem

CAME = "the actions were applicable and reached the goal in this world"  # for valid, where another run may differ
OURS = "replay"  # the validator that we wrote ourselves


class Verdict(StrEnum):
    """A validator's answer. ``UNAVAILABLE``: the validator is missing, crashed, or cannot read the task."""

    VALID = "valid"
    INVALID = "invalid"
    UNAVAILABLE = "unavailable"

    def worded(self, problem: Problem) -> str:
        """The verdict in messages: a plan whose actions have outcomes by chance is not called valid."""
        return CAME if problem.outcomes and self is Verdict.VALID else str(self)


def what_valid_means(problem: Problem) -> dict[str, str]:
    """The meaning of ``valid`` where actions have outcomes by chance, under the key ``valid_means``; else empty."""
    return {"valid_means": CAME} if problem.outcomes else {}


@dataclass(frozen=True)
class Report:
    """One validator's verdict.

    Of an invalid plan, ``step``, counted from 1, cannot be carried out, or violates a constraint. It is None if all
    steps can be carried out and the goal does not hold then, or if a constraint is violated from the start. ``action``:
    that step in the user's spelling; ``reason``: the unmet condition, or why a verdict is unavailable; ``advice``: how
    to repair the plan.
    """

    validator: str
    verdict: Verdict
    step: int | None = None
    action: str = ""
    reason: str = ""
    advice: str = ""

    @property
    def finding(self) -> str:
        """The finding in one line: step, condition, and cause."""
        where = f"step {self.step} {self.action}: " if self.step is not None else ""
        return f"{where}{self.reason}" + (f" ({self.advice})" if self.advice else "")

    def in_normal_form(self, refusal: Report) -> Report:
        """The same report, marked as one on the task in normal form after a ``refusal`` of the files as they are."""
        why = f"asked about the task in normal form; {self.validator} on the files as they are {refusal.reason}"
        return replace(self, reason="; ".join(filter(None, (self.reason, why))))


@dataclass(frozen=True)
class Validation:
    """The reports of independent validators on one plan."""

    reports: tuple[Report, ...]

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each validator: name → verdict."""
        return {report.validator: str(report.verdict) for report in self.reports}

    @property
    def disagreement(self) -> bool:
        """One validator says valid, another invalid."""
        said = {report.verdict for report in self.reports}
        return {Verdict.VALID, Verdict.INVALID} <= said

    @property
    def verdict(self) -> Verdict:
        """Valid if an independent validator accepts the plan and none rejects it; unavailable if none gave a verdict
        and cplan's replay does not reject it: no one should judge their own work."""
        if any(report.verdict is Verdict.INVALID for report in self.reports):
            return Verdict.INVALID
        accepted = any(report.verdict is Verdict.VALID and report.validator != OURS for report in self.reports)
        return Verdict.VALID if accepted else Verdict.UNAVAILABLE


@dataclass(frozen=True)
class Opinion:
    """A validator's report, and further details as JSON values."""

    report: Report
    details: Mapping[str, Any] = field(default_factory=dict)


class Validator(Protocol):
    """A validator with its own knowledge of the world, which is kept in a separate file."""

    def validate(self, problem: Problem, plan: Plan, graph: Path, timeout: float | None) -> Opinion:
        """The opinion on ``plan`` within ``timeout`` seconds (None: no limit), in the world of the file ``graph``.

        Raises InputError for a file that cannot be read or is of another world than the problem, and MissingError, with
        the way out, if it cannot be asked here.
        """
