"""The cities of the experiment on travel planning (section 4.1 of the LLM-MCTS paper), and names of cities."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

# letters that Unicode does not take apart into a plain one and an accent
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)


@lru_cache(maxsize=50_000)  # the same few thousand cities again and again
def bare(name: str) -> str:
    """The name in lower case, plain letters and digits in words with one space between: "São Paulo" is "sao paulo",
    "Tel-Aviv" is "tel aviv", "Sana'a" and "Sanaa" are the same; empty if there is no Latin letter or digit in it."""
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
    """The cities of each size, "large" and "mid-size"; the head of ``cities.toml`` says what that means."""
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        size: tuple(City(c["name"], c["country"], c["population"], tuple(c.get("airports", ()))) for c in cities)
        for size, cities in tables.items()
    }
