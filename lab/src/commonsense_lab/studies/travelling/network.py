"""Cities and the direct flights between them: a directed graph, problems of the domain in ``pddl/flights`` from it,
pairs of cities to travel between, and the cities of the experiment (section 4.1 of the LLM-MCTS paper) by their
names."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from commonsense_lab.studies.homes.household import fill
from commonsense_planning.errors import InputError

NO_ROUTE = -1


@dataclass(frozen=True)
class FlightNetwork:
    """Cities, numbered from 0, and their direct flights.

    ``ids`` are PDDL names: unique, lower case, of letters, digits and hyphens, beginning with a letter. ``names`` are
    in English. ``flights`` has for every city the cities with a direct flight from it, ascending, without itself.
    ``countries``: those of the cities of which others have the name, by id."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    flights: tuple[tuple[int, ...], ...]
    countries: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Counts the cities."""
        return len(self.ids)

    @property
    def flight_count(self) -> int:
        """The number of direct flights; there and back are two."""
        return sum(map(len, self.flights))

    def part(self, chosen: Sequence[int]) -> FlightNetwork:
        """Returns the chosen cities, each once, in the order chosen, and the flights between them."""
        place = {city: i for i, city in enumerate(chosen)}
        return FlightNetwork(
            tuple(self.ids[city] for city in chosen),
            tuple(self.names[city] for city in chosen),
            tuple(tuple(sorted(place[to] for to in self.flights[city] if to in place)) for city in chosen),
            {self.ids[city]: self.countries[self.ids[city]] for city in chosen if self.ids[city] in self.countries},
        )

    def connected(self) -> FlightNetwork:
        """Returns the largest set of cities with a route from each to each, in their order here; of equally large ones
        the one with the first city."""
        if not self.ids:
            return self
        _, component = connected_components(self._matrix(), directed=True, connection="strong")
        sizes = np.bincount(component)
        largest = component[int(np.argmax(sizes[component]))]
        return self.part(np.flatnonzero(component == largest).tolist())

    def busiest(self, count: int) -> FlightNetwork:
        """Returns the ``count`` busiest cities with a route from each to each within them, in their order here.

        A city is as busy as it has flights in this network, in and out; of equally busy ones the one whose id comes
        first in the alphabet counts as busier. The part grows inside ``connected()``, from its busiest city, by the
        busiest city that has a flight from the part and a flight to it. So the parts of all sizes lie within each
        other. Where no city has both, the busiest one left comes with all cities on a shortest route there and back,
        and the part may get larger than ``count``. It is smaller only if ``connected()`` is."""
        whole = self.connected()
        arriving = whole._arriving()
        here = self._arriving()
        busyness = {name: len(self.flights[i]) + len(here[i]) for i, name in enumerate(self.ids)}
        rank = [(-busyness[name], name) for name in whole.ids]
        waiting = sorted(range(len(whole)), key=rank.__getitem__)
        chosen = set(waiting[:1] if count > 0 else ())
        del waiting[: len(chosen)]
        while waiting and len(chosen) < count:
            both = (c for c in waiting if not (chosen.isdisjoint(whole.flights[c]) or chosen.isdisjoint(arriving[c])))
            city = next(both, None)
            added = (
                {waiting[0], *_way(whole.flights, waiting[0], chosen), *_way(arriving, waiting[0], chosen)}
                if city is None
                else {city}
            )
            chosen |= added
            waiting = [c for c in waiting if c not in added]
        return whole.part(sorted(chosen))

    def distances(self, sources: Sequence[int] | None = None) -> npt.NDArray[np.int16]:
        """Returns the fewest flights from each of ``sources`` (row; all cities if None) to each city (column), int16
        (sources, cities); -1 where there is no route."""
        rows = range(len(self)) if sources is None else sources
        if not rows:
            return np.zeros((0, len(self)), np.int16)
        flights = shortest_path(self._matrix(), method="D", unweighted=True, indices=list(rows))
        return np.where(np.isinf(flights), NO_ROUTE, flights).astype(np.int16)

    def _matrix(self) -> csr_array:
        ends = np.cumsum([0, *map(len, self.flights)])
        targets = np.fromiter((to for line in self.flights for to in line), np.int32, self.flight_count)
        return csr_array((np.ones(len(targets)), targets, ends), shape=(len(self), len(self)))

    def _arriving(self) -> tuple[tuple[int, ...], ...]:
        """Returns for every city the cities with a direct flight to it, ascending."""
        arriving: list[list[int]] = [[] for _ in self.ids]
        for city, targets in enumerate(self.flights):
            for to in targets:
                arriving[to].append(city)
        return tuple(map(tuple, arriving))


def _way(flights: Sequence[Sequence[int]], start: int, ends: set[int]) -> list[int]:
    """Returns the cities between ``start`` and the nearest of ``ends``, of which one must be within reach."""
    before = {start: start}
    queue = [start]
    for city in queue:  # grows while it is read
        if city in ends:
            way = []
            while (city := before[city]) != start:
                way.append(city)
            return way
        for to in flights[city]:
            if to not in before:
                before[to] = city
                queue.append(to)
    raise AssertionError("a city of a connected network has a route to every other")


def render_flights(network: FlightNetwork, source: int, destination: int, name: str, comment: str) -> str:
    """Returns the text of a problem of the domain ``flights``: from one city of the network to another.

    ``name`` is the problem's; ``comment``, at the top, should say where the network is from."""
    here = network.ids[source]
    objects = [*network.ids, "- city)"]
    facts = [f"(at {here})", f"(visited {here})"]
    for city, targets in zip(network.ids, network.flights, strict=True):
        facts += [f"(direct-flight {city} {network.ids[to]})" for to in targets]
    facts[-1] += ")"
    lines = [
        *(f"; {line}".rstrip() for line in comment.splitlines()),
        f"(define (problem {name})",
        "  (:domain flights)",
        "  (:objects",
        *fill(objects),
        "  (:init",
        *fill(facts),
        f"  (:goal (at {network.ids[destination]})))",
    ]
    return "\n".join(lines) + "\n"


YEAR = 2014  # of OpenFlights' routes: they are of June of that year and were never brought up to date


def render_lexicon(network: FlightNetwork) -> str:
    """Returns the text of a lexicon for a problem of the network: cities that share their name are called by name and
    country, and flights are those of ``YEAR``."""
    lines = ["# Cities that share a name are called by their country, too; flights are said to be of their year.", ""]
    lines.append("[classes]")
    for city, name in zip(network.ids, network.names, strict=True):
        if city in network.countries:
            name = f"{name.partition(',')[0]}, {network.countries[city]}"
        elif network.countries.keys().isdisjoint(city.split("-")):
            continue  # others have a part in their name that would be taken for the city of that name
        lines.append(f"{city} = {json.dumps(name, ensure_ascii=False)}")
    sentence = f'"in {YEAR} there was {{}} direct flight from {{{{from}}}} to {{{{to}}}}"'
    lines += ["", "[facts]", f"direct-flight = {sentence.format('a')}"]
    lines += ["", "[negated]", f"direct-flight = {sentence.format('no')}"]
    return "\n".join(lines) + "\n"


def draw_pairs(
    network: FlightNetwork, cities: Sequence[int], count: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Draws ``count`` different pairs (source, destination) of the given cities, all with a route in the network; each
    pair as likely as any other. Raises InputError if there are fewer."""
    routes = np.argwhere(network.distances(cities)[:, list(cities)] > 0)
    if count > len(routes):
        raise InputError(
            f"there are {len(routes)} pairs of these {len(cities)} cities with a route, not {count}; ask for fewer"
        )
    chosen = routes[rng.permutation(len(routes))[:count]]
    return [(cities[source], cities[destination]) for source, destination in chosen.tolist()]


# letters that Unicode does not take apart into a plain one and an accent
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)


@lru_cache(maxsize=50_000)  # the same few thousand cities again and again
def bare(name: str) -> str:
    """Returns the name in lower case, plain letters and digits in words with one space between: "São Paulo" is "sao
    paulo", "Tel-Aviv" is "tel aviv", "Sana'a" and "Sanaa" are the same; empty if there is no Latin letter or digit in
    it."""
    parts = unicodedata.normalize("NFKD", name.lower().translate(_PLAIN))
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return " ".join(re.findall(r"[a-z0-9]+", re.sub(r"['’`.]", "", plain)))


TABLE = Path(__file__).with_name("cities.toml")


@dataclass(frozen=True)
class City:
    """A city: ``name`` in English, ``country`` as OpenFlights spells it, ``population`` in millions, and the IATA codes
    of its ``airports`` that are listed under another place."""

    name: str
    country: str
    population: float
    airports: tuple[str, ...] = ()


@cache
def read_cities() -> Mapping[str, tuple[City, ...]]:
    """Reads the cities of each size, "large" and "mid-size", see the head of ``cities.toml``."""
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        size: tuple(City(c["name"], c["country"], c["population"], tuple(c.get("airports", ()))) for c in cities)
        for size, cities in tables.items()
    }
