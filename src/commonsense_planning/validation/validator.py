"""Validators that plug-ins bring: judges of plans beside our own three, for ``cplan validate --with NAME``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from commonsense_planning.pddl.plan import Plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.validation.verdict import Report


@dataclass(frozen=True)
class Opinion:
    """A validator's report, and what else it has to say, as JSON values."""

    report: Report
    details: Mapping[str, Any] = field(default_factory=dict)


class Validator(Protocol):
    """Judges plans by what it knows itself of the world, which is kept in a file of its own kind."""

    def validate(self, problem: Problem, plan: Plan, graph: Path, timeout: float | None) -> Opinion:
        """What it makes of ``plan`` within ``timeout`` seconds (None: no limit), in the world of the file ``graph``.

        Raises InputError for a file that cannot be read or is of another world than the problem, and MissingError, with
        the way out, where it cannot be asked here.
        """
