"""How the methods of travelling put the parts together: L-Model and L-Policy (LLM-MCTS paper, section 4.1).

Neither is told which ways there are. The model says it, as a model of the world or as a policy, and the plan that comes
of it is judged by those who know: validators, in the true task.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from commonsense_planning.errors import BudgetError
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.matching import matcher_named
from commonsense_planning.methods.registry import Request, Solution
from commonsense_planning.methods.solving import Clock, Notes, start_event
from commonsense_planning.search.result import Status
from commonsense_planning.studies.travelling.journey import Journey
from commonsense_planning.studies.travelling.place_names import PlaceNames
from commonsense_planning.studies.travelling.travel import Travel, travel_of
from commonsense_planning.studies.travelling.uniform_cost import uniform_cost
from commonsense_planning.wording.verbalise import Wording

Found = tuple[tuple[str, ...] | None, str]
"""A route, as far as there is one, and why it does not lead to the destination; empty where it does."""


def travel(request: Request) -> Solution:
    """A route that the model predicts or writes, as a plan. Raises UsageError for a task that is no travelling."""
    clock, notes = Clock(request.seconds), Notes()
    trip = travel_of(request.task.problem)
    say = Wording(request.task.problem, request.task.lexicon)
    matcher = matcher_named(request.models.config.matcher)
    journey = Journey(trip, say)
    names = PlaceNames(trip.places, journey.words, matcher)
    model = request.models.open(say.scene(), request.task.prompts, matcher, np.random.default_rng(request.seed))
    request.models.stop_at(clock.end)
    notes.sources = (model.take_notes, names.take_notes)
    ends = {"source": trip.source, "destination": trip.destination, "places": len(trip.places)}
    request.emit(start_event(request, model, **ends, notes=notes.take()))
    traveller = Traveller(request, trip, journey, names, model, clock, notes)
    try:
        clock.check()
        route, reason = traveller.predicted() if request.method.kind == "model" else traveller.written()
        status = Status.UNSOLVED if reason else Status.SOLVED  # as far as the model knows
    except BudgetError as error:
        route, reason, status = None, str(error), Status.BUDGET
    steps = 0 if route is None else len(route) - 1
    request.emit({"event": "end", "status": str(status), "steps": steps, "reason": reason, "notes": notes.take()})
    return Solution(
        status,
        None if route is None else trip.plan(route),
        0.0,
        reason,
        model.name,
        model.note,
        model.usage,
        request.models.usd,
        names.unmatched,
    )


class Traveller:
    """Asks the model for the ways, or for the route."""

    def __init__(
        self,
        request: Request,
        trip: Travel,
        journey: Journey,
        names: PlaceNames,
        model: LanguageModel,
        clock: Clock,
        notes: Notes,
    ) -> None:
        self._request, self._trip, self._journey, self._names = request, trip, journey, names
        self._model, self._clock, self._notes = model, clock, notes
        self._expanded = 0
        self._back: frozenset[str] = frozenset()  # where ways lead from the destination, and so to it

    def predicted(self) -> Found:
        """L-Model: uniform-cost search over the ways that the model predicts."""
        trip, depth = self._trip, self._request.config.max_steps
        together = self._request.models.config.parallel
        if self._request.config.both_ends:
            self._back = frozenset(self._predict([trip.destination])[0])
        route = uniform_cost(trip.source, trip.destination, self._predict, depth, together)
        if route is not None:
            return route, ""
        far = "one step" if depth == 1 else f"{depth} steps"
        reason = f"the model predicts no route to {self._journey.destination} of at most {far}"
        return None, f"{reason} (--max-steps, --breadth)"

    def _predict(self, places: Sequence[str]) -> list[list[str]]:
        """Where the ways lead that the model predicts from each of the places, and those back to the destination."""
        self._clock.check()
        most = self._request.config.breadth
        answers = self._model.ask([self._journey.neighbours(place, most) for place in places], 1)
        reached = [self._names.listed(answer[0], most) if answer else [] for answer in answers]
        ways = dict(zip(places, reached, strict=True))
        self._request.emit({"event": "expand", "ways": ways, "notes": self._notes.take()})
        self._expanded += len(places)
        self._request.report("places asked about", self._expanded)
        end = self._trip.destination
        return [[*ends, end] if place in self._back else ends for place, ends in zip(places, reached, strict=True)]

    def written(self) -> Found:
        """L-Policy: the route as the model writes it."""
        trip, journey = self._trip, self._journey
        answer = self._model.ask([journey.route()], 1)[0]
        stops = self._names.route(answer[0]) if answer else []
        if not stops:
            return None, "the model wrote no route"
        self._request.emit({"event": "route", "stops": [said for said, _ in stops], "notes": self._notes.take()})
        if stops[0][1] != trip.source:
            stops.insert(0, (journey.source, trip.source))
        route: list[str] = []
        for said, place in stops:
            if place is None:
                return tuple(route), f"the model's route goes by {said}, which is no {journey.kind} here"
            route.append(place)
        if route[-1] != trip.destination:
            return tuple(route), f"the model's route ends at {stops[-1][0]}"
        return tuple(route), ""
