"""Two PDDL files → a Problem: parse, check, normalise, build.

This is where Tarski comes in, and it is imported only when a problem is read.
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
from commonsense_planning.pddl.normalise import Normal, Normaliser
from commonsense_planning.pddl.po_pddl import without_sections
from commonsense_planning.pddl.problem import Alternative, ContingentInit, Literal, Problem
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.syntax import Group, Source, Symbol, parse, read_source, render, with_mends
from commonsense_planning.pddl.vocabulary import value_of

_DESCRIPTION = re.compile(r"^[^\S\n]*;+[^\S\n]*description:[^\S\n]*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)


def read_problem(
    domain_path: str | Path, problem_path: str | Path, text: str | None = None, *, strict: bool = False
) -> Problem:
    """Read a planning task; ``text`` is read in place of the problem file, where it is given, such as one of the worlds
    of a contingent problem.

    Where a file is not as PDDL wants it but clear all the same, the problem's ``warnings`` say so; with ``strict``,
    this is an error. Raises PddlError, with its place, where a file is wrong, UnsupportedFeature where cplan cannot
    plan with it, and InputError where a file cannot be read.
    """
    domain = check_domain(read_source(domain_path, strict, "domain"))
    source = read_source(problem_path, strict) if text is None else parse(text, problem_path, strict=strict)
    read = problem_of(domain, source)
    mended = bool(domain.source.mends or source.mends)
    if read.outcomes or read.earned is not None:
        return replace(read, plain_text=read.normal_text)
    if text is None and not read.observes and not mended and read.po_pddl is None:
        return read
    return replace(read, plain_text=(_plain_domain(domain.source), _plain_problem(source)), mended=mended)


def problem_of(domain: Domain, problem: Source) -> Problem:
    """The task of a checked domain and of a problem that is not checked yet. Raises PddlError, UnsupportedFeature, and
    InputError for what Tarski cannot represent."""
    from tarski.errors import TarskiError

    try:
        task = check_task(domain, problem)
    except PddlError as error:  # what the one file was tolerated may show in the other
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
        raise InputError(
            f"{domain.source.path}, {problem.path}: Tarski cannot represent this task: {error}"
        ) from error
    return Problem(
        domain_file=domain.source.path,
        problem_file=task.source.path,
        domain_name=domain.symbol.text,
        problem_name=task.symbol.text,
        tarski=tarski,
        spelling=normaliser.names.spelling,
        features=task.features,
        total_cost=task.total_cost,
        constraints=constraints,
        derived=derived,
        contingent=contingent,
        normaliser=normaliser,
        description=description_in(task.source.text),
        normal_text=(render(normal.domain), render(normal.problem)),
        observes=_observes(tarski, normal),
        outcomes={
            normaliser.names.of("action", action.symbol): (
                normaliser.names.of("action", action.outcome_of), action.chance
            )
            for action in task.actions
            if action.outcome_of is not None
        },
        earned=_earned(task) if Feature.REWARDS in task.features or task.goal_reward is not None else None,
        goal_reward=task.goal_reward or 0.0,
        po_pddl=task.po_pddl,
        warnings=tuple(
            warning
            for read in (domain.source, problem)
            for warning in sorted(read.warnings, key=lambda w: (w.place.line, w.place.column))
        ),
    )


def _earned(task: CheckedTask) -> dict[str, float]:
    """What the actions add to the reward, each under its name in lower case."""
    earned = dict.fromkeys((action.symbol.key for action in task.actions), 0.0)
    for action in task.actions:
        for change in changes(action.effect):
            if not is_cost(change) and isinstance(change.items[2], Symbol):
                earned[action.symbol.key] += value_of(task.domain.source, change.items[2])
    return earned


def _contingent(tarski: Any, normal: Normal) -> ContingentInit:
    def constraint(alternatives: Iterable[Checked]) -> tuple[Alternative, ...]:
        return tuple(tuple(Literal(build_atom(tarski.language, a, {}), is_so) for a, is_so in c) for c in alternatives)

    return ContingentInit(
        tuple(map(constraint, normal.oneof)),
        tuple(map(constraint, normal.clauses)),
        tuple(build_atom(tarski.language, atom, {}) for atom in normal.unknown),
    )


def _observes(tarski: Any, normal: Normal) -> dict[str, tuple[Any, ...]]:
    found = {}
    for name, atoms in normal.observes.items():
        variables = {variable.symbol: variable for variable in tarski.actions[name].parameters}
        found[name] = tuple(build_atom(tarski.language, atom, variables) for atom in atoms)
    return found


def _plain_problem(source: Source) -> str:
    """The text of a problem file, mended, without what only PO-PDDL has."""
    return with_mends(source.text, [*source.mends, *without_sections(source)])


def _plain_domain(source: Source) -> str:
    """The text of a domain file, mended, without ``:observe`` and what only PO-PDDL has, for those who do not know it:
    an action that only looks has no effect."""
    mends = [*source.mends, *without_sections(source)]
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
    """What the first comment line such as ``;; description: microwave salmon`` says; empty if there is none."""
    found = _DESCRIPTION.search(text)
    return found[1] if found else ""
