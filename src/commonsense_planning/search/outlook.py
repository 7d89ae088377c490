"""What relaxed plans say at a node: in worlds drawn from the belief, which operators would they begin
with?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.task.engine import is_applicable, make_state
from commonsense_planning.task.ground_task import GroundTask
from commonsense_planning.task.relaxed import FAR, relaxed_plan
from commonsense_planning.world.belief import Belief

if TYPE_CHECKING:
    from commonsense_planning.search.policies import Situation


class Outlook:
    """Relaxed plans in believed worlds. Only the groups that the goal is about are sampled; all else is taken
    to be where it most likely is, so that few worlds differ and each relaxed plan is made once a node."""

    def __init__(
        self, task: GroundTask, planner: BestFirst, belief: Belief, rng: np.random.Generator
    ) -> None:
        self.planner = planner
        self.belief = belief
        self._rng = rng
        wanted = {o for fact in task.goal.pos.items.tolist() for o in task.facts[fact][1]}
        groups = belief.groups
        self._relevant = np.array(
            [not wanted.isdisjoint(self._common(task, groups.row(g))) for g in range(len(groups))], np.bool_
        )

    @staticmethod
    def _common(task: GroundTask, members: npt.NDArray[np.int32]) -> set[int]:
        arguments = [set(task.facts[int(f)][1]) for f in members]
        return set.intersection(*arguments) if arguments else set()

    def first_operators(self, situation: Situation, n: int) -> list[int]:
        """At most ``n`` operators: from each of ``n`` sampled worlds, one of those that its relaxed plan can
        begin with; none from a world without a relaxed plan."""
        table, planner = self.planner.task.table, self.planner
        begins: dict[bytes, list[int]] = {}
        chosen = []
        for world in self.worlds(situation, n):
            key = world.tobytes()
            if key not in begins:
                state = make_state(planner.task, world, situation.known)
                value, length = relaxed_plan(planner.relaxation, state, planner.scratch, planner.plan)
                plan = planner.plan[:length].tolist() if value < FAR else []
                begins[key] = [o for o in plan if is_applicable(table, state, o)]
            if begins[key]:
                chosen.append(begins[key][int(self._rng.integers(len(begins[key])))])
        return chosen

    def worlds(self, situation: Situation, n: int) -> list[npt.NDArray[np.bool_]]:
        """``n`` worlds, bool (facts,), that agree with what is known."""
        distributions = self.belief.distributions(situation.known)
        if not distributions.any():
            return [situation.truth] * n
        likeliest = np.zeros_like(distributions)
        rows = np.flatnonzero(distributions.any(axis=1))
        likeliest[rows, np.argmax(distributions[rows], axis=1)] = 1.0
        distributions = np.where(self._relevant[:, None], distributions, likeliest)
        return [
            self.belief.sample(self._rng, situation.truth, situation.known, distributions) for _ in range(n)
        ]
