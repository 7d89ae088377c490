"""Best-first search in belief space, for tasks with few possible worlds (Bonet and Geffner 2000, "Planning with
incomplete information as heuristic search in belief space"; Hoffmann and Brafman 2005, "Contingent planning via
heuristic forward search with implicit belief states").

A node is a belief: the states that are possible, with the same knowledge in all, and their probabilities. An operator
changes each state as it would the true one, and its observation divides them (``observing``). The value of a belief is
the probability that the goal becomes known to hold; values and the operators that attain them go backwards from the
goal. A policy never returns to a belief: a value is only replaced by a higher one. The search ends at a strong policy,
which has value 1, or when all beliefs are known: the values are exact then, and 0 proves that nothing reaches the goal.

Other agents decide by the knowledge of single worlds. This finds what serves several worlds at once (a conformant
plan), and conclusions from the absence of an observation, and keeps other agents from decisions after which
it is too late.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from commonsense_planning.errors import LateError
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import CertainSensing, Floats, Observation
from commonsense_planning.search.classical.best_first import BestFirst
from commonsense_planning.search.pomdp.agents import Decision, EpisodeAgent
from commonsense_planning.search.pomdp.observing import Histories, History
from commonsense_planning.search.pomdp.world_mcts import all_worlds, open_choices
from commonsense_planning.state import StateView

MOST_WORLDS = 64  # of a belief that is searched
TO_CHECK, TO_PLAN = 3_000, 30_000  # operators that are carried out in beliefs of an episode at most
_CLOSE = 1e-9


@dataclass(eq=False)
class BeliefNode:
    """A belief. ``shares``: float64 (states,), the probabilities of the states of its history. ``hopes``: the sum of h
    over its states, as if they were known, without dead ends. ``ways``: operator → the probabilities and the nodes of
    its observations; None until it is expanded. ``operator`` attains ``value``; None at the goal, and where nothing is
    found. ``above``: the nodes that it is a successor of."""

    history: History
    shares: Floats
    hopes: float
    value: float
    operator: int | None = None
    ways: dict[int, list[tuple[float, BeliefNode]]] | None = None
    above: list[BeliefNode] = field(default_factory=list)


class BeliefSearch:
    """The search, whose nodes are kept for an episode. ``left``: operators that may still be carried out."""

    def __init__(self, planner: BestFirst, belief: Belief) -> None:
        self.belief, self.left = belief, TO_CHECK
        self._heuristic, self._transition = planner.heuristic, belief.transition
        self._histories = Histories(belief.task)
        self._nodes: dict[bytes, BeliefNode] = {}

    def here(self) -> BeliefNode | None:
        """The present belief; None if it has more than MOST_WORLDS worlds."""
        choices = open_choices(self.belief)
        if math.prod(len(values) for _, values, _ in choices) > MOST_WORLDS:
            return None
        states, shares = all_worlds(self.belief, choices)
        return self._node(self._histories.history(np.arange(len(states), dtype=np.int32), states), shares)

    def search(self, root: BeliefNode, check: Callable[[], None] = lambda: None) -> bool:
        """Searches below a belief; whether its value is exact now. ``check`` is called often, and may raise."""
        number = itertools.count()
        waiting = [(node.hopes, next(number), node) for node in _unexpanded(root)]
        heapq.heapify(waiting)
        while waiting and root.value < 1:
            if self.left <= 0:
                return False
            node = heapq.heappop(waiting)[-1]
            if node.ways is None and (node is root or any(above.value < 1 for above in node.above)):
                check()
                for below in self._expand(node):
                    heapq.heappush(waiting, (below.hopes, next(number), below))
        return True

    def _node(self, history: History, shares: Floats) -> BeliefNode:
        states, first = np.unique(history.states, axis=0, return_inverse=True)
        shares = np.bincount(first.ravel(), shares / shares.sum()).astype(np.float64)
        key = states.tobytes() + np.round(shares, 6).tobytes()
        if key not in self._nodes:
            whole = self._histories.history(np.arange(len(states), dtype=np.int32), states)
            done = self._transition.reached(whole.known)
            StateView(self.belief.task, states).known[:] = ~np.uint64(0)
            costs = [] if done else [cost for cost in map(self._heuristic, states) if cost < math.inf]
            ended = done or not costs
            self._nodes[key] = BeliefNode(whole, shares, sum(costs), float(done), ways={} if ended else None)
        return self._nodes[key]

    def _expand(self, node: BeliefNode) -> list[BeliefNode]:
        """Carries out each applicable operator; the successors that are not expanded."""
        history, ways = node.history, dict[int, list[tuple[float, BeliefNode]]]()
        for operator in self._transition.applicable(history.known).tolist():
            self.left -= 1
            states = self._transition.successors_of(history.states, operator)
            kept = np.array([i for i, s in enumerate(states) if self._transition.failure(s) is None], np.int32)
            parts = self._histories.parted(kept, states[kept]) if len(kept) else []
            chances = [node.shares[part.members] for part in parts]
            after = [(float(c.sum()), self._node(part, c)) for part, c in zip(parts, chances, strict=True)]
            if all(below is not node for _, below in after):
                ways[operator] = after
        node.ways = ways
        below = list(dict.fromkeys(below for after in ways.values() for _, below in after))
        for one in below:
            one.above.append(node)
        self._raise_values([node])
        return [one for one in below if one.ways is None]

    def _raise_values(self, changed: list[BeliefNode]) -> None:
        while changed:
            node = changed.pop()
            for operator, after in (node.ways or {}).items():
                value = sum(share * below.value for share, below in after)
                if value > node.value + _CLOSE:
                    node.value, node.operator = value, operator
                    changed += node.above


def _unexpanded(root: BeliefNode) -> Iterator[BeliefNode]:
    """The nodes from a node on that are not expanded."""
    seen, waiting = {root}, [root]
    while waiting:
        node = waiting.pop()
        if node.ways is None:
            yield node
        new = {below: None for after in (node.ways or {}).values() for _, below in after if below not in seen}
        seen |= new.keys()
        waiting += new


class BeliefSearchAgent:
    """Lets another agent decide while its decisions leave the goal within reach and lead to new beliefs, as far as the
    search can tell, and follows the search's policy from then on. ``checks``: whether decisions are checked; else the
    search begins where the other agent gives up. ``reason``: why the goal cannot be reached, empty if that is unknown.

    The search concludes from the absence of an observation, too; where the belief does not, it comes to other beliefs
    than the search expects. The other agent is alone then.
    """

    def __init__(self, other: EpisodeAgent, search: BeliefSearch, checks: bool, reason: Callable[[], str]) -> None:
        self.other, self._search, self._looks, self._reason = other, search, checks, reason
        self._passed: set[BeliefNode] = set()
        self._expected: list[bytes] = []  # the states of the beliefs after the last operator
        self._alone, self._misled = False, False

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        check = (lambda: None) if report is None else (lambda: report(0))
        here, exact = self._look(check) if self._looks else (None, False)
        self._misled |= here is not None and bool(self._expected) and _states_of(here) not in self._expected
        if self._misled:
            return self.other.decide(report)
        decision = self._decide(here, exact, report, check)
        after = {} if here is None or here.ways is None else here.ways
        self._expected = [
            _states_of(below) for _, below in after.get(-1 if decision.operator is None else decision.operator, ())
        ]
        return decision

    def _decide(
        self, here: BeliefNode | None, exact: bool, report: Callable[[int], None] | None, check: Callable[[], None]
    ) -> Decision:
        refused = Decision(None, {"reason": ""})
        if not self._alone and (here is None or here.value or not exact):
            refused = self.other.decide(report)
            if refused.operator is not None and (not exact or here is None or self._allows(here, refused.operator)):
                return refused
            self._search.left = max(self._search.left, TO_PLAN)
            here, exact = self._look(check)
            self._looks = self._alone = True
        if here is not None and here.operator is not None:
            count, value = len(here.shares), round(here.value, 6)
            return Decision(here.operator, {"planned": True, "worlds": count, "value": value})
        reason = str(refused.why["reason"])
        if here is not None and exact:
            several = (
                f"nothing that can be done and observed makes it certain in any of {len(here.shares)} possible worlds"
            )
            nothing = (
                f"{several} that the goal holds" if len(here.shares) > 1 else "no plan leads to the goal from here"
            )
            reason = self._reason() or nothing
        return Decision(None, {"reason": reason})

    def observe(self, operator: int, observation: Observation) -> None:
        self.other.observe(operator, observation)

    def _look(self, check: Callable[[], None]) -> tuple[BeliefNode | None, bool]:
        """The present belief, and whether its value is exact."""
        here = self._search.here() if self._alone or not self._search.belief.known.all() else None
        try:
            return here, here is not None and self._search.search(here, check)
        except LateError:
            return here, False

    def _allows(self, here: BeliefNode, operator: int) -> bool:
        """Whether nothing speaks against an operator: it goes to a belief of the same value, not to one again."""
        after = (here.ways or {}).get(operator)
        if here in self._passed or after is None:
            return False
        self._passed.add(here)
        exact = all(self._search.search(below) for _, below in after)
        return not exact or sum(share * below.value for share, below in after) >= here.value - _CLOSE


def _states_of(node: BeliefNode) -> bytes:
    return node.history.states.tobytes()


def with_belief_search(
    agent: EpisodeAgent, planner: BestFirst, belief: Belief, reason: Callable[[], str]
) -> EpisodeAgent:
    """The agent, with the search in belief space beside it where that applies: not under chance, nor where sensors
    err."""
    outcomes = planner.task.outcomes
    if (outcomes.next >= 0).any() or not isinstance(belief.sensing, CertainSensing) or not belief.task.sensors.partial:
        return agent
    return BeliefSearchAgent(agent, BeliefSearch(planner, belief), belief.task.sensors.by_worlds, reason)
