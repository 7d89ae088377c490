"""A planning task as it was read: Tarski's problem, and what Tarski does not keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonsense_planning.pddl.normalise import Normaliser


class Feature(StrEnum):
    """A PDDL feature that a task really uses (not merely declares in its requirements)."""

    TYPING = "typing"
    EQUALITY = "equality"
    NEGATIVE_CONDITIONS = "negative conditions"
    DISJUNCTIVE_CONDITIONS = "disjunctive conditions"  # or, imply
    EXISTENTIAL_CONDITIONS = "existential conditions"
    UNIVERSAL_CONDITIONS = "universal conditions"
    CONDITIONAL_EFFECTS = "conditional effects"
    UNIVERSAL_EFFECTS = "universal effects"
    ACTION_COSTS = "action costs"
    CONSTRAINTS = "constraints"  # always
    CONTINGENT = "contingent init"  # unknown, oneof


@dataclass(frozen=True)
class ContingentInit:
    """What a contingent ``:init`` leaves open: each ``oneof`` is a tuple of ground atoms of which exactly one
    holds; ``unknown`` atoms may or may not hold. Atoms are Tarski atoms over constants."""

    oneof: tuple[tuple[Any, ...], ...] = ()
    unknown: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Problem:
    """A planning task.

    ``tarski`` is Tarski's ``fstrips.Problem`` with normalised names: lower case, and no name used for two
    things (type, object, predicate, action). ``spelling`` maps each normalised name back to the user's
    spelling; a name that is not in it is spelt as it stands. ``always`` are Tarski formulas without free
    variables that must hold in every state that a plan passes through, the first and the last among them:
    the domain's ``:constraints``, then the problem's. ``total_cost`` is true if the task has a metric
    ``(minimize (total-cost))``: then action costs count, otherwise every action costs 1. ``normaliser`` knows
    the user's words, for formulas that are read later; a problem that was not read from files has none.
    ``domain_name`` is empty where nobody gave the domain a name; then sensors of any domain may be read for it.
    ``description`` says in English what is to be done, where a comment of the problem file does.
    """

    domain_file: Path
    problem_file: Path
    domain_name: str
    problem_name: str
    tarski: Any
    spelling: Mapping[str, str]
    features: frozenset[Feature]
    total_cost: bool = False
    always: tuple[Any, ...] = ()
    contingent: ContingentInit = field(default_factory=ContingentInit)
    normaliser: Normaliser | None = field(default=None, repr=False, compare=False)
    description: str = ""
    normal_text: tuple[str, str] | None = field(default=None, repr=False, compare=False)

    def spell(self, name: str) -> str:
        """The user's spelling of a normalised name."""
        return self.spelling.get(name, name)
