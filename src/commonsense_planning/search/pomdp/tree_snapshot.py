"""A search tree as those see it who look on: what was searched at a decision, as plain data, not more than can be read.

A search gives its root as a ``SnapshotNode``, which gives its edges when it is asked for them, and they what may come
of them; ``outline`` takes as much of that as is wanted.
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
PLACES = 6  # behind the point


@dataclass(frozen=True)
class SnapshotEdge:
    """An action or an option a at a history h: its ``operators``, N(h,a) ``visits``, the ``value`` Q(h,a) (None where a
    was not tried), the policy's ``prior`` π̂(a|h) (None without one). By ``exploit`` + ``explore`` it is selected;
    infinite where it must be tried first. ``then``: what was seen after it, and may be again."""

    operators: tuple[int, ...]
    visits: int
    value: float | None
    prior: float | None
    exploit: float
    explore: float
    then: Callable[[], Sequence[SnapshotNode]]

    @property
    def score(self) -> float:
        """What the selection goes by."""
        return self.exploit + self.explore


@dataclass(frozen=True)
class SnapshotNode:
    """A history h: the facts that were ``seen`` to be true at its end (None where the tree does not keep them), how
    often it was visited, V(h) if the search has one, and its ``choices``."""

    seen: tuple[int, ...] | None
    visits: int
    value: float | None
    choices: Callable[[], Sequence[SnapshotEdge]]


@dataclass(frozen=True)
class TreeSnapshot:
    """The tree of a decision, to be read before the next observation: its ``root``, and which of the root's choices was
    taken. ``rule`` says how choices are selected, with the constant ``c``; ``values``: whether they are costs or
    rewards; ``policy_of``: whose π̂ at the root is."""

    root: SnapshotNode
    taken: int
    rule: str
    c: float
    values: str
    policy_of: PolicyOf


def outline(
    snapshot: TreeSnapshot, words: Callable[[tuple[int, ...]], dict[str, Any]], fact: Callable[[int], str]
) -> dict[str, Any]:
    """A tree as values of JSON, the most visited MOST_NODES of it. ``words``: what is to be told of the operators of a
    choice; ``fact`` names one."""
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
    """As JSON can have it: None for what is infinite, or not there."""
    return None if value is None or not math.isfinite(value) else round(float(value), PLACES)
