"""Two PDDL files → a Problem: parse, check, normalise, build.

Tarski is imported only when a problem is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError, PddlError
from commonsense_planning.pddl.build import build_atom, build_constraint, build_derived, build_problem
from commonsense_planning.pddl.check import CheckedTask, Domain, changes, check_domain, check_task
from commonsense_planning.pddl.conditions import is_cost
from commonsense_planning.pddl.initial import Alternative as Checked
from commonsense_planning.pddl.nodes import Group, Symbol
from commonsense_planning.pddl.normalise import Normal, Normaliser
from commonsense_planning.pddl.problem import Alternative, ContingentInit, GroundLiteral, Problem
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.source import Source, with_mends
from commonsense_planning.pddl.syntax import parse, read_source
from commonsense_planning.pddl.vocabulary import value_of
from commonsense_planning.support.reading import Text

_DESCRIPTION = re.compile(r"^[^\S\n]*;+[^\S\n]*description:[^\S\n]*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)


def read_problem(domain: str | Path | Text, problem: str | Path | Text, *, strict: bool = False) -> Problem:
    """Reads a planning task from two files, or from texts in place of either.

    A deviation from PDDL with a clear meaning becomes one of the problem's ``warnings``; with ``strict``, it is an
    error. Raises PddlError, with its place, if a file is wrong, UnsupportedFeature if cplan cannot plan with it,
    InputError if a file cannot be read, and UsageError for PDDL in place of a path.
    """
    return problem_of(check_domain(read_source(domain, strict, "domain")), read_source(problem, strict))


def with_text(problem: Problem, text: str, file: Path | None = None) -> Problem:
    """The problem with another ``text`` in place of its own, such as one of the worlds of a contingent problem;
    ``file``: where the text was read. Raises PddlError, UnsupportedFeature."""
    files = problem.domain_file, file or problem.problem_file
    domain, other = (
        replace(parse(text, file), folder=folder)
        for text, file, folder in zip((problem.texts[0], text), files, problem.folders, strict=True)
    )
    return problem_of(check_domain(domain), other)


def problem_of(domain: Domain, problem: Source) -> Problem:
    """The task of a checked domain and an unchecked problem. Raises PddlError, UnsupportedFeature, and InputError if
    Tarski cannot represent the task."""
    from tarski.errors import TarskiError

    try:
        task = check_task(domain, problem)
    except PddlError as error:  # a deviation tolerated in one file may cause an error in the other
        error.warnings = tuple(dict.fromkeys((*domain.source.warnings, *error.warnings)))
        raise
    normaliser = Normaliser(task)
    normal = normaliser.task()
    try:
        tarski = build_problem(normal)
        constraints = tuple(build_constraint(tarski.language, constraint) for constraint in normal.constraints)
        derived = tuple(build_derived(tarski.language, rule) for rule in normal.derived)
        contingent = _contingent(tarski, normal)
    except TarskiError as error:
        raise InputError(f"{domain.source.path}, {problem.path}: Tarski cannot represent this task: {error}") from error
    outcomes = {
        normaliser.names.of("action", action.symbol): (normaliser.names.of("action", action.outcome_of), action.chance)
        for action in task.actions
        if action.outcome_of is not None
    }
    earned = _earned(task) if Feature.REWARDS in task.features or task.goal_reward is not None else None
    normal_text = normal.texts
    read, plain_text = (domain.source, problem), normal_text
    if not outcomes and earned is None and all(source.text for source in read):  # a generated task has no text
        plain_text = _plain_domain(domain.source), problem.mended
    return Problem(
        domain_file=domain.source.path,
        problem_file=task.source.path,
        domain_name=domain.symbol.text,
        problem_name=task.symbol.text,
        tarski=tarski,
        original_names=normaliser.names.original_names,
        features=task.features,
        total_cost=task.total_cost,
        constraints=constraints,
        derived=derived,
        contingent=contingent,
        normaliser=normaliser,
        description=description_in(task.source.text),
        texts=(domain.source.text or normal_text[0], problem.text or normal_text[1]),
        plain_text=plain_text,
        folders=(domain.source.folder, problem.folder),
        normal_text=normal_text,
        observes={
            name: tuple(
                build_atom(tarski.language, a, {v.symbol: v for v in tarski.actions[name].parameters}) for a in atoms
            )
            for name, atoms in normal.observes.items()
        },
        outcomes=outcomes,
        earned=earned,
        goal_reward=task.goal_reward or 0.0,
        mended=bool(domain.source.mends or problem.mends),
        cost_places={
            normaliser.names.of("action", action.symbol): domain.source.place(change.line, change.column)
            for action in task.actions
            for change in changes(action.effect)
            if is_cost(change)
        },
        warnings=tuple(
            warning
            for source in read
            for warning in sorted(source.warnings, key=lambda w: (w.place.line, w.place.column))
        ),
    )


def _earned(task: CheckedTask) -> dict[str, float]:
    """The reward for each action, by its name in lower case."""
    earned = dict.fromkeys((action.symbol.key for action in task.actions), 0.0)
    for action in task.actions:
        for change in changes(action.effect):
            if not is_cost(change) and isinstance(change.items[2], Symbol):
                earned[action.symbol.key] += value_of(task.domain.source, change.items[2])
    return earned


def _contingent(tarski: Any, normal: Normal) -> ContingentInit:
    def constraint(alternatives: Iterable[Checked]) -> tuple[Alternative, ...]:
        return tuple(
            tuple(GroundLiteral(build_atom(tarski.language, a, {}), is_so) for a, is_so in c) for c in alternatives
        )

    return ContingentInit(
        tuple(map(constraint, normal.oneof)),
        tuple(map(constraint, normal.clauses)),
        tuple(build_atom(tarski.language, atom, {}) for atom in normal.unknown),
    )


def _plain_domain(source: Source) -> str:
    """The text of a domain file, corrected, without ``:observe``, for readers that do not support it; an action that
    only observes gets an empty effect."""
    mends = [*source.mends]
    for action in source.root.items:
        if not isinstance(action, Group) or action.head not in (":action", ":requirements"):
            continue
        words = [item.key if isinstance(item, Symbol) else "" for item in action.items]
        if ":contingent" in words:
            start = source.offset(action.items[words.index(":contingent")])
            mends.append((start, start + len(":contingent"), ""))
        if ":observe" in words:
            at = words.index(":observe")
            start, what = source.offset(action.items[at]), action.items[at + 1]
            assert isinstance(what, Group)
            mends.append((start, source.span(what)[1], "" if ":effect" in words else ":effect (and)"))
    return with_mends(source.text, mends)


def description_in(text: str) -> str:
    """The text of the first comment line such as ``;; description: microwave salmon``; empty if there is none."""
    found = _DESCRIPTION.search(text)
    return found[1] if found else ""
