"""What the agent knows: the value of every fact that it has seen, and what follows from exactly-one
groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from commonsense_planning.kernels.compiled import Compiled, State, make_state, unpack
from commonsense_planning.kernels.engine import goal_reached, infer_groups
from commonsense_planning.pomdp.environment import Observation


class Knowledge:
    """The agent's knowledge; ``truth`` and ``known`` are bool (facts,), ``truth`` false where nothing is
    known."""

    def __init__(self, task: Compiled, fact_count: int) -> None:
        self.task = task
        self.truth = np.zeros(fact_count, np.bool_)
        self.known = ~task.hidden[:fact_count]

    def update(self, observation: Observation) -> None:
        """Take in what was observed."""
        for fact, value in observation.facts:
            self.truth[fact] = value
            self.known[fact] = True
        if self.task.words > self.task.half:
            state = self.state()
            infer_groups(self.task.table, state)
            self.known = unpack(state[self.task.half :], len(self.truth))

    def state(self, truth: npt.NDArray[np.bool_] | None = None) -> State:
        """The engine's state: what is known, in a world that is ``truth`` (by default: all that is unknown is
        false)."""
        return make_state(self.task, self.truth if truth is None else truth, self.known)

    @property
    def goal_reached(self) -> bool:
        """Whether the goal is known to hold."""
        return bool(goal_reached(self.task.table, self.state()))
