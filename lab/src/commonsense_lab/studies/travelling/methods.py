"""The methods of travelling: L-Model and L-Policy (LLM-MCTS paper, section 4.1), and the place names in their answers.

Neither gets the ways. The model says which there are, as a model of the world or as a policy, and validators judge the
plan in the true task."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain, pairwise
from typing import Any, TypeVar

from commonsense_lab.studies.travelling.likely import most_probable_route
from commonsense_lab.studies.travelling.network import bare as bare_name
from commonsense_lab.studies.travelling.trip import Journey, travel_of
from commonsense_planning.config import Options, option
from commonsense_planning.errors import BudgetError, Status, UsageError
from commonsense_planning.matching.answers import bare, text_of
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.methods.method import Estimate, Observability, Request, Solution
from commonsense_planning.methods.run import Clock, Run
from commonsense_planning.task import Task
from commonsense_planning.wording.verbalise import Wording

LONGEST = 20_000  # characters of an answer that are looked at
# A name is no description: with less than this in common, one place is taken for another, "France" for Fort-de-France.
LEAST = 0.75
SHOWN = 5  # of the names that a note lists

_LINES = re.compile(r"[\r\n]+")
_ARROW = re.compile(r"\s*(?:-+>|=+>|→|⟶|➔|➝|⇒)\s*|\s+[–—-]\s+")
_LEG = re.compile(r"[\r\n,;]+|\b(?:to|then|and|via)\b", re.IGNORECASE)
_LIST = re.compile(r"[,;]|\band\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_VERB = re.compile(
    r"^(?:(?:then|next|finally|first|fly|flying|travel|go|take|depart|leave|from|to|in|at)\b\s*)+", re.IGNORECASE
)
_EDGES = " \t\"'`*.:!?<>"
_MANY = 3  # commas from which on a line is a list rather than a name with its country


Stop = tuple[str, str | None]
"""A place as it was written, and the object that it was taken for, if any."""


class PlaceNames:
    """The names of places: ``objects`` as the user spells them, ``words`` what each is called in English.

    A name is looked up as it is written (without accents, capitals and punctuation), then without what follows its
    comma, then by similarity."""

    def __init__(self, objects: Sequence[str], words: Sequence[str], matcher: Matcher) -> None:
        self._objects = tuple(objects)
        self._words = tuple(words)
        self._matcher = matcher
        self._known: dict[str, int] = {}
        for names in (words, objects, [word.partition(",")[0] for word in words]):
            for index, name in enumerate(names):
                self._known.setdefault(bare_name(name), index)
        self._known.pop("", None)  # names without Latin letters are left to the matcher
        self._unknown: dict[str, bool] = {}  # what names no place, and whether that was told

    def find(self, phrase: str) -> str | None:
        """Returns the object that a phrase names; None, and noted, if it names none."""
        name = _ASIDE.sub(" ", phrase)
        for part in (name, name.partition(",")[0]):
            if bare_name(part) in self._known:
                return self._objects[self._known[bare_name(part)]]
        similarity = self._matcher.similarities(name.strip(), self._words)
        if len(similarity) and similarity.max() >= max(LEAST, self._matcher.least):
            return self._objects[int(similarity.argmax())]
        self._unknown.setdefault(name.strip(), False)
        return None

    @property
    def unmatched(self) -> int:
        """The number of different phrases that named no place."""
        return len(self._unknown)

    def take_notes(self) -> list[str]:
        """Notes the unknown places that were named since the last call."""
        new = [name for name, told in self._unknown.items() if not told]
        self._unknown.update(dict.fromkeys(new, True))
        more = f" and {len(new) - SHOWN} more" if len(new) > SHOWN else ""
        return [f"the model named what is no place here: {', '.join(new[:SHOWN])}{more}"] if new else []

    def knows(self, phrase: str) -> bool:
        """Tells whether a phrase is, word by word, the name of a place."""
        return bare_name(_ASIDE.sub(" ", phrase)) in self._known

    def listed(self, answer: str, most: int) -> list[str]:
        """Returns at most ``most`` places that an answer lists, each once: one a line, or with commas between them."""
        found: dict[str, None] = {}
        for phrase in self._phrases(text_of(answer, LONGEST)):
            place = self.find(phrase)
            if place is not None:
                found[place] = None
                if len(found) == most:
                    break
        return list(found)

    def _phrases(self, text: str) -> list[str]:
        lines = [line for line in map(str.strip, _LINES.split(text)) if line and not line.endswith(":")]
        phrases: list[str] = []
        for line in map(bare, lines):
            several = len(lines) == 1 or line.count(",") >= _MANY
            parts = _LIST.split(line) if several and not self.knows(line) else [line]
            phrases += (part for part in (part.strip(_EDGES) for part in parts) if part)
        return phrases

    def route(self, answer: str) -> list[Stop]:
        """Returns the stops of a route in their order: with arrows or dashes between them, in one line or leg by leg,
        else in words or as a list. Of several lines with arrows that do not go on from each other, the last is the
        answer."""
        lines = [line for line in map(str.strip, _LINES.split(text_of(answer, LONGEST))) if line and line[-1] != ":"]
        drawn = [self._stops(_ARROW.split(bare(line))) for line in lines if len(_ARROW.split(bare(line))) > 1]
        plain = list(map(bare, lines))
        legs = drawn or [self._stops([p] if self.knows(p.strip(_EDGES)) else _LEG.split(p)) for p in plain]
        legs = [leg for leg in legs if leg]
        if drawn and any(one[-1][1] != other[0][1] for one, other in pairwise(legs)):
            legs = legs[-1:]
        stops: list[Stop] = []
        for stop in chain.from_iterable(legs):
            if not stops or stop[1] is None or stop[1] != stops[-1][1]:
                stops.append(stop)
        return stops

    def _stops(self, phrases: Sequence[str]) -> list[Stop]:
        names = (_VERB.sub("", phrase.strip(_EDGES)).strip(_EDGES) for phrase in phrases)
        return [(name, self.find(name)) for name in names if name]


Found = tuple[tuple[str, ...] | None, str]
"""A route, if there is one, and why it does not lead to the destination; empty where it does."""

ROUTE_TOKENS = 20  # of a route with a change or two
NAME_TOKENS = 4  # of the name of a place


class RouteSearch(StrEnum):
    """Which route is searched for over predicted ways."""

    PROBABLE = "probable"  # the one whose ways most probably all exist, by all that the model says of them
    FEWEST = "fewest"  # the one with the fewest ways, all of which count as certain: the paper's


@dataclass(frozen=True)
class WaysOptions(Options):
    """Of predicted ways. ``recheck`` belongs to the most probable route."""

    max_steps: int = option(6, "Ways of a route at most.", least=1)
    breadth: int = option(50, "Ways from a place that are taken of the model.", least=1)
    route: RouteSearch = option(RouteSearch.PROBABLE, "The most probable route, or the paper's: the fewest ways.")
    recheck: int = option(10, "Doubtful ways that are asked about one by one, at most.", least=0)


class _Travelling:
    """What both methods have in common."""

    world = Observability.WAYS_UNTOLD

    def why_not(self, task: Task) -> str | None:
        if task.no_world:
            return task.no_world
        try:
            travel_of(task.problem)
        except UsageError as error:
            return str(error)
        return None


class ModelOfWays(_Travelling):
    """L-Model: the model as a model of the world."""

    name = "llm-model"
    summary = "travelling, L-Model: the most probable route over the ways that the model predicts"
    Options = WaysOptions

    def solve(self, request: Request) -> Solution:
        traveller = Traveller(request)
        return traveller.travel(lambda: traveller.predicted(request.options_as(WaysOptions)))

    def estimate(self, request: Request) -> Estimate | None:
        """Estimates at least one question, and at most one for each place and each doubtful way."""
        options = request.options_as(WaysOptions)
        traveller = Traveller(request)
        trip, probable = traveller.trip, options.route is RouteSearch.PROBABLE
        question = traveller.journey.neighbours(trip.source, options.breadth)
        asked = (2, len(trip.places) + options.recheck) if probable else (1, len(trip.places))
        return traveller.run.estimate(question, asked, NAME_TOKENS * options.breadth)


class WrittenRoute(_Travelling):
    """L-Policy: the model as a policy."""

    name = "llm-route"
    summary = "travelling, L-Policy: the route that the model writes"
    Options = Options

    def solve(self, request: Request) -> Solution:
        traveller = Traveller(request)
        return traveller.travel(traveller.written)

    def estimate(self, request: Request) -> Estimate | None:
        traveller = Traveller(request)
        return traveller.run.estimate(traveller.journey.route(), (1, 1), ROUTE_TOKENS)


LLM_MODEL = ModelOfWays()
LLM_ROUTE = WrittenRoute()


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

    def travel(self, find: Callable[[], Found]) -> Solution:
        """Starts, finds a route, and reports the end."""
        trip, run = self.trip, self.run
        run.notes.sources = (run.model.take_notes, self.names.take_notes)
        run.start(source=trip.source, destination=trip.destination, places=len(trip.places))
        try:
            self.clock.check()
            route, reason = find()
            status = Status.UNSOLVED if reason else Status.SOLVED  # as far as the model knows
        except BudgetError as error:
            route, reason, status = None, str(error), Status.BUDGET
        plan = None if route is None else trip.plan(route)
        return run.end(status, plan, reason, unmatched=self.names.unmatched)

    def predicted(self, options: WaysOptions) -> Found:
        """L-Model: searches over the ways that the model predicts."""
        trip, depth = self.trip, options.max_steps
        ends, ways = (trip.source, trip.destination), partial(self._predict, most=options.breadth)
        if options.route is RouteSearch.FEWEST:
            # not as many as --parallel says: what is asked, and so the trace, does not depend on that
            route = uniform_cost(*ends, ways, depth, self.request.models.adapter.parallel)
        else:
            route, surety = most_probable_route(*ends, ways, self._sure, options.breadth, depth, options.recheck)
            if route:
                self._tell("route", stops=list(route), probabilities=[round(p, 4) for p in surety])
        if route:
            return route, ""
        far = "one step" if depth == 1 else f"{depth} steps"
        reason = f"the model predicts no route to {self.journey.destination} of at most {far}"
        return None, f"{reason} (--max-steps, --breadth)"

    def _predict(self, places: Sequence[str], most: int) -> list[list[str]]:
        """Asks where the ways from each of the places lead."""
        self.clock.check()
        answers = self.run.model.ask([self.journey.neighbours(place, most) for place in places], 1)
        reached = [self.names.listed(answer[0], most) if answer else [] for answer in answers]
        for answer in [answer for answer, ways in zip(answers, reached, strict=True) if not ways]:
            self.run.model.usage.not_read(*answer)
        self._tell("expand", ways=dict(zip(places, reached, strict=True)))
        self._expanded += len(places)
        self.request.report("places asked about", self._expanded, None)
        return reached

    def _sure(self, ways: Sequence[tuple[str, str]]) -> list[float]:
        """Asks how sure the model is that each of the ways exists, from 0 to 1; 1/2 where it does not say."""
        self.clock.check()
        weights = self.run.model.weigh([self.journey.is_way(*way) for way in ways], 1)
        sure = [float(w.shares[0]) if w.shares.any() else 0.5 for w in weights]
        self._tell("doubt", ways=[[*way, round(p, 4)] for way, p in zip(ways, sure, strict=True)])
        return sure

    def _tell(self, event: str, **told: Any) -> None:
        self.request.emit({"event": event, **told, "notes": self.run.notes.take()})

    def written(self) -> Found:
        """L-Policy: has the model write the route."""
        trip, journey = self.trip, self.journey
        answer = self.run.model.ask([journey.route()], 1)[0]
        stops = self.names.route(answer[0]) if answer else []
        if not stops:
            self.run.model.usage.not_read(*answer)
            return None, "the model wrote no route"
        self._tell("route", stops=[said for said, _ in stops])
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
    """Finds a route with the fewest ways from source to destination, both included; None if ``depth`` ways are too few.

    Every way costs one, so places at the same cost are expanded in the order in which they were found, ``together`` at
    a time: ``successors`` returns the places that each of these leads to. The search ends with the first that leads to
    the destination, so the route does not depend on ``together``."""
    parents: dict[Place, Place | None] = {source: None}
    frontier = [source]
    for _ in range(depth):
        reached: list[Place] = []
        while frontier and destination not in parents:
            expanded, frontier = frontier[:together], frontier[together:]
            for place, leads in zip(expanded, successors(expanded), strict=True):
                new = [end for end in dict.fromkeys(leads) if end not in parents]
                parents.update(dict.fromkeys(new, place))
                reached += new
        frontier = reached
    if destination not in parents:
        return None
    route = [destination]
    while (before := parents[route[-1]]) is not None:
        route.append(before)
    return tuple(reversed(route))
