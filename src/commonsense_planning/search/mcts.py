"""LLM-MCTS: Algorithm 1 of Zhao, Lee and Hsu (2023), with everything that the paper varies as an argument.

A node stands for a history h of actions and observations; it is found from its parent by the action and by
what the agent sees after it. The names in the algorithm: N(h) ``visits``, N(h,a) ``counts``, Q(h,a) ``values``,
π̂(a|h) ``policy``, c ``exploration``, γ ``discount``. The horizon γ^d < ε is given as ``depth``. The root is in
the tree from the start.

Two things go beyond the paper. With ``parallel`` above one, simulations that need the model wait for it together
(with a virtual loss), and what they are likely to need next is asked along with what they need now. And with
roll-outs that are ``paired``: a return depends on the action and, far more, on where the sampled world happens to have
put things. The value of the same world at the root is taken off (a control variate), so that Q says what an action
gains or loses, and the noise of the world goes away.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Options, option
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled, State, unpack
from commonsense_planning.kernels.engine import (
    applicable,
    failure_reached,
    goal_reached,
    infer_groups,
    progress,
    visible_hash,
)
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.policies import Policy, Probabilities, Situation
from commonsense_planning.search.rollouts import Rollout

FORESIGHT = 2  # actions beyond where simulations wait that the model is asked about meanwhile
CHOOSE = "What picks the action: the highest value, or the most visits."
VIRTUAL_LOSS = 0.1  # off the Q of an action per simulation that has taken it and is not back yet


class Choose(StrEnum):
    """By what the action is chosen at the root after the simulations."""

    VALUE = "q"
    VISITS = "visits"


@dataclass(frozen=True)
class MctsOptions(Options):
    """The numbers of Algorithm 1: N ``simulations``; ``depth``, the horizon of a simulation in actions; ``discount``,
    γ; ``exploration``, c, for rewards in [0, 1]. ``reuse``: the tree goes along from decision to decision."""

    simulations: int = option(100, "Simulations per decision.", least=1)
    depth: int = option(20, "Actions that a simulation looks ahead.", least=1)
    discount: float = option(0.95, "Of later rewards.", above=0, most=1)
    exploration: float = option(0.3, "The constant c of PUCT.", least=0)
    choose: Choose = option(Choose.VISITS, CHOOSE)
    reuse: bool = option(True, "Begin each decision with an empty tree.")


@dataclass
class Node:
    """A history that is in the tree. ``known``: what the agent knows there, as the second half of a state."""

    operators: Int32
    truth: State
    known: State
    done: tuple[int, ...]
    visits: int = 0
    counts: npt.NDArray[np.int64] = field(init=False)
    pending: npt.NDArray[np.int64] = field(init=False)
    values: npt.NDArray[np.float64] = field(init=False)
    policy: Probabilities | None = None
    children: dict[tuple[int, int], Node] = field(default_factory=dict)
    foreseen: dict[tuple[int, int], Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.operators), np.int64)
        self.pending = np.zeros(len(self.operators), np.int64)
        self.values = np.zeros(len(self.operators))


class Mcts:
    """The search; keeps its tree from decision to decision."""

    def __init__(
        self,
        task: Compiled,
        belief: Belief,
        policy: Policy,
        rollout: Rollout,
        config: MctsOptions,
        rng: np.random.Generator,
        parallel: int = 1,
    ) -> None:
        self.task = task
        self.belief = belief
        self.policy = policy
        self.rollout = rollout
        self.config = config
        self.rng = rng
        self.parallel = parallel
        self.root: Node | None = None
        self._buffer = np.empty(max(1, task.operator_count), np.int32)

    def search(self, done: tuple[int, ...], report: Callable[[int], None] | None = None) -> Node:
        """SEARCH: run the simulations from what is known now; ``best`` of the node is what to do.

        ``done``: the operators carried out since the episode began. ``report`` gets the number of simulations so far.
        At most ``parallel`` simulations wait for the model at a time, and what they wait for is asked together. Who
        goes on when does not depend on which answer arrives first: equal seeds and answers give equal trees.
        """
        knowledge = self.belief.knowledge
        if self.root is None:
            self.root = self.node(knowledge.state(), done)
        sampler = self.belief.sampler(knowledge.truth, knowledge.known, self.belief.distributions())
        started = 0
        waiting: list[Pause] = []
        while started < self.config.simulations or waiting:
            while started < self.config.simulations and len(waiting) < self.parallel:
                world = sampler.draw(self.rng)
                simulation = self.simulate(world.copy(), self.root, 0, self.baseline(world))
                waiting += _go_on([simulation])
                started += 1
                if report is not None:
                    report(started)
            self.ask([*(pause.node for pause in waiting), *self.foresee(waiting)])
            waiting = _go_on([pause.simulation for pause in waiting])
        return self.root

    def simulate(self, state: State, node: Node, depth: int, baseline: float) -> Simulation:
        """SIMULATE: select, step, and either go on below, or expand and roll out; then back up. Changes ``state``.

        A generator: it gives a node whose policy it needs, with its state there, and is to be gone on with once the
        node has one.
        """
        if depth >= self.config.depth or not len(node.operators):
            return 0.0
        if node.policy is None:
            yield node, state
        choice = self.select(node)
        self.step(state, int(node.operators[choice]))
        if failure_reached(self.task.table, state):
            value = 0.0
        elif goal_reached(self.task.table, state):
            value = 1.0
        else:
            key = (choice, int(visible_hash(self.task.table, state)))
            child = node.children.get(key)
            if child is None:
                node.children[key] = self.child(node, key, state)
                below = self.rollout(state, self.config.depth - depth - 1, self.config.discount)
            else:
                below = yield from self.simulate(state, child, depth + 1, baseline)
            value = self.config.discount * below
        self.back_up(node, choice, value - baseline / self.config.discount**depth)
        return value

    def step(self, state: State, operator: int) -> None:
        """Carry out an operator in ``state``, which is changed: the world, what is seen, and what follows from that."""
        progress(self.task.table, state, operator)
        infer_groups(self.task.table, state)

    def ask(self, nodes: Sequence[Node]) -> None:
        """QUERYLLMPOLICY for the nodes that have no policy yet, all at once."""
        wanted = list({id(node): node for node in nodes if node.policy is None}.values())
        policies = self.policy.probabilities([self.situation(node) for node in wanted]) if wanted else []
        for node, policy in zip(wanted, policies, strict=True):
            node.policy = policy

    def foresee(self, waiting: Sequence[Pause]) -> list[Node]:
        """Nodes that simulations are likely to wait for next: where what the roll-outs would do leads from where they
        wait now, FORESIGHT actions on. While there is room in flight, they are asked about before they are needed.

        They are kept apart from the tree until a simulation gets there. With one simulation at a time there are none.
        """
        room = self.parallel - len({id(pause.node) for pause in waiting})
        found: list[Node] = []
        ways = [(pause.node, pause.state.copy()) for pause in waiting]
        for _ in range(FORESIGHT):
            further = []
            for node, state in ways:
                operator = self.rollout.first(state)
                if operator is None or len(found) >= room:
                    continue
                self.step(state, operator)
                if failure_reached(self.task.table, state) or goal_reached(self.task.table, state):
                    continue
                choice = int(np.searchsorted(node.operators, operator))
                key = (choice, int(visible_hash(self.task.table, state)))
                child = node.children.get(key)
                if child is None:
                    child = node.foreseen[key] = self.child(node, key, state)
                if child.policy is None and not any(child is other for other in found):
                    found.append(child)
                further.append((child, state))
            ways = further
        return found

    def child(self, node: Node, key: tuple[int, int], state: State) -> Node:
        """The node for what is seen in ``state`` after action ``key[0]`` of ``node``; it may have been foreseen."""
        foreseen = node.foreseen.pop(key, None)
        return foreseen or self.node(state, (*node.done, int(node.operators[key[0]])))

    def baseline(self, state: State) -> float:
        """With paired roll-outs, what the sampled world is worth from the root, else 0. May change ``state``."""
        if not self.rollout.paired:
            return 0.0
        return self.rollout(state, self.config.depth, self.config.discount)

    def select(self, node: Node) -> int:
        """PUCT: argmax Q(h,a) + c·π̂(a|h)·sqrt(N(h))/(N(h,a)+1); the index of an operator of the node.

        A simulation on its way counts as a visit that lost (virtual loss), so that others that start meanwhile look
        elsewhere. When each simulation is over before the next begins, there are none, and this is the paper's PUCT.
        """
        assert node.policy is not None
        counts = node.counts + node.pending
        visits = int(counts.sum())
        if visits == 0:
            choice = int(np.argmax(node.policy))
        else:
            lost = VIRTUAL_LOSS * node.pending / np.maximum(1, counts)
            bonus = self.config.exploration * node.policy * (np.sqrt(visits) / (counts + 1))
            choice = int(np.argmax(node.values - lost + bonus))
        node.pending[choice] += 1
        return choice

    def back_up(self, node: Node, choice: int, value: float) -> None:
        """Q becomes the running mean of the returns."""
        node.pending[choice] -= 1
        node.visits += 1
        node.counts[choice] += 1
        node.values[choice] += (value - node.values[choice]) / node.counts[choice]

    def node(self, state: State, done: tuple[int, ...]) -> Node:
        """A new node for what the agent sees in ``state``; what it does not see there does not enter."""
        half = self.task.half
        known = state[half:].copy() if self.task.words > half else np.full(half, ~np.uint64(0))
        count = applicable(self.task.table, state, self._buffer)
        return Node(np.sort(self._buffer[:count]), state[:half] & known, known, done)

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
        by_value, by_visits = (node.policy, node.counts, values), (node.policy, values, node.counts)
        keys = by_value if self.config.choose is Choose.VALUE else by_visits
        return int(np.lexsort((*keys, tried))[-1])

    def advance(self, choice: int) -> None:
        """Move the root to what was seen after the chosen action; a history that is not in the tree starts afresh."""
        assert self.root is not None
        seen = int(visible_hash(self.task.table, self.belief.knowledge.state()))
        self.root = self.root.children.get((choice, seen))

    def forget(self) -> None:
        """Begin with an empty tree."""
        self.root = None


Simulation = Generator[tuple[Node, State], None, float]


class Pause(NamedTuple):
    """A simulation that waits for a policy: of which node, and the state that it is in."""

    node: Node
    state: State
    simulation: Simulation


def _go_on(simulations: Iterable[Simulation]) -> list[Pause]:
    """Let each go on until it needs a policy. The others are over."""
    reached = ((next(simulation, None), simulation) for simulation in simulations)
    return [Pause(*where, simulation) for where, simulation in reached if where is not None]
