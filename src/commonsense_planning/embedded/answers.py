"""Answers in text without a language model: tables of common sense that we wrote, and a grammar.

Where things are kept comes from ``commonsense.toml``, generalised to unknown names by category and by similarity of
names; what an instruction means, by the few forms of ``plain_sentences``; guides, programs, and which action fits them,
from ``knowhow.toml``. Plug-ins register answers to their own questions (:func:`answer`), or better ones to cplan's.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, singledispatch
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from commonsense_planning.embedded.knowhow import KnowHow
from commonsense_planning.matching.answers import MARKER
from commonsense_planning.support.reading import read_toml, reading
from commonsense_planning.support.registry import load, plug_ins
from commonsense_planning.wording.questions import (
    ChooseAction,
    MendGuide,
    Placement,
    PlacementAgain,
    Question,
    WriteGoal,
    WriteGuide,
)

Value = TypeVar("Value")

PLUG_INS = "commonsense_planning.answers"
"""The group of entry points whose objects are modules that register answers; their names are the questions'."""

TABLE = Path(__file__).with_name("commonsense.toml")
# share of the mass for the places that the table does not name for the thing, in the rooms that it is at home in
ELSEWHERE = 0.02
LEARNT = 0.5  # share of the mass for places like those where things of the same category were seen, once some were
SAME_ROOM = 0.25  # similarity of two places of one room, where two of one name have similarity 1
ALIKE = 0.85  # least ratio of common letters of two names that are taken for the same
FOLLOWED = 0.9  # share of the mass that a preference gets that is about a thing like the one in question
LIKENESS = 0.3  # of two things, from which on a preference about the one is taken to hold for the other
_GO = re.compile(r"\s+(?:go|goes|belongs?|(?:is|are|be) (?:kept|put|stored)|(?:is|are))\s+|:\s*")
_SMALL = frozenset({"a", "an", "the", "in", "into", "inside", "on", "onto", "at", "to", "my", "our"})


@singledispatch
def answer(question: Question, n: int, rng: np.random.Generator) -> list[str]:
    """At most ``n`` answers of the embedded model to a question.

    Whoever has a kind of question registers its answers: ``@answer.register``.
    """
    return []


@cache
def answers_to(kind: type[Question]) -> Callable[[Question, int, np.random.Generator], list[str]]:
    """The answerer of questions of this kind, after the module of a plug-in for them is loaded: its entry point has the
    kind's name. Raises MissingError if that module cannot be loaded."""
    entry = plug_ins(PLUG_INS).get(kind.__name__)
    if entry is not None:
        load(entry)
    return answer.dispatch(kind)


def preferred(weights: npt.NDArray[np.float64], question: Placement) -> npt.NDArray[np.float64]:
    """The weights of the places, float64 (places,), with ``FOLLOWED`` of them on the places of the preference that is
    about the thing most similar to the question's: by what the table calls it, by category, by its last word, else by
    its letters. Preferences of places that are not here have no effect."""
    table, found = CommonsenseTable.read(TABLE), []
    for line in question.preferences:
        parts = _GO.split(line, maxsplit=1)
        wanted = [i for i, place in enumerate(question.places) if parts[1:] and _same_place(parts[1], place)]
        if wanted:
            found.append((table.similarity(question.thing, parts[0]), wanted))
    best = max((similarity for similarity, _ in found), default=0.0)
    if best < LIKENESS:
        return weights
    chosen = sorted({i for similarity, places in found if similarity == best for i in places})
    told = np.zeros(len(weights))
    told[chosen] = 1 / len(chosen)
    return FOLLOWED * told + (1 - FOLLOWED) * weights


def _same_place(said: str, place: str) -> bool:
    """Whether a preference's place, "the drawer", is a place of a question, "inside drawer"."""
    names = [set(re.findall(r"[a-z0-9]+", text.lower())) - _SMALL for text in (said, place)]
    return bool(names[0]) and (names[0] <= names[1] or names[1] <= names[0])


@answer.register
def _(question: Placement, n: int, rng: np.random.Generator) -> list[str]:
    table = CommonsenseTable.read(TABLE)
    weights = preferred(table.weights(question.thing, question.places), question)
    if not table.at_home(question.places) and not np.ptp(weights):
        return []
    return [question.places[i] for i in rng.choice(len(weights), size=n, p=weights)]


@answer.register
def _(question: PlacementAgain, n: int, rng: np.random.Generator) -> list[str]:
    """An answer names every place as likely as the drawn one, so that equally likely places stay so, whatever is
    drawn."""
    table = CommonsenseTable.read(TABLE)
    weights = preferred(table.weights_after(question.thing, question.places, question.seen), question)
    if not table.at_home(question.places) and not np.ptp(weights):
        return []
    equal = [", ".join(p for p, w in zip(question.places, weights, strict=True) if np.isclose(w, v)) for v in weights]
    return [equal[i] for i in rng.choice(len(weights), size=n, p=weights)]


@answer.register
def _(question: WriteGoal, n: int, rng: np.random.Generator) -> list[str]:
    from commonsense_planning.embedded.plain_sentences import short_goal

    return [short_goal(question)] * n


@answer.register
def _(question: ChooseAction, n: int, rng: np.random.Generator) -> list[str]:
    pair = KnowHow.read().choice(question)
    return [f"{MARKER} {pair}" if question.think else pair] * n


@answer.register
def _(question: WriteGuide, n: int, rng: np.random.Generator) -> list[str]:
    guide = KnowHow.read().guide(question)
    return [guide] * n if guide else []


@answer.register
def _(question: MendGuide, n: int, rng: np.random.Generator) -> list[str]:
    """The guide without the step that cannot be carried out, as if somebody else had done it."""
    left = "\n".join(f"{i}. {line}" for i, line in enumerate(question.guide[1:], start=1))
    return [left] * n if left else []


@dataclass(frozen=True)
class TableSpot:
    """A place in the table's words: "on bedroom wall" is ``on``, ``wall``, in the ``bedroom``. ``name`` is None for a
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
        self._category_of: dict[str, str | None] = {
            **{_plain(name): name for name in categories},
            **{alias: objects[name].get("category") for alias, name in _aliases(objects).items()},
        }
        self._remembered = lru_cache(maxsize=1000)(self._weights)  # the next task is often in the same home

    @staticmethod
    @lru_cache(maxsize=4)
    def read(path: Path) -> CommonsenseTable:
        """Reads a table. Raises InputError if the file is not one."""
        with reading(path, "a commonsense table"):
            return CommonsenseTable(read_toml(path, "a commonsense table"))

    def weights(self, thing: str, places: Sequence[str]) -> npt.NDArray[np.float64]:
        """Probabilities of the places, float64 (places,), such as "inside fridge"; even where nothing is known."""
        return self._remembered(thing, tuple(places))

    def at_home(self, places: Sequence[str]) -> bool:
        """Whether at least half of the places are known, as furniture or as rooms: else this is no home."""
        rooms = set(self._homes.values())
        known = [place for place in places if self._spot(place).name is not None or _split(place)[1] in rooms]
        return 2 * len(known) >= len(places)

    def weights_after(
        self, thing: str, places: Sequence[str], seen: Sequence[tuple[str, Sequence[str]]]
    ) -> npt.NDArray[np.float64]:
        """The same, where places were ``seen`` and things there: places of their names, and less so of their rooms,
        become likelier the more things of the same category are there."""
        weights, category = self.weights(thing, places), self._known(thing, self._category_of)
        learnt = np.zeros(len(places))
        for place, others in seen:
            like = sum(self._known(other, self._category_of) == category for other in others)
            if category is not None and like:
                learnt += like * np.array([self._likeness(self._spot(p), self._spot(place)) for p in places])
        return (1 - LEARNT) * weights + LEARNT * learnt / learnt.sum() if learnt.any() else weights

    def similarity(self, one: str, other: str) -> float:
        """The similarity of two things by their names, from 0 to 1: 1 for the same, then of one category, then with the
        same last word, then with letters in common."""
        ends = [re.sub(r"e?s$", "", _endings(name.lower())[-1]) for name in (one, other)]
        categories = [self._known(name, self._category_of) for name in (one, other)]
        letters = difflib.SequenceMatcher(None, _plain(one), _plain(other)).ratio()
        if categories[0] is not None and categories[0] == categories[1]:
            return 0.8 + 0.2 * letters
        return 0.6 + 0.2 * letters if ends[0] == ends[1] else 0.5 * letters

    def _likeness(self, one: TableSpot, other: TableSpot) -> float:
        room = self._room(one)
        if one.name is not None and one.name == other.name and room == self._room(other):
            return 1.0
        return SAME_ROOM if room is not None and room == self._room(other) else 0.0

    def _weights(self, thing: str, places: tuple[str, ...]) -> npt.NDArray[np.float64]:
        if not self.at_home(places):
            return np.full(len(places), 1 / max(1, len(places)))
        home = self._room(self._spot(f"in {thing}"))
        stands = np.array([home is not None and _split(place)[1] == home for place in places])
        if stands.any():  # a piece of furniture, among rooms
            return np.asarray((1 - ELSEWHERE) * stands / stands.sum() + ELSEWHERE / len(places))
        kept = {_split(key): weight for key, weight in (self._known(thing, self._kept_of) or {}).items()}
        spots = [self._spot(place) for place in places]
        rooms = self._rooms(kept)
        weights = np.zeros(len(places))
        for (relation, name), weight in kept.items():
            found = self._found(relation, name, spots)
            if found:
                # of four floors, the one of the thing's room
                shares = np.array([1.0 if (room := spots[i].room) is None else rooms.get(room, 0.0) for i in found])
                weights[found] += weight * (shares / shares.sum() if shares.any() else 1 / len(found))
        rest = [i for i, spot in enumerate(spots) if not weights[i] and self._room(spot) in rooms]
        named = weights.sum()
        if rest:
            weights *= (1 - ELSEWHERE) / named if named else 0.0
            weights[rest] = (ELSEWHERE if named else 1.0) / len(rest)
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(places), 1 / max(1, len(places)))

    def _found(self, relation: str, name: str, spots: Sequence[TableSpot]) -> list[int]:
        """The apartment's places for a spot of the table: the spot itself, else the place with another
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

    def _room(self, spot: TableSpot) -> str | None:
        return spot.room or (self._homes[spot.name] if spot.name else None)

    @staticmethod
    def _known(thing: str, table: Mapping[str, Value]) -> Value | None:
        """The table's entry for a thing or category, by name, else by its last words ("green apple"), else by the most
        similar name; None if unknown."""
        key, _ = _key_in(thing, table)
        return None if key is None else table[key]

    @lru_cache(maxsize=4096)  # noqa: B019  tables live as long as the process
    def _spot(self, place: str) -> TableSpot:
        """Reads "on kitchen floor", "inside refrigerator_2"; a place too is looked up by its last words, as in "on top
        of the cabinet"."""
        relation, _, text = place.partition(" ")
        text = (text or relation).lower()
        key, before = _key_in(text, self._place_names)
        known = None if key is None else self._place_names[key]
        # A "dining room floor" is in a room that the table may not know; a "wooden desk" is in none.
        says = known and before and (before in self._homes.values() or self._homes[known] is None)
        return TableSpot(relation, known, before if says else None)


def _split(spot: str) -> tuple[str, str]:
    """ "on kitchen table" → relation and place."""
    relation, _, name = spot.partition(" ")
    return relation, name


def _endings(name: str) -> list[str]:
    """The name, and the name without its first words: "big red apple", "red apple", "apple"."""
    words = name.split()
    return [" ".join(words[i:]) for i in range(len(words))]


def _key_in(name: str, table: Mapping[str, Any]) -> tuple[str | None, str]:
    """The key of a name in a table: of its last words, with the words before them, else the most similar one; None if
    there is none."""
    for ending in _endings(name):
        if _plain(ending) in table:
            return _plain(ending), name.removesuffix(ending).strip()
    close = difflib.get_close_matches(_plain(name), table, n=1, cutoff=ALIKE)
    return (close[0] if close else None), ""


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
