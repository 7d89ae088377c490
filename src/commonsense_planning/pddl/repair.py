"""Repairs of a task: changes of the text of its files, in the user's spelling, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from commonsense_planning.pddl.nodes import Group, Node, Symbol, groups, render
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.source import Source, with_mends
from commonsense_planning.pddl.syntax import parse
from commonsense_planning.pddl.variants import section_of, with_objects


class RepairKind(StrEnum):
    """What a repair changes."""

    FACT = "fact"
    OBJECT = "object"
    CONDITION = "condition"
    EFFECT = "effect"
    GOAL = "goal"


@dataclass(frozen=True)
class Repair:
    """A change of a task. ``text``, in PDDL: the initial fact to add, or to remove if it is negated; the condition to
    remove from the ``action``, or the effect to add to it; the goal to remove; the declaration of the object to add,
    with the initial ``facts`` about it. ``likely``: whether the task looks as if it lacked
    the fact, the effect, or the object."""

    kind: RepairKind
    text: str
    action: str = ""
    facts: tuple[str, ...] = ()
    likely: bool = True


def repaired(problem: Problem, repair: Repair) -> tuple[tuple[str, str], str] | None:
    """The texts of the domain and of the problem with a repair, and the repair in words, with its place; None if the
    files have no such place. Raises InputError if it is not PDDL."""
    in_domain = repair.kind in (RepairKind.CONDITION, RepairKind.EFFECT)
    file = problem.domain_file if in_domain else problem.problem_file
    source = parse(problem.texts[0 if in_domain else 1], file)
    found = _edit(source, repair)
    if found is None:
        return None
    node, text, said = found
    texts = (text, problem.texts[1]) if in_domain else (problem.texts[0], text)
    return texts, f"{file}:{node.line}: {said}"


def goals(problem: Problem) -> Iterator[Repair]:
    """The removal of each part of the goal."""
    section = section_of(parse(problem.texts[1], problem.problem_file), (":goal",))
    for part in _conjuncts(section.items[1]) if section is not None and len(section.items) > 1 else ():
        yield Repair(RepairKind.GOAL, render(part))


def _edit(source: Source, repair: Repair) -> tuple[Node, str, str] | None:
    """The node at whose place the text changes, the new text, and what is done, in words."""
    match repair.kind:
        case RepairKind.FACT:
            init, removed = section_of(source, (":init",)), repair.text.removeprefix("(not ")
            if init is None or removed == repair.text:
                return (
                    None if init is None else (init, _added(source, init, repair.text), f"add {repair.text} to :init")
                )
            node = _same(init.items[1:], removed[:-1])
            said = f"remove {removed[:-1]} from :init"
            return None if node is None else (node, with_mends(source.text, [(*source.span(node), "")]), said)
        case RepairKind.OBJECT:
            name, _, kind = repair.text.split(" ")
            text = with_objects(source, {name: kind}, repair.facts)
            facts = f", with {' '.join(repair.facts)} in :init" if repair.facts else ""
            return section_of(source, (":objects",)) or source.root, text, f"add an object {repair.text}{facts}"
        case RepairKind.GOAL:
            section = section_of(source, (":goal",))
            node = None if section is None else _same(_conjuncts(section.items[1]), repair.text)
            return None if node is None else (node, _cut(source, node), f"leave out the goal {repair.text}")
    action = next(
        g for g in groups(source.root) if g.head == ":action" and render(g.items[1]).lower() == repair.action.lower()
    )
    parts = {item.key: after for item, after in pairwise(action.items) if isinstance(item, Symbol)}
    if repair.kind is RepairKind.CONDITION:
        node = _same(_conjuncts(parts[":precondition"]) if ":precondition" in parts else (), repair.text)
        said = f"remove the condition {repair.text} from {repair.action}"
        return None if node is None else (node, _cut(source, node), said)
    said, effect = f"add the effect {repair.text} to {repair.action}", parts.get(":effect")
    if isinstance(effect, Group) and effect.head == "and":
        return effect, _added(source, effect, repair.text), said
    if isinstance(effect, Group):
        start, end = source.span(effect)
        old = source.text[start:end] if effect.items else ""
        return effect, with_mends(source.text, [(start, end, f"(and {old} {repair.text})")]), said
    return action, _added(source, action, f":effect {repair.text}"), said


def _conjuncts(node: Node) -> Iterator[Node]:
    if isinstance(node, Group) and node.head == "and":
        for part in node.items[1:]:
            yield from _conjuncts(part)
    elif isinstance(node, Group) and node.items:
        yield node


def _same(nodes: Iterable[Node], text: str) -> Node | None:
    """The node with this text, in any spelling."""
    return next((node for node in nodes if render(node).lower() == text.lower()), None)


def _cut(source: Source, node: Node) -> str:
    """The text without a part of a conjunction, or with the empty conjunction in place of a single one."""
    return with_mends(source.text, [(*source.span(node), "(and)")])


def _added(source: Source, group: Group, text: str) -> str:
    """The text with a further item at the end of a group."""
    at = source.span(group)[1] - 1
    return with_mends(source.text, [(at, at, f" {text}")])
