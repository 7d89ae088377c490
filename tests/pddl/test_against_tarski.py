"""Tarski's own reader and grounder as an oracle: from the user's files, the same objects, types, facts and schemas as
ours, and the same reachable operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tarski.errors import TarskiError
from tarski.grounding import LPGroundingStrategy
from tarski.io import FstripsReader

from commonsense_planning import Problem, read_problem
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.grounding.reachability import reachable
from tests.data import REPOSITORY, as_data, ipc_tasks

UNREAD = {
    "colour-balls": "token recognition error at: ':cont",  # :contingent
    "medical": "token recognition error at: ':cont",
    "wumpus": "token recognition error at: ':cont",
    "household": "token recognition error at: ':pro",  # :probabilistic-effects, of one of its domains
    "virtualhome": "extraneous input ':constraints'",  # of all problems but one
    # problems with a type that the domain lacks, with keywords in upper case, with an object OR
    "blocks": "Undefined element \"block\"|token recognition error at: ':G'|mismatched input 'OR'",
    "elevators-00-full": 'Duplicate definition of element "p0"',  # problems with an object of two types
    "ged-opt14-strips": "missing 'problem' at 'PROBLEM'",  # keywords have to be in lower case
    "psr-middle": "Parsing of derived predicates in Tarski not yet implemented",
    "storage": 'Duplicate definition of element "area"',  # a predicate and a type of one name
    "tidybot-opt11-strips": 'Duplicate definition of element "cart"',
    "tyreworld": 'Undefined element "wrench"',  # a constant that only problems declare
    "woodworking-sat08-strips": "mismatched input '-'",  # a type without objects
}
"""By folder, what Tarski's reader does not read: a pattern of its message."""
UNGROUNDED = {
    "elevators-00-full": "quantifier elimination",  # of a universal precondition
    "miconic-fulladl": "Negation of arbitrary formulas not yet implemented",
    "household": "not solvable",  # a goal that cannot be reached
}
"""The same of Tarski's grounder."""
MOST = 8_000  # bytes of a competition's problem: for a larger one, Tarski's reader can take a minute
Names = tuple[str, ...]
Task = tuple[Path, Path]


def tasks() -> list[Any]:
    """The two smallest problems of each domain of the packs; with the data, all others and the competitions'."""
    small, more = list[Task](), list[Task]()
    for domain in sorted(REPOSITORY.glob("pddl/*/domain*.pddl")):
        problems = sorted(domain.parent.glob("problems/*.pddl"), key=lambda file: (file.stat().st_size, file))
        small += [(domain, problem) for problem in problems[:2]]
        more += [(domain, problem) for problem in problems[2:]]
    return [*small, *as_data(more), *as_data(task for task in ipc_tasks() if task[1].stat().st_size < MOST)]


def task_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def theirs(domain: Path, problem: Path) -> Any:
    """Tarski's problem, from the user's files."""
    reader = FstripsReader(raise_on_error=True)
    reader.parse_domain(str(domain))
    return reader.parse_instance(str(problem))


def described(task: Any, spell: Callable[[Any], str]) -> dict[str, Any]:
    """Types with their objects, facts, and schemas with their parameters, in the user's spelling, in lower case."""
    language = task.language
    sorts = [sort for sort in language.sorts if not sort.builtin and sort.name != "number"]
    atoms = [atom for atom in task.init.as_atoms() if not isinstance(atom, tuple)]
    return {
        "objects": {spell(sort.name): {spell(item.symbol) for item in sort.domain()} for sort in sorts},
        "predicates": {
            spell(p.name): tuple(spell(sort.name) for sort in p.sort) for p in language.predicates if not p.builtin
        },
        "facts": {(spell(atom.predicate.name), *map(spell, atom.subterms)) for atom in atoms},
        "schemas": {
            spell(name): tuple(spell(variable.sort.name) for variable in action.parameters)
            for name, action in task.actions.items()
        },
    }


def operators(task: Problem) -> set[Names]:
    """Our reachable operators, in the user's spelling, in lower case."""
    lifted = lift(task)
    return {
        (task.spell(schema.name).lower(), *(task.spell(lifted.objects[o]).lower() for o in row))
        for schema, rows in zip(lifted.schemas, reachable(lifted).bindings, strict=True)
        for row in ([] if rows is None else rows.tolist())
    }


def is_known(error: Exception, messages: dict[str, str], domain: Path) -> bool:
    return domain.parent.name in messages and re.search(messages[domain.parent.name], str(error)) is not None


@pytest.mark.parametrize(("domain", "problem"), tasks(), ids=task_id)
def test_same_problem_and_same_operators(domain: Path, problem: Path) -> None:
    ours = read_problem(domain, problem)
    try:
        twin = theirs(domain, problem)
    except (TarskiError, NotImplementedError) as error:
        assert is_known(error, UNREAD, domain), error
        return
    assert described(ours.tarski, lambda name: ours.spell(str(name)).lower()) == described(
        twin, lambda n: str(n).lower()
    )
    try:
        found = LPGroundingStrategy(twin, include_variable_inequalities=True).ground_actions()
    except (TarskiError, RuntimeError) as error:
        assert is_known(error, UNGROUNDED, domain), error
        return
    assert operators(ours) == {tuple(map(str.lower, (n, *map(str, row)))) for n, rows in found.items() for row in rows}
