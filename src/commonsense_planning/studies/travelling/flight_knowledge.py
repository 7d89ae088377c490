"""What the embedded model knows of flights: a table written by hand, asked for neighbours or for a route."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError
from commonsense_planning.studies.travelling.cities import bare

TABLE = Path(__file__).with_name("flights.toml")


class FlightKnowledge:
    """The table; the format is described at its head.

    Names are compared without case, accents and punctuation; the country may stand behind a comma ("Paris, France").
    A name with another country behind it is another city.
    """

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
        try:
            return FlightKnowledge(tomllib.loads(path.read_text(encoding="utf-8")))
        except KeyError as error:
            raise InputError(f"{path}: not a table of flights: there is no {error}") from error
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path}: not a table of flights: {error}") from error

    def neighbours(self, city: str, cities: Sequence[str] = ()) -> tuple[str, ...]:
        """Those of ``cities``, as they are written there, that have a direct flight from ``city``: the ones with most
        flights in the table first, equals by name. No ``cities`` are all of the table. Empty for an unknown city."""
        here = self._known(city)
        if here is None:
            return ()
        named = [(name, self._known(name)) for name in cities or self._flights]
        near = [(name, known) for name, known in named if known is not None and known in self._flights[here]]
        return tuple(name for name, known in sorted(near, key=lambda n: (-len(self._flights[n[1]]), n[0])))

    def route(self, source: str, destination: str) -> tuple[str, ...]:
        """The cities of a route as one says it without searching: the flight itself if the table has it, else by way of
        the hub of the one and the hub of the other, which may not have a flight between them. Both ends are
        written as in the question. Empty if a city is unknown."""
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
