"""The observation model O(o | s', a) of the POMDP (LLM-MCTS paper, section 2.1), and the observation o.

The sensing rules of the task (``:sense … :when``) define which hidden facts the sensors show after an action. This
module defines the probability that each is shown correctly. Given the state, the readings are independent: O(o | s', a)
= Π_f P(o_f | s'_f, a), over the facts f that are shown. Not modelled: sensors whose errors go together, or depend on
the rest of the state (from how far one looks), errors about facts that are not hidden, and errors about what the action
itself has changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import GroundSensors, Int32

Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Readings = tuple[tuple[int, bool], ...]

OVERLOOKED = 0.5  # probability that a true fact in sight is not reported, in an incomplete report


@dataclass(frozen=True)
class Observation:
    """o: what an agent sees initially, or after an action.

    ``facts``: (fact, value now), certain: initially every fact that is not hidden; later the facts that have changed,
    hidden ones only if the action changed them. ``readings``: (hidden fact, value that the sensors show), which an
    observation model weighs. Both ascend by fact. ``unsaid``: hidden facts in sight that a robot with incomplete
    reports did not mention: it overlooks a true fact with probability ``OVERLOOKED``. ``failure``: the disjunct of the
    task's failure condition that holds, None if none does. ``applied``: False if the action could not be carried out;
    nothing has changed then. ``surprising``: a certain fact is false, or an action failed although its preconditions
    are certain. ``slip``: the probability that an action which was not ``applied`` fails though its preconditions hold,
    [0, 1). ``outcome``: the operator that the action turned out to be, which the agent does not see.
    """

    facts: Readings = ()
    readings: Readings = ()
    goal_reached: bool = False
    failure: int | None = None
    applied: bool = True
    surprising: bool = False
    unsaid: tuple[int, ...] = ()
    outcome: int | None = None
    slip: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether a constraint is violated: the episode is over then."""
        return self.failure is not None

    @property
    def upsetting(self) -> bool:
        """Whether earlier plans must be made again."""
        return self.surprising or not self.applied


class ObservationModel(ABC):
    """How the sensors' readings depend on the state. A model defines ``shown_true``; the rest follows from it."""

    @abstractmethod
    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        """Returns float64 (2, facts), in [0, 1]: the probability that each fact is shown as true if it is false (row
        0), and if it is true (row 1). ``operator``: the action before, None initially."""

    def likelihood(self, operator: int | None, facts: Int32, shown: Bits) -> Floats:
        """float64 (2, facts): the probability of each ``shown`` value, bool (facts,), if the fact is false (row 0), and
        if it is true (row 1)."""
        chance = self.shown_true(operator, facts)
        return np.where(shown, chance, 1.0 - chance)

    def probability(self, operator: int | None, facts: Int32, shown: Bits, truth: Bits) -> float:
        """O(o | s', a): the probability that ``facts`` whose values are ``truth`` are ``shown``, both bool (facts,)."""
        return float(self.likelihood(operator, facts, shown)[truth.astype(np.intp), np.arange(len(facts))].prod())

    def sample(self, operator: int | None, facts: Int32, truth: Bits, rng: np.random.Generator) -> Bits:
        """o ~ O(· | s', a): what is shown of ``facts`` whose values are ``truth``, bool (facts,)."""
        chance = self.shown_true(operator, facts)
        return np.asarray(rng.random(len(facts)) < np.where(truth, chance[1], chance[0]))


class CertainSensing(ObservationModel):
    """Sensors that show the truth: the default."""

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return np.repeat([[0.0], [1.0]], len(facts), axis=1)

    def sample(self, operator: int | None, facts: Int32, truth: Bits, rng: np.random.Generator) -> Bits:
        return truth  # nothing is drawn: the generator is unchanged


class ErringSensing(ObservationModel):
    """Sensors that err as defined in ``sensors.pddl`` (``:miss``, ``:false-alarm``): by the fact, regardless of the
    action. ``chances`` float64 (2, facts): ``GroundSensors.shown_true``."""

    def __init__(self, chances: Floats) -> None:
        self._chances = chances

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return self._chances[:, facts]


def observation_model(sensors: GroundSensors) -> ObservationModel:
    """The sensors' errors as defined in the task's files."""
    return CertainSensing() if sensors.shown_true is None else ErringSensing(sensors.shown_true)
