"""The words of PO-PDDL that PPDDL has otherwise: ``all`` is ``forall``, ``total-reward`` is ``reward``, and the weights
of ``probabilistic`` are normalised."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from commonsense_planning.pddl.conditions import REWARD
from commonsense_planning.pddl.nodes import Group, Node, Symbol
from commonsense_planning.pddl.source import Mend, Source
from commonsense_planning.pddl.vocabulary import probability


def plain(source: Source, group: Group) -> Group:
    """Translates a part of a file to PPDDL, in the same places. Raises PddlError."""
    items, words = list(group.items), _words(source, group)
    for place, word in words.items():
        items[place] = Symbol(word, items[place].line, items[place].column)
    return replace(group, items=tuple(plain(source, i) if isinstance(i, Group) else i for i in items))


def mends(source: Source, group: Group) -> Iterator[Mend]:
    """Yields the changes that make this part of a file PPDDL. Raises PddlError."""
    for place, word in _words(source, group).items():
        item, start = group.items[place], source.offset(group.items[place])
        yield (*source.span(item), word) if isinstance(item, Group) else (start, start + len(item.text), word)
    for item in group.items:
        if isinstance(item, Group):
            yield from mends(source, item)


def _words(source: Source, group: Group) -> dict[int, str]:
    """Returns the items of a group that are other words in PPDDL."""
    if group.head == "all" and len(group.items) == 3 and isinstance(group.items[1], Group):
        return {0: "forall"}
    if group.head == "total-reward" and len(group.items) == 1:
        return {0: REWARD}
    if group.head == "probabilistic":
        return {1 + 2 * i: repr(share) for i, (share, _) in enumerate(shares(source, group))}
    return {}


def shares(source: Source, group: Group) -> list[tuple[float, Node]]:
    """Returns the branches of a ``probabilistic`` group with normalised weights. Raises PddlError."""
    operands = group.items[1:]
    if not operands or len(operands) % 2:
        raise source.error(group, "'probabilistic' without pairs", "'(probabilistic weight branch …)'")
    weights = [probability(source, node, math.inf) for node in operands[::2]]
    total = math.fsum(weights)
    if not total:
        raise source.error(group, "weights that are all 0", "one at least above 0")
    return [(weight / total, branch) for weight, branch in zip(weights, operands[1::2], strict=True)]
