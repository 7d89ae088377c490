"""A planning task as it was read: Tarski's problem, and what Tarski does not keep."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from commonsense_planning.errors import PddlWarning, Place
from commonsense_planning.pddl.normalise import Normaliser
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.trajectories import Constraint
from commonsense_planning.support.processes import temporary_folder


class Derived(NamedTuple):
    """A rule: the Tarski atom, whose terms are variables, holds for all objects for which the Tarski formula does."""

    atom: Any
    condition: Any


class GroundLiteral(NamedTuple):
    """A ground Tarski atom over constants, and whether it is true."""

    atom: Any
    positive: bool


Alternative = tuple[GroundLiteral, ...]
"""Literals that hold together, or not."""


@dataclass(frozen=True)
class ContingentInit:
    """What a contingent ``:init`` leaves open: of each ``oneof`` exactly one alternative holds, of each of the
    ``clauses`` at least one; ``unknown`` atoms may or may not hold."""

    oneof: tuple[tuple[Alternative, ...], ...] = ()
    clauses: tuple[tuple[Alternative, ...], ...] = ()
    unknown: tuple[Any, ...] = ()

    @property
    def atoms(self) -> list[Any]:
        """All atoms that are mentioned, as often as they are."""
        constraints = (*self.oneof, *self.clauses)
        correlated = [literal.atom for alternatives in constraints for a in alternatives for literal in a]
        return [*correlated, *self.unknown]


@dataclass(frozen=True)
class Problem:
    """A planning task.

    ``tarski`` is Tarski's ``fstrips.Problem`` with normalised names: lower case, and no name used for two
    things (type, object, predicate, action). ``original_names`` maps each normalised name to the user's
    spelling; a name that is not in it is spelt as the user wrote it. ``constraints`` are on the states that a plan
    passes through: the domain's, then the problem's. ``derived`` are the rules for derived predicates; the initial
    state of ``tarski`` is without what follows from them. ``total_cost`` is true if the task has a metric
    ``(minimize (total-cost))``: then action costs count, otherwise every action costs 1. ``normaliser`` knows
    the user's words, for formulas that are read later.
    ``description``: the task in English, if a comment of the problem file gives it. ``observes``: action →
    Tarski atoms over its parameters that are seen, true or false, once it is carried out. ``outcomes``: action
    → the first outcome of the action that it is one of by chance, and how probable it is. ``earned``: action, in lower
    case → what it adds to the reward, which its cost is taken off; None where there are no rewards. ``goal_reward``:
    what the goal adds to it. ``texts``: of the domain and of the problem, as they were read; ``plain_text``: what those
    read of them who know neither ``:observe`` nor what was warned of. ``folders``: where other files may lie beside the
    domain's and the problem's; None for what was read from no file.
    ``cost_places``: the places of the actions' costs. ``warnings``: deviations from PDDL, in the files' order;
    ``mended``: in ``plain_text`` they are corrected. ``domain_name`` is empty if the domain has no name; then sensors
    of any domain may be read for it.
    """

    domain_file: Path
    problem_file: Path
    domain_name: str
    problem_name: str
    tarski: Any
    original_names: Mapping[str, str]
    features: frozenset[Feature]
    normaliser: Normaliser = field(repr=False, compare=False)
    texts: tuple[str, str] = field(repr=False, compare=False)
    plain_text: tuple[str, str] = field(repr=False, compare=False)
    folders: tuple[Path | None, Path | None] = field(repr=False, compare=False)
    total_cost: bool = False
    constraints: tuple[Constraint, ...] = ()
    derived: tuple[Derived, ...] = ()
    contingent: ContingentInit = field(default_factory=ContingentInit)
    description: str = ""
    normal_text: tuple[str, str] | None = field(default=None, repr=False, compare=False)
    observes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    outcomes: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    earned: Mapping[str, float] | None = None
    goal_reward: float = 0.0
    cost_places: Mapping[str, Place] = field(default_factory=dict, repr=False, compare=False)
    warnings: tuple[PddlWarning, ...] = ()
    mended: bool = False

    @contextmanager
    def plain_files(self) -> Iterator[tuple[Path, Path]]:
        """A domain file and a problem file for validators and planners: what was read, as plain PDDL, whatever has
        become of the user's files. They go when the context does."""
        with _written(self.plain_text) as files:
            yield files

    @contextmanager
    def normal_files(self) -> Iterator[tuple[Path, Path]]:
        """The same of the task in normal form, which must be there."""
        assert self.normal_text is not None
        with _written(self.normal_text) as files:
            yield files

    def in_normal_form(self, plan: Plan) -> Plan:
        """The plan with the normalised names; a name that the task does not have is unchanged."""
        actions = {self.spell(name).lower(): name for name in self.tarski.actions}
        objects = {self.spell(c.symbol).lower(): c.symbol for c in self.tarski.language.constants()}

        def named(step: Step) -> Step:
            arguments = (objects.get(argument.lower(), argument) for argument in step.arguments)
            return Step(actions.get(step.action.lower(), step.action), tuple(arguments))

        return Plan(tuple(map(named, plan)))

    def warnings_as_json(self) -> dict[str, list[dict[str, Any]]]:
        """The warnings as plain data, under their key; nothing where there are none."""
        return {"warnings": [warning.as_json() for warning in self.warnings]} if self.warnings else {}

    def reward(self, plan: Plan, reached: bool) -> float | None:
        """What a plan earns (Younes and Littman 2004, section 2.5), without discount, whether or not it ``reached`` the
        goal; None where the task has no rewards."""
        if self.earned is None:
            return None
        costs = plan.cost or 0.0 if self.total_cost else 0.0
        earned = sum(self.earned.get(step.action.lower(), 0.0) for step in plan)
        return earned - costs + (self.goal_reward if reached else 0.0)

    @property
    def spelling(self) -> Mapping[str, str]:
        """What ``original_names`` was called until 0.3."""
        warnings.warn("Problem.spelling is now Problem.original_names", DeprecationWarning, stacklevel=2)
        return self.original_names

    def spell(self, name: str) -> str:
        """The user's spelling of a normalised name."""
        return self.original_names.get(name, name)


@contextmanager
def _written(texts: tuple[str, str]) -> Iterator[tuple[Path, Path]]:
    """A domain file and a problem file with these texts, which go when the context does."""
    with temporary_folder("plain") as name:
        files = Path(name) / "domain.pddl", Path(name) / "problem.pddl"
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        yield files
