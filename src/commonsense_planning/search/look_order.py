"""Looking in a fixed order of preference: the nearest place first, or the one that is most probable for its cost."""

from __future__ import annotations

import math
from collections.abc import Callable

from commonsense_planning.kernels.engine import is_applicable
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.agents import Decision, ReplanAgent
from commonsense_planning.search.looking import Looks, Way

Index = Callable[[Looks, Belief, Way], float]
"""What speaks for a way: the highest is taken, of several the first."""


def nearness(looks: Looks, belief: Belief, way: Way) -> float:
    """The fewer steps, the better: the nearest neighbour."""
    return -len(way.operators)


def chance_by_cost(looks: Looks, belief: Belief, way: Way) -> float:
    """The probability that something wanted is seen on the way, over its number of steps."""
    chances, seen = belief.probabilities(), {cell for _, cell in way.sights}
    missed = 1.0
    for group in looks.wanted:
        members = [f for f in looks.compiled.sensors.groups.row(group).tolist() if not belief.known[f]]
        missed *= 1.0 - min(1.0, sum(float(chances[f]) for f in members if int(looks.cell_of[f]) in seen))
    return (1.0 - missed) / len(way.operators)


def tour(looks: Looks) -> int:
    """How many steps it takes to look at everything, nearest first, where nothing wanted is found."""
    state, steps = looks.here(), 0
    least = dict.fromkeys(range(looks.count), 0)  # steps to a look at least: what it took before, less the steps since
    while True:
        best, nearest = (math.inf, 0), None
        for look in sorted(looks.telling(state), key=least.__getitem__):
            if least[look] > best[0]:
                break
            way = looks.way(state, look)
            least[look] = 0 if way is None else len(way.operators)
            if way is not None and (least[look], look) < best:
                best, nearest = (least[look], look), way
        if nearest is None:
            return steps
        state, steps = nearest.end, steps + len(nearest.operators)
        least = {look: max(0, count - len(nearest.operators)) for look, count in least.items()}


class LookInOrder:
    """Until what is known is enough for the goal, it takes the way to look that ``index`` prefers; then it carries out
    a plan to the goal. Where there is nothing to look at, ``otherwise`` decides, and may give up."""

    def __init__(self, looks: Looks, belief: Belief, index: Index, otherwise: ReplanAgent) -> None:
        self.looks = looks
        self.belief = belief
        self.index = index
        self.otherwise = otherwise
        self._plan: list[int] = []

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        looks, belief = self.looks, self.belief
        if self._plan:
            return Decision(self._plan.pop(0), {"planned": True})
        state = looks.here()
        plan = looks.shorter_plan(state)
        if plan:
            self._plan = list(plan)
            return Decision(self._plan.pop(0), {"planned": False, "length": len(plan)})
        ways = [way for way in looks.ways(state) if way is not None]
        if not ways:
            return self.otherwise.decide(report)
        values = [self.index(looks, belief, way) for way in ways]
        best = max(values)
        self._plan = list(ways[values.index(best)].operators)
        why = {"index": round(best, 6), "length": len(self._plan), "of": len(ways)}
        return Decision(self._plan.pop(0), why)

    def observe(self, operator: int, observation: Observation) -> None:
        outlook = self.looks.outlook()
        self.otherwise.observe(operator, observation)
        state = self.belief.state()
        surprised = observation.upsetting or self.looks.outlook() != outlook
        if self._plan and (surprised or not is_applicable(self.belief.task.table, state, self._plan[0])):
            self._plan = []
