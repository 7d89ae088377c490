"""``rearrangement.toml`` as it is read: goals, apartments and distributions of the rearrangement experiment."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("rearrangement.toml")

Placements = Mapping[str, Mapping[str, float]]
"""Class of things → class of furniture → weight."""


@dataclass(frozen=True)
class Inventory:
    """``furniture``: room → class → how many; ``things``: class → how many; ``places``: where things may be."""

    furniture: Mapping[str, Mapping[str, int]]
    things: Mapping[str, int]
    places: Placements


@dataclass(frozen=True)
class Table:
    """``containers``: classes of furniture with things inside; ``alike``: class of a scene → class of the table;
    ``words``: class → English, where not the class itself; ``training`` and ``novel``: class of things → wanted
    places."""

    containers: frozenset[str]
    alike: Mapping[str, str]
    words: Mapping[str, str]
    training: Mapping[str, Sequence[str]]
    novel: Mapping[str, Sequence[str]]
    seen: Inventory
    unseen: Inventory


@cache
def table() -> Table:
    """The table that ships with the package."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return Table(
        frozenset(entries["containers"]),
        entries["alike"],
        entries["words"],
        entries["training"],
        entries["novel"],
        Inventory(**entries["seen"]),
        Inventory(**entries["unseen"]),
    )
