"""Airports and routes as OpenFlights publishes them, as a network of cities or of airports.

The files are ``airports.dat`` (14 fields: id, name, city, country, IATA and ICAO code, …) and ``routes.dat`` (9 fields:
airline, its id, source code, source id, destination code, destination id, codeshare, stops, equipment). They are not
part of the project."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Literal

from commonsense_lab.studies.travelling.network import City, FlightNetwork, bare, read_cities
from commonsense_planning.errors import InputError
from commonsense_planning.support.reading import read_bytes
from commonsense_planning.wording.lexicon import is_wording

AIRPORT_FIELDS, ROUTE_FIELDS = 14, 9
NO_CITY = ("", "null")  # in place of a city

By = Literal["city", "airport"]


@dataclass(frozen=True)
class Airport:
    """An airport: OpenFlights' number, its name, city and country, and its codes, empty where it has none."""

    number: int
    name: str
    city: str
    country: str
    iata: str
    icao: str


@dataclass(frozen=True)
class TravelPlace:
    """A city with all its airports, or one airport: one object. ``key`` is unique."""

    key: str
    name: str
    country: str


@dataclass(frozen=True)
class OpenFlights:
    """The contents of two files of OpenFlights: the ``network`` of places with flights, the ``ids`` in it of the cities
    of ``cities.toml`` (none in a network of airports), and the counts of used lines in each file."""

    network: FlightNetwork
    ids: Mapping[City, str]
    airports: LineCount
    routes: LineCount


def read_openflights(airports: Path, routes: Path, by: By = "city") -> OpenFlights:
    """Reads both files.

    ``by`` "city" puts the airports of one city and country together, with those that ``cities.toml`` counts to a city;
    "airport" makes each airport a separate place, called by its city and code. Airports without flights are left out.
    Raises InputError if a file cannot be read or has no line that can be used."""
    aside, lost = LineCount(airports), LineCount(routes)
    found = _read_airports(aside)
    places = _places(found, by)
    flights: dict[TravelPlace, set[TravelPlace]] = {}
    for source, destination in _read_routes(lost, found, places):
        flights.setdefault(source, set()).add(destination)
        flights.setdefault(destination, set())
    if not flights:
        raise InputError(f"{routes}: no line can be used ({_told(lost)}); give routes.dat of OpenFlights")
    network, ids = _network(flights)
    named = {_key(city.name, city.country): city for cities in read_cities().values() for city in cities}
    known = {named[place.key]: name for place, name in ids.items() if by == "city" and place.key in named}
    return OpenFlights(network, known, aside, lost)


def _read_airports(reading: LineCount) -> list[Airport]:
    airports: dict[int, Airport] = {}
    for line, values in read_lines(reading.path, AIRPORT_FIELDS, reading):
        number, name, city, country, iata, icao = values[:6]
        if not _is_number(number):
            reading.set_aside(line, "the id is no number")
        elif int(number) in airports:
            reading.set_aside(line, "the id occurs before")
        elif not (name and country):
            reading.set_aside(line, "no name or no country")
        elif not is_wording("".join(values)):
            reading.set_aside(line, "a name with control characters")
        else:
            airports[int(number)] = Airport(int(number), name, city, country, iata.upper(), icao.upper())
            reading.used += 1
    if not airports:
        raise InputError(f"{reading.path}: no line can be used ({_told(reading)}); give airports.dat of OpenFlights")
    return list(airports.values())


def _read_routes(
    reading: LineCount, airports: Iterable[Airport], places: Mapping[int, TravelPlace]
) -> Iterable[tuple[TravelPlace, TravelPlace]]:
    """Yields the flights from place to place, as often as the file has them."""
    of_code: dict[str, set[int]] = {}
    for airport in airports:
        for code in filter(None, (airport.iata, airport.icao)):
            of_code.setdefault(code, set()).add(airport.number)

    def find(code: str, number: str) -> int | str:
        """Returns the airport's number, or why there is none."""
        if _is_number(number) and int(number) in places:
            return int(number)
        meant = of_code.get(code.upper(), set())
        if len(meant) == 1:
            return next(iter(meant))
        return "an airport code that several airports have" if meant else "an airport that is not among the airports"

    for line, values in read_lines(reading.path, ROUTE_FIELDS, reading):
        _, _, source_code, source_number, code, number, _, stops, _ = values
        source, destination = find(source_code, source_number), find(code, number)
        if not _is_number(stops):
            reading.set_aside(line, "the number of stops is no number")
        elif int(stops):
            reading.set_aside(line, "with stops on the way")
        elif isinstance(source, str):
            reading.set_aside(line, source)
        elif isinstance(destination, str):
            reading.set_aside(line, destination)
        elif source == destination:
            reading.set_aside(line, "from an airport to itself")
        elif places[source] == places[destination]:
            reading.set_aside(line, "between airports of one city")
        else:
            reading.used += 1
            yield places[source], places[destination]


def _places(airports: Iterable[Airport], by: By) -> dict[int, TravelPlace]:
    """Returns the city of each airport, or the airport as a place, such as "London LHR"."""
    listed = [city for cities in read_cities().values() for city in cities]
    places = {(key := _key(city.name, city.country)): TravelPlace(key, city.name, city.country) for city in listed}
    serving = {(code, city.country): _key(city.name, city.country) for city in listed for code in city.airports}
    of_airport = {}
    for airport in airports:
        name = airport.name if airport.city.lower() in NO_CITY else airport.city
        if by == "airport":
            named = f"{name} {airport.iata or airport.icao}".strip()
            of_airport[airport.number] = TravelPlace(str(airport.number), named, airport.country)
            continue
        key = serving.get((airport.iata, airport.country)) or _key(name, airport.country)
        of_airport[airport.number] = places.setdefault(key, TravelPlace(key, name, airport.country))
    return of_airport


def _network(flights: Mapping[TravelPlace, set[TravelPlace]]) -> tuple[FlightNetwork, dict[TravelPlace, str]]:
    """Returns the network, its cities in the alphabetical order of their ids, and each place's id."""
    arriving = Counter(chain.from_iterable(flights.values()))
    ids: dict[TravelPlace, str] = {}
    names: dict[str, str] = {}
    for place in sorted(flights, key=lambda p: (-len(flights[p]) - arriving[p], p.country, p.key)):
        long = f"{place.name}, {place.country}"
        candidates = chain((place.name, long), (f"{long} {i}" for i in count(2)))
        name = next(candidate for candidate in candidates if _id(candidate) not in names)
        ids[place] = _id(name)
        names[ids[place]] = name
    ordered = sorted(flights, key=ids.__getitem__)
    number = {place: i for i, place in enumerate(ordered)}
    lines = tuple(tuple(sorted(number[to] for to in flights[place])) for place in ordered)
    alike = Counter(_id(place.name) for place in flights)
    countries = {ids[place]: place.country for place in ordered if alike[_id(place.name)] > 1}
    english = tuple(names[ids[place]] for place in ordered)
    return FlightNetwork(tuple(ids[place] for place in ordered), english, lines, countries), ids


def _id(name: str) -> str:
    """Makes a PDDL name: sao-paulo of "São Paulo"."""
    words = bare(name) or "city"
    return ("" if words[0].isalpha() else "city-") + words.replace(" ", "-")


def _key(city: str, country: str) -> str:
    return f"{bare(city) or city}, {country}"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def _told(reading: LineCount) -> str:
    """Says in one phrase why lines were not used."""
    told = [f"{why}: {len(lines)}, the first is line {lines[0]}" for why, lines in reading.reasons.items()]
    return "; ".join(told) or "the file is empty"


_MISSING = re.compile(r"(?<![^,])\\N(?![^,])")  # a field that is \N and nothing else


@dataclass
class LineCount:
    """Counts a file's ``lines`` and those ``used``; ``reasons``: why others were not → their numbers, from 1."""

    path: Path
    lines: int = 0
    used: int = 0
    reasons: dict[str, list[int]] = field(default_factory=dict)

    def set_aside(self, number: int, reason: str) -> None:
        """Counts a line as not used."""
        self.reasons.setdefault(reason, []).append(number)


def read_lines(path: Path, fields: int, count: LineCount) -> Iterator[tuple[int, list[str]]]:
    r"""Yields the lines of a file with that number of fields, with their numbers; ``count`` sets all others aside.

    UTF-8, fields in quotes where need be, ``\`` before a quote inside. What is missing, ``\N``, becomes an empty text;
    texts lose the blanks around them. Raises InputError if the file cannot be read."""
    data = read_bytes(path, "data of OpenFlights")
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        count.lines += 1
        try:
            text = raw.decode("utf-8").rstrip("\r")
            values = next(csv.reader([_MISSING.sub("", text)], escapechar="\\", strict=True)) if text.strip() else []
        except UnicodeDecodeError:
            count.set_aside(number, "not UTF-8")
            continue
        except csv.Error:
            count.set_aside(number, "quotes that do not match")
            continue
        if not values:
            count.set_aside(number, "empty line")
        elif len(values) != fields:
            count.set_aside(number, f"not {fields} fields")
        else:
            yield number, [value.strip() for value in values]
