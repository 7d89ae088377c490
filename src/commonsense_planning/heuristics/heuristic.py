"""Heuristics as objects: ``h(state)`` is an estimate of the cost from a state to the goal, infinite at a dead end.

A best-first search takes any callable of this form; a ``CompiledHeuristic`` runs inside its compiled loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.compiled import UNREACHABLE, Compiled, State
from commonsense_planning.kernels.eager_search import BLIND, estimate

Heuristic = Callable[[State], float]


class CompiledHeuristic:
    """A heuristic that the compiled loops know by its ``number``. Not thread-safe: it has working memory.

    ``task``: the compiled task with the goal. ``relaxation``, ``scratch``, ``costs``, ``plan``: as for ``estimate``.
    """

    number: ClassVar[int]

    def __init__(self, task: Compiled, relaxation: Int32, scratch: Int32, costs: Int64 | None = None) -> None:
        self.task, self.relaxation, self.scratch = task, relaxation, scratch
        self.costs = np.zeros(1, np.int64) if costs is None else costs
        self.plan = np.empty(max(1, task.operator_count), np.int32)

    def __call__(self, state: State) -> float:
        """h of ``state``, uint64 (words,), at least 0; infinite if there is no plan even in the relaxation."""
        cost = estimate(self.number, self.relaxation, state, self.scratch, self.costs, self.plan)
        return math.inf if cost >= UNREACHABLE else float(cost)


class Blind(CompiledHeuristic):
    """h = 0: A* becomes uniform-cost search."""

    number = BLIND

    def __init__(self, task: Compiled) -> None:
        super().__init__(task, np.zeros(1, np.int32), np.zeros(1, np.int32))
