"""The observation model O(o | s', a) of the POMDP (LLM-MCTS paper, section 2.1), and the observation o.

Which hidden facts the sensors show after an action is said by the sensing rules of the task (``:sense … :when``). With
which probability each of them is shown as it is, is said here. Given the state, the readings are independent:
O(o | s', a) = Π_f P(o_f | s'_f, a), over the facts f that are shown. Not modelled: sensors whose errors go together,
or depend on the rest of the state (from how far one looks), errors about facts that are not hidden, and errors about
what the action itself has changed.
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

OVERLOOKED = 0.5  # probability that nothing is said of what is so and in sight, where not all is told


@dataclass(frozen=True)
class Observation:
    """o: what an agent gets to see at first (the initial observation), or after an action.

    ``facts``: (fact, value now), certain: at first of every fact that is not hidden, later of those that have changed
    and of hidden ones that the action has changed. ``readings``: (hidden fact, value that the sensors show), which an
    observation model weighs. Both ascend by fact. ``unsaid``: hidden facts that were in sight and of which nothing was
    said, by a robot that does not tell all that it sees: it overlooks what is so with a probability of ``OVERLOOKED``.
    ``failure``: the disjunct of the task's failure condition that holds, None if none does. ``applied``: False if the
    action could not be carried out; nothing has changed then. ``surprising``: something was certain and is not so, or
    an action failed and all that it wants is certain. ``slip``: how probable it is that an action which was not
    ``applied`` fails though all that it wants is so, [0, 1). ``outcome``: the operator that the action turned out to
    be, which the agent does not see.
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
        """Whether plans that were made before are to be made again."""
        return self.surprising or not self.applied


class ObservationModel(ABC):
    """How the sensors' readings depend on the state. A model says ``shown_true``; the rest follows from it."""

    @abstractmethod
    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        """float64 (2, facts), in [0, 1]: how probable it is that each fact is shown as true, where it is false (row 0)
        and where it is true (row 1). ``operator``: the action before, None at first."""

    def likelihood(self, operator: int | None, facts: Int32, shown: Bits) -> Floats:
        """float64 (2, facts): the probability of what is ``shown``, bool (facts,), where each fact is false (row 0) and
        where it is true (row 1)."""
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
    """Sensors show what is so: the default."""

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return np.repeat([[0.0], [1.0]], len(facts), axis=1)

    def sample(self, operator: int | None, facts: Int32, truth: Bits, rng: np.random.Generator) -> Bits:
        return truth  # nothing is drawn: the generator stays as it is


class ErringSensing(ObservationModel):
    """Sensors that err as ``sensors.pddl`` has it (``:miss``, ``:false-alarm``): by the fact, whatever was done.
    ``chances`` float64 (2, facts): ``GroundSensors.shown_true``."""

    def __init__(self, chances: Floats) -> None:
        self._chances = chances

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return self._chances[:, facts]


def observation_model(sensors: GroundSensors) -> ObservationModel:
    """How the sensors of a task err by its own files."""
    return CertainSensing() if sensors.shown_true is None else ErringSensing(sensors.shown_true)
