"""Monte-Carlo tree search among macros: the common part of the searches among sensing macros, worlds and outcomes.

A choice in the tree is a *macro*: operators up to the next relevant observation, or to a part of the goal (an option,
in the terms of Sutton, Precup and Singh 1999). The worlds of a decision are drawn once and shared by all nodes. Q(h,a)
is the mean over the observations after a, so all of them are in the tree at once. V(h) is the least of the Q of the
branches tried and the value of the roll-out. Values are expected costs, in operators: less is better. The rest is
Algorithm 1 (``mcts``): PUCT has the model's policy at the root, where it can be asked, and gain per cost elsewhere.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from commonsense_planning.config import Options, option
from commonsense_planning.elicitation.policies import PolicyOf, Probabilities
from commonsense_planning.errors import LateError
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.lower_bound import PossibleWorlds
from commonsense_planning.search.pomdp.mcts import TreeNode, TreeSearch
from commonsense_planning.search.pomdp.observing import ContingentPolicyBranch
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


B = TypeVar("B", bound=Branch | ContingentPolicyBranch)


@dataclass(kw_only=True, eq=False)
class MacroNode(TreeNode, Generic[B]):
    """A history h, whose choices are its ``branches``, None until they are requested.

    ``rollout``: the expected cost of the roll-out, once the node is ``evaluated``; until then HOPELESS, since a
    roll-out that comes back to where it began leads nowhere. ``chances``: float64, how probable the observations after
    a branch are, by branch.
    """

    rollout: float = HOPELESS
    evaluated: bool = False
    branches: tuple[B, ...] | None = None
    chances: dict[int, Floats] = field(default_factory=dict)

    @property
    def open_branches(self) -> tuple[B, ...]:
        """The branches; none if they were not requested yet."""
        return self.branches or ()

    @property
    def cost(self) -> float:
        """V(h): the expected cost of the best known way to continue from here."""
        tried = self.counts > 0
        return min(self.rollout, float(self.values[tried].min())) if tried.any() else self.rollout

    def branch_out(self, branches: tuple[B, ...], gains: Sequence[float], mixing: float) -> None:
        """Adds these branches; π̂ is each one's share of the gains, mixed with the uniform policy."""
        shares, count = np.array(gains, np.float64), len(branches)
        self.branches = branches
        self.policy = mixing / max(1, count) + (1 - mixing) * shares / max(1e-12, shares.sum())
        self.policy_of = PolicyOf.PLANNER if mixing < 1 else PolicyOf.NOBODY
        self.counts, self.values = np.zeros(count, np.int64), np.zeros(count)


Advise = Callable[[list[tuple[int, ...]]], Probabilities | None]
"""A model's π̂ over the root's branches, given as operators; None if it has none."""

Node = TypeVar("Node", bound=MacroNode[Any])


def systematic_draws(share: Floats, count: int, rng: np.random.Generator) -> Int32:
    """``count`` indices drawn from a distribution by systematic sampling, in random order; ``share``: float64, of any
    positive sum."""
    points = (rng.permutation(count) + rng.random()) / count
    index = np.searchsorted(np.cumsum(share) / share.sum(), points, side="right")
    return np.minimum(index, len(share) - 1).astype(np.int32)


class MacroMcts(TreeSearch[Node, int]):
    """The search; a world is the index of one of the decision's. ``mixing``: λ, the share of the uniform policy in π̂
    where the model is not asked. ``weight``: float64 (worlds,), of the decision's worlds. ``exact``: whether values are
    means over them, and no estimates."""

    measure = "costs"
    weight: Floats
    exact = True

    def __init__(self, belief: Belief, config: MacroMctsOptions, rng: np.random.Generator, mixing: float = 0.5) -> None:
        self.belief, self.config, self.rng, self.mixing = belief, config, rng, mixing
        self.exploration = config.exploration

    def search(self, advise: Advise = lambda choices: None, report: Callable[[int], None] | None = None) -> Node:
        """Runs the simulations from the current belief. ``advise`` is asked about the root; ``report`` gets the number
        of simulations so far, and raises LateError to make it the last."""
        weight = self.draw_worlds()
        root = self.make_root()
        try:
            advice = advise(self.choices(root)) if self.is_worth_asking(root) else None
        except LateError:  # the root's π̂ remains gain per cost
            advice = None
        if advice is not None:
            weight, root = self.condition_on_advice(weight, root, advice)
            root.policy_of = PolicyOf.MODEL
        shares = np.cumsum(weight) / weight.sum()
        last = len(shares) - 1

        def draw() -> int:  # s ~ b(s)
            return min(int(np.searchsorted(shares, self.rng.random(), side="right")), last)

        return self.simulate(root, draw, self.config.simulations, FARTHEST, report=report)

    def open(self, node: Node) -> None:
        if node.branches is None:
            self.find_branches(node)

    def worth(self, node: Node) -> Floats:
        """-Q(h,a) relative to the roll-out's cost, which also replaces it where a was not tried yet."""
        return -np.where(node.counts > 0, node.values, node.rollout) / max(node.rollout, 1e-9)

    def step(self, world: int, node: Node, choice: int) -> tuple[int, Hashable, float, bool]:
        """The observation at the end of a branch that was tried before; nothing comes after the goal."""
        if not node.counts[choice]:
            return world, None, 0.0, False
        ended = not node.children[choice]
        return world, None if ended else self.seen(world, node, choice), 0.0, ended

    def expand(self, world: int, node: Node, choice: int, seen: Hashable = None) -> Iterator[Node]:
        """All histories after a branch, each of which is made when the one before has its roll-out, whose plans it
        shares; they are in the tree once all are made."""
        if choice in node.children:
            return
        below, weights = dict[Hashable, Node](), []
        for observation, weight, child in self.outcomes(node, choice):
            below[observation] = child
            weights.append(weight)
            yield child
        node.children[choice], node.chances[choice] = below, np.array(weights) / np.sum(weights)

    def evaluate(self, world: int, node: Node, left: int = 0) -> float:
        """ROLLOUT, once, in all worlds of the node: so its cost is no return of a world."""
        if not node.evaluated:
            node.evaluated = True
            node.rollout = self.roll_out(node)
        return 0.0

    def entered(self, node: Node) -> Node:
        """The node, with its roll-out and its branches."""
        self.evaluate(0, node)
        self.open(node)
        return node

    def grow(self, node: Node, choice: int) -> None:
        """Adds the histories after a branch, each with its roll-out."""
        for child in self.expand(0, node, choice):
            self.evaluate(0, child)

    def back_up(self, node: Node, choice: int, value: float = 0.0) -> None:
        """Q(h,a): the macro's cost, and the expected cost after it."""
        node.values[choice] = self.cost_after(node, choice)  # first, since it may lead back to the node
        node.counts[choice] += 1

    def cost_after(self, node: Node, choice: int) -> float:
        """Q(h,a) from the values of the nodes below."""
        below = np.array([child.cost for child in node.children[choice].values()])
        return min(HOPELESS, len(node.open_branches[choice].operators) + float(node.chances[choice] @ below))

    def best(self, node: Node) -> int:
        """The index of the branch to take: the least Q of those that were tried, ties by N(h,a), then by π̂."""
        return int(np.lexsort((-node.policy, -node.counts, np.round(node.values, 9), node.counts == 0))[0])

    def choices(self, node: Node) -> list[tuple[int, ...]]:
        return [branch.operators for branch in node.open_branches]

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

    def replanning_trigger(self) -> Hashable:
        """The assumptions of plans. A change after an action is a surprise; by default, there are none."""
        return None

    @abstractmethod
    def unreachable_reason(self) -> str:
        """What is nowhere, as text, if that is why nothing is left to do; otherwise empty."""

    @abstractmethod
    def draw_worlds(self) -> Floats:
        """Draws the worlds of a decision, and returns the weights of those that are left, float64 (worlds,)."""

    def possible(self, root: Node) -> PossibleWorlds:
        """The worlds of the decision that are possible at the root; by default, the one that is known."""
        truth = self.belief.truth
        return PossibleWorlds(truth[None].copy(), np.ones(1), np.zeros_like(truth), True)

    @abstractmethod
    def make_root(self) -> Node:
        """The root for the current belief, with its branches and its roll-out."""

    @abstractmethod
    def find_branches(self, node: Node) -> None:
        """Computes the branches of a node, and calls its ``branch_out``."""

    @abstractmethod
    def seen(self, world: int, node: Node, choice: int) -> Hashable:
        """The observation at the end of a branch in a world."""

    @abstractmethod
    def outcomes(self, node: Node, choice: int) -> Iterator[tuple[Hashable, float, Node]]:
        """The observations at the end of a branch, with their weights and the histories after them."""

    @abstractmethod
    def roll_out(self, node: Node) -> float:
        """The expected cost of the roll-out from a node, in operators."""
