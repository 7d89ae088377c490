"""Problems that are a little different: facts less, facts about other things, other wishes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from commonsense_planning.pddl.nodes import Group, Node, Symbol, layout
from commonsense_planning.pddl.syntax import parse
from lab.benchmarks.classical.problems import Task


def mutated(task: Task, rng: np.random.Generator, folder: Path) -> Task:
    """Returns the task with one to three changes in the problem, whose file is ``folder/mutated.pddl``; possibly one
    that no reader accepts."""
    root = parse(task.problem.read_text(encoding="utf-8"), task.problem).root
    sections = {item.head: place for place, item in enumerate(root.items) if isinstance(item, Group)}
    items = list(root.items)
    for _ in range(int(rng.integers(1, 4))):
        where = ":init" if rng.random() < 0.7 else ":goal"
        section = items[sections[where]]
        assert isinstance(section, Group)
        items[sections[where]] = _in_init(section, rng) if where == ":init" else _in_goal(section, rng)
    file = folder / "mutated.pddl"
    file.write_text(layout(Group(tuple(items))) + "\n", encoding="utf-8")
    return Task(task.name, task.domain, file)


def _in_init(init: Group, rng: np.random.Generator) -> Group:
    """Without a fact, without all facts that mention one thing, or with two facts that have swapped a thing."""
    facts = [item for item in init.items[1:] if isinstance(item, Group)]
    atoms = [fact for fact in facts if fact.head != "=" and len(fact.items) > 1]
    if not atoms:
        return init
    one = atoms[int(rng.integers(len(atoms)))]
    draw = rng.random()
    if draw < 0.5:
        left: list[Node] = [fact for fact in facts if fact is not one]
    elif draw < 0.7:
        thing = one.items[-1]
        left = [fact for fact in facts if fact.head == "=" or thing not in fact.items[1:] or len(fact.items) == 2]
    else:
        alike = [atom for atom in atoms if atom.head == one.head]
        other = alike[int(rng.integers(len(alike)))]
        swapped = {id(one): _with_last(one, other.items[-1]), id(other): _with_last(other, one.items[-1])}
        left = [swapped.get(id(fact), fact) for fact in facts]
    return Group((init.items[0], *left))


def _in_goal(goal: Group, rng: np.random.Generator) -> Group:
    """With one of its conjuncts negated, or about the last thing of another one."""
    whole = goal.items[1]
    assert isinstance(whole, Group)
    parts: list[Symbol | Group] = list(whole.items[1:]) if whole.head == "and" else [whole]
    if not parts:
        return goal
    at, other = (parts[i] for i in rng.integers(len(parts), size=2))
    assert isinstance(at, Group) and isinstance(other, Group)
    place = parts.index(at)
    if rng.random() < 0.5 or at.head != other.head or len(at.items) < 2:
        parts[place] = at.items[1] if at.head == "not" else Group((Symbol("not"), at))
    else:
        parts[place] = _with_last(at, other.items[-1])
    return Group((goal.items[0], Group((Symbol("and"), *parts))))


def _with_last(atom: Group, last: Node) -> Group:
    return Group((*atom.items[:-1], last))
