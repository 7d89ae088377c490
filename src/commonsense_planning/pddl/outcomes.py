"""Effects by chance: ``(probabilistic p e …)`` of PPDDL, and ``(oneof e …)`` of FOND planning.

An action with such an effect becomes several actions, one for each of its outcomes, with the same parameters and the
same precondition: its all-outcomes determinisation. The first has the action's name, the others have numbers after it.
With which probability each of them comes, the problem says beside (``Problem.outcomes``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from commonsense_planning.errors import PddlError
from commonsense_planning.pddl.syntax import Group, Node, Source, Symbol, bracketed, counted
from commonsense_planning.pddl.vocabulary import is_number, value_of

MOST_OUTCOMES = 64  # of one action
CHANCES = ("probabilistic", "oneof")

Outcome = tuple[float, Group]  # how probable, and the effect without chance


def branches(source: Source, group: Group) -> list[tuple[float, Node]]:
    """The effects of a ``probabilistic`` or ``oneof`` group, each with its probability; those of ``oneof`` are equally
    probable. Raises PddlError for what is no probability."""
    operands = group.items[1:]
    if group.head == "oneof":
        if len(operands) < 2:
            raise source.error(group, f"'oneof' with {counted(len(operands), 'effect')}", "two or more effects")
        return [(1 / len(operands), operand) for operand in operands]
    if not operands or len(operands) % 2:
        raise source.error(group, "'probabilistic' without pairs", "'(probabilistic p effect …)'")
    found, total = [], 0.0
    for chance, effect in zip(operands[::2], operands[1::2], strict=True):
        if not isinstance(chance, Symbol) or not is_number(chance):
            raise source.error(chance, "no number where a probability belongs", "a number from 0 to 1")
        value = value_of(source, chance)
        total += value
        if not 0 <= value <= 1 or total > 1 + 1e-9:
            what = "probabilities that sum to more than 1" if 0 <= value <= 1 else f"the probability {chance.text}"
            raise source.error(chance, what, "numbers from 0 to 1 that sum to 1 at most")
        found.append((value, effect))
    return found


def outcomes(source: Source, effect: Group) -> list[Outcome]:
    """What a checked effect may be: each of its outcomes, all different; they sum to 1. Raises PddlError where these
    are too many."""
    if not _hangs_on_chance(effect):
        return [(1.0, effect)]
    found: dict[Group, float] = {}
    for chance, parts in _outcomes(source, effect):
        outcome = bracketed("and", *parts)
        found[outcome] = found.get(outcome, 0.0) + chance
    if len(found) > MOST_OUTCOMES:
        raise _too_many(source, effect)
    return [(chance, outcome) for outcome, chance in found.items() if chance > 0]


def _too_many(source: Source, node: Node) -> PddlError:
    return source.error(node, "an effect with too many outcomes", f"at most {MOST_OUTCOMES}")


def _hangs_on_chance(node: Node) -> bool:
    return isinstance(node, Group) and (node.head in CHANCES or any(map(_hangs_on_chance, node.items)))


def _outcomes(source: Source, node: Node) -> list[tuple[float, tuple[Node, ...]]]:
    assert isinstance(node, Group)
    if node.head in CHANCES:
        chances = branches(source, node)
        found = [(p * q, parts) for p, effect in chances for q, parts in _outcomes(source, effect)]
        rest = 1 - math.fsum(p for p, _ in chances)
        return found + ([(rest, ())] if rest > 1e-9 else [])
    if node.head == "and":
        alternatives = [_outcomes(source, operand) for operand in node.items[1:]]
        if math.prod(map(len, alternatives)) > MOST_OUTCOMES:
            raise _too_many(source, node)
        return [
            (math.prod(p for p, _ in chosen), tuple(part for _, parts in chosen for part in parts))
            for chosen in itertools.product(*alternatives)
        ]
    if node.head == "when":
        return [
            (p, (bracketed("when", node.items[1], bracketed("and", *parts)),) if parts else ())
            for p, parts in _outcomes(source, node.items[2])
        ]
    return [(1.0, (node,))]


def named(symbol: Symbol, found: Sequence[Outcome]) -> list[tuple[Symbol, float, Group]]:
    """The outcomes of an action, each with the name of its own."""
    return [
        (symbol if i == 1 else Symbol(f"{symbol.text}--{i}", symbol.line, symbol.column), chance, effect)
        for i, (chance, effect) in enumerate(found, 1)
    ]
