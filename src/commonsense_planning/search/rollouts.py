"""Roll-outs: what a new node is worth."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from commonsense_planning.search.best_first import BestFirst
from commonsense_planning.task.engine import Compiled, State, uniform_rollout
from commonsense_planning.task.relaxed import relaxed_rollout


class Rollout(Protocol):
    """Estimates a state's value."""

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        """The discounted reward of at most ``horizon`` actions from ``state``, which may be changed; in [0,
        1]."""


class UniformRollout:
    """The paper's: random applicable actions."""

    def __init__(self, task: Compiled, rng: np.random.Generator) -> None:
        self._table = task.table
        self._buffer = np.empty(max(1, task.operator_count), np.int32)
        self._rng = rng.integers(2**63, size=1).astype(np.uint64)

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        return float(uniform_rollout(self._table, state, horizon, discount, self._rng, self._buffer))


class RelaxedPlanRollout:
    """Ours: carry out relaxed plans made for the sampled world."""

    def __init__(self, planner: BestFirst) -> None:
        self._planner = planner

    def __call__(self, state: State, horizon: int, discount: float) -> float:
        p = self._planner
        return float(relaxed_rollout(p.task.table, p.relaxation, state, horizon, discount, p.scratch, p.plan))
