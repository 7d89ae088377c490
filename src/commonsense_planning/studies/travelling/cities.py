"""Facts about the cities of the experiment on travel planning (section 4.1 of the LLM-MCTS paper)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
    """The cities of each size, "large" and "mid-size"; the head of ``cities.toml`` says what that means."""
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        size: tuple(City(c["name"], c["country"], c["population"], tuple(c.get("airports", ()))) for c in cities)
        for size, cities in tables.items()
    }
