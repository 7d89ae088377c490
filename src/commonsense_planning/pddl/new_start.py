"""A problem that was read, with other facts at first and another goal: reading a large one takes seconds, this nothing.

Only the problem in memory is another one. Validators that read files still read the old one, so the plan of such a
problem is judged by replay.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import replace

from commonsense_planning.pddl.problem import Problem

NamedAtom = tuple[str, ...]
"""A predicate and its arguments, all normalised names."""


def with_start(problem: Problem, name: str, facts: Collection[NamedAtom], goal: NamedAtom) -> Problem:
    """The problem called ``name`` in which, of the predicates that ``facts`` mention, just these facts hold at first,
    and ``goal`` is to be made true. The description, which was about the old goal, is left out."""
    task = copy.copy(problem.tarski)
    language = task.language
    task.init = copy.copy(task.init)
    changed = {language.get_predicate(predicate).signature for predicate, *_ in facts}
    old = task.init.predicate_extensions
    task.init.predicate_extensions = {key: points for key, points in old.items() if key not in changed}
    for predicate, *arguments in facts:
        task.init.add(language.get_predicate(predicate), *map(language.get_constant, arguments))
    predicate, *arguments = goal
    task.goal = language.get_predicate(predicate)(*map(language.get_constant, arguments))
    return replace(problem, tarski=task, problem_name=name, description="", normal_text=None)
