"""``lexicon.toml``: how a domain pack calls things, facts and actions in English."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from commonsense_planning.errors import InputError


@dataclass(frozen=True)
class Lexicon:
    """How a domain is put into English: ``classes`` (an object's name without its number → words), sentences
    with ``{parameter}`` for ``actions``, for ``facts`` that hold, and for those that do not (``negated``)."""

    classes: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    negated: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read(path: Path) -> Lexicon:
        """Read a ``lexicon.toml``. Raises InputError if it is not one."""
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path}: not a lexicon: {error}") from error
        unknown = sorted(set(tables) - {"classes", "actions", "facts", "negated"})
        if unknown:
            raise InputError(
                f"{path}: unknown table [{unknown[0]}]; there are [classes], [actions], [facts], [negated]"
            )
        for table, entries in tables.items():
            if not isinstance(entries, dict) or not all(isinstance(v, str) for v in entries.values()):
                raise InputError(f"{path}: [{table}] must be a table of names and texts")
        return Lexicon(**tables)
