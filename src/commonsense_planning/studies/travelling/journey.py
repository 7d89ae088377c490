"""A task of travelling in English, the questions about it (LLM-MCTS paper, section 4.1), and what the embedded model
answers to them, from ``flights.toml``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from commonsense_planning.llm.embedded import answer
from commonsense_planning.studies.travelling.flight_knowledge import FlightKnowledge
from commonsense_planning.studies.travelling.travel import Travel
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Wording

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Neighbours(Question):
    """Where does a way lead directly from here? (Section 4.1: the model of travelling.) An answer is a list of places,
    of which at most ``most`` are read.

    ``place`` in English; ``kind``: what such places are, "city"; ``link``: the sentence that says that a way leads from
    there to X, such as "there is a direct flight from Oslo to X". ``places``: all there are.
    """

    template = TEMPLATES / "neighbours.jinja"
    temperature = 0.0  # facts; the paper does not say
    tokens = 512
    place: str
    kind: str
    link: str
    most: int
    places: tuple[str, ...] = field(repr=False)

    @property
    def about(self) -> str:
        return f"where one gets from {self.place}"


@dataclass(frozen=True)
class WriteRoute(Question):
    """How does one get from one place to another? (Section 4.1: the policy of travelling.) An answer is a list of
    places, from the first to the last.

    ``kind`` and ``places`` as for ``Neighbours``; ``link`` says that a way leads from X to Y.
    """

    template = TEMPLATES / "write_route.jinja"
    temperature = 0.0  # as for Neighbours
    tokens = 128
    source: str
    destination: str
    kind: str
    link: str
    places: tuple[str, ...] = field(repr=False)

    @property
    def about(self) -> str:
        return f"how one gets from {self.source} to {self.destination}"


@answer.register
def _(question: Neighbours, n: int, rng: np.random.Generator) -> list[str]:
    ways = FlightKnowledge.read().neighbours(question.place, question.places)
    return ["\n".join(ways[: question.most])] * n if ways else []


@answer.register
def _(question: WriteRoute, n: int, rng: np.random.Generator) -> list[str]:
    route = FlightKnowledge.read().route(question.source, question.destination)
    return [" -> ".join(route)] * n if route else []


class Journey:
    """What a model is told of the travelling of ``trip``. ``kind``: what its places are, such as "city"; ``words``:
    what each of them is called, in their order."""

    def __init__(self, trip: Travel, say: Wording) -> None:
        self._trip = trip
        self._say = say
        self.kind = say.words(trip.kind)
        self.words = tuple(map(say.words, trip.places))
        self.source, self.destination = say.words(trip.source), say.words(trip.destination)

    def neighbours(self, place: str, most: int) -> Neighbours:
        """Where can one go directly from the place?"""
        words = self._say.words(place)
        return Neighbours(words, self.kind, self._link(words, "X"), most, self.words)

    def route(self) -> WriteRoute:
        """How does one get from the source to the destination?"""
        return WriteRoute(self.source, self.destination, self.kind, self._link("X", "Y"), self.words)

    def _link(self, start: str, end: str) -> str:
        return self._say.sentence(self._trip.link, self._trip.linked(start, end))
