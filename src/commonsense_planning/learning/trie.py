"""Sequences of tokens as a tree of their common beginnings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

START = -1


class Trie:
    """The inner tokens of some sequences: all but the last of each, and those with a common beginning once.

    ``tokens`` and ``depths`` (0 for first tokens) per node, parents before children. ``above``: bool (nodes, nodes),
    whether the column's node is on the way to the row's, itself included. ``paths``: for each sequence its tokens, each
    with the node that it follows, ``START`` for the first.
    """

    def __init__(self, sequences: Sequence[Sequence[int]]) -> None:
        self.tokens: list[int] = []
        self.depths: list[int] = []
        self.paths: list[list[tuple[int, int]]] = []
        parents: list[int] = []
        children: dict[tuple[int, int], int] = {}
        for sequence in sequences:
            node, path = START, []
            for depth, token in enumerate(sequence):
                path.append((node, token))
                if depth == len(sequence) - 1:
                    break
                if (node, token) not in children:
                    children[node, token] = len(self.tokens)
                    self.tokens.append(token)
                    self.depths.append(depth)
                    parents.append(node)
                node = children[node, token]
            self.paths.append(path)
        self.above = np.eye(len(self.tokens), dtype=np.bool_)
        for node, parent in enumerate(parents):
            if parent != START:
                self.above[node] |= self.above[parent]

    def __len__(self) -> int:
        return len(self.tokens)
