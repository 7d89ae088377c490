"""The transition model T(s' | s, a) of the POMDP (LLM-MCTS paper, section 2.1), and what it makes of a task: which
actions are applicable, where the goal is reached, and where a constraint is violated.

Effects are certain: an operator has one outcome. The kernels know no other case; who asks here need not know that. A
state also says what the agent knows (``state``): an operator is applicable if its precondition holds, and is known to
hold where it is about what is hidden; and what sensors show in the new state is known there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import (
    applicable,
    failed,
    goal_reached,
    infer_groups,
    is_applicable,
    progress,
    progress_all,
    states_along,
)
from commonsense_planning.state import State, States


class TransitionModel:
    """Of one compiled task. States are not changed, but by ``conclude``. Not for two threads at a time: it has working
    memory."""

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self._buffer = np.empty(max(1, task.operator_count), np.int32)

    def applicable(self, state: State) -> Int32:
        """The operators that are applicable, ascending."""
        return np.sort(self._buffer[: applicable(self.task.table, state, self._buffer)])

    def is_applicable(self, state: State, operator: int) -> bool:
        """Whether one of them is."""
        return bool(is_applicable(self.task.table, state, operator))

    def outcomes(self, state: State, operator: int) -> tuple[tuple[float, State], ...]:
        """Each state s' that may come of an operator, with T(s' | s, a), in (0, 1]; they sum to 1. Raises ValueError
        for an operator that is not applicable; so do all below that carry one out."""
        if not self.is_applicable(state, operator):
            raise ValueError(f"operator {operator} is not applicable in the state")
        after = state.copy()
        progress(self.task.table, after, operator)
        return ((1.0, after),)

    def sample(self, state: State, operator: int, rng: np.random.Generator) -> State:
        """s' ~ T(· | s, a). Nothing is drawn from ``rng`` where there is one outcome."""
        outcomes = self.outcomes(state, operator)
        if len(outcomes) == 1:
            return outcomes[0][1]
        return outcomes[int(rng.choice(len(outcomes), p=[chance for chance, _ in outcomes]))][1]

    def conclude(self, state: State) -> None:
        """Have the agent know, in ``state`` itself, what follows from what it knows: of an exactly-one group with a
        member that is known to be true, all members are known."""
        infer_groups(self.task.table, state)

    def successor(self, state: State, operator: int) -> State:
        """The likeliest outcome of an operator, and what follows from what is known there."""
        after = max(self.outcomes(state, operator), key=lambda outcome: outcome[0])[1]
        self.conclude(after)
        return after

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Every applicable operator with its successor."""
        for operator in self.applicable(state).tolist():
            yield operator, self.successor(state, operator)

    def trajectory(self, state: State, operators: Sequence[int]) -> list[State]:
        """``state`` and its successors one after the other, by these operators, up to the first that is not
        applicable."""
        passed = np.empty((len(operators) + 1, len(state)), np.uint64)
        carried_out = states_along(self.task.table, state, np.array(operators, np.int32), passed)
        return list(passed[: carried_out + 1])

    def successors_of(self, states: States, operator: int) -> States:
        """The likeliest outcome of an operator in each of several states, uint64 (states, words), in all of which it is
        applicable; what follows from what is known there is not concluded."""
        after = states.copy()
        progress_all(self.task.table, after, operator)
        return after

    def reached(self, state: State) -> bool:
        """Whether the goal holds, and is known to hold where it is about what is hidden."""
        return bool(goal_reached(self.task.table, state))

    def failure(self, state: State) -> int | None:
        """The disjunct of the failure condition that holds, known or not: a constraint is violated; None if none is."""
        disjunct = int(failed(self.task.table, state))
        return disjunct if disjunct >= 0 else None
