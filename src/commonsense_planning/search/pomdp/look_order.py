"""Looking in a fixed order of preference: the nearest place first, or the one with the highest probability per cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation
from commonsense_planning.search.pomdp.agents import Decision, Following, ReplanAgent
from commonsense_planning.search.pomdp.sensing_macros import Macro, SensingMacros

Index = Callable[[SensingMacros, Belief, Macro], float]
"""The value of a macro: the highest is taken, of equal ones the first."""


def nearness(sensing: SensingMacros, belief: Belief, macro: Macro) -> float:
    """Fewer steps are better: the nearest neighbour."""
    return -len(macro.operators)


def chance_by_cost(sensing: SensingMacros, belief: Belief, macro: Macro) -> float:
    """The probability that the macro shows something relevant, over its number of steps."""
    chances, seen = belief.probabilities(), {c for _, c in macro.observations}
    missed = 1.0
    for group in sensing.relevant:
        members = [f for f in sensing.compiled.sensors.groups.row(group).tolist() if not belief.known[f]]
        missed *= 1.0 - min(1.0, sum(float(chances[f]) for f in members if int(sensing.class_of[f]) in seen))
    return (1.0 - missed) / len(macro.operators)


def tour(sensing: SensingMacros) -> int:
    """The number of steps to look at everything, nearest first, if nothing relevant is found."""
    state, steps = sensing.here(), 0
    least = dict.fromkeys(range(sensing.count), 0)  # least steps to a rule: what it took before, less those since
    while True:
        best, nearest = (math.inf, 0), None
        for rule in sorted(sensing.telling(state), key=least.__getitem__):
            if least[rule] > best[0]:
                break
            macro = sensing.macro(state, rule)
            least[rule] = 0 if macro is None else len(macro.operators)
            if macro is not None and (least[rule], rule) < best:
                best, nearest = (least[rule], rule), macro
        if nearest is None:
            return steps
        state, steps = nearest.end, steps + len(nearest.operators)
        least = {rule: max(0, count - len(nearest.operators)) for rule, count in least.items()}


@dataclass(eq=False)
class LookInOrder:
    """Takes the sensing macro that ``index`` prefers, until the knowledge suffices for a plan to the goal, which it
    then carries out. If there is nothing to look at, ``otherwise`` decides, and may give up."""

    sensing: SensingMacros
    belief: Belief
    index: Index
    otherwise: ReplanAgent

    def __post_init__(self) -> None:
        self._following = Following(self.belief)

    def decide(self, report: Callable[[int], None] | None = None) -> Decision:
        sensing, belief = self.sensing, self.belief
        if self._following:
            return self._following.step()
        state = sensing.here()
        plan = sensing.shorter_plan(state)
        if plan:
            return self._following.begin(plan, {"planned": False, "length": len(plan)})
        macros = [macro for macro in sensing.macros(state) if macro is not None]
        if not macros:
            return self.otherwise.decide(report)
        values = [self.index(sensing, belief, macro) for macro in macros]
        best = max(values)
        operators = macros[values.index(best)].operators
        return self._following.begin(operators, {"index": round(best, 6), "length": len(operators), "of": len(macros)})

    def observe(self, operator: int, observation: Observation) -> None:
        trigger = self.sensing.replanning_trigger()
        self.otherwise.observe(operator, observation)
        self._following.check(observation.upsetting or self.sensing.replanning_trigger() != trigger)
