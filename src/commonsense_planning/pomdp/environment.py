"""The true world: it carries out actions and shows what the sensors show. It knows no search and no
belief."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import CplanError
from commonsense_planning.kernels.compiled import Compiled, State, make_state, unpack
from commonsense_planning.kernels.engine import failed, goal_reached, is_applicable, progress, sense_all


@dataclass(frozen=True)
class Observation:
    """What the agent has come to see: facts whose value it did not know or that changed, with their value
    now. ``failure``: the disjunct of the task's failure condition that holds, None if none does."""

    facts: tuple[tuple[int, bool], ...]
    goal_reached: bool
    failure: int | None = None

    @property
    def failed(self) -> bool:
        """Whether a constraint is violated: the episode is over then."""
        return self.failure is not None


class Environment:
    """The world of one episode. ``truth``: bool (facts,), the true initial state."""

    def __init__(self, task: Compiled, truth: npt.NDArray[np.bool_]) -> None:
        self._task = task
        self._state = make_state(task, truth)
        self._facts = truth.shape[0]

    def look(self) -> Observation:
        """What the agent sees on waking up: every fact that is not hidden, and what the sensors show."""
        unseen = np.zeros(self._facts, np.int8)
        sense_all(self._task.table, self._state)
        return self._difference(unseen)

    def step(self, operator: int) -> Observation:
        """Carry out an operator. Raises CplanError if it is not applicable in the true world."""
        if not is_applicable(self._task.table, self._all_known(), operator):
            raise CplanError(f"operator {operator} was chosen but is not applicable in the true world")
        before = self._visible()
        progress(self._task.table, self._state, operator)
        return self._difference(before)

    def _visible(self) -> npt.NDArray[np.int8]:
        """Per fact: 0 unknown to the agent, 1 seen to be false, 2 seen to be true."""
        task = self._task
        truth = unpack(self._state[: task.half], self._facts)
        if task.words == task.half:
            return (1 + truth).astype(np.int8)
        known = unpack(self._state[task.half :], self._facts)
        return np.where(known, 1 + truth, 0).astype(np.int8)

    def _difference(self, before: npt.NDArray[np.int8]) -> Observation:
        now = self._visible()
        changed = np.flatnonzero(now != before)
        facts = tuple((int(f), bool(now[f] == 2)) for f in changed)
        # Goal and failure count when they are true, whether or not the agent has seen it: that is the reward
        # that it feels.
        failure = int(failed(self._task.table, self._state))
        reached = bool(goal_reached(self._task.table, self._all_known()))
        return Observation(facts, reached, failure if failure >= 0 else None)

    def _all_known(self) -> State:
        """The state as one who knows everything: an agent may have inferred what it did not see."""
        state = self._state.copy()
        state[self._task.half :] = ~np.uint64(0)
        return state
