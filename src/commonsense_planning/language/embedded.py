"""The embedded model: no language model, but a table of common sense that we wrote, and our planner.

It needs no network, no key and no weights, and answers in text like any other model: where things are kept
from ``commonsense.toml``, generalised to unknown names by category and by similarity of names; what to do
next from the plans that the question carries (our planner's, guided by relaxed plans, in worlds drawn from
the belief); what an instruction means by the few forms of ``plain_sentences``.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.language.model import Usage
from commonsense_planning.language.plain_sentences import plain_translation
from commonsense_planning.language.questions import NextAction, Placement, Question, Translation

TABLE = Path(__file__).with_name("commonsense.toml")
# weight of a place that the table does not name for the thing but that stands in a room that it names
SAME_ROOM = 0.02
ALIKE = 0.85  # least ratio of common letters of two names that are taken for the same


class EmbeddedModel:
    """Answers from the table; ``rng`` draws the samples."""

    name = "embedded"
    note = "a hand-written commonsense table and a relaxed-plan planner, not a language model"

    def __init__(self, rng: np.random.Generator, table: Path = TABLE) -> None:
        self.usage = Usage()
        self._rng = rng
        self._table = CommonsenseTable.read(table)

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """``n`` sampled answers to each. An action question gets none if no plan is found."""
        self.usage.questions += len(questions)
        return [self._answer(question, n) for question in questions]

    def take_notes(self) -> list[str]:
        """Nothing goes wrong here."""
        return []

    def _answer(self, question: Question, n: int) -> list[str]:
        if isinstance(question, Placement):
            weights = self._table.weights(question.thing, question.places)
            return [question.places[i] for i in self._rng.choice(len(weights), size=n, p=weights)]
        if isinstance(question, Translation):
            return [plain_translation(question)] * n
        assert isinstance(question, NextAction)
        return list(question.outlook(n))


class CommonsenseTable:
    """Where everyday things are kept; the format is described at the head of the file."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._objects: Mapping[str, Any] = tables["objects"]
        self._categories: Mapping[str, Any] = tables["categories"]
        self._rooms: Mapping[str, Sequence[str]] = tables["rooms"]
        self._object_names = _aliases(self._objects)
        self._place_names = _aliases(tables["places"])
        self._category_names = {_plain(name): name for name in self._categories}

    @staticmethod
    @lru_cache(maxsize=4)
    def read(path: Path) -> CommonsenseTable:
        """Read a table. Raises InputError if the file is not one."""
        try:
            return CommonsenseTable(tomllib.loads(path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
            raise InputError(f"{path}: not a commonsense table: {error}") from error

    def weights(self, thing: str, places: Sequence[str]) -> npt.NDArray[np.float64]:
        """Probabilities of the places, float64 (places,), such as "inside fridge"; even where nothing is
        known."""
        kept = self._kept(thing)
        weights = np.zeros(len(places))
        if kept:
            by_name: dict[str, float] = {}
            for spot, weight in kept.items():
                name = spot.split(" ", 1)[-1]
                by_name[name] = by_name.get(name, 0.0) + weight
            rooms = {room for room, spots in self._rooms.items() if any(name in spots for name in by_name)}
            for i, place in enumerate(places):
                relation, _, spot = place.partition(" ")
                canonical = self._place(spot or relation)
                weights[i] = by_name.get(canonical, 0.0)
                if not weights[i] and any(canonical in self._rooms[room] for room in rooms):
                    weights[i] = SAME_ROOM
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(places), 1 / max(1, len(places)))

    def _kept(self, thing: str) -> Mapping[str, float]:
        """Spot → weight for a thing, by name, else by category, else by the most similar name; empty if
        unknown."""
        plain = _plain(thing)
        if plain in self._object_names:
            return self._spots(self._objects[self._object_names[plain]])
        if plain in self._category_names:
            return self._spots(self._categories[self._category_names[plain]])
        close = difflib.get_close_matches(plain, self._object_names, n=1, cutoff=ALIKE)
        return self._spots(self._objects[self._object_names[close[0]]]) if close else {}

    @staticmethod
    def _spots(entry: Mapping[str, Any]) -> Mapping[str, float]:
        spots: Mapping[str, float] = entry["places"]
        return spots

    @lru_cache(maxsize=4096)  # noqa: B019  tables live as long as the process
    def _place(self, name: str) -> str:
        """The table's name for a place; the name itself if the table does not know it."""
        plain = _plain(name)
        if plain in self._place_names:
            return self._place_names[plain]
        close = difflib.get_close_matches(plain, self._place_names, n=1, cutoff=ALIKE)
        return self._place_names[close[0]] if close else plain


def _aliases(entries: Mapping[str, Any]) -> dict[str, str]:
    names: dict[str, str] = {}
    for name, entry in entries.items():
        for alias in (name, *entry.get("aliases", ())):
            names.setdefault(_plain(alias), name)
    return names


def _plain(name: str) -> str:
    """Lower case, letters and digits only, no number at the end: "Kitchen_Table_2" and "kitchentable" are the
    same."""
    return re.sub(r"\d+$", "", re.sub(r"[^a-z0-9]+", "", name.lower()))
