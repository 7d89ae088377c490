"""Constraints compiled away, for planners that do not take them.

What must always hold must hold in every state in which an action is carried out, and in the last one. So it joins
every action's precondition and the goal: the plans are the same, step by step.
"""

from __future__ import annotations

from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.syntax import Group, Node, Symbol, parse, render

_AND = Symbol("and")


def without_constraints(problem: Problem) -> tuple[str, str]:
    """The texts of a domain file and a problem file, in normal form, with the same plans and no constraints."""
    assert problem.normal_text is not None
    domain, task = (parse(text).root for text in problem.normal_text)
    sections = [item for item in task.items if isinstance(item, Group)]
    constraints = [section.items[1] for section in sections if section.head == ":constraints"]
    always = [item.items[1] for group in constraints if isinstance(group, Group) for item in _groups(group)]
    domain = Group(tuple(_constrained_action(item, always) for item in domain.items))
    kept = (item for item in task.items if not (isinstance(item, Group) and item.head == ":constraints"))
    task = Group(tuple(_constrained_goal(item, always) for item in kept))
    return render(domain), render(task)


def _constrained_action(item: Node, always: list[Node]) -> Node:
    if not isinstance(item, Group):
        return item
    if item.head == ":requirements":
        return Group(tuple(word for word in item.items if word != Symbol(":constraints")))
    if item.head != ":action":
        return item
    place = item.items.index(Symbol(":precondition")) + 1
    precondition = Group((_AND, item.items[place], *always))
    return Group((*item.items[:place], precondition, *item.items[place + 1 :]))


def _constrained_goal(item: Node, always: list[Node]) -> Node:
    if not isinstance(item, Group) or item.head != ":goal":
        return item
    return Group((item.items[0], Group((_AND, item.items[1], *always))))


def _groups(group: Group) -> list[Group]:
    return [item for item in group.items if isinstance(item, Group)]
