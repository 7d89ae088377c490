"""Grounding by reuse: a task of the same world with another initial state and goal.

Most of the work of grounding depends only on objects, static facts and action schemas. Tasks of one home, which differ
in the places of things and in the goal, share it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.constraints import constrained, unconstrained
from commonsense_planning.grounding.ground_task import GroundTask, closed, goal_of
from commonsense_planning.grounding.instantiate import Instantiator
from commonsense_planning.grounding.lifted import Lifted, NumberedAtom, lift
from commonsense_planning.pddl.problem import Problem


def ground_like(task: GroundTask, problem: Problem) -> GroundTask:
    """``task`` with the initial state and the goal of ``problem``; facts and operators keep their numbers.

    Some may be unreachable in ``problem``. Raises InputError if ``problem`` is of another world: it has other objects,
    static facts, schemas or constraints, a contingent ``:init``, or an initial fact that is impossible in ``task``.
    """
    assert task.instantiator is not None
    instantiator = task.instantiator
    old = instantiator.lifted
    there = {str(predicate.symbol) for predicate in problem.tarski.language.predicates}
    new = lift(problem, there & {old.predicates[p] for p in old.fluent})
    different = _difference(old, new)
    if problem.contingent.atoms:
        different = "what :init leaves open"
    init = np.zeros(unconstrained(task).fact_count, np.bool_)
    for predicate, terms in new.init:
        if predicate in old.fluent and not different:
            fact = instantiator.indices[predicate].one(terms)
            if fact < 0:
                different = "an initial fact that cannot become true there"
            else:
                init[fact] = True
    if different:
        raise InputError(
            f"{problem.problem_file}: not a task of the same world as {task.problem.problem_file}: "
            f"they differ in {different}; ground it by itself"
        )
    goal = goal_of(instantiator.dnf(new.goal, {}))
    alike = replace(unconstrained(task), problem=problem, init=closed(task.rules, init), goal=goal)
    return constrained(alike, Instantiator(new, instantiator.indices)) if new.constraints else alike


def _difference(old: Lifted, new: Lifted) -> str:
    """The parts that have to be equal in both tasks and are not; empty if all are."""

    def static(lifted: Lifted) -> set[NumberedAtom]:
        return {atom for atom in lifted.init if atom[0] not in lifted.fluent}

    same = {
        "objects": (old.objects, old.members) == (new.objects, new.members),
        "predicates": (old.predicates, old.fluent) == (new.predicates, new.fluent),
        "action schemas": (old.schemas, old.values) == (new.schemas, new.values),
        "derived predicates": old.rules == new.rules,
        "constraints": old.constraints == new.constraints,
    }
    different = [what for what, equal in same.items() if not equal]
    if not different and static(old) != static(new):
        different = ["static facts"]
    return " and ".join(different)
