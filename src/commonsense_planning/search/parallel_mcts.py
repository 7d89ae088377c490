"""Algorithm 1 with three things that go beyond the paper, which ``mcts`` has by itself.

- **Paired returns**, for roll-outs that ask for it: a return depends on the action and, far more, on where the sampled
  world happens to have put things. The value of the same world at the root is taken off (a control variate), so that Q
  says what an action gains or loses, and the noise of the world goes away.
- **Waiting together**: up to ``parallel`` simulations wait for the policy at a time, each a virtual loss to the
  others, and their questions go out together.
- **Foresight**: what they are likely to need next is asked along with what they need now, while there is room.

With one simulation at a time and roll-outs that are not paired, the tree is that of ``Mcts``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.search.mcts import Mcts, MctsOptions, Node, puct
from commonsense_planning.search.policies import Policy
from commonsense_planning.search.rollouts import Rollout

FORESIGHT = 2  # actions beyond where simulations wait that the model is asked about meanwhile
VIRTUAL_LOSS = 0.1  # off the Q of an action per simulation that has taken it and is not back yet

Simulation = Generator[tuple[Node, State], None, float]


class Pause(NamedTuple):
    """A simulation that waits for a policy: of which node, and the state that it is in."""

    node: Node
    state: State
    simulation: Simulation


class ParallelMcts(Mcts):
    """Simulations that wait for the model together."""

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
        super().__init__(task, belief, policy, rollout, config, rng)
        self.parallel = parallel

    def search(self, done: tuple[int, ...], report: Callable[[int], None] | None = None) -> Node:
        """SEARCH. Who goes on when does not depend on which answer arrives first: equal seeds and answers give equal
        trees."""
        root = self.plant(done)
        belief = self.belief.sampler()
        started = 0
        waiting: list[Pause] = []
        while started < self.config.simulations or waiting:
            while started < self.config.simulations and len(waiting) < self.parallel:
                state = belief.draw(self.rng)
                waiting += _go_on([self.walk(state.copy(), root, 0, self.baseline(state))])
                started += 1
                if report is not None:
                    report(started)
            self.ask([*(pause.node for pause in waiting), *self.foresee(waiting)])
            waiting = _go_on([pause.simulation for pause in waiting])
        return root

    def walk(self, state: State, node: Node, depth: int, baseline: float) -> Simulation:
        """SIMULATE as a generator: it gives a node whose policy it needs, with its state there, and is to be gone on
        with once the node has one. Backs up the return less ``baseline``. Changes ``state``."""
        if depth >= self.config.depth or not len(node.operators):
            return 0.0
        if node.policy is None:
            yield node, state
        choice = self.select(node)
        seen, reward, done = self.generate(state, int(node.operators[choice]))
        below = 0.0
        if not done:
            child = node.children.get((choice, seen))
            if child is not None:
                below = yield from self.walk(state, child, depth + 1, baseline)
            else:
                self.expand(node, choice, seen, state)
                below = self.rollout(state, self.config.depth - depth - 1, self.config.discount)
        value = reward + self.config.discount * below
        self.back_up(node, choice, value - baseline / self.config.discount**depth)
        return value

    def baseline(self, state: State) -> float:
        """With paired roll-outs, what the sampled world is worth from the root, else 0. May change ``state``."""
        if not self.rollout.paired:
            return 0.0
        return self.rollout(state, self.config.depth, self.config.discount)

    def select(self, node: Node) -> int:
        """As in ``Mcts``, but a simulation on its way counts as a visit that lost, so that others that start meanwhile
        look elsewhere."""
        assert node.policy is not None
        counts = node.counts + node.pending
        lost = VIRTUAL_LOSS * node.pending / np.maximum(1, counts)
        choice = int(np.argmax(puct(node.values - lost, counts, node.policy, self.config.exploration)))
        node.pending[choice] += 1
        return choice

    def back_up(self, node: Node, choice: int, value: float) -> None:
        node.pending[choice] -= 1
        super().back_up(node, choice, value)

    def expand(self, node: Node, choice: int, seen: int, state: State) -> Node:
        child = node.foreseen.pop((choice, seen), None)
        if child is None:
            return super().expand(node, choice, seen, state)
        node.children[choice, seen] = child
        return child

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
                seen, _, done = self.generate(state, operator)
                if done:
                    continue
                key = (int(np.searchsorted(node.operators, operator)), seen)
                child = node.children.get(key) or node.foreseen.get(key)
                if child is None:
                    child = node.foreseen[key] = self.node(state, (*node.done, operator))
                if child.policy is None and not any(child is other for other in found):
                    found.append(child)
                further.append((child, state))
            ways = further
        return found


def _go_on(simulations: Iterable[Simulation]) -> list[Pause]:
    """Let each go on until it needs a policy. The others are over."""
    reached = ((next(simulation, None), simulation) for simulation in simulations)
    return [Pause(*where, simulation) for where, simulation in reached if where is not None]
