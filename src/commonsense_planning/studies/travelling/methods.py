"""The methods of travelling: L-Model and L-Policy (LLM-MCTS paper, section 4.1).

Neither is told which ways there are. The model says it, as a model of the world or as a policy, and the plan that comes
of it is judged by those who know: validators, in the true task.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from commonsense_planning.config import Options, option
from commonsense_planning.errors import BudgetError, Status, UsageError
from commonsense_planning.methods.method import Estimate, Request, Solution, World
from commonsense_planning.methods.run import Clock, Run
from commonsense_planning.methods.task import Task
from commonsense_planning.studies.travelling.place_names import PlaceNames
from commonsense_planning.studies.travelling.trip import Journey, travel_of
from commonsense_planning.wording.verbalise import Wording

Found = tuple[tuple[str, ...] | None, str]
"""A route, as far as there is one, and why it does not lead to the destination; empty where it does."""

ROUTE_TOKENS = 20  # of a route with a change or two
NAME_TOKENS = 4  # of the name of a place


@dataclass(frozen=True)
class WaysOptions(Options):
    """Of predicted ways. ``both_ends``, which is not in the paper: the model is asked about the destination too, and
    ways are taken to lead back."""

    max_steps: int = option(6, "Ways of a route at most.", least=1)
    breadth: int = option(50, "Ways from a place that are taken of the model.", least=1)
    both_ends: bool = option(False, "Ask about the destination too; ways lead back.")


class ModelOfWays:
    """L-Model: the model as a model of the world."""

    name = "llm-model"
    summary = "travelling, L-Model: uniform-cost search over the ways that the model predicts from each place"
    world = World.WAYS_UNTOLD
    Options = WaysOptions

    def why_not(self, task: Task) -> str | None:
        return _why_not(task)

    def solve(self, request: Request) -> Solution:
        traveller = Traveller(request)
        return traveller.travel(lambda: traveller.predicted(request.options))

    def estimate(self, request: Request) -> Estimate | None:
        """At least one question, and at most one for each place."""
        options: WaysOptions = request.options
        traveller = Traveller(request)
        trip = traveller.trip
        question = traveller.journey.neighbours(trip.source, options.breadth)
        return traveller.run.estimate(question, (1, len(trip.places)), NAME_TOKENS * options.breadth)


class WrittenRoute:
    """L-Policy: the model as a policy."""

    name = "llm-route"
    summary = "travelling, L-Policy: the route that the model writes"
    world = World.WAYS_UNTOLD
    Options = Options

    def why_not(self, task: Task) -> str | None:
        return _why_not(task)

    def solve(self, request: Request) -> Solution:
        traveller = Traveller(request)
        return traveller.travel(traveller.written)

    def estimate(self, request: Request) -> Estimate | None:
        traveller = Traveller(request)
        return traveller.run.estimate(traveller.journey.route(), (1, 1), ROUTE_TOKENS)


LLM_MODEL = ModelOfWays()
LLM_ROUTE = WrittenRoute()


def _why_not(task: Task) -> str | None:
    if task.no_world:
        return task.no_world
    try:
        travel_of(task.problem)
    except UsageError as error:
        return str(error)
    return None


class Traveller:
    """Asks the model for the ways, or for the route."""

    def __init__(self, request: Request) -> None:
        self.clock = Clock(request.seconds)
        self.request = request
        self.trip = travel_of(request.task.problem)
        say = Wording(request.task.problem, request.task.lexicon)
        self.run = Run(request, say.scene(), self.clock)
        self.journey = Journey(self.trip, say)
        self.names = PlaceNames(self.trip.places, self.journey.words, self.run.matcher)
        self._expanded = 0
        self._back: frozenset[str] = frozenset()  # where ways lead from the destination, and so to it

    def travel(self, find: Callable[[], Found]) -> Solution:
        """Start, find a route, and say how it ended."""
        trip, run = self.trip, self.run
        run.notes.sources = (run.model.take_notes, self.names.take_notes)
        run.start(source=trip.source, destination=trip.destination, places=len(trip.places))
        try:
            self.clock.check()
            route, reason = find()
            status = Status.UNSOLVED if reason else Status.SOLVED  # as far as the model knows
        except BudgetError as error:
            route, reason, status = None, str(error), Status.BUDGET
        run.end(status, 0 if route is None else len(route) - 1, reason)
        plan = None if route is None else trip.plan(route)
        return run.solution(status, plan, reason, unmatched=self.names.unmatched)

    def predicted(self, options: WaysOptions) -> Found:
        """L-Model: uniform-cost search over the ways that the model predicts."""
        trip, depth = self.trip, options.max_steps
        together = self.request.models.config.parallel

        def ways(places: Sequence[str]) -> list[list[str]]:
            return self._predict(places, options.breadth)

        if options.both_ends:
            self._back = frozenset(ways([trip.destination])[0])
        route = uniform_cost(trip.source, trip.destination, ways, depth, together)
        if route is not None:
            return route, ""
        far = "one step" if depth == 1 else f"{depth} steps"
        reason = f"the model predicts no route to {self.journey.destination} of at most {far}"
        return None, f"{reason} (--max-steps, --breadth)"

    def _predict(self, places: Sequence[str], most: int) -> list[list[str]]:
        """Where the ways lead that the model predicts from each of the places, and those back to the destination."""
        self.clock.check()
        answers = self.run.model.ask([self.journey.neighbours(place, most) for place in places], 1)
        reached = [self.names.listed(answer[0], most) if answer else [] for answer in answers]
        ways = dict(zip(places, reached, strict=True))
        self.request.emit({"event": "expand", "ways": ways, "notes": self.run.notes.take()})
        self._expanded += len(places)
        self.request.report("places asked about", self._expanded, None)
        end = self.trip.destination
        return [[*ends, end] if place in self._back else ends for place, ends in zip(places, reached, strict=True)]

    def written(self) -> Found:
        """L-Policy: the route as the model writes it."""
        trip, journey = self.trip, self.journey
        answer = self.run.model.ask([journey.route()], 1)[0]
        stops = self.names.route(answer[0]) if answer else []
        if not stops:
            return None, "the model wrote no route"
        self.request.emit({"event": "route", "stops": [said for said, _ in stops], "notes": self.run.notes.take()})
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


Place = TypeVar("Place", bound=Hashable)


def uniform_cost(
    source: Place,
    destination: Place,
    successors: Callable[[Sequence[Place]], Sequence[Sequence[Place]]],
    depth: int,
    together: int = 1,
) -> tuple[Place, ...] | None:
    """A route with the fewest ways from source to destination, both included; None where ``depth`` ways do not reach
    it.

    Every way costs one, so the places that cost the same to get to are expanded one after the other, in the order in
    which they were found, ``together`` at a time: ``successors`` gives the places that each of these leads to. The
    search ends with the first that leads to the destination, so the route does not depend on ``together``.
    """
    parents: dict[Place, Place | None] = {source: None}
    frontier = [source]
    for _ in range(depth):
        if destination in parents:
            break
        reached: list[Place] = []
        for begin in range(0, len(frontier), together):
            expanded = frontier[begin : begin + together]
            for place, leads in zip(expanded, successors(expanded), strict=True):
                new = [end for end in dict.fromkeys(leads) if end not in parents]
                parents.update(dict.fromkeys(new, place))
                reached += new
            if destination in parents:
                break
        frontier = reached
    return _route(destination, parents) if destination in parents else None


def _route(end: Place, parents: dict[Place, Place | None]) -> tuple[Place, ...]:
    """The way back from the end to where it began, the right way round."""
    route = [end]
    while (before := parents[route[-1]]) is not None:
        route.append(before)
    return tuple(reversed(route))
