"""The embedded model: no language model, but tables of common sense that we wrote, and our planner.

It needs no network, no key and no weights, and answers in text like any other model: where things are kept
from ``commonsense.toml``, generalised to unknown names by category and by similarity of names; what to do
next from the plans that the question carries (our planner's, guided by relaxed plans, in worlds drawn from
the belief); what an instruction means by the few forms of ``plain_sentences``; guides, and which action fits them, from
``knowhow.toml``; where one can fly from ``flights.toml``; products from the tables learnt at school, and beyond them by
a rough guess.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import InputError
from commonsense_planning.llm.knowhow import KnowHow
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.plain_sentences import plain_translation
from commonsense_planning.llm.questions import (
    ChooseAction,
    Neighbours,
    NextAction,
    Placement,
    Product,
    Question,
    Translation,
    WriteGuide,
    WriteProgram,
    WriteRoute,
)
from commonsense_planning.studies.travelling.flight_knowledge import FlightKnowledge
from commonsense_planning.wording.choice import MARKER

TABLE = Path(__file__).with_name("commonsense.toml")
# share of the mass for the places that the table does not name for the thing, in the rooms that it is at home in
ELSEWHERE = 0.02
ALIKE = 0.85  # least ratio of common letters of two names that are taken for the same

LEARNT_BY_HEART = 12  # the largest factor of the multiplication tables that are taught at school
NO_PROGRAM = "# the embedded model has no program for this task"


class EmbeddedModel:
    """Answers from the table; ``rng`` draws the samples."""

    name = "embedded"
    note = "hand-written commonsense tables and a relaxed-plan planner, not a language model"

    def __init__(self, rng: np.random.Generator, table: Path = TABLE, usage: Usage | None = None) -> None:
        self.usage = Usage() if usage is None else usage
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
        if isinstance(question, ChooseAction):
            pair = KnowHow.read().choice(question)
            return [f"{MARKER} {pair}" if question.think else pair] * n
        if isinstance(question, WriteGuide):
            guide = KnowHow.read().guide(question)
            return [guide] * n if guide else []
        if isinstance(question, WriteProgram):
            return [_program(question)] * n
        if isinstance(question, Neighbours):
            ways = FlightKnowledge.read().neighbours(question.place, question.places)
            return ["\n".join(ways[: question.most])] * n if ways else []
        if isinstance(question, WriteRoute):
            route = FlightKnowledge.read().route(question.source, question.destination)
            return [" -> ".join(route)] * n if route else []
        if isinstance(question, Product):
            return [str(_product(question.first, question.second))] * n
        assert isinstance(question, NextAction)
        return list(question.outlook(n))


def _program(question: WriteProgram) -> str:
    """The low-level guide of the know-how as a program: "1. putin salmon fridge" calls putin('salmon', 'fridge')."""
    listed = tuple((name, ()) for name in question.objects)
    guide = KnowHow.read().guide(WriteGuide(question.description, "low", knowledge=listed))
    steps = [line.partition(". ")[2].split() for line in guide.splitlines()]
    calls = [f"{verb}({', '.join(map(repr, names))})" for verb, *names in steps]
    return "\n".join(calls) or NO_PROGRAM


def _product(first: int, second: int) -> int:
    """As people know it: by heart up to 12 times 12, beyond that guessed from the leading digits."""
    if max(first, second) <= LEARNT_BY_HEART:
        return first * second
    return _leading(first) * _leading(second)


def _leading(number: int) -> int:
    """The number rounded to its first digit: 47 to 50."""
    return round(number, 1 - len(str(number)))


@dataclass(frozen=True)
class Spot:
    """A place as the table knows it: "on bedroom wall" is ``on``, ``wall``, in the ``bedroom``. ``name`` is None for a
    place that the table does not know."""

    relation: str
    name: str | None
    room: str | None  # if the text names one


class CommonsenseTable:
    """Where everyday things are kept; the format is described at the head of the file."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._places: Mapping[str, Any] = tables["places"]
        self._homes = {name: place.get("room") for name, place in self._places.items()}
        self._place_names = _aliases(self._places)
        objects, categories = tables["objects"], tables["categories"]
        self._kept_of: dict[str, Mapping[str, float]] = {
            **{_plain(name): entry["places"] for name, entry in categories.items()},
            **{alias: objects[name]["places"] for alias, name in _aliases(objects).items()},
        }
        self._remembered = lru_cache(maxsize=1000)(self._weights)  # the next task is often in the same home

    @staticmethod
    @lru_cache(maxsize=4)
    def read(path: Path) -> CommonsenseTable:
        """Read a table. Raises InputError if the file is not one."""
        try:
            return CommonsenseTable(tomllib.loads(path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
            raise InputError(f"{path}: not a commonsense table: {error}") from error

    def weights(self, thing: str, places: Sequence[str]) -> npt.NDArray[np.float64]:
        """Probabilities of the places, float64 (places,), such as "inside fridge"; even where nothing is known."""
        return self._remembered(thing, tuple(places))

    def _weights(self, thing: str, places: tuple[str, ...]) -> npt.NDArray[np.float64]:
        kept = {_split(key): weight for key, weight in self._kept(thing).items()}
        spots = [self._spot(place) for place in places]
        rooms = self._rooms(kept)
        weights = np.zeros(len(places))
        for (relation, name), weight in kept.items():
            found = self._found(relation, name, spots)
            if found:
                shares = np.array([self._share(spots[i], rooms) for i in found])
                weights[found] += weight * (shares / shares.sum() if shares.any() else 1 / len(found))
        rest = [i for i, spot in enumerate(spots) if not weights[i] and self._room(spot) in rooms]
        named = weights.sum()
        if rest:
            weights *= (1 - ELSEWHERE) / named if named else 0.0
            weights[rest] = (ELSEWHERE if named else 1.0) / len(rest)
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(places), 1 / max(1, len(places)))

    def _found(self, relation: str, name: str, spots: Sequence[Spot]) -> list[int]:
        """The apartment's places that a spot of the table stands for: the spot itself, else the place with another
        relation, else the first of its near places that the apartment has, again with another relation if need be."""
        near = [_split(key) for key in self._places[name].get("near", ())]
        wanted = [(relation, name), (None, name), *near, *((None, place) for _, place in near)]
        for where, place in wanted:
            found = [i for i, spot in enumerate(spots) if spot.name == place and where in (None, spot.relation)]
            if found:
                return found
        return []

    def _rooms(self, kept: Mapping[tuple[str, str], float]) -> dict[str, float]:
        """Room → weight of the spots that are usually there."""
        rooms: dict[str, float] = {}
        for (_, name), weight in kept.items():
            home = self._homes[name]
            if home is not None:
                rooms[home] = rooms.get(home, 0.0) + weight
        return rooms

    def _room(self, spot: Spot) -> str | None:
        return spot.room or (self._homes[spot.name] if spot.name else None)

    @staticmethod
    def _share(spot: Spot, rooms: Mapping[str, float]) -> float:
        """How much of a weight a place gets among others of its name: of four floors, the one of the thing's room."""
        return 1.0 if spot.room is None else rooms.get(spot.room, 0.0)

    def _kept(self, thing: str) -> Mapping[str, float]:
        """Spot → weight for a thing or category, by name, else by its last words ("green apple"), else by the most
        similar name; empty if unknown."""
        for name in _endings(thing):
            if _plain(name) in self._kept_of:
                return self._kept_of[_plain(name)]
        close = difflib.get_close_matches(_plain(thing), self._kept_of, n=1, cutoff=ALIKE)
        return self._kept_of[close[0]] if close else {}

    @lru_cache(maxsize=4096)  # noqa: B019  tables live as long as the process
    def _spot(self, place: str) -> Spot:
        """Reads "on kitchen floor", "inside refrigerator_2"; a place too is looked up by its last words, as in "on top
        of the cabinet"."""
        relation, _, text = place.partition(" ")
        text = (text or relation).lower()
        for name in _endings(text):
            if _plain(name) in self._place_names:
                known, before = self._place_names[_plain(name)], text.removesuffix(name).strip()
                # A "dining room floor" is in a room that the table may not know; a "wooden desk" is in none.
                says = before in self._homes.values() or (before and self._homes[known] is None)
                return Spot(relation, known, before if says else None)
        close = difflib.get_close_matches(_plain(text), self._place_names, n=1, cutoff=ALIKE)
        return Spot(relation, self._place_names[close[0]] if close else None, None)


def _split(spot: str) -> tuple[str, str]:
    """ "on kitchen table" → relation and place."""
    relation, _, name = spot.partition(" ")
    return relation, name


def _endings(name: str) -> list[str]:
    """The name, and the name without its first words: "big red apple", "red apple", "apple"."""
    words = name.split()
    return [" ".join(words[i:]) for i in range(len(words))]


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
