"""The words of texts for comparison, without case, plurals and synonyms; a phrase that means one word is one word."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TABLE = Path(__file__).with_name("synonyms.toml")

_WORD = re.compile(r"[^\W\d_]+|\d+")
_DENIALS = frozenset(["not", "no", "never", "neither", "nor", "cannot", "instead", "without", "rather", "t"])  # don't
_LIST_MARK = re.compile(r"^\W*\d+\s*[.):]\s+(?=\S)")


@dataclass(frozen=True)
class Word:
    """A word: its ``form`` in the text, and its ``sense``, the word that it is read as; the sense of "cupboards" is
    "cabinet"."""

    form: str
    sense: str


@dataclass(frozen=True)
class _Table:
    """``synonyms.toml``: the sense of phrases (tuples of stems), the longest phrase's length, and small words."""

    senses: dict[tuple[str, ...], str]
    longest: int
    articles: frozenset[str]
    fillers: frozenset[str]


@lru_cache(maxsize=1)
def _table() -> _Table:
    """The table, read once."""
    content = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    senses: dict[tuple[str, ...], str] = {}
    for name, phrases in content["synonyms"].items():
        sense = "".join(_stem(w) for w in name.split())
        for phrase in (name, *phrases):
            stems = tuple(_stem(w) for w in phrase.split())
            senses[stems] = sense
            senses[(_stem("".join(phrase.split())),)] = sense
    longest = max(map(len, senses))
    return _Table(senses, longest, frozenset(content["articles"]), frozenset(content["fillers"]))


@lru_cache(maxsize=100_000)
def words_in(text: str) -> tuple[Word, ...]:
    """The words of a text in order, articles and fillers among them; the number of a list item is left out.

    A text without letters and digits is one word, unless it is empty.
    """
    known = _table()
    forms = _forms(text)
    stems = [_stem(form) for form in forms]
    found = []
    i = 0
    while i < len(forms):
        length = next((n for n in range(known.longest, 0, -1) if tuple(stems[i : i + n]) in known.senses), 0)
        if length:
            found.append(Word("".join(forms[i : i + length]), known.senses[tuple(stems[i : i + length])]))
        else:
            found.append(Word(forms[i], stems[i]))
        i += length or 1
    return tuple(found)


def small_words() -> tuple[frozenset[str], frozenset[str]]:
    """Articles, and fillers: words that carry little in an option and nothing in an answer."""
    return _table().articles, _table().fillers


def begins_small(text: str) -> bool:
    """Whether a text begins with an article or a filler, as a sentence does and an action does not."""
    return any(word.form in _table().articles | _table().fillers for word in words_in(text)[:1])


def contained(text: str, options: Sequence[str]) -> int | None:
    """The option whose words, small ones apart, follow each other in a text that has others as well, such as "the robot
    should open the fridge"; of several the longest. None for two of equal length, and where the text denies."""
    senses = _senses(text)
    if _DENIALS & {word.form for word in words_in(text)}:
        return None
    lengths = [len(wanted) if _in(wanted := _senses(option), senses) else 0 for option in options]
    longest = max(lengths, default=0)
    return lengths.index(longest) if longest and lengths.count(longest) == 1 else None


def _senses(text: str) -> tuple[str, ...]:
    small = _table().articles | _table().fillers
    return tuple(word.sense for word in words_in(text) if word.form not in small)


def _in(wanted: tuple[str, ...], senses: tuple[str, ...]) -> bool:
    return any(senses[i : i + len(wanted)] == wanted for i in range(len(senses) - len(wanted) + 1))


@lru_cache(maxsize=100_000)
def trigrams(form: str) -> frozenset[str]:
    """The groups of three letters of a word, its ends marked."""
    marked = f" {form} "
    return frozenset(marked[i : i + 3] for i in range(len(marked) - 2))


def likeness(one: str, other: str) -> float:
    """The share of common trigrams (Dice's coefficient), in [0, 1]."""
    mine, theirs = trigrams(one), trigrams(other)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))


def _forms(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    forms: list[str] = _WORD.findall(_LIST_MARK.sub("", plain))
    return forms or ([plain] if plain else [])


def _stem(form: str) -> str:
    """The word without accents and an English plural's ending."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", form) if not unicodedata.combining(c))
    if len(plain) < 4 or not plain.endswith("s") or plain.endswith(("ss", "us", "is")):
        return plain
    if plain.endswith("ies") and len(plain) > 4:
        return f"{plain[:-3]}y"
    if plain.endswith(("sses", "shes", "ches", "xes")) or (plain.endswith("oes") and len(plain) > 5):
        return plain[:-2]
    return plain[:-1]
