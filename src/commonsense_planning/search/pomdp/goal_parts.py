"""The remaining cost of a goal with many parts: the sum of each part's plan by itself.

A plan for twenty things that may be anywhere differs between worlds, and takes long to find. So the parts of the goal
are taken as independent, as in h_add (Bonet and Geffner 2001): a part costs as much as a plan for it alone, which
depends only on the places of the things that it needs. A sum is too high if one walk serves two parts, but equally so
in all worlds, and the alternatives compared differ in where to look next.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.search.pomdp.sensing_macros import SensingMacros
from commonsense_planning.state import State, StateView, with_facts

MOST_AT_ONCE = 6  # parts of a goal that are planned for together
MOST_PAIRS = 200  # parts of a goal times sensing rules; more are not planned for together
MOST_PLACES = 55  # where a thing may be, if three or more are wanted: hardly two worlds then share a plan


class GoalParts:
    """Costs of the goal's facts, each by itself; ``hopeless``: the cost of a fact without a plan."""

    def __init__(self, sensing: SensingMacros, hopeless: float) -> None:
        self.sensing = sensing
        self._hopeless = hopeless
        self._needs = [sensing.needs_of_part(part) for part in range(len(sensing.goal_facts))]
        self._kept_cost = cache(partial(self._from, sensing.here()))
        goal = sensing.task.goal.pos
        self._disjuncts = [np.isin(sensing.goal_facts, goal.row(d)) for d in range(len(goal))]

    @staticmethod
    def suit(sensing: SensingMacros) -> bool:
        """Whether the task is too large to be planned for as a whole."""
        groups = sensing.compiled.sensors.groups
        places = max((len(groups.row(g)) for g in sensing.relevant), default=0)
        large = sensing.most_parts > 2 and places > MOST_PLACES
        return large or sensing.most_parts > MOST_AT_ONCE or sensing.most_parts * sensing.count > MOST_PAIRS

    def of_worlds(self, facts: Int32) -> Floats:
        """float64 (parts, worlds): the cost of each part where it is not reached yet. ``facts``: int32 (worlds,
        groups), the true member of each relevant group, -1 if the group is settled."""
        here = self.sensing.here()
        costs = np.empty((len(self._needs), len(facts)))
        for part, needs in enumerate(self._needs):
            open_groups = [i for i in needs if (facts[:, i] >= 0).any()]
            rows, of_world = np.unique(facts[:, open_groups], axis=0, return_inverse=True)
            known = not needs or len(open_groups) < len(needs)  # something that it needs was found, and may have moved
            places = map(tuple, rows.tolist())
            cost = [self._from(here, part, row) if known else self._kept_cost(part, row) for row in places]
            costs[part] = np.array(cost)[of_world.reshape(-1)]
        return costs

    def _from(self, start: State, part: int, facts: tuple[int, ...]) -> float:
        """The cost of a part in the world where these facts are true."""
        state = with_facts(self.sensing.with_relevant_known(start), [fact for fact in facts if fact >= 0])
        plan = self.sensing.part(state, part)
        return self._hopeless if plan is None else float(len(plan))

    def remaining_cost(self, costs: Floats, state: State) -> Floats:
        """float64 (worlds,): the remaining cost in a state, in the cheapest disjunct of the goal."""
        undone = ~StateView(self.sensing.compiled, state).among(self.sensing.goal_facts)
        sums: list[npt.NDArray[np.float64]] = [costs[undone & disjunct].sum(axis=0) for disjunct in self._disjuncts]
        return np.asarray(np.min(sums, axis=0))
