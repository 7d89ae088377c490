"""What the names in a program of actions may stand for: the words of ``program_words.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("program_words.toml")


@dataclass(frozen=True)
class Synonyms:
    """By :func:`key`: actions and relations → how domains may call them, a relation with whether it holds or not;
    ``selves`` are words for who acts."""

    actions: Mapping[str, tuple[str, ...]]
    relations: Mapping[str, tuple[tuple[str, bool], ...]]
    selves: frozenset[str]

    def predicates(self, relation: str) -> tuple[tuple[str, bool], ...]:
        """The predicates that a relation may be, by key, and whether they must hold; its own name first."""
        name = key(re.sub(r"^(is|are)\s+", "", relation.strip()))
        return ((name, True), *self.relations.get(name, ()))


@cache
def synonyms() -> Synonyms:
    """The table, read once."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return Synonyms(
        {key(word): tuple(names) for word, names in table["actions"].items()},
        {key(word): tuple(map(_signed, names)) for word, names in table["relations"].items()},
        frozenset(map(key, table["selves"])),
    )


def key(name: str) -> str:
    """A name without case and without what stands between its words: "Walk-To_Room" and "walktoroom" are the same."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _signed(name: str) -> tuple[str, bool]:
    bare = name.removeprefix("not ")
    return key(bare), bare == name
