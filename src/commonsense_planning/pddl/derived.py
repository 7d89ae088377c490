"""Checks derived predicates (PDDL 2.2; Edelkamp and Hoffmann 2004): ``(:derived (p ?x - t …) condition)``.

An atom of such a predicate holds if and only if the condition of one of its rules does. No action changes it, and
``:init`` does not state it. Rules may be recursive, with the least fixed point as their meaning, but not through a
negation, which would leave the meaning undefined. So the rules are *stratified*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from commonsense_planning.errors import collected
from commonsense_planning.pddl.conditions import Checker, scope_of
from commonsense_planning.pddl.initial import InitialState
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.sections import Feature
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.vocabulary import Typed, typed_variables
from commonsense_planning.support.english import counted


@dataclass(frozen=True)
class Rule:
    """A checked rule: the atom of ``predicate`` over ``parameters`` holds where ``condition`` does."""

    predicate: Symbol
    parameters: tuple[Typed, ...]
    condition: Node


def derived_names(source: Source, groups: Sequence[Group]) -> dict[str, Symbol]:
    """The derived predicates: key → the name at its first occurrence. Raises PddlError for a malformed rule."""
    found: dict[str, Symbol] = {}
    for group in groups:
        if len(group.items) != 3:
            problem = f"':derived' has {counted(len(group.items) - 1, 'part')}"
            raise source.error(group, problem, "'(:derived (predicate ?x - type …) condition)'")
        head = group.items[1]
        if not isinstance(head, Group) or not head.items or not isinstance(head.items[0], Symbol):
            raise source.error(head, "no atom after ':derived'", "'(predicate ?x - type …)'")
        found.setdefault(head.items[0].key, head.items[0])
    return found


def check_rules(checker: Checker, groups: Sequence[Group]) -> tuple[Rule, ...]:
    """Checks the rules, which ``derived_names`` accepts. Raises PddlError, also for recursion through a negation."""
    known = len(checker.errors or ())
    rules = []
    for group in groups:
        with collected(checker.errors):
            rules.append(_rule(checker, group))
    if rules and len(checker.errors or ()) == known:
        checker.features.add(Feature.DERIVED_PREDICATES)
        _check_stratified(checker.source, rules)
    return tuple(rules)


def check_certain(source: Source, rules: Sequence[Rule], initial: InitialState) -> None:
    """Raises UnsupportedFeature if ``:init`` leaves facts open that derived facts depend on."""
    wanted = {symbol.key: rule.predicate for rule in rules for symbol, _ in _mentioned(rule.condition, True)}
    alternatives = [a for constraint in (*initial.oneof, *initial.clauses) for a in constraint]
    for atom in (*initial.unknown, *(atom for literals in alternatives for atom, _ in literals)):
        if atom.head in wanted:
            problem = f"open facts that derived facts, here of '{wanted[atom.head].text}', depend on are"
            raise source.unsupported(atom, problem, "a predicate that no rule mentions")


def _rule(checker: Checker, group: Group) -> Rule:
    source, words = checker.source, checker.vocabulary
    _, head, condition = group.items
    assert isinstance(head, Group) and isinstance(head.items[0], Symbol)
    signature = words.predicate(source, head.items[0])
    variables = typed_variables(source, Group(head.items[1:], head.line, head.column))
    if len(variables) != len(signature.parameters):
        problem = f"'{signature.symbol.text}' has {counted(len(variables), 'argument')}"
        raise source.error(head, problem, f"{len(signature.parameters)}: {signature}")
    parameters = []
    for variable, parameter in zip(variables, signature.parameters, strict=True):
        if not variable.types[0].line:  # no type: the predicate's
            variable = Typed(variable.symbol, parameter.types)
        words.check_types(source, (variable,))
        if not words.fits(variable, parameter.types):
            problem = f"'{variable.symbol.text}' is of type {variable.type_text}"
            raise source.error(variable.symbol, problem, f"type {parameter.type_text} as in {signature}")
        parameters.append(variable)
    checker.condition(condition, scope_of(parameters))
    return Rule(head.items[0], tuple(parameters), condition)


def _check_stratified(source: Source, rules: Sequence[Rule]) -> None:
    """Raises a PddlError at a negation in a cycle of predicates, which it names."""
    derived = {rule.predicate.key for rule in rules}
    mentions = [
        (rule.predicate, atom, positive)
        for rule in rules
        for atom, positive in _mentioned(rule.condition, True)
        if atom.key in derived
    ]
    wants: dict[str, list[tuple[str, bool]]] = {}
    for head, atom, positive in mentions:
        wants.setdefault(head.key, []).append((atom.key, positive))
    for head, atom, positive in mentions:
        back = None if positive else _path(wants, atom.key, head.key)
        if back is not None:
            circle = " - ".join([head.text, f"not {atom.text}", *back[1:]])
            problem = f"'{head.text}' is derived from its own negation: {circle}"
            raise source.error(atom, problem, "rules without a circle through a negation")


def _path(wants: Mapping[str, Sequence[tuple[str, bool]]], start: str, end: str) -> list[str] | None:
    """A shortest path between predicates along the mentions in their rules, as texts; None if there is none."""
    paths = {start: [start]}
    waiting = [start]
    while waiting and end not in paths:
        here = waiting.pop(0)
        for key, positive in wants.get(here, ()):
            if key not in paths:
                paths[key] = [*paths[here], key if positive else f"not {key}"]
                waiting.append(key)
    return paths.get(end)


def _mentioned(node: Node, positive: bool) -> Iterator[tuple[Symbol, bool]]:
    """The predicates of a checked condition, each with whether its occurrence is positive."""
    assert isinstance(node, Group)
    if not node.items or node.head == "=":
        return
    operands = node.items[1:]
    if node.head in ("and", "or", "not"):
        for operand in operands:
            yield from _mentioned(operand, positive != (node.head == "not"))
    elif node.head == "imply":
        yield from _mentioned(operands[0], not positive)
        yield from _mentioned(operands[1], positive)
    elif node.head in ("exists", "forall"):
        yield from _mentioned(operands[1], positive)
    else:
        assert isinstance(node.items[0], Symbol)
        yield node.items[0], positive
