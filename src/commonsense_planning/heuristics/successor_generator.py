"""The successors of a state, as objects of Python have them; the kernels list them themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled, State
from commonsense_planning.kernels.engine import applicable, is_applicable, progress


class SuccessorGenerator:
    """Of one compiled task. States are as ``make_state`` makes them, uint64 (words,); they are never changed."""

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self._buffer = np.empty(max(1, task.operator_count), np.int32)

    def applicable(self, state: State) -> Int32:
        """The operators whose preconditions hold, and are known to hold where they are hidden; ascending."""
        found = self._buffer[: applicable(self.task.table, state, self._buffer)]
        return np.sort(found)

    def successor(self, state: State, operator: int) -> State:
        """The state after ``operator``, with what is sensed there.

        Raises ValueError if the operator is not applicable.
        """
        if not is_applicable(self.task.table, state, operator):
            raise ValueError(f"operator {operator} is not applicable in the state")
        after = state.copy()
        progress(self.task.table, after, operator)
        return after

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Every applicable operator with the state after it."""
        for operator in self.applicable(state).tolist():
            yield operator, self.successor(state, operator)
