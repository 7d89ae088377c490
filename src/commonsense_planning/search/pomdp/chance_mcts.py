"""LLM-MCTS under full observability with outcomes by chance: the search of MDPs.

It is the search among macros (``macro_mcts``) with single actions as macros. A history ends in a state that is fully
observed, so a node is a state, shared by all histories that end in it (as in DP-UCT, Keller and Helmert 2013). Q(s,a)
is one step plus the mean of V over the outcomes of a. V(s) is the least Q of the actions tried. The roll-out from a new
state is a relaxed plan in which an operator costs the expected tries until its outcome occurs, 1 over its probability.
Without a relaxed plan, the state is a dead end, and counts by its probability. Nodes and values are kept from decision
to decision, since T does not change.

Relaxed plans are too short; if the goal is far, a few simulations do not make up for that, and the agent would change
its mind at every step. So a plan of the all-outcomes determinisation is also in the graph. It is followed until the
search has found something that is better by more than that error.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from commonsense_planning.heuristics.delete_relaxation import TRIES, ff_of_tries
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.classical.best_first import ExpectedAttemptsPlanner
from commonsense_planning.search.classical.compiled_search import Limits
from commonsense_planning.search.pomdp.macro_mcts import HOPELESS, Branch, MacroMcts, MacroMctsOptions, MacroNode
from commonsense_planning.state import State, StateView, facts_in

SETTLING = 50  # simulations between two checks for convergence
CLOSE = 1e-3  # the relative error of a value that counts as converged
PLANNING = Limits(evaluations=5000)  # of a plan
MARGIN = 0.1  # the share of the plan's tries that another action has to save


@dataclass(kw_only=True, eq=False)
class StateNode(MacroNode[Branch]):
    """A state in the graph, whose observations are the operators that are outcomes of an action. ``ended``: whether the
    goal is reached or unreachable."""

    state: State
    ended: bool = False

    @property
    def cost(self) -> float:
        """V(s): the least Q of the actions tried; before, the roll-out's cost."""
        tried = self.counts > 0
        return float(self.values[tried].min()) if tried.any() else self.rollout


class ChanceMcts(MacroMcts[StateNode]):
    """The search. ``mixing``: λ, the share of the uniform policy in π̂; the rest is for actions with an outcome in the
    relaxed plan."""

    exact = False

    def __init__(
        self, task: Compiled, belief: Belief, config: MacroMctsOptions, rng: np.random.Generator, mixing: float = 0.5
    ) -> None:
        super().__init__(belief, config, rng, mixing)
        self.task = task
        self._planner = ExpectedAttemptsPlanner(task)
        self._tries = ff_of_tries(task)
        self._planned: dict[bytes, tuple[int, float]] = {}  # state → action of the plan, tries from there on
        self._nodes: dict[bytes, StateNode] = {}

    def draw_worlds(self) -> Floats:
        return np.ones(1)  # of the single one

    def make_root(self) -> StateNode:
        root = self.entered(self._node(self.belief.state()))
        self._plan(root.state)
        return root

    def _plan(self, state: State) -> None:
        """Adds a plan from this state to the graph, unless one passes through it."""
        if state.tobytes() in self._planned:
            return
        transition, outcomes = self.belief.transition, self.task.outcomes
        operators = self._planner.gbfs(state, PLANNING).operators or ()
        path = []
        for before, operator in zip(transition.trajectory(state, operators)[:-1], operators, strict=True):
            node, first = self._node(before), int(outcomes.first[operator])
            self.open(node)
            choice = next(i for i, branch in enumerate(node.open_branches) if branch.operators[0] == first)
            self.grow(node, choice)
            path.append((node, choice))
        for done, (node, choice) in reversed([*enumerate(path)]):
            self.back_up(node, choice)
            self._planned[node.state.tobytes()] = choice, self._planner.tries(operators[done:])

    def best(self, node: StateNode) -> int:
        """The action to take: that of the plan, unless another is better by more than the error of estimates."""
        choice, key = super().best(node), node.state.tobytes()
        if key not in self._planned or self._is_settled(node):
            return choice
        planned, tries = self._planned[key]
        gain = node.values[planned] - node.values[choice]
        return choice if gain > max(0.0, tries - node.rollout) + MARGIN * tries else planned

    def is_done(self, root: StateNode, simulations: int) -> bool:
        """Whether the values of all states that the best actions lead to agree, and no action there is untried."""
        return super().is_done(root, simulations) or simulations % SETTLING == 1 and self._is_settled(root)

    def _is_settled(self, root: StateNode) -> bool:
        queue, met = [root], {id(root)}
        while queue:
            node = queue.pop()
            if node.ended or node.branches == ():
                continue
            if not len(node.counts) or not node.counts.all():
                return False
            choice = super().best(node)
            if abs(self.cost_after(node, choice) - node.values[choice]) > CLOSE * node.values[choice]:
                return False
            new = [child for child in node.children[choice].values() if id(child) not in met]
            met.update(map(id, new))
            queue += new
        return True

    def outcomes(self, node: StateNode, choice: int) -> Iterator[tuple[int, float, StateNode]]:
        transition, operator = self.belief.transition, node.open_branches[choice].operators[0]
        for chance, outcome in transition.outcome_operators(operator):
            yield outcome, chance, self._node(transition.successor(node.state, outcome))

    def seen(self, world: int, node: StateNode, choice: int) -> int:
        """An outcome, drawn by its probability, as its operator."""
        outcomes = cast(list[int], [*node.children[choice]])
        shares = np.cumsum(node.chances[choice])
        at = int(np.searchsorted(shares, self.rng.random() * shares[-1], side="right"))
        return outcomes[min(at, len(outcomes) - 1)]

    def find_branches(self, node: StateNode) -> None:
        operators = [] if node.ended else self.belief.transition.applicable(node.state).tolist()
        first = self.task.outcomes.first
        of_use = {int(first[o]) for o in self._tries.relaxed_plan(node.state)}
        gains = [float(first[o] in of_use) for o in operators]
        node.branch_out(tuple(Branch((o,), None, node.state) for o in operators), gains, self.mixing)

    def _node(self, state: State) -> StateNode:
        key = state.tobytes()
        if key not in self._nodes:
            self._nodes[key] = StateNode(state=state)
        return self._nodes[key]

    def roll_out(self, node: StateNode) -> float:
        reached = self.belief.transition.reached(node.state)
        lost = self.belief.transition.failure(node.state) is not None
        tries = math.inf if lost else 0.0 if reached else self._tries(node.state) / TRIES
        node.ended = reached or tries == math.inf
        return min(HOPELESS, tries)

    def found(self, node: StateNode, choice: int, observation: Hashable) -> tuple[int, ...]:
        before, after = StateView(self.task, node.state), StateView(self.task, node.children[choice][observation].state)
        return tuple(facts_in(after.true & ~before.true).tolist())

    def unreachable_reason(self) -> str:
        return "from here the goal cannot be reached, whatever comes of the actions"
