"""Roll-outs: what a new node is worth."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.engine import uniform_rollout
from commonsense_planning.search.hindsight import HindsightPlanner


class Rollout(Protocol):
    """Estimates a state's value: the discounted reward, 1 at the goal, of the actions from there; in [0,
    1]."""

    paired: bool
    """Whether the same world's value at the root is taken off each return, see ``mcts``."""

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        """The value of ``state``, which may be changed; ``horizon``: how many actions a simulation still
        has."""

    def first(self, state: State) -> int | None:
        """The operator that it would begin with in ``state``, None if that is not known beforehand."""


class UniformRollout:
    """ROLLOUT of Algorithm 1 as in the paper: at most ``horizon`` random applicable actions."""

    paired = False

    def __init__(self, task: Compiled, rng: np.random.Generator) -> None:
        self._table = task.table
        self._buffer = np.empty(max(1, task.operator_count), np.int32)
        self.rng = rng.integers(2**63, size=1).astype(np.uint64)  # as ``random_below`` wants it

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        return float(uniform_rollout(self._table, state, horizon, discount, self.rng, self._buffer))

    def first(self, state: State) -> int | None:
        return None


class RelaxedPlanRollout:
    """Ours: carry out the plan that greedy search with relaxed plans finds for the sampled world, to its end.

    It says how far the goal is, where random actions hardly ever reach it. The horizon does not cut it short:
    a plan that is longer than a simulation is still worth more than none.
    """

    paired = True

    def __init__(self, hindsight: HindsightPlanner) -> None:
        self._hindsight = hindsight

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        plan = self._hindsight.plan(state)
        return 0.0 if plan is None else float(discount ** (plan.length - 1))

    def first(self, state: State) -> int | None:
        plan = self._hindsight.plan(state)
        return None if plan is None else plan.first
