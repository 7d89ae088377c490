"""From free text to admissible names and actions, by similarity (sections 2.2 and 2.3 of the LLM-MCTS paper): what a
matcher is, and the one that needs no weights, the cosine in the vector space of words that a list of options spans."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from commonsense_planning.matching.words import Word, likeness, small_words, words_in

COMMON = 0.25  # weight of a word that all options share; one that a single option has weighs 1
UNKNOWN = 0.7  # weight of a word of the text that no option has
FILLER = 0.4  # factor for small words of the options
FORM = 0.1  # share of a word's squared weight for its form; the rest is for its meaning
PAIR = 0.3  # factor for two words in a row: they tell "stack a b" from "stack b a"
ALIKE = 0.45  # least likeness for a word that no option has to be taken for a misspelt one that some have

Similarities = npt.NDArray[np.float64]


class Matcher(Protocol):
    """Compares texts. A matcher gives a ``name`` and ``similarities``; ``best`` comes with this class."""

    least: float  # a text less similar than this to every option names none of them
    unmatched: int = 0  # texts for which ``best`` found nothing

    @property
    def name(self) -> str:
        """The name by which the registry of matchers makes an equal matcher."""

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        """The cosine between ``text`` and each option, float64 (options,), in [-1, 1]; 1 for equal texts."""

    def best(self, text: str, options: Sequence[str]) -> int | None:
        """The index of the most similar option (the first of equals); None, and counted, if none is similar."""
        similarity = self.similarities(text, options)
        if not len(similarity) or similarity.max() < self.least:
            self.unmatched += 1
            return None
        return int(np.argmax(similarity))


class LexicalMatcher(Matcher):
    """Cosine over words, their synonyms and pairs of words in a row (:class:`.WordSpace`); needs no weights.

    Words count by how few of the options have them, so the similarity to an option depends on the others.
    """

    name = "lexical"
    least = 0.5

    def similarities(self, text: str, options: Sequence[str]) -> Similarities:
        return _lexical_similarities(text, tuple(options))


class WordSpace:
    """Vectors of options and of texts that are compared with them.

    A word counts by how few of the options have it (inverse document frequency). Words that no option has only make a
    text longer, and so less similar to every option.
    """

    def __init__(self, options: Sequence[str]) -> None:
        articles, self._fillers = small_words()
        texts = [words_in(option) for option in options]
        # an article stands before its noun, so one that ends an option is the name of something
        names = {words[-1].form for words in texts if words}
        self._articles = articles - names
        texts = [tuple(w for w in words if w.form not in self._articles) for words in texts]
        self._words = {w.form: w for words in texts for w in words}
        self._weights = _weights(texts)
        for small in self._fillers.difference(names).intersection(self._words):
            self._weights[self._words[small].sense] *= FILLER

        rows = [self._features((w, 1.0) for w in words)[0] for words in texts]
        self._columns = {feature: i for i, feature in enumerate(dict.fromkeys(f for row in rows for f in row))}
        self._matrix = np.zeros((len(self._columns), len(options)))
        for i, row in enumerate(rows):
            for feature, value in row.items():
                self._matrix[self._columns[feature], i] = value
        norms: npt.NDArray[np.float64] = np.linalg.norm(self._matrix, axis=0)
        self._matrix /= np.where(norms > 0, norms, 1.0)

    def similarities(self, text: str) -> npt.NDArray[np.float64]:
        """The cosine of ``text`` and each option, float64 (options,), in [0, 1]."""
        features, outside = self._features(self._read(words_in(text)))
        shared = [(self._columns[f], value) for f, value in features.items() if f in self._columns]
        if not shared:
            return np.zeros(self._matrix.shape[1])
        columns, values = zip(*shared, strict=True)
        norm = math.sqrt(sum(v * v for v in values) + outside)
        found: npt.NDArray[np.float64] = np.minimum(1.0, np.array(values) @ self._matrix[list(columns)] / norm)
        return found

    def _features(self, words: Iterable[tuple[Word, float]]) -> tuple[dict[tuple[str, ...], float], float]:
        """The weights of senses, forms and pairs, and the squared weight of what no option has.

        Each word comes with its likeness to a word of the options.
        """
        features: dict[tuple[str, ...], float] = {}
        outside = 0.0
        before: Word | None = None
        for word, alike in words:
            weight = self._weights.get(word.sense, UNKNOWN)
            rest = weight * weight
            if word.sense in self._weights:
                value = weight * alike * math.sqrt(1 - FORM)
                features["sense", word.sense] = max(value, features.get(("sense", word.sense), 0.0))
                rest -= value * value
                if word.form in self._words:
                    features["form", word.form] = weight * math.sqrt(FORM)
                    rest -= weight * weight * FORM
                if before is not None:
                    pair = PAIR * math.sqrt(weight * self._weights[before.sense])
                    features["pair", before.sense, word.sense] = pair
                before = word
            outside += max(0.0, rest)
        return features, outside

    def _read(self, words: Sequence[Word]) -> Iterator[tuple[Word, float]]:
        """The words of a text as the options say them, each with its likeness; without small words."""
        content = [
            w
            for w in words
            if w.sense in self._weights or (w.form not in self._articles and w.form not in self._fillers)
        ]
        for word in self._joined(content):
            if word.sense in self._weights:
                yield word, 1.0
            else:
                yield from self._nearest(word)

    def _joined(self, words: Sequence[Word]) -> Iterator[Word]:
        """ "tooth brush" as "toothbrush", if an option is spelled like that."""
        skip = False
        for word, after in pairwise((*words, Word("", ""))):
            if skip:
                skip = False
                continue
            whole = self._words.get(word.form + after.form) if after.form else None
            skip = whole is not None
            yield whole or word

    def _nearest(self, word: Word) -> Iterator[tuple[Word, float]]:
        """An unknown word as two known ones written together, as a misspelt one, or unchanged."""
        for cut in range(1, len(word.form)):
            head, tail = self._words.get(word.form[:cut]), self._words.get(word.form[cut:])
            if head is not None and tail is not None:
                yield head, 1.0
                yield tail, 1.0
                return
        alike, form = max(((likeness(word.form, form), form) for form in self._words), default=(0.0, ""))
        if alike >= ALIKE:
            yield Word(word.form, self._words[form].sense), alike
        else:
            yield word, 0.0


def _weights(texts: Sequence[Sequence[Word]]) -> dict[str, float]:
    """From ``COMMON`` for a sense that all texts share to 1 for one that a single text has."""
    counts = Counter(sense for words in texts for sense in {w.sense for w in words})
    scale = math.log(len(texts) + 1)
    return {
        sense: COMMON + (1 - COMMON) * math.log((len(texts) + 1) / count) / scale for sense, count in counts.items()
    }


# A prior compares the same few phrases with the same places thousands of times, and so do the next tasks of a home.
_space = lru_cache(maxsize=1000)(WordSpace)


@lru_cache(maxsize=5000)
def _lexical_similarities(text: str, options: tuple[str, ...]) -> Similarities:
    found = _space(options).similarities(text)
    found.setflags(write=False)
    return found
