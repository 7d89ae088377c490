"""The outline of a tree: what is told of it, and what is left out."""

from __future__ import annotations

import math
from typing import Any

from commonsense_planning.elicitation.policies import PolicyOf
from commonsense_planning.search.pomdp.tree_snapshot import (
    MOST_CHOICES,
    MOST_NODES,
    SnapshotEdge,
    SnapshotNode,
    TreeSnapshot,
    outline,
)


def tree(breadth: int, depth: int, visits: int) -> SnapshotNode:
    """A tree in which each choice is tried half as often as the one before it, the last ones never."""

    def choices() -> list[SnapshotEdge]:
        shares = [visits >> (i + 1) for i in range(breadth)] if depth else []
        return [choice(i, n) for i, n in enumerate(shares)]

    def choice(number: int, n: int) -> SnapshotEdge:
        below = [tree(breadth, depth - 1, n)] if n else []
        return SnapshotEdge((number,), n, 1.0 if n else None, 0.5, 1.0, 0.1 if n else math.inf, lambda: below)

    return SnapshotNode((depth,), visits, None, choices)


def drawn(root: SnapshotNode, taken: int = 0) -> dict[str, Any]:
    snapshot = TreeSnapshot(root, taken, "UCB1", 1.4, "rewards", PolicyOf.NOBODY)
    return outline(snapshot, lambda operators: {"action": f"(a{operators[-1]})"}, lambda fact: f"(f{fact})")


def opened(sight: dict[str, Any]) -> list[dict[str, Any]]:
    """All sights whose choices are told."""
    below = [found for choice in sight.get("choices", ()) for after in choice["then"] for found in opened(after)]
    return [sight, *below] if "choices" in sight else below


def test_a_large_tree_is_cut() -> None:
    told = drawn(tree(breadth=40, depth=30, visits=1 << 30))
    assert len(told["choices"]) == MOST_CHOICES and told["left_out"] == 40 - MOST_CHOICES
    assert len(opened(told)) == MOST_NODES


def test_the_most_visited_are_kept() -> None:
    told = drawn(tree(breadth=40, depth=30, visits=1 << 30))
    least = min(sight["n"] for sight in opened(told)[1:])
    shut = [
        after["n"]
        for sight in opened(told)
        for choice in sight["choices"]
        for after in choice["then"]
        if "choices" not in after
    ]
    assert max(shut) <= least


def test_what_was_taken_comes_first_even_if_hardly_visited() -> None:
    told = drawn(tree(breadth=40, depth=1, visits=8), taken=39)
    first, second, *_ = told["choices"]
    assert (first["action"], first.get("taken")) == ("(a39)", True)
    assert (second["action"], second["n"]) == ("(a0)", 4) and "taken" not in second


def test_what_was_never_tried_has_no_value_and_no_end() -> None:
    told = drawn(tree(breadth=3, depth=1, visits=2))
    assert [(choice["n"], choice["q"], choice["explore"]) for choice in told["choices"]] == [
        (1, 1.0, 0.1),
        (0, None, None),
        (0, None, None),
    ]


def test_below_the_root_only_what_was_tried_is_told() -> None:
    told = drawn(tree(breadth=3, depth=2, visits=4))
    below = told["choices"][0]["then"][0]
    assert below["seen"] == ["(f1)"]
    assert [choice["n"] for choice in below["choices"]] == [1] and below["left_out"] == 2
