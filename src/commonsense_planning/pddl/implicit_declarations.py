"""Implicit declarations: a name that a task uses without declaring it is declared by its use, with a warning, if its
meaning is clear. The declarations are added to the copies for other readers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise

from commonsense_planning.pddl.conditions import TOTAL_COST
from commonsense_planning.pddl.nodes import Group, Node, Symbol, by_head, groups, render
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.vocabulary import OBJECT, Signature, Typed
from commonsense_planning.support.english import near


def add_types(
    types: dict[str, Symbol],
    source: Source,
    declarations: Sequence[Node],
    domain: Source,
    section: Group,
    parents: bool = False,
) -> None:
    """Adds the types that ``declarations`` of a file use to ``types``, the domain's from its ``section``. A type
    similar to another one may be misspelt, and is not added, unless it is used as one of the ``parents`` of types."""
    for word in _type_words(declarations):
        if word.key in types:
            continue
        hint = near(word.text, (symbol.text for symbol in types.values()))
        if parents or not hint:
            meant = f" (did you mean {hint}?)" if hint else ""
            source.warn(word, f"undeclared type '{word.text}'{meant}", "a declared type", "as a type without a parent")
            at = domain.span(section)[1] - 1
            domain.mends.append((at, at, f" {word.text}"))
            types[word.key] = word


def _type_words(declarations: Sequence[Node]) -> Iterator[Symbol]:
    """The words at the places of types."""
    for previous, item in pairwise((Group(()), *declarations)):
        if isinstance(item, Group) and item.head != "either":
            yield from _type_words(item.items)
        elif previous == Symbol("-"):
            words = item.items[1:] if isinstance(item, Group) else (item,)
            yield from (word for word in words if isinstance(word, Symbol) and word.key != "number")


def with_total_cost(
    functions: Mapping[str, Signature],
    domain: Source,
    actions: Sequence[Group],
    problem: Source,
    metric: Sequence[Group],
) -> Mapping[str, Signature]:
    """The domain's functions, with ``total-cost`` if it is used, even if it is not declared."""
    places = [*((domain, group) for group in actions), *((problem, group) for group in metric)]
    uses = ((source, use) for source, node in places for use in groups(node) if use.head == TOTAL_COST)
    found = None if TOTAL_COST in functions else next(uses, None)
    if found is None:
        return functions
    source, use = found[0], found[1].items[0]
    source.warn(use, f"undeclared function '{render(use)}'", "a declared function", "as '(total-cost) - number'")
    domain.mends.append(_declaring(domain, ":functions", "(total-cost) - number", ":action"))
    return {**functions, TOTAL_COST: Signature(Symbol(TOTAL_COST))}


def move_to_constants(domain: Source, problem: Source, objects: Mapping[str, Typed], others: Container[str]) -> None:
    """Moves the problem's objects that the domain mentions, all but the ``others``, to its constants."""
    typed = ":types" in by_head(domain.root)
    moved = " ".join(_declarations(item, typed) for key, item in objects.items() if key not in others)
    left = " ".join(_declarations(item, typed) for key, item in objects.items() if key in others)
    domain.mends.append(_declaring(domain, ":constants", moved, ":predicates"))
    problem.mends.append((*problem.span(by_head(problem.root)[":objects"][0]), f"(:objects {left})"))


def declare_wider(domain: Source, declared: Mapping[str, Signature], used: Mapping[str, Signature]) -> None:
    """Replaces the domain's predicates by ones with the types of their uses. VAL accepts ``object`` for all objects
    only if it is declared as the parent of all types, not as one of them."""
    if used == declared:
        return
    sections = by_head(domain.root)
    types_section = sections[":types"][0]
    for group in sections[":predicates"][0].items:
        if isinstance(group, Group) and used.get(group.head) != declared.get(group.head):
            domain.mends.append((*domain.span(group), str(used[group.head])))
    *types, end = types_section.items
    for previous, kind in pairwise((*types, end)):
        if previous != Symbol("-") and kind == OBJECT:
            domain.mends.append((*domain.span(kind), ""))
    if types[-1] != Symbol("-"):
        at = domain.span(types_section)[1] - 1
        domain.mends.append((at, at, f" - {OBJECT.text}"))


def _declarations(item: Typed, typed: bool) -> str:
    return " ".join(f"{item.symbol.text} - {kind.text}" if typed else item.symbol.text for kind in item.types)


def _declaring(domain: Source, keyword: str, words: str, before: str) -> tuple[int, int, str]:
    """The correction that adds words to a section of the domain; if there is no such section, it adds one before
    another."""
    heads = by_head(domain.root)
    if keyword in heads:
        at = domain.offset(heads[keyword][0]) + 1 + len(keyword)
        return at, at, f" {words}"
    at = domain.offset(heads[before][0]) if before in heads else domain.span(domain.root)[1] - 1
    return at, at, f"({keyword} {words}) "
