"""UCT (Kocsis and Szepesvári 2006): the tree search of Algorithm 1 without a policy. UCB1 selects, roll-outs are
random, nobody is asked in the tree, so the simulations of a decision run compiled.

``Uct`` is the method written out, ``CompiledUct`` what is used; from equal random numbers both make the same tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from commonsense_planning.elicitation.policies import PolicyOf, Probabilities, UniformPolicy
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import random_below
from commonsense_planning.kernels.tree import (
    NONE,
    Constants,
    empty_tree,
    forget,
    grown,
    keep_subtree,
    room_for,
    simulate,
)
from commonsense_planning.pomdp.belief import Belief, Sampler
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.mcts import (
    Choose,
    Counts,
    Mcts,
    MctsOptions,
    Node,
    UniformRollout,
    choices_of,
    in_time,
)
from commonsense_planning.search.pomdp.tree_snapshot import SnapshotEdge, SnapshotNode, TreeSnapshot

AT_A_TIME = 256  # simulations between two reports of progress
MOST_BYTES = 1 << 30  # of a tree
NODES, ROWS, EDGES = 1024, 128, 4096  # room of a new tree


def ucb1(values: Floats, counts: Counts, c: float) -> Floats:
    """UCB1: Q(h,a) + c·sqrt(ln N(h) / N(h,a)), float64 (operators,); infinite for what was never tried."""
    scores = np.full(len(values), np.inf)
    tried = counts > 0
    if tried.any():
        scores[tried] = values[tried] + c * np.sqrt(math.log(counts.sum()) / counts[tried])
    return scores


class Uct(Mcts):
    """Algorithm 1 with UCB1 in the place of PUCT; what is equally good is chosen among at random."""

    rule = "UCB1"
    usual_exploration = 1.414  # √2, which goes with rewards in [0, 1]
    rollout: UniformRollout

    def __init__(
        self,
        task: Compiled,
        belief: Belief,
        rollout: UniformRollout,
        config: MctsOptions,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(task, belief, UniformPolicy(), rollout, config, rng)

    def select(self, node: Node) -> int:
        """a* = argmax UCB1; the index of an operator of the node."""
        scores = ucb1(node.values, node.counts, self.exploration)
        ties = np.flatnonzero(scores == scores.max())
        return int(ties[random_below(self.rollout.rng, len(ties))])

    def scores(self, values: Floats, counts: Counts, policy: Probabilities) -> Floats:
        return ucb1(values, counts, self.exploration)

    def best(self, node: Node) -> int:
        """argmax Q(h,a) or N(h,a), of those that were tried."""
        measure = node.values if self.config.choose is Choose.VALUE else node.counts
        highest = measure[node.counts > 0].max()
        return int(self.rng.choice(np.flatnonzero((node.counts > 0) & (measure == highest))))


class CompiledUct(Uct):
    """The same search, the tree being in flat arrays.

    A tree never takes more than about ``most_bytes``. When it would, no more nodes are added: simulations go on through
    what is there and roll out below it. The subtree of what was really seen is kept, and what that frees is used again.
    """

    def __init__(
        self,
        task: Compiled,
        belief: Belief,
        rollout: UniformRollout,
        config: MctsOptions,
        rng: np.random.Generator,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        super().__init__(task, belief, rollout, config, rng)
        self.most_bytes = most_bytes
        self.random = rollout.rng
        self._buffer = np.empty(max(1, task.operator_count), np.int32)
        self.tree = empty_tree(NODES, ROWS, max(EDGES, task.operator_count))

    def search(self, done: tuple[int, ...], report: Callable[[int], None] | None = None) -> Node:
        """As in ``Mcts``, but the node has no children, and ``report`` is called every AT_A_TIME simulations."""
        config = self.config
        self.root = root = self.node(self.belief.state(), done)
        sampler = self.belief.sampler()
        finished = 0
        while finished < config.simulations:
            count = min(AT_A_TIME, config.simulations - finished)
            self._simulate(sampler, self.rng.random((count, sampler.draws.size)))
            finished += count
            if not in_time(report, finished):
                break
        size = len(root.operators)
        root.counts, root.values = self.tree.counts[:size].astype(np.int64), self.tree.values[:size].copy()
        root.policy = np.full(size, 1.0 / max(1, size))
        return root

    def snapshot(self, choice: int) -> TreeSnapshot:
        """As in ``Mcts``; what is seen at a node, the tree does not keep."""
        return TreeSnapshot(self._snapshot_of(0), choice, self.rule, self.exploration, "rewards", PolicyOf.NOBODY)

    def _snapshot_of(self, node: int) -> SnapshotNode:
        row = int(self.tree.row[node])
        visits = 0 if row == NONE else int(self.tree.visits[row])
        return SnapshotNode(None, visits, None, lambda: [] if row == NONE else self._choices_of(node, row))

    def _choices_of(self, node: int, row: int) -> list[SnapshotEdge]:
        tree = self.tree
        edges = slice(int(tree.first[row]), int(tree.last[row]))
        counts, values = tree.counts[edges].astype(np.int64), tree.values[edges]
        children = np.flatnonzero(tree.parent[: tree.used[0]] == node)

        def after(index: int) -> list[SnapshotNode]:
            return [self._snapshot_of(child) for child in children[tree.choice[children] == index].tolist()]

        scores = ucb1(np.zeros(len(values)), counts, self.exploration)
        return choices_of(tree.operators[edges], counts, values, None, scores, after)

    def advance(self, choice: int) -> None:
        tree, nodes = self.tree, self.tree.used[0]
        seen = np.uint64(self.generate.observed(self.belief.state()))
        after = (tree.parent[:nodes] == 0) & (tree.choice[:nodes] == choice) & (tree.seen[:nodes] == seen)
        found = np.flatnonzero(after & (tree.row[:nodes] != NONE))
        if len(found):
            keep_subtree(tree, int(found[0]))
        else:
            self.forget()

    def forget(self) -> None:
        forget(self.tree)

    def _simulate(self, sampler: Sampler, worlds: Floats) -> None:
        """A simulation for each row of numbers."""
        config, task = self.config, self.task
        numbers = Constants(config.depth, config.discount, self.exploration)
        state, draws = sampler.state, sampler.draws
        while len(worlds):
            room = room_for(self.tree, task.operator_count)
            if not room and 2 * self.tree.size <= self.most_bytes:
                self.tree = grown(self.tree, task.operator_count)
                room = True
            made = simulate(task.table, self.tree, room, state, draws, worlds, numbers, self.random, self._buffer)
            worlds = worlds[made:]
