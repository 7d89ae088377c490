"""LLM-MCTS: Algorithm 1 of Zhao, Lee and Hsu (2023), with everything that the paper varies as an argument.

A node stands for a history h of actions and observations; it is found from its parent by the action and by
what the agent sees after it. The names in the algorithm: N(h) ``visits``, N(h,a) ``counts``, Q(h,a) ``values``,
π̂(a|h) ``policy``, c ``exploration``, γ ``discount``. The horizon γ^d < ε is given as ``depth``. The root is in
the tree from the start.

Beyond the paper, with roll-outs that are ``paired``: a return depends on the action and, far more, on where the
sampled world happens to have put things. The value of the same world at the root is taken off (a control
variate), so that Q says what an action gains or loses, and the noise of the world goes away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Choice, SearchConfig
from commonsense_planning.search.policies import Policy, Probabilities, Situation
from commonsense_planning.search.rollouts import Rollout
from commonsense_planning.task.engine import (
    Compiled,
    State,
    applicable,
    failure_reached,
    goal_reached,
    infer_groups,
    make_state,
    progress,
    unpack,
    visible_hash,
)
from commonsense_planning.task.ground_task import Int32
from commonsense_planning.world.belief import Belief


@dataclass
class Node:
    """A history that is in the tree. ``known``: what the agent knows there, as the second half of a state."""

    operators: Int32
    truth: State
    known: State
    done: tuple[int, ...]
    visits: int = 0
    counts: npt.NDArray[np.int64] = field(init=False)
    values: npt.NDArray[np.float64] = field(init=False)
    policy: Probabilities | None = None
    children: dict[tuple[int, int], Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.operators), np.int64)
        self.values = np.zeros(len(self.operators))


class Mcts:
    """The search; keeps its tree from decision to decision."""

    def __init__(
        self,
        task: Compiled,
        belief: Belief,
        policy: Policy,
        rollout: Rollout,
        config: SearchConfig,
        choose: Choice,
        rng: np.random.Generator,
    ) -> None:
        self.task = task
        self.belief = belief
        self.policy = policy
        self.rollout = rollout
        self.config = config
        self.choose = choose
        self.rng = rng
        self.root: Node | None = None
        self._baseline = 0.0
        self._buffer = np.empty(max(1, task.operator_count), np.int32)

    def search(self, done: tuple[int, ...], report: Callable[[int], None] | None = None) -> Node:
        """SEARCH: run the simulations from what is known now; ``best`` of the node is what to do.

        ``done``: the operators carried out since the episode began. ``report`` gets the number of simulations so far.
        """
        knowledge = self.belief.knowledge
        if self.root is None:
            self.root = self.node(knowledge.state(), None, done)
        distributions = self.belief.distributions()
        for n in range(self.config.simulations):
            world = self.belief.sample(self.rng, knowledge.truth, knowledge.known, distributions)
            if self.rollout.paired:
                self._baseline = self.rollout(knowledge.state(world), self.config.depth, self.config.discount)
            self.simulate(knowledge.state(world), self.root, 0)
            if report is not None:
                report(n + 1)
        return self.root

    def simulate(self, state: State, node: Node, depth: int) -> float:
        """SIMULATE: select, step, and either go on below, or expand and roll out; then back up. Changes ``state``."""
        if depth >= self.config.depth or not len(node.operators):
            return 0.0
        choice = self.select(node)
        progress(self.task.table, state, int(node.operators[choice]))
        if failure_reached(self.task.table, state):
            value = 0.0
        elif goal_reached(self.task.table, state):
            value = 1.0
        else:
            key = (choice, int(visible_hash(self.task.table, state)))
            child = node.children.get(key)
            if child is None:
                node.children[key] = self.node(state, node, (*node.done, int(node.operators[choice])))
                below = self.rollout(state, self.config.depth - depth - 1, self.config.discount)
            else:
                below = self.simulate(state, child, depth + 1)
            value = self.config.discount * below
        self.back_up(node, choice, value - self._baseline / self.config.discount**depth)
        return value

    def select(self, node: Node) -> int:
        """PUCT: argmax Q(h,a) + c·π̂(a|h)·sqrt(N(h))/(N(h,a)+1); the index of an operator of the node."""
        if node.policy is None:
            node.policy = self.policy.probabilities(self.situation(node))
        if node.visits == 0:
            return int(np.argmax(node.policy))
        bonus = self.config.exploration * node.policy * (np.sqrt(node.visits) / (node.counts + 1))
        return int(np.argmax(node.values + bonus))

    def back_up(self, node: Node, choice: int, value: float) -> None:
        """Q becomes the running mean of the returns."""
        node.visits += 1
        node.counts[choice] += 1
        node.values[choice] += (value - node.values[choice]) / node.counts[choice]

    def node(self, state: State, parent: Node | None, done: tuple[int, ...]) -> Node:
        """A new node for what the agent sees in ``state``, with what it knew before and can infer."""
        half, table = self.task.half, self.task.table
        seen = state.copy()
        if self.task.words > half:
            if parent is not None:
                seen[half:] |= parent.known
            infer_groups(table, seen)
            known = seen[half:]
            truth = seen[:half] & known
        else:
            known = np.full(half, ~np.uint64(0))
            truth = seen
        count = applicable(table, seen, self._buffer)
        return Node(np.sort(self._buffer[:count]), truth.copy(), known.copy(), done)

    def situation(self, node: Node) -> Situation:
        """A node as the policies see it."""
        facts = len(self.belief.knowledge.truth)
        return Situation(unpack(node.truth, facts), unpack(node.known, facts), node.operators, node.done)

    def best(self, node: Node) -> int:
        """The action to take, as the index of an operator of the node, among those that were tried: argmax Q(h,a) as in
        the paper, ties by N(h,a), then by π̂; or argmax N(h,a), ties by Q(h,a)."""
        assert node.policy is not None
        tried = node.counts > 0
        values = np.round(node.values, 12)
        keys = (node.policy, node.counts, values) if self.choose == Choice.VALUE else (node.policy, values, node.counts)
        return int(np.lexsort((*keys, tried))[-1])

    def advance(self, choice: int) -> None:
        """Move the root to what was seen after the chosen action; a history that is not in the tree starts afresh."""
        assert self.root is not None
        knowledge = self.belief.knowledge
        state = make_state(self.task, knowledge.truth, knowledge.known)
        wanted = self.node(state, None, ())
        for (action, _), child in self.root.children.items():
            same = np.array_equal(child.truth, wanted.truth) and np.array_equal(child.known, wanted.known)
            if action == choice and same:
                self.root = child
                return
        self.root = None
