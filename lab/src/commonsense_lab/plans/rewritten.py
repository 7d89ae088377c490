"""Problems with other initial facts and goals: as the text of a file, or in memory."""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import replace

from commonsense_planning.pddl.nodes import Group, render
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.source import with_mends
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.pddl.variants import goal_replaced, section_of

NamedAtom = tuple[str, ...]
"""A predicate and its arguments, all normalised names."""


def rewritten(problem: Problem, state: Collection[NamedAtom] | None = None, goal: str = "") -> str:
    """The text of a problem's file in which exactly the facts of ``state`` hold initially, and the formula ``goal``
    (PDDL) is the goal, each if it is given; functions keep their values."""
    source = parse(problem.texts[1], problem.problem_file)
    init = section_of(source, (":init",))
    if state is not None and init is not None:
        derived = {rule.atom.predicate.symbol for rule in problem.derived}
        known = [f"({' '.join(map(problem.spell, atom))})" for atom in sorted(state) if atom[0] not in derived]
        known += [render(item) for item in init.items if isinstance(item, Group) and item.head == "="]
        changed = with_mends(source.text, [(*source.span(init), f"(:init {' '.join(known)})")])
        source = parse(changed, source.path)
    return goal_replaced(source, goal) if goal else source.text


def with_start(problem: Problem, name: str, facts: Collection[NamedAtom], goal: NamedAtom) -> Problem:
    """The problem called ``name`` in which, of the predicates in ``facts``, exactly these facts hold initially, and
    ``goal`` is the goal. It has no description, since that was about the old goal.

    Validators that read files still read the old problem, so plans of the new one have to be judged by replay.
    """
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
