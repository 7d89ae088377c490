"""A task of travelling in English, and the questions about it."""

from __future__ import annotations

from commonsense_planning.llm.questions import Neighbours, WriteRoute
from commonsense_planning.studies.travelling.travel import Travel
from commonsense_planning.wording.verbalise import Wording


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
