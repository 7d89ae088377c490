"""Effects by chance: ``(probabilistic p e …)`` of PPDDL, and ``(oneof e …)`` of FOND planning.

An action with such an effect becomes several actions, one per outcome, with the same parameters and precondition: its
all-outcomes determinisation. The first has the action's name, the others have numbers after it. The probabilities are
in ``Problem.outcomes``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.nodes import Group, Node, Symbol, bracketed, groups
from commonsense_planning.pddl.source import Source
from commonsense_planning.pddl.vocabulary import Typed, probability, typed_variables

MOST_OUTCOMES = 64  # of one action
CHANCES = ("probabilistic", "oneof")

Outcome = tuple[float, Group]  # its probability, and its effect, without chance
Things = Callable[[Typed], Sequence[Symbol]]
"""The objects that a variable may be."""


def branches(source: Source, group: Group) -> list[tuple[float, Node]]:
    """The effects of a ``probabilistic`` or ``oneof`` group, each with its probability; those of ``oneof`` are equally
    probable. Raises PddlError for a malformed group or probability."""
    operands = group.items[1:]
    if group.head == "oneof":
        if not operands:
            raise source.error(group, "'oneof' without effects", "two or more effects")
        if len(operands) == 1:
            source.warn(group, "'oneof' with 1 effect", "two or more effects", "as an effect that is certain")
        return [(1 / len(operands), operand) for operand in operands]
    if not operands or len(operands) % 2:
        raise source.error(group, "'probabilistic' without pairs", "'(probabilistic p effect …)'")
    found, total = [], 0.0
    for chance, effect in zip(operands[::2], operands[1::2], strict=True):
        value = probability(source, chance)
        total += value
        if total > 1 + 1e-9:
            raise source.error(chance, "probabilities that sum to more than 1", "numbers that sum to 1 at most")
        found.append((value, effect))
    return found


def outcomes(source: Source, effect: Group, things: Things) -> list[Outcome]:
    """The outcomes of a checked effect, without duplicates; their probabilities sum to 1. Under ``forall``, the chance
    is independent for each of the ``things``. Raises PddlError for too many outcomes."""
    if not _is_by_chance(effect):
        return [(1.0, effect)]
    found: dict[Group, float] = {}
    for chance, parts in _outcomes(source, effect, things):
        outcome = bracketed("and", *parts)
        found[outcome] = found.get(outcome, 0.0) + chance
    if len(found) > MOST_OUTCOMES:
        raise _too_many(source, effect, len(found))
    return [(chance, outcome) for outcome, chance in found.items() if chance > 0]


def _too_many(source: Source, node: Node, count: int) -> PddlError:
    many = f"{count:,}" if count < 10**9 else "more than a billion"
    return source.error(node, f"an effect with {many} outcomes", f"at most {MOST_OUTCOMES}")


def _is_by_chance(node: Node) -> bool:
    return any(group.head in CHANCES for group in groups(node))


def _outcomes(source: Source, node: Node, things: Things) -> list[tuple[float, tuple[Node, ...]]]:
    assert isinstance(node, Group)
    if node.head in CHANCES:
        chances = branches(source, node)
        found = [(p * q, parts) for p, effect in chances for q, parts in _outcomes(source, effect, things)]
        rest = 1 - math.fsum(p for p, _ in chances)
        return found + ([(rest, ())] if rest > 1e-9 else [])
    if node.head == "forall" and _is_by_chance(node.items[2]):
        variables = typed_variables(source, node.items[1])
        chosen = itertools.product(*map(things, variables))
        values = ({v.symbol.key: thing for v, thing in zip(variables, each, strict=True)} for each in chosen)
        each_its_own = (substituted(node.items[2], each) for each in values)
        return _outcomes(source, Group((Symbol("and"), *each_its_own), node.line, node.column), things)
    if node.head == "and":
        alternatives = [_outcomes(source, operand, things) for operand in node.items[1:]]
        count = math.prod(map(len, alternatives))
        if count > MOST_OUTCOMES:
            raise _too_many(source, node, count)
        return [
            (math.prod(p for p, _ in chosen), tuple(part for _, parts in chosen for part in parts))
            for chosen in itertools.product(*alternatives)
        ]
    if node.head == "when":
        return [
            (p, (bracketed("when", node.items[1], bracketed("and", *parts)),) if parts else ())
            for p, parts in _outcomes(source, node.items[2], things)
        ]
    return [(1.0, (node,))]


def substituted(node: Node, values: Mapping[str, Symbol]) -> Node:
    """The formula with objects in place of its free variables."""
    if isinstance(node, Symbol):
        return values.get(node.key, node)
    if node.head in ("forall", "exists") and isinstance(node.items[1], Group):
        bound = {item.key for item in node.items[1].items if isinstance(item, Symbol)}
        values = {key: thing for key, thing in values.items() if key not in bound}
    return Group(tuple(substituted(item, values) for item in node.items), node.line, node.column)
