"""LLM-MCTS: Algorithm 1 of Zhao, Lee and Hsu (2023) as in the paper; the paper's variants are arguments.

A node is a history h of actions and observations; it is found from its parent by the action and the observation. The
algorithm's symbols: N(h,a) ``counts``, N(h) their sum, Q(h,a) ``values``, π̂(a|h) ``policy``, c ``exploration``, γ
``discount``, N ``simulations``, b(s) ``belief``, G ``generate``. The horizon γ^d < ε is given as ``depth``, in actions.
Line numbers are those of Algorithm 1.

Two things that the paper leaves open: here the root is in the tree from the start, so that every simulation counts for
an action; and where no action was tried yet, PUCT is 0 for all of them, so π̂ decides.

What goes beyond the paper is in ``sensing_mcts``; ``uct`` is the search without a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

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
from commonsense_planning.search.pomdp.tree_snapshot import SnapshotEdge, SnapshotNode, TreeSnapshot, edges
from commonsense_planning.state import State, StateView, facts_in

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CHOOSE = "What picks the action: the highest value, or the most visits."


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


@dataclass
class Node:
    """A history h in the tree.

    ``operators``: the applicable ones. ``state``: what the agent sees there; unknown facts are false. ``done``: the
    actions of h. ``children``: by the index of an action and the hash of the observation.
    """

    operators: Int32
    state: State
    done: tuple[int, ...]
    counts: Counts = field(init=False)
    values: Floats = field(init=False)
    policy: Probabilities | None = None
    policy_of: PolicyOf = PolicyOf.NOBODY
    children: dict[tuple[int, int], Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.operators), np.int64)
        self.values = np.zeros(len(self.operators))


def in_time(report: Callable[[int], None] | None, simulations: int) -> bool:
    """Reports the number of simulations; whether there is time for more. All simulations so far count either way."""
    try:
        if report is not None:
            report(simulations)
    except LateError:
        return False
    return True


class UniformRollout:
    """ROLLOUT: at most ``horizon`` random applicable actions from a state, which is modified. Its value is the
    discounted reward, 1 at the goal; in [0, 1]."""

    def __init__(self, task: Compiled, rng: np.random.Generator) -> None:
        self._table = task.table
        self._buffer = np.empty(max(1, task.operator_count), np.int32)
        self.rng = rng.integers(2**63, size=1).astype(np.uint64)  # as ``random_below`` needs it

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        return float(uniform_rollout(self._table, state, horizon, discount, self.rng, self._buffer))


def puct(values: Floats, counts: Counts, policy: Probabilities, c: float) -> Floats:
    """PUCT, line 29: Q(h,a) + c·π̂(a|h)·sqrt(N(h))/(N(h,a)+1), float64 (operators,); π̂ alone while N(h) is 0."""
    visits = counts.sum()
    return values + c * policy * (np.sqrt(visits) / (counts + 1)) if visits else policy


@dataclass(eq=False)
class Mcts:
    """Algorithm 1. Its ``root`` remains until ``advance`` or ``forget``."""

    task: Compiled
    belief: Belief
    policy: Policy
    rollout: UniformRollout
    config: MctsOptions
    rng: np.random.Generator
    root: Node | None = field(default=None, init=False)

    rule = "PUCT"  # by which actions are selected
    usual_exploration = 2.4  # c of this rule

    def __post_init__(self) -> None:
        exploration = self.config.exploration
        self.exploration = self.usual_exploration if exploration is None else exploration
        self.generate = GenerativeModel(self.belief.transition, self.belief.sensing, self.rng)

    def search(self, done: tuple[int, ...], report: Callable[[int], None] | None = None) -> Node:
        """SEARCH, lines 1 to 9: runs the simulations from the current belief; ``best`` of the root is the decision.

        ``done``: the operators carried out since the episode began. ``report`` gets the number of simulations so far,
        and raises LateError to make it the last.
        """
        root = self.make_root(done)
        belief = self.belief.sampler()
        for simulation in range(1, self.config.simulations + 1):
            state = belief.draw(self.rng)  # s ~ b(s)
            self.simulate(state, root, 0)
            if not in_time(report, simulation):
                break
        return root

    def simulate(self, state: State, node: Node, depth: int) -> float:
        """SIMULATE, lines 19 to 36: select, step, expand and roll out or continue below, back up. Returns the return
        R."""
        if depth >= self.config.depth or not len(node.operators):
            return 0.0
        choice = self.select(node)
        state, seen, reward, done = self.generate(state, int(node.operators[choice]))  # (s', o, r, done) ~ G(s, a*)
        below = 0.0
        if not done:
            child = node.children.get((choice, seen))
            if child is not None:
                below = self.simulate(state, child, depth + 1)
            else:
                self.expand(node, choice, seen, state)
                below = self.rollout(state, self.config.depth - depth - 1, self.config.discount)
        value = reward + self.config.discount * below
        self.back_up(node, choice, value)
        return value

    def select(self, node: Node) -> int:
        """Lines 28 and 29: a* = argmax PUCT; the index of an operator of the node."""
        if node.policy is None:
            self.ask([node])
        assert node.policy is not None
        return int(np.argmax(self.scores(node.values, node.counts, node.policy)))

    def scores(self, values: Floats, counts: Counts, policy: Probabilities) -> Floats:
        """The ``rule``'s score of each action of a node, float64 (operators,)."""
        return puct(values, counts, policy, self.exploration)

    def expand(self, node: Node, choice: int, seen: int, state: State) -> Node:
        """Lines 23 to 25: adds the history extended by an action and what is ``seen`` in ``state`` to the tree."""
        child = node.children[choice, seen] = self.node(state, (*node.done, int(node.operators[choice])))
        return child

    def back_up(self, node: Node, choice: int, value: float) -> None:
        """Lines 33 and 34: Q becomes the running mean of the returns."""
        node.counts[choice] += 1
        node.values[choice] += (value - node.values[choice]) / node.counts[choice]

    def ask(self, nodes: Sequence[Node]) -> None:
        """QUERYLLMPOLICY, line 28, for all nodes without a policy at once; uniform if the answers are late."""
        wanted = list({id(node): node for node in nodes if node.policy is None}.values())
        try:
            policies = self.policy.probabilities([self.situation(node) for node in wanted]) if wanted else []
            owner = self.policy.owner
        except LateError:
            owner = PolicyOf.NOBODY
            policies = [np.full(len(node.operators), 1 / max(1, len(node.operators))) for node in wanted]
        for node, policy in zip(wanted, policies, strict=True):
            node.policy, node.policy_of = policy, owner

    def best(self, node: Node) -> int:
        """The index of the operator to carry out, among those that were tried: argmax Q(h,a), line 8, ties by N(h,a),
        then by π̂; or argmax N(h,a), ties by Q(h,a)."""
        assert node.policy is not None
        tried = node.counts > 0
        values = np.round(node.values, 12)
        by_value, by_visits = (node.policy, node.counts, values), (node.policy, values, node.counts)
        keys = by_value if self.config.choose is Choose.VALUE else by_visits
        return int(np.lexsort((*keys, tried))[-1])

    def snapshot(self, choice: int) -> TreeSnapshot:
        """The current tree; ``choice``: the index of the action taken at the root."""
        assert self.root is not None
        root, c = self.root, self.exploration
        return TreeSnapshot(self._snapshot(root, None), choice, self.rule, c, "rewards", root.policy_of)

    def _snapshot(self, node: Node, above: Node | None) -> SnapshotNode:
        seen: tuple[int, ...] = ()
        if above is not None:
            before, now = StateView(self.task, above.state), StateView(self.task, node.state)
            seen = tuple(facts_in(now.true & ~before.true & ~before.known).tolist())
        return SnapshotNode(seen, int(node.counts.sum()), None, lambda: self._choices(node))

    def _choices(self, node: Node) -> list[SnapshotEdge]:
        """The edges of a node; none if its policy was not asked for."""
        if node.policy is None:
            return []
        after: dict[int, list[SnapshotNode]] = {}
        for (choice, _), child in node.children.items():
            after.setdefault(choice, []).append(self._snapshot(child, node))
        scores = self.scores(np.zeros(len(node.values)), node.counts, node.policy)
        actions = [(operator,) for operator in node.operators.tolist()]
        values = node.values
        return edges(actions, node.counts, values, node.policy, values, scores, lambda i: after.get(i, []))

    def make_root(self, done: tuple[int, ...]) -> Node:
        """The root: the history so far."""
        if self.root is None:
            self.root = self.node(self.belief.state(), done)
        return self.root

    def node(self, state: State, done: tuple[int, ...]) -> Node:
        """A new node for what the agent sees in ``state``; what it does not see has no influence."""
        return Node(self.belief.transition.applicable(state), StateView(self.task, state).visible, done)

    def situation(self, node: Node) -> Situation:
        """A node as policies see it."""
        seen = StateView(self.task, node.state)
        return Situation(seen.truth, seen.knowledge, node.operators, node.done)

    def advance(self, choice: int) -> None:
        """Moves the root to the observation after the chosen action; if that history is not in the tree, the next
        search begins with an empty one."""
        assert self.root is not None
        seen = self.generate.observed(self.belief.state())
        self.root = self.root.children.get((choice, seen))

    def forget(self) -> None:
        """Empties the tree."""
        self.root = None
