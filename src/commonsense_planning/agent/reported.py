"""The basis of an agent's decisions in a real world, which it knows only through reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from commonsense_planning.agent.deadline import Deadline
from commonsense_planning.agent.observation_report import (
    AgentNames,
    ObservationParser,
    ObservationReport,
    Reading,
    words,
)
from commonsense_planning.grounding.ground_task import GroundTask, forbidding
from commonsense_planning.kernels.compiled import Compiled, compile_task
from commonsense_planning.methods.acting_options import MOVE_RATE
from commonsense_planning.methods.episode_context import EpisodeContext
from commonsense_planning.methods.method import Request
from commonsense_planning.pomdp.belief import Belief
from commonsense_planning.pomdp.observation_model import Observation, observation_model

Past = list[tuple[str | None, ObservationReport]]
"""Pairs of an action, None for none, and the report after it, in order."""


class ReportedEpisode(EpisodeContext):
    """An episode in a real world. ``past`` contains the reports so far, and later ones are added. ``without``: actions
    that plans must avoid. ``error``: see ``ObservationParser``."""

    def __init__(
        self, request: Request, clock: Deadline, past: Past, error: float, without: Collection[str] = ()
    ) -> None:
        self.past = past
        self._error = error
        self._without = without
        self._sought: set[int] = set()  # groups that were not found, and then looked for again
        super().__init__(request, clock)

    def met(self) -> tuple[GroundTask, Compiled]:
        task, compiled = super().met()
        if self._without:
            names = AgentNames(task)
            forbidden = np.concatenate([names.operators(action) for action in self._without])
            outcomes = np.flatnonzero(np.isin(task.outcomes.first, forbidden)).astype(np.int32)
            task, sensors = forbidding(task, compiled.sensors, outcomes)
            compiled = compile_task(task, sensors)
        own = self.request.task
        sensing = own.sensing or observation_model(compiled.sensors)
        self.reader = ObservationParser(task, compiled, sensing, own.sensors, self._error)
        return task, compiled

    @property
    def move_rate(self) -> float:
        """The request's option; if it has none, ``MOVE_RATE`` where sensors err: others may move things in a real
        world. Of sensors that do not err, the newest observation counts, whatever was certain."""
        given: float | None = getattr(self.request.options, "move_rate", None)
        return (MOVE_RATE if self.reader.may_err else 0.0) if given is None else given

    def recall(self, belief: Belief) -> None:
        self._sought.clear()
        belief.update(None, Observation(self.reader.initial(), (), True))
        for did, seen in self.past:
            self.take_in(self.read(did, seen, belief), belief, belief.update)

    def read(self, did: str | None, seen: ObservationReport, belief: Belief, advised: bool = True) -> Reading:
        """The observation after ``did`` was done, given the belief. Raises InputError."""
        operator = None if did is None else self.reader.names.operator(did, belief)
        return self.reader.read(seen, operator, belief, advised)

    def take_in(self, reading: Reading, belief: Belief, update: Callable[[int | None, Observation], None]) -> list[str]:
        """Discards what can no longer be true, and updates the belief by ``update``. Returns surprises in English: a
        thing that is in none of its places must have been moved out of sight, and is looked for again."""
        if reading.observation.surprising:
            belief.forget(reading.changed)
        update(reading.operator, reading.observation)
        self._sought -= {group for group in self._sought if belief.truth[belief.groups.row(group)].any()}
        lost = sorted(set(belief.knowledge.nowhere().tolist()) - self._sought)
        if lost:
            self._sought |= set(lost)
            places = np.concatenate([belief.groups.row(group) for group in lost])
            belief.forget(places)
            there = set(places.tolist())
            belief.update(None, Observation((), tuple(r for r in reading.observation.readings if r[0] in there), True))
        return [f"{belief.name(group)} is in none of its places: it is looked for again" for group in lost]

    def stand_ins(self, new: Mapping[str, str], seen: ObservationReport) -> dict[str, str]:
        """The declared things that the ``new`` ones, name → type, turn out to be: declared name → new name."""
        past = [text for did, before in (*self.past, (None, seen)) for text in (did or "", *before.true)]
        met = {word for text in past for word in words(text)}
        found: dict[str, str] = {}
        for name, kind in new.items():
            other = self.reader.names.stand_in(name, kind, seen, met | found.keys())
            if other is not None:
                found[other] = name
        return found

    @property
    def violated(self) -> str | None:
        """The constraint that is known to be violated, in the user's words; None if none is."""
        failure, belief = self.task.failure, self.belief
        for d in range(len(failure.pos)):
            wanted, unwanted = failure.pos.row(d), failure.neg.row(d)
            known = belief.known[wanted].all() and belief.known[unwanted].all()
            if known and belief.truth[wanted].all() and not belief.truth[unwanted].any():
                return self.task.constraint(d)
        return None
