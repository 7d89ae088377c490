"""From what an instruction calls a thing to the objects it may mean, and from its prepositions to relations."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.verbalise import Wording

ARTICLES = frozenset({"a", "an", "the", "my", "your", "our"})
# Words that say the same of where a thing is.
KINDRED = (
    frozenset({"in", "into", "inside", "inside of", "within"}),
    frozenset({"on", "onto", "on top of", "on the top of", "upon", "atop", "on top", "ontop"}),
    frozenset({"at", "to"}),
)
# the ending of a plural, and that of its singular
PLURALS = (("s", ""), ("es", ""), ("ies", "y"), ("ves", "f"), ("ves", "fe"))


@dataclass(frozen=True)
class Match:
    """The text ``said``, the English name that it was matched with, and the objects of that name as the user spells
    them."""

    said: str
    name: str
    objects: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the name is just what was said."""
        return _key(self.said) == _key(self.name)


class ObjectNames:
    """The names of some objects.

    An object whose name the lexicon knows is called by its words, such as "kitchen cabinet", which others may be
    called, too; any other object by its own name. Both are understood of every object, and so are words without a
    number, of all objects that they may mean.
    """

    def __init__(self, objects: Sequence[str], wording: Wording, kinds: Mapping[str, Sequence[str]]) -> None:
        """``objects`` as the user spells them; ``kinds``: a word for a kind of objects → those of it. It may stand for
        them ("two packages") and before a name ("package obj11")."""
        self._kinds = {_key(kind) for kind in kinds}
        self._known: dict[str, Match] = {}
        listed: dict[str, None] = {}
        for name in objects:
            words = wording.words(name)
            listed[_clean(words if wording.lexicon.names_kind(name) else name)] = None
        self._know(wording.words, objects)
        self._know(str, objects)
        self._know(wording.lexicon.noun, objects)
        for kind, members in kinds.items():
            if members:
                self._known.setdefault(_key(kind), Match(kind, kind, tuple(members)))
        self.listed = tuple(listed)  # what a model is told, without brackets and commas

    def _know(self, call: Callable[[str], str], objects: Sequence[str]) -> None:
        """Learns names of objects, unless they are taken."""
        meant: dict[str, tuple[str, list[str]]] = {}
        for name in objects:
            meant.setdefault(_key(call(name)), (call(name), []))[1].append(name)
        for key, (words, named) in meant.items():
            self._known.setdefault(key, Match(words, words, tuple(named)))

    def exactly(self, phrase: str) -> Match | None:
        """What the phrase names but for case, spaces, article, plural, and a kind before it."""
        for reading in _readings(phrase, self._kinds):
            if found := self._known.get(_key(reading)):
                return replace(found, said=phrase)
        return None

    def match(self, phrase: str, matcher: Matcher) -> Match | None:
        """What the phrase names, by the name that is most similar where it is no name; None if no name is similar
        enough."""
        found = self.exactly(phrase)
        if found:
            return found
        numbers = re.findall(r"\d+", phrase)  # "apple 12" is no other apple
        similar = [name for name in self.listed if not numbers or re.findall(r"\d+", name) == numbers]
        best = matcher.best(phrase, similar) if similar else None
        return None if best is None else replace(self._known[_key(similar[best])], said=phrase)

    def nearest(self, phrase: str, matcher: Matcher, most: int = 5) -> list[str]:
        """The listed names that are most similar."""
        similarity = matcher.similarities(phrase, self.listed)
        return [self.listed[i] for i in sorted(range(len(self.listed)), key=lambda i: -similarity[i])[:most]]


def known_name(phrase: str, names: Sequence[str]) -> str:
    """The one of the names that the phrase is, but for case, spaces, article and plural; else the phrase."""
    by_key = {_key(name): name for name in reversed(names)}
    return next((by_key[_key(r)] for r in _readings(phrase, ()) if _key(r) in by_key), phrase)


def relation_named(word: str, relations: Sequence[str]) -> str | None:
    """The relation of that name, or else the only one with a kindred name, such as INSIDE for "into"."""
    by_key = {_key(relation): relation for relation in relations}
    if _key(word) in by_key:
        return by_key[_key(word)]
    plain = " ".join(re.split(r"[\s_-]+", word.lower().strip()))
    kindred = {_key(other) for group in KINDRED if plain in group for other in group}
    found = [relation for key, relation in by_key.items() if key in kindred]
    return found[0] if len(found) == 1 else None


def _readings(phrase: str, kinds: Collection[str]) -> list[str]:
    """The phrase, then without its article, in the singular, without a kind before it."""
    words = phrase.split()
    readings = [phrase]
    if len(words) > 1 and words[0].lower() in ARTICLES:
        words = words[1:]
        readings.append(" ".join(words))
    shorter = [" ".join(words[i:]) for i in range(1, len(words)) if _key(" ".join(words[:i])) in kinds]
    for reading in [*readings[-1:], *shorter]:
        readings += [reading, *_singulars(reading)]
    return readings


def _singulars(phrase: str) -> list[str]:
    """What the phrase may be the plural of; naming decides which of it there is."""
    return [
        phrase[: -len(plural)] + singular
        for plural, singular in PLURALS
        if phrase.lower().endswith(plural) and len(phrase) > len(plural) + 1
    ]


def _key(name: str) -> str:
    """The part of a name that is compared: its letters and digits."""
    return re.sub(r"[\W_]+", "", name.lower())


def _clean(name: str) -> str:
    """A name in the form that a formal goal allows."""
    return " ".join(re.sub(r"[(),]+", " ", name).split())
