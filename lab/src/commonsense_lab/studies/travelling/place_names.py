"""From what a model calls a place to the place, and from its answers to lists of places and to routes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, pairwise

from commonsense_lab.studies.travelling.network import bare as bare_name
from commonsense_planning.matching.answers import bare, text_of
from commonsense_planning.matching.matcher import Matcher

LONGEST = 20_000  # characters of an answer that are looked at
# A name is no description: with less than this in common, one place is taken for another, "France" for Fort-de-France.
LEAST = 0.75
SHOWN = 5  # of the names that a note lists

_LINES = re.compile(r"[\r\n]+")
_ARROW = re.compile(r"\s*(?:-+>|=+>|→|⟶|➔|➝|⇒)\s*|\s+[–—-]\s+")
_LEG = re.compile(r"[\r\n,;]+|\b(?:to|then|and|via)\b", re.IGNORECASE)
_LIST = re.compile(r"[,;]|\band\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_VERB = re.compile(
    r"^(?:(?:then|next|finally|first|fly|flying|travel|go|take|depart|leave|from|to|in|at)\b\s*)+", re.IGNORECASE
)
_EDGES = " \t\"'`*.:!?<>"
_MANY = 3  # commas from which on a line is a list rather than a name with its country


Stop = tuple[str, str | None]
"""A place as it was written, and the object that it was taken for, if any."""


class PlaceNames:
    """The names of places: ``objects`` as the user spells them, ``words`` what each is called in English.

    A name is looked up as it is written (without accents, capitals and punctuation), then without what follows its
    comma, then by similarity."""

    def __init__(self, objects: Sequence[str], words: Sequence[str], matcher: Matcher) -> None:
        self._objects = tuple(objects)
        self._words = tuple(words)
        self._matcher = matcher
        self._known: dict[str, int] = {}
        for names in (words, objects, [word.partition(",")[0] for word in words]):
            for index, name in enumerate(names):
                self._known.setdefault(bare_name(name), index)
        self._known.pop("", None)  # names without Latin letters are left to the matcher
        self._unknown: dict[str, bool] = {}  # what names no place, and whether that was told

    def find(self, phrase: str) -> str | None:
        """The object that a phrase names; None, and noted, if it names none."""
        name = _ASIDE.sub(" ", phrase)
        for part in (name, name.partition(",")[0]):
            if bare_name(part) in self._known:
                return self._objects[self._known[bare_name(part)]]
        similarity = self._matcher.similarities(name.strip(), self._words)
        if len(similarity) and similarity.max() >= max(LEAST, self._matcher.least):
            return self._objects[int(similarity.argmax())]
        self._unknown.setdefault(name.strip(), False)
        return None

    @property
    def unmatched(self) -> int:
        """How many different phrases named no place."""
        return len(self._unknown)

    def take_notes(self) -> list[str]:
        """What was named since the last call that is nowhere, as a note."""
        new = [name for name, told in self._unknown.items() if not told]
        self._unknown.update(dict.fromkeys(new, True))
        more = f" and {len(new) - SHOWN} more" if len(new) > SHOWN else ""
        return [f"the model named what is no place here: {', '.join(new[:SHOWN])}{more}"] if new else []

    def knows(self, phrase: str) -> bool:
        """Whether a phrase is, word by word, the name of a place."""
        return bare_name(_ASIDE.sub(" ", phrase)) in self._known

    def listed(self, answer: str, most: int) -> list[str]:
        """The places that an answer lists, at most so many, each once: one a line, or with commas between them."""
        found: dict[str, None] = {}
        for phrase in self._phrases(text_of(answer, LONGEST)):
            place = self.find(phrase)
            if place is not None:
                found[place] = None
                if len(found) == most:
                    break
        return list(found)

    def _phrases(self, text: str) -> list[str]:
        lines = [line for line in map(str.strip, _LINES.split(text)) if line and not line.endswith(":")]
        phrases: list[str] = []
        for line in map(bare, lines):
            several = len(lines) == 1 or line.count(",") >= _MANY
            parts = _LIST.split(line) if several and not self.knows(line) else [line]
            phrases += (part for part in (part.strip(_EDGES) for part in parts) if part)
        return phrases

    def route(self, answer: str) -> list[Stop]:
        """The stops of a route in their order: with arrows or dashes between them, in one line or leg by leg, else in
        words or as a list. Of several lines with arrows that do not go on from each other, the last is the answer."""
        lines = [line for line in map(str.strip, _LINES.split(text_of(answer, LONGEST))) if line and line[-1] != ":"]
        drawn = [self._stops(_ARROW.split(bare(line))) for line in lines if len(_ARROW.split(bare(line))) > 1]
        legs = drawn or [self._stops(self._ends(bare(line))) for line in lines]
        legs = [leg for leg in legs if leg]
        if drawn and any(one[-1][1] != other[0][1] for one, other in pairwise(legs)):
            legs = legs[-1:]
        stops: list[Stop] = []
        for stop in chain.from_iterable(legs):
            if not stops or stop[1] is None or stop[1] != stops[-1][1]:
                stops.append(stop)
        return stops

    def _stops(self, phrases: Sequence[str]) -> list[Stop]:
        names = (_VERB.sub("", phrase.strip(_EDGES)).strip(_EDGES) for phrase in phrases)
        return [(name, self.find(name)) for name in names if name]

    def _ends(self, leg: str) -> list[str]:
        """The stops that a line of words names."""
        return [leg] if self.knows(leg.strip(_EDGES)) else _LEG.split(leg)
