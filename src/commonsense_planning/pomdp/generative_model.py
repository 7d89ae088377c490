"""The generative model G of Algorithm 1 (LLM-MCTS paper, lines 15 and 30): s', o, r ~ G(s, a)."""

from __future__ import annotations

import numpy as np

from commonsense_planning.kernels.engine import visible_hash
from commonsense_planning.pomdp.observation_model import CertainSensing, ObservationModel
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, fact_set, facts_in


class GenerativeModel:
    """G from the transition model T and the observation model O.

    A simulation has no separate belief: a correct reading makes the fact known; a wrong one is ignored.
    """

    def __init__(self, transition: TransitionModel, sensing: ObservationModel, rng: np.random.Generator) -> None:
        self.transition = transition
        self.sensing = sensing
        self.rng = rng
        self._certain = isinstance(sensing, CertainSensing)

    def __call__(self, state: State, operator: int) -> tuple[State, int, float, bool]:
        """s'; o, as a hash of what the agent sees; r, which is 1 at the goal, else 0; and whether the episode ends
        there: at the goal, or where a constraint is violated."""
        outcome = self.transition.draw(operator, self.rng)
        after = self.transition.successor(state, outcome)
        if not self._certain:
            self._misread(state, outcome, after)
        self.transition.conclude(after)
        if self.transition.failure(after) is not None:
            return after, 0, 0.0, True
        if self.transition.reached(after):
            return after, 0, 1.0, True
        return after, self.observed(after), 0.0, False

    def observed(self, state: State) -> int:
        """The hash of what the agent sees in a state: equal if the same facts are known, with the same values."""
        return int(visible_hash(self.transition.task.table, state))

    def _misread(self, before: State, operator: int, after: State) -> None:
        """Makes facts that the sensors show wrongly unknown to the agent in ``after``."""
        task = self.transition.task
        was, now = StateView(task, before), StateView(task, after)
        shown = facts_in(now.known & ~was.known).astype(np.int32)
        changed = np.concatenate([task.operators.add.row(operator), task.operators.delete.row(operator)])
        shown, truth = shown[~np.isin(shown, changed)], now.truth
        wrong = np.zeros_like(truth)
        wrong[shown] = self.sensing.sample(operator, shown, truth[shown], self.rng) != truth[shown]
        now.known[:] &= ~fact_set(task, wrong)
