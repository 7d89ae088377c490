"""A planning task as read: Tarski's problem, and the rest that Tarski does not represent."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from commonsense_planning.errors import PddlError, PddlWarning, Place, UnsupportedFeature
from commonsense_planning.pddl.nodes import bracketed
from commonsense_planning.pddl.normalise import Normaliser
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.trajectories import Constraint
from commonsense_planning.pddl.vocabulary import Signature, Vocabulary
from commonsense_planning.support.english import did_you_mean
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
"""A conjunction of literals."""


@dataclass(frozen=True)
class ContingentInit:
    """The part of ``:init`` that leaves facts open: exactly one alternative of each ``oneof`` holds, and at least one
    of each of the ``clauses``; ``unknown`` atoms may be true or false."""

    oneof: tuple[tuple[Alternative, ...], ...] = ()
    clauses: tuple[tuple[Alternative, ...], ...] = ()
    unknown: tuple[Any, ...] = ()

    @property
    def atoms(self) -> list[Any]:
        """All atoms mentioned, with repetitions."""
        constraints = (*self.oneof, *self.clauses)
        correlated = [literal.atom for alternatives in constraints for a in alternatives for literal in a]
        return [*correlated, *self.unknown]


@dataclass(frozen=True)
class Declarations:
    """What a task that only other planners solve declares: its vocabulary, and its actions."""

    vocabulary: Vocabulary
    actions: Mapping[str, Signature]

    def spelt(self, step: Step) -> Step:
        """A step in the user's spelling; names that the task does not have are unchanged."""
        action, objects = self.actions.get(step.action.lower()), self.vocabulary.objects
        arguments = (objects[a.lower()].symbol.text if a.lower() in objects else a for a in step.arguments)
        return replace(step, action=action.symbol.text if action else step.action, arguments=tuple(arguments))

    def wrong(self, step: Step) -> str:
        """Why a step is no action of the task; empty if it is one."""
        action = self.actions.get(step.action.lower())
        if action is None:
            return f"no action is called {step.action}{did_you_mean(step.action, self.actions)}"
        atom = bracketed(step.action, *step.arguments)
        try:
            self.vocabulary.check_arguments(Source(Path(), "", atom), action, atom, {})
        except PddlError as error:
            return f"{error.problem}; expected {error.expected}"
        return ""


@dataclass(frozen=True)
class Problem:
    """A planning task.

    ``tarski``: Tarski's ``fstrips.Problem`` with normalised names: lower case, and no name for two things (type,
    object, predicate, action). ``original_names``: normalised name → the user's spelling, where it differs.
    ``constraints`` on the states along a plan: the domain's, then the problem's. ``derived``: the rules for derived
    predicates; the initial state of ``tarski`` excludes their consequences. ``total_cost``: whether the metric is
    ``(minimize (total-cost))``; then action costs count, otherwise every action costs 1. ``normaliser``: translates
    formulas that are read later.

    ``description``: the task in English, from a comment of the problem file. ``observes``: action → the Tarski atoms
    over its parameters that it observes. ``outcomes``: of actions with outcomes by chance, outcome → the action's first
    outcome, and the probability. ``earned``: action, in lower case → the reward for it, before its cost is subtracted;
    None without rewards. ``goal_reward``: the reward for the goal.

    ``texts``: the domain and the problem, as read; ``plain_text``: the same without ``:observe``, with the deviations
    that are warned of corrected. ``folders`` of the two files, where related files may be; None without a file.
    ``cost_places``: the places of the actions' costs. ``warnings``: deviations from PDDL, in the files' order;
    ``mended``: whether ``plain_text`` corrects any. ``domain_name``: empty if the domain has no name; then sensors of
    any domain are accepted.

    ``needs``: what only other planners have, each with its first place; then the problem has only its names, texts and
    ``declared`` actions and objects, and any use of the rest raises the first of these errors (``foreign``).
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
    needs: tuple[UnsupportedFeature, ...] = ()
    declared: Declarations | None = field(default=None, repr=False, compare=False)

    def plain_files(self) -> AbstractContextManager[tuple[Path, Path]]:
        """A context with temporary domain and problem files for validators and planners: the task as it was read, as
        plain PDDL."""
        return written(self.plain_text)

    def normal_files(self) -> AbstractContextManager[tuple[Path, Path]]:
        """The same for the task in normal form, which must exist."""
        assert self.normal_text is not None
        return written(self.normal_text)

    @property
    def beyond(self) -> str:
        """Why no planner of cplan's own can solve it, with the places of its ``needs``; empty if it has none."""
        where = (f"{one.need} ({one.place.path}:{one.place.line}:{one.place.column})" for one in self.needs)
        return f"it needs {' and '.join(where)}, which only other planners have" if self.needs else ""

    @cached_property
    def names(self) -> tuple[dict[str, str], dict[str, str]]:
        """The normalised names of the actions and of the objects, by the user's names in lower case."""
        objects = (constant.symbol for constant in self.tarski.language.get_sort("object").domain())
        actions, things = ({self.spell(name).lower(): name for name in of} for of in (self.tarski.actions, objects))
        return actions, things

    def in_normal_form(self, plan: Plan) -> Plan:
        """The plan with normalised names; names that the task does not have are unchanged."""
        actions, objects = self.names

        def named(step: Step) -> Step:
            arguments = (objects.get(argument.lower(), argument) for argument in step.arguments)
            return Step(actions.get(step.action.lower(), step.action), tuple(arguments))

        return replace(plan, steps=tuple(map(named, plan)))

    def spelt(self, plan: Plan) -> Plan:
        """A plan with normalised names in the user's spelling."""
        steps = (Step(self.spell(step.action), tuple(map(self.spell, step.arguments))) for step in plan)
        return replace(plan, steps=tuple(steps))

    @property
    def action_names(self) -> frozenset[str]:
        """The normalised names of the actions, each with several outcomes by chance once."""
        return frozenset(self.outcomes.get(name, (name, 1.0))[0] for name in self.tarski.actions)

    def warnings_as_json(self) -> dict[str, list[dict[str, Any]]]:
        """The warnings as plain data, under the key ``warnings``; empty without warnings."""
        return {"warnings": [warning.as_json() for warning in self.warnings]} if self.warnings else {}

    def reward(self, plan: Plan, reached: bool) -> float | None:
        """The undiscounted reward of a plan (Younes and Littman 2004, section 2.5), ``reached``: whether it reaches the
        goal; None if the task has no rewards."""
        if self.earned is None:
            return None
        costs = plan.cost or 0.0 if self.total_cost else 0.0
        earned = sum(self.earned.get(step.action.lower(), 0.0) for step in plan)
        return earned - costs + (self.goal_reward if reached else 0.0)

    @property
    def spelling(self) -> Mapping[str, str]:
        """The former name of ``original_names``, deprecated since 0.3."""
        warnings.warn("Problem.spelling is now Problem.original_names", DeprecationWarning, stacklevel=2)
        return self.original_names

    def spell(self, name: str) -> str:
        """The user's spelling of a normalised name."""
        return self.original_names.get(name, name)

    def text(self, *names: str) -> str:
        """An atom or a step, given by its normalised names, as PDDL in the user's spelling."""
        return f"({' '.join(map(self.spell, names))})"


@contextmanager
def written(texts: tuple[str, str]) -> Iterator[tuple[Path, Path]]:
    """A context with temporary domain and problem files with these texts."""
    with temporary_folder("plain") as name:
        files = Path(name) / "domain.pddl", Path(name) / "problem.pddl"
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        yield files
