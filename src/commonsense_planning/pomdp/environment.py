"""The true world: it carries out actions and shows what the sensors show. It knows neither search nor belief."""

from __future__ import annotations

import numpy as np

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.kernels.engine import sense_all
from commonsense_planning.pomdp.observation_model import (
    Bits,
    Observation,
    ObservationModel,
    Readings,
    observation_model,
)
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, StateView, make_state


class Environment:
    """The world of one episode.

    ``truth``: bool (facts,), the true initial state. ``sensing`` says how the sensors err, and ``rng`` is what their
    errors are drawn from; by default they do not err, and nothing is drawn.
    """

    def __init__(
        self,
        task: Compiled,
        truth: Bits,
        sensing: ObservationModel | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        if sensing is not None and rng is None:
            raise ValueError("sensors that may err need a generator to draw from")
        self._task = task
        self._transition = TransitionModel(task)
        self._truth = truth.copy()
        self._sensing = sensing or observation_model(task.sensors)
        self._rng = rng or np.random.default_rng(0)
        self._hidden = task.hidden[: len(truth)]

    def look(self) -> Observation:
        """The initial observation: every fact that is not hidden, and what the sensors show."""
        return self._observation(None, np.flatnonzero(~self._hidden).astype(np.int32))

    def step(self, operator: int) -> Observation:
        """Carries out an operator. One that is not applicable in the true world changes nothing, and the observation's
        ``applied`` is false: an agent may be wrong about hidden facts."""
        state = self._state()
        if not self._transition.is_applicable(state, operator):
            return self._observation(operator, np.zeros(0, np.int32), applied=False)
        operator = self._transition.draw(operator, self._rng)
        before, touched = self._truth, self._touched(operator)
        self._truth = StateView(self._task, self._transition.successor(state, operator)).truth
        changed = (self._truth != before) & ~self._hidden
        changed[touched[self._hidden[touched]]] = True
        return self._observation(operator, np.flatnonzero(changed).astype(np.int32))

    def _state(self) -> State:
        """The present true state."""
        return make_state(self._task, self._truth, np.ones_like(self._truth))

    def _touched(self, operator: int) -> Int32:
        """The facts that an operator adds or deletes in the present state, changed or not, without unobserved
        effects."""
        effects, truth, unobserved = self._task.operators, self._truth, self._task.sensors.unobserved
        rows, unseen = [effects.add.row(operator), effects.delete.row(operator)], list[Int32]()
        for e in range(effects.effect_start[operator], effects.effect_end[operator]):
            if len(unobserved) and unobserved[e]:
                unseen += [effects.cond_add.row(e), effects.cond_delete.row(e)]
            elif truth[effects.cond_pre.row(e)].all() and not truth[effects.cond_npre.row(e)].any():
                rows += [effects.cond_add.row(e), effects.cond_delete.row(e)]
        touched = np.concatenate(rows)
        return np.setdiff1d(touched, np.concatenate(unseen)) if unseen else touched

    def _observation(self, operator: int | None, certain: Int32, applied: bool = True) -> Observation:
        # goal and failure are the reward: they count once they are true, whether or not the agent knows it
        state = self._state()
        return Observation(
            _pairs(certain, self._truth[certain]),
            self._read(operator, applied),
            self._transition.reached(state),
            self._transition.failure(state),
            applied,
            outcome=operator,
        )

    def _read(self, operator: int | None, applied: bool) -> Readings:
        """What the sensors show of hidden facts."""
        task = self._task
        if not task.sensors.partial:
            return ()
        state = make_state(task, self._truth)
        sense_all(task.table, state)
        shown = StateView(task, state).knowledge & self._hidden
        if operator is not None and applied and len(task.sensors.observed):
            shown[task.sensors.observed.row(operator)] = True
        facts = np.flatnonzero(shown).astype(np.int32)
        return _pairs(facts, self._sensing.sample(operator, facts, self._truth[facts], self._rng))


def _pairs(facts: Int32, values: Bits) -> Readings:
    return tuple(zip(facts.tolist(), values.tolist(), strict=True))
