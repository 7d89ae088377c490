"""Monte-Carlo tree search among macros: the common part of the searches among sensing macros and among worlds.

A branch of the tree is a *macro*: operators up to the next relevant observation, or to a part of the goal (an option,
in the terms of Sutton, Precup and Singh 1999). The worlds of a decision are drawn once and shared by all nodes. Q(h,a)
is the mean over the observations after a. V(h) is the least of the Q of what was tried and the value of the roll-out.
Values are expected costs, in operators: less is better. The rest is Algorithm 1 of Zhao, Lee and Hsu (2023): s ~ b(s);
select by PUCT, with the model's policy at the root, where it can be asked, and gain per cost elsewhere; step, expand
and roll out, back up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

import numpy as np

from commonsense_planning.config import Options, option
from commonsense_planning.elicitation.policies import PolicyOf, Probabilities
from commonsense_planning.errors import LateError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.pomdp.mcts import Counts, Floats, in_time, puct
from commonsense_planning.search.pomdp.tree_snapshot import SnapshotEdge, SnapshotNode, TreeSnapshot, edges
from commonsense_planning.state import State

HOPELESS = 1000.0  # the cost without a plan
FARTHEST = 100  # macros of a simulation, at most


@dataclass(frozen=True)
class MacroMctsOptions(Options):
    """N ``simulations``; ``exploration``, c, for costs relative to the roll-out's; ``worlds``: K."""

    simulations: int = option(100, "Simulations per decision; 20 at most where goals and places are many.", least=1)
    exploration: float = option(0.3, "The constant c of PUCT.", least=0)
    worlds: int = option(100, "Worlds drawn per decision; 40 at most where goals and places are many.", least=1)


@dataclass(frozen=True)
class Branch:
    """A macro: ``operators`` up to its end; ``rule``: the sensing rule at which it ends, None if it is for a part of
    the goal; ``end``: the state there, in which unknown facts are false; ``ends``: whether the goal is reached;
    ``toward``: the observation classes on its path and beyond; ``wants``: an unknown fact that the last operator
    reveals, by being applicable or not, None for most; then it is true in ``end``."""

    operators: tuple[int, ...]
    rule: int | None
    end: State
    ends: bool = False
    toward: frozenset[int] = frozenset()
    wants: int | None = None


@dataclass
class MacroNode:
    """A history h in the tree.

    ``members``: int32, the possible worlds; ``weight``: the sum of theirs. ``rollout``: the expected cost of the
    roll-out. ``policy``, ``counts``, ``costs``: π̂(a|h), N(h,a), Q(h,a) of the ``branches``; ``policy_of``: whose π̂.
    ``children``: the nodes below, by branch, then by the observation at its end; ``chances``: float64, how probable
    these observations are, by branch. ``bound``: a cost that no way to continue is expected to be less than.
    """

    members: Int32
    weight: float
    rollout: float = 0.0
    branches: tuple[Branch, ...] | None = None
    policy: Probabilities = field(default_factory=lambda: np.zeros(0))
    policy_of: PolicyOf = PolicyOf.NOBODY
    counts: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    costs: Floats = field(default_factory=lambda: np.zeros(0))
    children: dict[int, dict[Hashable, Self]] = field(default_factory=dict)
    chances: dict[int, Floats] = field(default_factory=dict)
    bound: float = 0.0

    @property
    def open_branches(self) -> tuple[Branch, ...]:
        """The branches; none if they were not requested yet."""
        return self.branches or ()

    @property
    def cost(self) -> float:
        """V(h): the expected cost of the best known way to continue from here."""
        tried = self.counts > 0
        return min(self.rollout, float(self.costs[tried].min())) if tried.any() else self.rollout

    def branch_out(self, branches: tuple[Branch, ...], gains: Sequence[float], mixing: float) -> None:
        """Adds these branches; π̂ is each one's share of the gains, mixed with the uniform policy."""
        shares, count = np.array(gains, np.float64), len(branches)
        self.branches = branches
        self.policy = mixing / max(1, count) + (1 - mixing) * shares / max(1e-12, shares.sum())
        self.policy_of = PolicyOf.PLANNER if mixing < 1 else PolicyOf.NOBODY
        self.counts, self.costs = np.zeros(count, np.int64), np.zeros(count)


Advise = Callable[[Sequence[Branch]], Probabilities | None]
"""A model's π̂ over the branches of the root; None if it has none."""

Node = TypeVar("Node", bound=MacroNode)


def systematic_draws(share: Floats, count: int, rng: np.random.Generator) -> Int32:
    """``count`` indices drawn from a distribution by systematic sampling, in random order; ``share``: float64, of any
    positive sum."""
    points = (rng.permutation(count) + rng.random()) / count
    index = np.searchsorted(np.cumsum(share) / share.sum(), points, side="right")
    return np.minimum(index, len(share) - 1).astype(np.int32)


class MacroMcts(ABC, Generic[Node]):
    """The search. ``mixing``: λ, the share of the uniform policy in π̂ where the model is not asked. ``weight``: float64
    (worlds,), of the decision's worlds."""

    weight: Floats

    def __init__(self, belief: Belief, config: MacroMctsOptions, rng: np.random.Generator, mixing: float = 0.5) -> None:
        self.belief, self.config, self.rng, self.mixing = belief, config, rng, mixing

    def search(self, advise: Advise = lambda branches: None, report: Callable[[int], None] | None = None) -> Node:
        """SEARCH: runs the simulations from the current belief. ``advise`` is asked about the root; ``report`` gets the
        number of simulations so far, and raises LateError to make it the last."""
        weight = self.draw_worlds()
        root = self.make_root()
        try:
            advice = advise(root.open_branches) if self.is_worth_asking(root) else None
        except LateError:  # the root's π̂ remains gain per cost
            advice = None
        if advice is not None:
            weight, root = self.condition_on_advice(weight, root, advice)
            root.policy_of = PolicyOf.MODEL
        shares = np.cumsum(weight) / weight.sum()
        for simulation in range(1, self.config.simulations + 1):
            world = min(int(np.searchsorted(shares, self.rng.random(), side="right")), len(shares) - 1)  # s ~ b(s)
            self.simulate(world, root)
            if not in_time(report, simulation) or self.is_done(root, simulation):
                break
        return root

    def simulate(self, world: int, node: Node) -> None:
        """SIMULATE: select and step, up to a branch that was not tried; expand that; back up."""
        path: list[tuple[Node, int]] = []
        while self.open(node) and len(path) < FARTHEST:
            choice = self.select(node)
            path.append((node, choice))
            if choice not in node.children:
                self.expand(node, choice)
            if not node.counts[choice] or not node.children[choice]:
                break
            node = node.children[choice][self.seen(world, node, choice)]
        for node, choice in reversed(path):
            self.back_up(node, choice)

    def select(self, node: Node) -> int:
        """a* = argmax PUCT, with Q(h,a) relative to the roll-out's cost, which also replaces it where a was not tried
        yet."""
        return int(np.argmax(puct(-self._shares(node), node.counts, node.policy, self.config.exploration)))

    def _shares(self, node: Node) -> Floats:
        return np.asarray(np.where(node.counts > 0, node.costs, node.rollout) / max(node.rollout, 1e-9))

    def expand(self, node: Node, choice: int) -> None:
        """Carries out a macro: one new node for each observation at its end, each with its roll-out."""
        parted = {} if self.open(node)[choice].ends else self.parted(node, choice)
        below = {seen: self.node(node, choice, seen, np.array(members, np.int32)) for seen, members in parted.items()}
        shares = np.array([self.weight[members].sum() for members in parted.values()])
        node.children[choice], node.chances[choice] = below, shares / shares.sum()

    def parted(self, node: Node, choice: int) -> dict[Hashable, list[int]]:
        """The worlds of a node, by the observation at the end of a branch."""
        parted: dict[Hashable, list[int]] = {}
        for world in node.members.tolist():
            parted.setdefault(self.seen(world, node, choice), []).append(world)
        return parted

    def back_up(self, node: Node, choice: int) -> None:
        """Q(h,a): the macro's cost, and the expected cost after it."""
        node.costs[choice] = self.cost_after(node, choice)  # first, since it may lead back to the node
        node.counts[choice] += 1

    def cost_after(self, node: Node, choice: int) -> float:
        """Q(h,a) from the values of the nodes below."""
        below = np.array([child.cost for child in node.children[choice].values()])
        return min(HOPELESS, len(self.open(node)[choice].operators) + float(node.chances[choice] @ below))

    def best(self, node: Node) -> int:
        """The index of the branch to take: the least Q of those that were tried, ties by N(h,a), then by π̂."""
        return int(np.lexsort((-node.policy, -node.counts, np.round(node.costs, 9), node.counts == 0))[0])

    def snapshot(self, root: Node, choice: int) -> TreeSnapshot:
        """The current tree below ``root``; ``choice``: the index of the branch taken."""
        return TreeSnapshot(self._snapshot((), root), choice, "PUCT", self.config.exploration, "costs", root.policy_of)

    def _snapshot(self, seen: tuple[int, ...], node: Node) -> SnapshotNode:
        return SnapshotNode(seen, int(node.counts.sum()), node.cost, lambda: self._choices(node))

    def _choices(self, node: Node) -> list[SnapshotEdge]:
        def after(index: int) -> list[SnapshotNode]:
            below = node.children.get(index, {})
            return [self._snapshot(self.found(node, index, observation), child) for observation, child in below.items()]

        bonus = puct(np.zeros(len(node.counts)), node.counts, node.policy, self.config.exploration)
        score = -self._shares(node) if node.counts.any() else np.zeros(len(node.counts))
        operators = [branch.operators for branch in node.open_branches]
        return edges(operators, node.counts, node.costs, node.policy, score, bonus, after)

    def is_done(self, root: Node, simulations: int) -> bool:
        """Whether more simulations could change nothing at the root."""
        return len(root.open_branches) < 2

    def is_worth_asking(self, root: Node) -> bool:
        """Whether a model's policy could change enough at the root; by default, always."""
        return True

    def condition_on_advice(self, weight: Floats, root: Node, policy: Probabilities) -> tuple[Floats, Node]:
        """The weights of the worlds and the root, given a model's policy; by default, it becomes π̂ of the root."""
        root.policy = policy
        return weight, root

    @abstractmethod
    def found(self, node: Node, choice: int, observation: Hashable) -> tuple[int, ...]:
        """The facts found true by an observation at the end of a branch."""

    @abstractmethod
    def draw_worlds(self) -> Floats:
        """Draws the worlds of a decision, and returns their weights, float64 (worlds,)."""

    @abstractmethod
    def make_root(self) -> Node:
        """The root for the current belief, with its branches and its roll-out."""

    def open(self, node: Node) -> tuple[Branch, ...]:
        """The branches of a node, computed at the first request."""
        if node.branches is None:
            self.find_branches(node)
        return node.open_branches

    @abstractmethod
    def find_branches(self, node: Node) -> None:
        """Computes the branches of a node, and calls its ``branch_out``."""

    @abstractmethod
    def seen(self, world: int, node: Node, choice: int) -> Hashable:
        """The observation at the end of a branch in a world."""

    @abstractmethod
    def node(self, above: Node, choice: int, observation: Hashable, members: Int32) -> Node:
        """The history extended by a branch and an observation, with its roll-out."""

    @abstractmethod
    def replanning_trigger(self) -> Hashable:
        """The current assumptions of plans. A change after an action is a surprise."""

    @abstractmethod
    def unreachable_reason(self) -> str:
        """What is nowhere, as text, if that is why nothing is left to do; otherwise empty."""
