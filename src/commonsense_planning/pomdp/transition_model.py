"""The transition model T(s' | s, a) of the POMDP (LLM-MCTS paper, section 2.1): which actions are applicable, where
they lead, where the goal is reached, and where a constraint is violated.

An action may have several random outcomes. Each of them is an operator with certain effects; the first represents the
action where actions are listed. So planning with operators is planning in the all-outcomes determinisation. A state
also holds the agent's knowledge (``state``): an operator is applicable if its precondition holds, and the agent knows
its hidden part to hold; facts that sensors show in the new state are known there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import (
    applicable_actions,
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
    """The transition model of one compiled task. Only ``conclude`` changes states. It has working memory, so it is not
    for two threads at a time."""

    def __init__(self, task: Compiled) -> None:
        self.task = task
        self._buffer = np.empty(max(1, task.operator_count), np.int32)

    def applicable(self, state: State) -> Int32:
        """The operators that are applicable, ascending; of several outcomes of one action the first."""
        return np.sort(self._buffer[: applicable_actions(self.task.table, state, self._buffer)])

    def is_applicable(self, state: State, operator: int) -> bool:
        """Whether one operator is applicable."""
        return bool(is_applicable(self.task.table, state, operator))

    def outcomes(self, state: State, operator: int) -> tuple[tuple[float, State], ...]:
        """Each possible successor state s' of an action, with T(s' | s, a), in (0, 1]; they sum to 1. Raises ValueError
        for an operator that is not applicable, like all methods below that carry one out."""
        return tuple((chance, self.successor(state, o)) for chance, o in self.outcome_operators(operator))

    def draw(self, operator: int, rng: np.random.Generator) -> int:
        """One of the outcomes of the action that ``operator`` is an outcome of, by their probabilities. Nothing is
        drawn where there is one."""
        found = self.outcome_operators(operator)
        if len(found) == 1:
            return operator
        chances = np.array([chance for chance, _ in found])
        return found[int(rng.choice(len(found), p=chances / chances.sum()))][1]

    def sample(self, state: State, operator: int, rng: np.random.Generator) -> State:
        """s' ~ T(· | s, a)."""
        return self.successor(state, self.draw(operator, rng))

    def outcome_operators(self, operator: int) -> list[tuple[float, int]]:
        """The outcomes of the action that an operator is an outcome of, with their probabilities."""
        outcomes, found = self.task.outcomes, []
        here = int(outcomes.first[operator])
        while here >= 0:
            found.append((float(outcomes.chance[here]), here))
            here = int(outcomes.next[here])
        return found

    def conclude(self, state: State) -> None:
        """Adds to the agent's knowledge, in ``state`` itself, what follows from it: in an exactly-one group with a
        member known to be true, all members are known."""
        infer_groups(self.task.table, state)

    def successor(self, state: State, operator: int) -> State:
        """The result of an operator, which is one outcome of its action. What sensors then show is known; what follows
        from it is not concluded."""
        if not self.is_applicable(state, operator):
            raise ValueError(f"operator {operator} is not applicable in the state")
        after = state.copy()
        progress(self.task.table, after, operator)
        return after

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Every applicable operator with its successor."""
        for operator in self.applicable(state).tolist():
            yield operator, self.successor(state, operator)

    def trajectory(self, state: State, operators: Sequence[int]) -> list[State]:
        """``state`` and its successors by these operators, one after the other, up to the first operator that is not
        applicable; with the facts that follow from the knowledge."""
        passed = np.empty((len(operators) + 1, len(state)), np.uint64)
        carried_out = states_along(self.task.table, state, np.array(operators, np.int32), passed)
        return list(passed[: carried_out + 1])

    def successors_of(self, states: States, operator: int) -> States:
        """The result of an operator in each of several states, uint64 (states, words), in all of which it is
        applicable; what follows from the knowledge there is not concluded."""
        after = states.copy()
        progress_all(self.task.table, after, operator)
        return after

    def reached(self, state: State) -> bool:
        """Whether the goal holds, and the agent knows its hidden part to hold."""
        return bool(goal_reached(self.task.table, state))

    def failure(self, state: State) -> int | None:
        """The disjunct of the failure condition that holds, known or not: a constraint is violated; None if none is."""
        disjunct = int(failed(self.task.table, state))
        return disjunct if disjunct >= 0 else None
