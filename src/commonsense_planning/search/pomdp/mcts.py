"""Tree search: Algorithm 1 of Zhao, Lee and Hsu (2023) as one loop, whose parts are methods; and LLM-MCTS, the search
whose parts are those of the paper.

A node is a history h of actions and observations; it is found from its parent by the action and the observation. The
algorithm's symbols: N(h,a) ``counts``, N(h) their sum, Q(h,a) ``values``, π̂(a|h) ``policy``, c ``exploration``, γ
``discount``, N ``simulations``, b(s) ``belief``, G ``generate``. The horizon γ^d < ε is given as ``depth``, in actions.
Line numbers are those of Algorithm 1.

Two things that the paper leaves open: here the root is in the tree from the start, so that every simulation counts for
an action; and where no action was tried yet, PUCT is 0 for all of them, so π̂ decides.

What goes beyond the paper is in ``macro_mcts``; ``uct`` is the search without a policy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Options, option
from commonsense_planning.elicitation.next_question import Situation
from commonsense_planning.elicitation.policies import Policy, PolicyOf, Probabilities
from commonsense_planning.errors import LateError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import uniform_rollout
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.generative_model import GenerativeModel
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.tree_snapshot import SnapshotEdge, SnapshotNode, TreeSnapshot
from commonsense_planning.state import State, StateView, facts_in

Counts = npt.NDArray[np.int64]
NO_COUNTS: Counts = np.zeros(0, np.int64)
NO_VALUES: Floats = np.zeros(0)

CHOOSE = "What picks the action: the highest value, or the most visits."


@dataclass(kw_only=True, eq=False)
class TreeNode:
    """A history h in the tree.

    ``counts``, ``values``, ``policy``: N(h,a), Q(h,a), π̂(a|h), of shape (choices,); ``policy_of``: whose π̂.
    ``children``: the histories below, by the index of the choice, then by the observation after it.
    """

    counts: Counts = field(default_factory=lambda: NO_COUNTS)
    values: Floats = field(default_factory=lambda: NO_VALUES)
    policy: Probabilities = field(default_factory=lambda: NO_VALUES)
    policy_of: PolicyOf = PolicyOf.NOBODY
    children: dict[int, dict[Hashable, Self]] = field(default_factory=dict)

    @property
    def visits(self) -> int:
        """N(h)."""
        return int(self.counts.sum())

    @property
    def cost(self) -> float | None:
        """V(h), if the search has one."""
        return None


NodeT = TypeVar("NodeT", bound=TreeNode)
World = TypeVar("World")


class TreeSearch(ABC, Generic[NodeT, World]):
    """The loop of all tree searches. A subclass provides its parts: ``open``, ``step``, ``expand``, ``evaluate``,
    ``back_up``; where it selects in another way, ``worth``, ``scores`` or ``pick``.

    ``rule``: the name of the rule by which choices are selected; ``measure``: what values are; ``usual_exploration``: c
    of the rule.
    """

    rule, measure, usual_exploration = "PUCT", "rewards", 2.4
    exploration: float

    def simulate(
        self,
        root: NodeT,
        draw: Callable[[], World],
        simulations: int,
        depth: int,
        discount: float = 1.0,
        report: Callable[[int], None] | None = None,
    ) -> NodeT:
        """SEARCH and SIMULATE: runs the simulations of a decision, which add to the tree below ``root``; the root.

        ``draw``: a world. ``depth``: the choices of a simulation, at most. ``report`` gets the number of simulations so
        far, and raises LateError to make it the last; all simulations so far count.
        """
        for n in range(1, simulations + 1):  # lines 2, 3 and 6
            state, h, value = draw(), root, 0.0  # line 4: s ~ b(s)
            path: list[tuple[NodeT, int, float]] = []
            while len(path) < depth:  # line 20: γ^d < ε
                choice = self.select(h)  # lines 28 and 29: a* = argmax
                if choice is None:
                    break
                state, seen, reward, done = self.step(state, h, choice)  # line 30: (s', o, r, done) ~ G(s, a*)
                path.append((h, choice, reward))
                if done:  # line 20
                    break
                below = h.children.get(choice, {}).get(seen)  # line 31: h'
                if below is None:  # line 23: h' is not in 𝒯
                    for new in self.expand(state, h, choice, seen):  # lines 24 and 25
                        value = self.evaluate(state, new, depth - len(path))  # line 26
                    break
                h = below
            for h, choice, reward in reversed(path):
                value = reward + discount * value  # line 32: R
                self.back_up(h, choice, value)  # lines 33 and 34
            try:
                if report is not None:
                    report(n)
            except LateError:
                break
            if self.is_done(root, n):
                break
        return root

    @abstractmethod
    def open(self, node: NodeT) -> None:
        """Adds the choices and π̂ of a node, at the first request."""

    @abstractmethod
    def step(self, world: World, node: NodeT, choice: int) -> tuple[World, Hashable, float, bool]:
        """G(s, a): the world after a choice, the observation, the reward, and whether the simulation ends there."""

    @abstractmethod
    def expand(self, world: World, node: NodeT, choice: int, seen: Hashable) -> Iterable[NodeT]:
        """Adds histories after a choice to the tree, that with the observation ``seen`` among them; those to
        evaluate."""

    @abstractmethod
    def evaluate(self, world: World, node: NodeT, left: int) -> float:
        """ROLLOUT: the return of at most ``left`` further choices from a new node, in its world."""

    @abstractmethod
    def back_up(self, node: NodeT, choice: int, value: float) -> None:
        """Updates N(h,a) and Q(h,a) by a return."""

    @abstractmethod
    def choices(self, node: NodeT) -> list[tuple[int, ...]]:
        """The operators of each choice of a node."""

    @abstractmethod
    def found(self, node: NodeT, choice: int, observation: Hashable) -> tuple[int, ...]:
        """The facts found true by an observation after a choice."""

    def is_done(self, root: NodeT, simulations: int) -> bool:
        """Whether to stop after so many simulations; by default, never."""
        return False

    def select(self, node: NodeT) -> int | None:
        """Lines 28 and 29: a* = argmax of the scores; the index of a choice, None if the node has none."""
        self.open(node)
        return self.pick(self.scores(self.worth(node), node.counts, node.policy)) if node.counts.size else None

    def worth(self, node: NodeT) -> Floats:
        """What selection adds the bonus for exploration to, float64 (choices,)."""
        return node.values

    def scores(self, values: Floats, counts: Counts, policy: Probabilities) -> Floats:
        """The ``rule``'s score of each choice of a node, float64 (choices,)."""
        return puct(values, counts, policy, self.exploration)

    def pick(self, scores: Floats) -> int:
        """The index of the highest score; of equal ones, of the first."""
        return int(np.argmax(scores))

    def why(self, node: NodeT, choice: int) -> dict[str, Any]:
        """What a trace says of a choice."""
        return {
            "q": round(float(node.values[choice]), 6),
            "visits": int(node.counts[choice]),
            "policy": round(float(node.policy[choice]), 6),
            "policy_of": str(node.policy_of),
            "of": len(node.counts),
        }

    def snapshot(self, root: NodeT, choice: int) -> TreeSnapshot:
        """The current tree below ``root``; ``choice``: the index of the one taken."""
        top = self._snapshot((), root)
        return TreeSnapshot(top, choice, self.rule, self.exploration, self.measure, root.policy_of)

    def _snapshot(self, seen: tuple[int, ...], node: NodeT) -> SnapshotNode:
        return SnapshotNode(seen, node.visits, node.cost, lambda: self._edges(node))

    def _edges(self, node: NodeT) -> list[SnapshotEdge]:
        """The edges of a node; none if its policy was not asked for."""
        if not len(node.policy):
            return []
        counts, values, policy, tried = node.counts, node.values, node.policy, node.counts.any()
        explore = self.scores(np.zeros(len(counts)), counts, policy).tolist()
        exploit = (self.worth(node) if tried else np.zeros(len(counts))).tolist()
        return [
            SnapshotEdge(
                operators,
                int(counts[i]),
                float(values[i]) if counts[i] else None,
                float(policy[i]),
                exploit[i],
                explore[i],
                partial(self._below, node, i),
            )
            for i, operators in enumerate(self.choices(node))
        ]

    def _below(self, node: NodeT, choice: int) -> list[SnapshotNode]:
        below = node.children.get(choice, {})
        return [self._snapshot(self.found(node, choice, seen), child) for seen, child in below.items()]


def puct(values: Floats, counts: Counts, policy: Probabilities, c: float) -> Floats:
    """PUCT, line 29: Q(h,a) + c·π̂(a|h)·sqrt(N(h))/(N(h,a)+1), float64 (choices,); π̂ alone while N(h) is 0."""
    visits = counts.sum()
    return values + c * policy * (np.sqrt(visits) / (counts + 1)) if visits else policy


class Choose(StrEnum):
    """The measure by which the action is chosen at the root after the simulations."""

    VALUE = "q"
    VISITS = "visits"


@dataclass(frozen=True)
class MctsOptions(Options):
    """The numbers of Algorithm 1: N ``simulations``; ``depth``, the horizon of a simulation in actions; ``discount``,
    γ; ``exploration``, c, for rewards in [0, 1], None for the rule's usual one. ``reuse``: whether the next decision
    continues with the tree.

    In the paper: N = 100 (appendix E), argmax Q (line 8). Only in its authors' published code (1989Ryan/llm-mcts): γ =
    0.95; γ^d < ε after 20 actions; c = 24 for a reward of 10 at the goal, which is 2.4 for a reward of 1. There, too, a
    decision begins with an empty tree 𝒯; the paper passes 𝒯 in and does not say what it contains.
    """

    simulations: int = option(100, "Simulations per decision.", least=1)
    depth: int = option(20, "Actions that a simulation looks ahead.", least=1)
    discount: float = option(0.95, "Of later rewards.", above=0, most=1)
    exploration: float | None = option(
        None, "The constant c [default: 2.4 of PUCT; 1.414 of UCB1, without a policy].", least=0
    )
    choose: Choose = option(Choose.VALUE, CHOOSE)
    reuse: bool = option(False, "Keep the tree from decision to decision.")


@dataclass(kw_only=True, eq=False)
class Node(TreeNode):
    """A history of actions. ``operators``: the applicable ones. ``state``: what the agent sees there; unknown facts are
    false. ``done``: the actions of h. Observations are hashes."""

    operators: Int32
    state: State
    done: tuple[int, ...]

    def __post_init__(self) -> None:
        self.counts, self.values = np.zeros(len(self.operators), np.int64), np.zeros(len(self.operators))


class UniformRollout:
    """ROLLOUT: at most ``horizon`` random applicable actions from a state, which is modified. Its value is the
    discounted reward, 1 at the goal; in [0, 1]."""

    def __init__(self, task: Compiled, rng: np.random.Generator) -> None:
        self._table = task.table
        self._buffer = np.empty(max(1, task.operator_count), np.int32)
        self.rng = rng.integers(2**63, size=1).astype(np.uint64)  # as ``random_below`` needs it

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        return float(uniform_rollout(self._table, state, horizon, discount, self.rng, self._buffer))


@dataclass(eq=False)
class Mcts(TreeSearch[Node, State]):
    """LLM-MCTS. Its ``root`` remains until ``advance`` or ``forget``."""

    task: Compiled
    belief: Belief
    rollout: UniformRollout
    config: MctsOptions
    rng: np.random.Generator
    policy: Policy | None = None
    root: Node | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        exploration = self.config.exploration
        self.exploration = self.usual_exploration if exploration is None else exploration
        self.generate = GenerativeModel(self.belief.transition, self.belief.sensing, self.rng)

    def search(self, done: tuple[int, ...], report: Callable[[int], None] | None = None) -> Node:
        """Runs the simulations from the current belief; ``best`` of the root is the decision, line 8.

        ``done``: the operators carried out since the episode began. ``report`` gets the number of simulations so far,
        and raises LateError to make it the last.
        """
        self.root = self.root or self._node(self.belief.state(), done)
        draw, config = partial(self.belief.sampler().draw, self.rng), self.config
        return self.simulate(self.root, draw, config.simulations, config.depth, config.discount, report)

    def open(self, node: Node) -> None:
        """QUERYLLMPOLICY, line 28; uniform without a policy, and if the answer is late."""
        count = len(node.operators)
        if len(node.policy) == count:
            return
        node.policy = np.full(count, 1 / count)
        if self.policy is not None:
            seen = StateView(self.task, node.state)
            situation = Situation(seen.truth, seen.knowledge, node.operators, node.done)
            with suppress(LateError):
                (node.policy,) = self.policy.probabilities([situation])
                node.policy_of = self.policy.owner

    def step(self, state: State, node: Node, choice: int) -> tuple[State, int, float, bool]:
        return self.generate(state, int(node.operators[choice]))

    def expand(self, state: State, node: Node, choice: int, seen: Hashable) -> list[Node]:
        """Lines 24 and 25: adds the history extended by an action and what is ``seen`` in ``state``."""
        child = self._node(state, (*node.done, int(node.operators[choice])))
        node.children.setdefault(choice, {})[seen] = child
        return [child]

    def evaluate(self, state: State, node: Node, left: int) -> float:
        return self.rollout(state, left, self.config.discount)

    def back_up(self, node: Node, choice: int, value: float) -> None:
        """Lines 33 and 34: Q becomes the running mean of the returns."""
        node.counts[choice] += 1
        node.values[choice] += (value - node.values[choice]) / node.counts[choice]

    def best(self, node: Node) -> int:
        """The index of the operator to carry out, among those that were tried: argmax Q(h,a), line 8, ties by N(h,a),
        then by π̂; or argmax N(h,a), ties by Q(h,a)."""
        tried = node.counts > 0
        values = np.round(node.values, 12)
        by_value, by_visits = (node.policy, node.counts, values), (node.policy, values, node.counts)
        keys = by_value if self.config.choose is Choose.VALUE else by_visits
        return int(np.lexsort((*keys, tried))[-1])

    def choices(self, node: Node) -> list[tuple[int, ...]]:
        return [(operator,) for operator in node.operators.tolist()]

    def found(self, node: Node, choice: int, observation: Hashable) -> tuple[int, ...]:
        before = StateView(self.task, node.state)
        now = StateView(self.task, node.children[choice][observation].state)
        return tuple(facts_in(now.true & ~before.true & ~before.known).tolist())

    def _node(self, state: State, done: tuple[int, ...]) -> Node:
        """A new node for what the agent sees in ``state``; what it does not see has no influence."""
        operators = self.belief.transition.applicable(state)
        return Node(operators=operators, state=StateView(self.task, state).visible, done=done)

    def advance(self, choice: int) -> None:
        """Moves the root to the observation after the chosen action; if that history is not in the tree, the next
        search begins with an empty one."""
        assert self.root is not None
        seen = self.generate.observed(self.belief.state())
        self.root = self.root.children.get(choice, {}).get(seen)

    def forget(self) -> None:
        """Empties the tree."""
        self.root = None
