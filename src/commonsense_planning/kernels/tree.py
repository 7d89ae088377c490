"""The tree of UCT in flat arrays, and its simulations in one compiled call.

The obvious twin is ``search.pomdp.uct.Uct``: with equal random numbers both give the same tree. A node is a number; it
has a row once a simulation has come back to it, and only then its operators, so the many nodes that were visited once
take little.

Nodes are found from their parents in ``buckets``, a hash table with open addressing, by action and by what is seen.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.compiled import OPERATORS, State
from commonsense_planning.kernels.compiling import njit
from commonsense_planning.kernels.engine import (
    applicable_actions,
    draw_outcome,
    failure_reached,
    goal_reached,
    infer_groups,
    progress,
    random_below,
    uniform_rollout,
    visible_hash,
)
from commonsense_planning.kernels.sampling import Draws, Floats, draw_world

NONE = -1


class Tree(NamedTuple):
    """Node 0 is the root; a node comes after its parent, and rows come in the order in which they were made.

    ``used`` int64 (3,): nodes, rows and edges in use; the rest of the arrays is room to grow. An edge is an operator of
    a node with N(h,a) and Q(h,a).
    """

    used: Int64
    # node → its parent, the index of the action among the parent's operators, what is seen, its row or NONE
    parent: Int32
    choice: Int32
    seen: State
    row: Int32
    # row → its node, the first of its edges, one past the last, N(h)
    node: Int32
    first: Int64
    last: Int64
    visits: Int64
    # edge → its operator, N(h,a), Q(h,a)
    operators: Int32
    counts: Int32
    values: Floats
    buckets: Int32  # a power of two, at least twice the room for nodes; NONE where empty

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self)


class Constants(NamedTuple):
    """``depth``: the horizon. ``discount``: γ. ``exploration``: c of UCB1."""

    depth: int
    discount: float
    exploration: float


def empty_tree(nodes: int, rows: int, edges: int) -> Tree:
    """A tree of the root alone, without a row, and room for so many."""
    integers = np.int32
    tree = Tree(
        np.zeros(3, np.int64),
        np.empty(nodes, integers),
        np.empty(nodes, integers),
        np.empty(nodes, np.uint64),
        np.empty(nodes, integers),
        np.empty(rows, integers),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        np.empty(edges, integers),
        np.empty(edges, integers),
        np.empty(edges, np.float64),
        np.full(1 << (2 * nodes - 1).bit_length(), NONE, integers),
    )
    forget(tree)
    return tree


def forget(tree: Tree) -> None:
    """Leave nothing but a root without a row; the room stays."""
    tree.used[:] = 1, 0, 0
    tree.parent[0] = tree.choice[0] = tree.row[0] = NONE
    tree.seen[0] = 0
    tree.buckets[:] = NONE


def room_for(tree: Tree, edges: int) -> bool:
    """Whether a simulation that adds a node, and makes a row of so many edges, finds room."""
    nodes, rows, used = tree.used
    return bool(nodes < len(tree.parent) and rows < len(tree.node) and used + edges <= len(tree.operators))


def grown(tree: Tree, edges: int) -> Tree:
    """A copy with twice the room where there was too little for one more simulation, see ``room_for``."""
    nodes, rows, used = tree.used.tolist()
    larger = empty_tree(
        len(tree.parent) * (1 + (nodes == len(tree.parent))),
        len(tree.node) * (1 + (rows == len(tree.node))),
        len(tree.operators) * (1 + (used + edges > len(tree.operators))),
    )
    larger.used[:] = tree.used
    in_use = (nodes,) * 4 + (rows,) * 4 + (used,) * 3
    for name, count in zip(Tree._fields[1:-1], in_use, strict=True):
        getattr(larger, name)[:count] = getattr(tree, name)[:count]
    file_nodes(larger)
    return larger


@njit(cache=True, inline="always")
def _bucket(tree: Tree, parent: int, choice: int, seen: np.uint64) -> int:
    """Where the node stands in the hash table, or should stand if that place is empty."""
    h = (seen ^ np.uint64(parent)) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(29)) ^ np.uint64(choice)) * np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(31)
    last = len(tree.buckets) - 1
    place = np.int64(h & np.uint64(last))
    while tree.buckets[place] != NONE:
        node = tree.buckets[place]
        if tree.seen[node] == seen and tree.parent[node] == parent and tree.choice[node] == choice:
            break
        place = (place + 1) & last
    return int(place)


@njit(cache=True)
def file_nodes(tree: Tree) -> None:
    """Fill the hash table anew."""
    tree.buckets[:] = NONE
    for node in range(1, tree.used[0]):
        tree.buckets[_bucket(tree, tree.parent[node], tree.choice[node], tree.seen[node])] = node


@njit(cache=True)
def _make_row(t: Int32, tree: Tree, node: int, state: State, buffer: Int32) -> None:
    """Give a node its row: the operators that the agent may take in any state of it."""
    row, first = tree.used[1], tree.used[2]
    count = applicable_actions(t, state, buffer)
    last = first + count
    tree.operators[first:last] = np.sort(buffer[:count])
    tree.counts[first:last] = 0
    tree.values[first:last] = 0.0
    tree.node[row], tree.first[row], tree.last[row], tree.visits[row] = node, first, last, 0
    tree.row[node] = row
    tree.used[1], tree.used[2] = row + 1, last


@njit(cache=True)
def _add_node(tree: Tree, parent: int, choice: int, seen: np.uint64, place: int) -> None:
    node = tree.used[0]
    tree.parent[node], tree.choice[node], tree.seen[node], tree.row[node] = parent, choice, seen, NONE
    tree.buckets[place] = node
    tree.used[0] = node + 1


@njit(cache=True)
def _select(tree: Tree, row: int, exploration: float, rng: State, buffer: Int32) -> int:
    """UCB1: argmax of Q(h,a) + c·sqrt(ln N(h) / N(h,a)), which is infinite for what was never tried; ties at random.
    The edge."""
    first, last = tree.first[row], tree.last[row]
    log = math.log(tree.visits[row]) if tree.visits[row] else 0.0
    best, ties = -np.inf, 0
    for edge in range(first, last):
        score = np.inf
        if tree.counts[edge]:
            score = tree.values[edge] + exploration * math.sqrt(log / tree.counts[edge])
        if score > best:
            best, ties = score, 0
        if score == best:
            buffer[ties] = edge - first
            ties += 1
    return int(first + buffer[random_below(rng, ties)])


@njit(cache=True)
def _simulate(t: Int32, tree: Tree, grow: bool, state: State, numbers: Constants, rng: State, buffer: Int32) -> None:
    """SIMULATE from the root in the world of ``state``, which is changed."""
    path = np.empty((numbers.depth, 2), np.int64)  # rows and edges
    length, node, value, ended = 0, 0, 0.0, False
    while length < numbers.depth:
        row = tree.row[node]
        if row == NONE:
            if not grow:
                value = uniform_rollout(t, state, numbers.depth - length, numbers.discount, rng, buffer)
                break
            _make_row(t, tree, node, state, buffer)
            row = tree.row[node]
        if tree.first[row] == tree.last[row]:
            break
        edge = _select(tree, row, numbers.exploration, rng, buffer)
        path[length, 0], path[length, 1] = row, edge
        length += 1
        progress(t, state, draw_outcome(t, tree.operators[edge], rng))
        infer_groups(t, state)
        if failure_reached(t, state):
            ended = True
            break
        if goal_reached(t, state):
            value, ended = 1.0, True
            break
        choice, seen = edge - tree.first[row], visible_hash(t, state)
        place = _bucket(tree, node, choice, seen)
        if tree.buckets[place] == NONE:
            if grow:
                _add_node(tree, node, choice, seen, place)
            value = uniform_rollout(t, state, numbers.depth - length, numbers.discount, rng, buffer)
            break
        node = tree.buckets[place]
    for i in range(length - 1, -1, -1):
        if not ended or i < length - 1:
            value *= numbers.discount
        row, edge = path[i, 0], path[i, 1]
        tree.visits[row] += 1
        tree.counts[edge] += 1
        tree.values[edge] += (value - tree.values[edge]) / tree.counts[edge]


@njit(cache=True, nogil=True)
def simulate(
    t: Int32,
    tree: Tree,
    grow: bool,
    base: State,
    draws: Draws,
    worlds: Floats,
    numbers: Constants,
    rng: State,
    buffer: Int32,
) -> int:
    """Simulations from the root, one per row of ``worlds``, float64 (simulations, ``draws.size``), which are numbers
    in [0, 1); gives how many were made before there was no more room to ``grow``. Without growing, nodes that are not
    there are rolled out and not added.

    ``base``: what is known, as a state. ``rng``: see ``random_below``. ``buffer``: int32 (operators,).
    """
    state = base.copy()
    for i in range(len(worlds)):
        room = (
            tree.used[0] < len(tree.parent)
            and tree.used[1] < len(tree.node)
            and tree.used[2] + t[OPERATORS] <= len(tree.operators)
        )
        if grow and not room:
            return i
        state[:] = base
        draw_world(draws, worlds[i], state)
        _simulate(t, tree, grow, state, numbers, rng, buffer)
    return len(worlds)


@njit(cache=True)
def keep_subtree(tree: Tree, root: int) -> None:
    """Make ``root``, a node with a row, the root, and drop what is not below it; in place."""
    number = np.full(tree.used[0], NONE, np.int32)  # node → its new number
    number[root] = 0
    nodes = 1
    for node in range(root + 1, tree.used[0]):
        if number[tree.parent[node]] != NONE:
            number[node] = nodes
            nodes += 1
    rows, edges = 0, np.int64(0)
    for row in range(tree.used[1]):
        node = tree.node[row]
        if number[node] == NONE:
            continue
        first, last = tree.first[row], tree.last[row]
        for k in range(last - first):
            tree.operators[edges + k] = tree.operators[first + k]
            tree.counts[edges + k] = tree.counts[first + k]
            tree.values[edges + k] = tree.values[first + k]
        tree.row[node], tree.node[rows] = rows, number[node]
        tree.first[rows], tree.last[rows], tree.visits[rows] = edges, edges + last - first, tree.visits[row]
        rows, edges = rows + 1, edges + last - first
    for node in range(root, tree.used[0]):
        kept = number[node]
        if kept != NONE:
            parent = number[tree.parent[node]] if node != root else NONE
            tree.parent[kept], tree.choice[kept] = parent, tree.choice[node]
            tree.seen[kept], tree.row[kept] = tree.seen[node], tree.row[node]
    tree.used[0], tree.used[1], tree.used[2] = nodes, rows, edges
    file_nodes(tree)
