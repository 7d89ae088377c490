"""A search tree for observers of a decision, as plain data of a readable size.

A search gives its root as a ``SnapshotNode``. Nodes compute their edges on request, and edges the nodes below.
``outline`` takes as much of the tree as is wanted.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from commonsense_planning.elicitation.policies import PolicyOf

MOST_NODES = 120  # nodes of a tree that are recorded with their choices, the most visited first
MOST_CHOICES = 30  # of a node, the most visited first; below the root, of those that were tried
PLACES = 6  # decimals


@dataclass(frozen=True)
class SnapshotEdge:
    """An action or option a at a history h: its ``operators``, ``visits`` N(h,a), ``value`` Q(h,a) (None if a was not
    tried), ``prior`` π̂(a|h) (None without a policy). Selection maximises ``exploit`` + ``explore``, which is infinite
    if a must be tried first. ``then``: the histories observed after it."""

    operators: tuple[int, ...]
    visits: int
    value: float | None
    prior: float | None
    exploit: float
    explore: float
    then: Callable[[], Sequence[SnapshotNode]]

    @property
    def score(self) -> float:
        """What selection maximises."""
        return self.exploit + self.explore


@dataclass(frozen=True)
class SnapshotNode:
    """A history h: the facts ``seen`` to be true at its end (None if the tree does not record them), its ``visits``,
    its ``value`` V(h) if the search has one, and its ``choices``."""

    seen: tuple[int, ...] | None
    visits: int
    value: float | None
    choices: Callable[[], Sequence[SnapshotEdge]]


@dataclass(frozen=True)
class TreeSnapshot:
    """The tree of a decision, valid until the next observation: its ``root``, and the index of the choice ``taken``
    there. ``rule``: how choices are selected, with the constant ``c``; ``values``: "costs" or "rewards"; ``policy_of``:
    whose π̂ is at the root."""

    root: SnapshotNode
    taken: int
    rule: str
    c: float
    values: str
    policy_of: PolicyOf


def outline(
    snapshot: TreeSnapshot, words: Callable[[tuple[int, ...]], dict[str, Any]], fact: Callable[[int], str]
) -> dict[str, Any]:
    """The ``MOST_NODES`` most visited nodes of a tree, as JSON values. ``words``: what to say of a choice's operators;
    ``fact``: the text of a fact."""
    top: dict[str, Any] = {}
    number = itertools.count()
    waiting: list[tuple[float, int, SnapshotNode, dict[str, Any]]] = [(0.0, next(number), snapshot.root, top)]
    for _ in range(MOST_NODES):
        if not waiting:
            break
        _, _, node, told = heapq.heappop(waiting)
        taken = snapshot.taken if told is top else None
        choices = list(enumerate(node.choices()))
        choices.sort(key=lambda entry: (entry[0] != taken, -entry[1].visits, -entry[1].score))
        kept = [entry for entry in choices[:MOST_CHOICES] if entry[1].visits or told is top]
        told["choices"] = []
        for index, choice in kept:
            after = [_snapshot(below, fact) for below in choice.then()]
            for below, told_below in after:
                if below.visits:
                    heapq.heappush(waiting, (-float(below.visits), next(number), below, told_below))
            told["choices"].append(
                {
                    **words(choice.operators),
                    **({"taken": True} if index == taken else {}),
                    "n": choice.visits,
                    "q": _rounded(choice.value),
                    "p": _rounded(choice.prior),
                    "exploit": _rounded(choice.exploit),
                    "explore": _rounded(choice.explore),
                    "then": [told_below for _, told_below in after],
                }
            )
        if len(choices) > len(kept):
            told["left_out"] = len(choices) - len(kept)
    root = snapshot.root
    about = {"rule": snapshot.rule, "c": snapshot.c, "values": snapshot.values, "policy_of": str(snapshot.policy_of)}
    return {**about, "n": root.visits, "v": _rounded(root.value), **top}


def _snapshot(node: SnapshotNode, fact: Callable[[int], str]) -> tuple[SnapshotNode, dict[str, Any]]:
    seen = None if node.seen is None else [fact(f) for f in node.seen]
    return node, {"seen": seen, "n": node.visits, "v": _rounded(node.value)}


def _rounded(value: float | None) -> float | None:
    """A JSON value: None for a number that is infinite or missing."""
    return None if value is None or not math.isfinite(value) else round(float(value), PLACES)
