"""How far a search may be from the best: a lower bound on the expected steps of every policy (the perfect-information
relaxation; Brown, Smith and Sun 2010).

A policy that reaches the goal carries out a plan in each world. So its expected steps are at least the mean, over the
worlds, of the steps that a plan takes at least if everything is known (LM-cut). Actions with outcomes by chance have
their best outcome there. The bound does not count what it takes to find out which world is true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.grounding.relevance import Pruning
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.pomdp.observation_model import Bits, Floats
from commonsense_planning.state import make_state

PLACES = 6  # decimals


class PossibleWorlds(NamedTuple):
    """The worlds of a decision. ``truth``: bool (worlds, facts), the facts that are true, and those that ``may`` be;
    ``weight``: float64 (worlds,), positive. ``may``: bool (facts,), the facts that may be true or false in each world,
    since the search does not distinguish worlds by them. ``complete``: whether these are all worlds of the belief, not
    a sample."""

    truth: Bits
    weight: Floats
    may: Bits
    complete: bool


@dataclass(frozen=True, eq=False)
class Expectation:
    """The expected steps from a decision on, in its ``worlds``. ``reached``: of the policy in the search's tree;
    ``exact``: whether the search computes that in every world, and does not estimate it. ``bound`` of all policies,
    computed at the first request."""

    reached: float
    exact: bool
    worlds: PossibleWorlds
    bound: LowerBound

    @cached_property
    def as_json(self) -> dict[str, Any]:
        """``lower_bound``, None if nothing is proven; ``reached``; ``exact``, not if a fact that a plan can depend on
        is open in a world; the number of ``worlds``; ``all_worlds``: whether the belief has no others."""
        steps, settled = self.bound.of(self.worlds)
        return {
            "lower_bound": None if steps is None else round(steps, PLACES),
            "reached": round(self.reached, PLACES),
            "exact": self.exact and settled,
            "worlds": len(self.worlds.weight),
            "all_worlds": self.worlds.complete,
        }


@dataclass(frozen=True)
class LowerBound:
    """The bound in a task; ``most``: the steps that a world without a plan counts."""

    task: GroundTask
    most: float

    @cached_property
    def _pruning(self) -> Pruning:
        return Pruning(self.task)

    def of(self, worlds: PossibleWorlds) -> tuple[float | None, bool]:
        """The bound in these worlds, None if something is wanted false that may be true or false; and whether they
        settle every fact that a plan can depend on."""
        pruned = self._pruning.of(replace(self.task, init=np.asarray(worlds.truth.any(axis=0))))
        may, task = worlds.may[pruned.facts], compile_task(pruned.task)
        heuristic = LMCut(task, unit_cost=True)
        if may[heuristic.wanted_false].any():
            return None, False
        costs = [heuristic(make_state(task, world)) for world in worlds.truth[:, pruned.facts]]
        return float(worlds.weight @ np.minimum(costs, self.most) / worlds.weight.sum()), not may.any()
