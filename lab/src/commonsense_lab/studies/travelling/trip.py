"""Tasks of travelling, getting from a place to another over ways that are what they are; the questions about them; and
what the embedded model knows of flights, a table written by hand, asked for neighbours or for a route.

Such a task has an action of two parameters that wants one to be at the one and a static fact that links it to the
other, and takes one there. No name tells it, so ``fly`` over direct flights and ``drive`` over roads are both
travelling."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_lab.studies.travelling.network import bare
from commonsense_planning.embedded.answers import answer
from commonsense_planning.errors import UsageError
from commonsense_planning.grounding.lifted import TRUE, And, Equal, Literal, Schema, Translator, lift_schemas, simplify
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.support.reading import read_toml, reading
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Wording

TABLE = Path(__file__).with_name("flights.toml")


class FlightKnowledge:
    """The table; the format is described at its head.

    Names are compared without case, accents and punctuation; the country may follow a comma ("Paris, France"). A name
    with another country behind it is another city."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        cities = tables["cities"]
        regions = tables["regions"]
        self._flights: dict[str, set[str]] = {name: set() for name in cities}
        self._hubs: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for name, city in cities.items():
            for other in city.get("flights", ()):
                self._flights[name].add(other)
                self._flights[other].add(name)
            self._hubs[name] = city["hub"] if "hub" in city else regions[city["region"]]["hub"]
            for alias in (name, *city.get("aliases", ())):
                self._names.setdefault(bare(alias), name)
                self._names.setdefault(bare(f"{alias}, {city['country']}"), name)

    @staticmethod
    @lru_cache(maxsize=4)
    def read(path: Path = TABLE) -> FlightKnowledge:
        """Read a table. Raises InputError if the file is not one."""
        with reading(path, "a table of flights"):
            return FlightKnowledge(read_toml(path, "a table of flights"))

    def neighbours(self, city: str, cities: Sequence[str] = ()) -> tuple[str, ...]:
        """Returns those of ``cities`` (default: of the table), as written there, with a direct flight from ``city``:
        its hub, then those with most flights in the table, equals by name. Empty for an unknown city."""
        here = self._known(city)
        if here is None:
            return ()
        named = [(name, self._known(name)) for name in cities or self._flights]
        near = [(name, known) for name, known in named if known is not None and known in self._flights[here]]
        hub = self._hubs[here]
        return tuple(n for n, known in sorted(near, key=lambda n: (n[1] != hub, -len(self._flights[n[1]]), n[0])))

    def route(self, source: str, destination: str) -> tuple[str, ...]:
        """Returns a route without searching: the flight if the table has one, else by way of the hubs of both cities,
        which may have no flight between them. Both ends are written as in the question. Empty for an unknown city."""
        start, end = self._known(source), self._known(destination)
        if start is None or end is None:
            return ()
        if start == end:
            return (source,)
        hubs = () if end in self._flights[start] else (self._hubs[start], self._hubs[end])
        between = dict.fromkeys(hub for hub in hubs if hub not in (start, end))
        return (source, *between, destination)

    def _known(self, city: str) -> str | None:
        return self._names.get(bare(city))


NO_WAY = "no task of travelling: no action (go ?from ?to) wants just (at ?from) and a fixed (way ?from ?to)"
NO_GOAL = "no task of travelling: the goal is not to be at one place"
CONSTRAINED = "no task of travelling: there are constraints, which a route over ways that are untold cannot be held to"


@dataclass(frozen=True)
class Travel:
    """Get from ``source`` to ``destination``, over facts of ``link``, by ``action``.

    All names are the user's spelling. ``kind``: the type of places. ``places``: all that one can be at, in the order of
    their names. ``onward``: whether the link's first argument is where its way begins; ``forward``: the same of the
    action."""

    action: str
    link: str
    kind: str
    places: tuple[str, ...]
    source: str
    destination: str
    onward: bool
    forward: bool

    def linked(self, start: str, end: str) -> tuple[str, str]:
        """Returns the arguments of the link from start to end, in its order."""
        return (start, end) if self.onward else (end, start)

    def plan(self, route: tuple[str, ...]) -> Plan:
        """Returns the places of a route as a plan."""
        legs = zip(route, route[1:], strict=False)
        steps = tuple(Step(self.action, leg if self.forward else leg[::-1]) for leg in legs)
        return Plan(steps, float(len(steps)))


def travel_of(problem: Problem) -> Travel:
    """Finds the travelling of a problem. Raises UsageError, with what is missing, if it is not such a task."""
    if problem.constraints:
        raise UsageError(CONSTRAINED)
    # without the facts: of ways there may be tens of thousands
    tr = Translator(problem)
    schemas, goal = lift_schemas(tr), simplify(tr.formula(problem.tarski.goal, {}, [0]))
    fluent = frozenset(effect.literal.predicate for schema in schemas for effect in schema.effects)
    found = [(schema, leg) for schema in schemas if (leg := _leg(fluent, schema)) is not None]
    if not found:
        raise UsageError(NO_WAY)
    spell, names = problem.spell, tr.objects
    for schema, leg in found:
        points = problem.tarski.init.predicate_extensions.get(tr.predicates[leg.at].signature, ())
        if len(points) == 1 and isinstance(goal, Literal) and goal.positive and goal.predicate in leg.reached:
            (here,) = next(iter(points))
            end = -1 - leg.end
            return Travel(
                spell(schema.name),
                spell(str(tr.predicates[leg.link.predicate].symbol)),
                spell(problem.tarski.actions[schema.name].parameters[end].sort.name),
                tuple(spell(names[place]) for place in tr.members[schema.parameters[end]]),
                spell(str(here.expr.symbol)),
                spell(names[goal.terms[0]]),
                onward=leg.link.terms[1] == leg.end,
                forward=end == 1,
            )
    raise UsageError(NO_GOAL)


@dataclass(frozen=True)
class _Leg:
    """A schema that takes one from a place to the one of variable ``end`` where ``link`` holds. ``at`` says where one
    is; ``reached`` are the predicates that then hold of the end."""

    at: int
    link: Literal
    end: int
    reached: frozenset[int]


def _leg(fluent: frozenset[int], schema: Schema) -> _Leg | None:
    """Returns the schema as a leg of a journey, or None."""
    condition = schema.precondition
    parts = condition.parts if isinstance(condition, And) else (condition,)
    literals = [part for part in parts if isinstance(part, Literal) and part.positive]
    unequal = [part for part in parts if isinstance(part, Equal) and not part.positive]
    if len(schema.parameters) != 2 or len(literals) != 2 or len(literals) + len(unequal) != len(parts):
        return None
    at, link = sorted(literals, key=lambda literal: len(literal.terms))
    if (len(at.terms), len(link.terms)) != (1, 2) or set(link.terms) != {-1, -2} or at.terms[0] not in link.terms:
        return None
    if at.predicate not in fluent or link.predicate in fluent:
        return None
    end = next(term for term in link.terms if term not in at.terms)
    if any(effect.variables or effect.condition != TRUE for effect in schema.effects):
        return None
    effects = {effect.literal for effect in schema.effects}
    lost = {literal for literal in effects if not literal.positive}
    gained = effects - lost
    if lost != {replace(at, positive=False)} or replace(at, terms=(end,)) not in gained:
        return None
    if any(literal.terms != (end,) for literal in gained):
        return None
    return _Leg(at.predicate, link, end, frozenset(literal.predicate for literal in gained))


TEMPLATES = Path(__file__).with_name("templates")
YES, NO = "yes", "no"
_YES_NO = re.compile(rf"\b(?:{YES}|{NO})\b")


@dataclass(frozen=True)
class Neighbours(Question):
    """Where does a way lead directly from here? (Section 4.1: the model of travelling.) An answer is a list of places,
    of which at most ``most`` are read.

    ``place`` in English; ``kind``: what such places are, "city"; ``link``: the sentence that says that a way leads from
    there to X, such as "there is a direct flight from Oslo to X". ``places``: all there are."""

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
class IsWay(Question):
    """Does a way lead directly from one place to another? It is not in the paper. ``link``: the sentence that says that
    it does."""

    template = TEMPLATES / "is_way.jinja"
    temperature = 0.0  # as for Neighbours
    tokens = 8
    start: str
    end: str
    link: str

    @property
    def about(self) -> str:
        return f"whether {self.link}"

    @property
    def options(self) -> tuple[str, ...]:
        return YES, NO

    def _phrases(self, answer: str) -> tuple[str, ...]:
        """Returns the first yes or no of an answer."""
        return tuple(_YES_NO.findall(answer.lower()))[:1]


@dataclass(frozen=True)
class WriteRoute(Question):
    """How does one get from one place to another? (Section 4.1: the policy of travelling.) An answer is a list of
    places, from the first to the last.

    ``kind`` and ``places`` as for ``Neighbours``; ``link`` says that a way leads from X to Y."""

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
def _(question: IsWay, n: int, rng: np.random.Generator) -> list[str]:
    """Answers by the table, except about cities that it does not know."""
    known = FlightKnowledge.read()
    if not (known.neighbours(question.start) and known.neighbours(question.end)):
        return []
    return [YES if known.neighbours(question.start, [question.end]) else NO] * n


@answer.register
def _(question: WriteRoute, n: int, rng: np.random.Generator) -> list[str]:
    route = FlightKnowledge.read().route(question.source, question.destination)
    return [" -> ".join(route)] * n if route else []


class Journey:
    """The questions about ``trip``. ``kind``: of its places, such as "city"; ``words``: their names in English, in
    order."""

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

    def is_way(self, start: str, end: str) -> IsWay:
        """Can one go directly from one place to the other?"""
        words = self._say.words(start), self._say.words(end)
        return IsWay(*words, self._link(*words))

    def route(self) -> WriteRoute:
        """How does one get from the source to the destination?"""
        return WriteRoute(self.source, self.destination, self.kind, self._link("X", "Y"), self.words)

    def _link(self, start: str, end: str) -> str:
        return self._say.sentence(self._trip.link, self._trip.linked(start, end))
