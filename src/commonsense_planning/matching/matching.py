"""From free text to admissible names and actions, by similarity (sections 2.2 and 2.3 of the LLM-MCTS paper)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from commonsense_planning.errors import UsageError
from commonsense_planning.matching.word_space import WordSpace

Similarities = npt.NDArray[np.float64]


class Matcher(Protocol):
    """Compares texts. A matcher gives a ``name`` and ``similarities``; ``best`` comes with this class."""

    least: float  # a text less similar than this to every option names none of them
    unmatched: int = 0  # texts for which ``best`` found nothing

    @property
    def name(self) -> str:
        """What :func:`matcher_named` makes the same matcher of."""

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


# A prior compares the same few phrases with the same places thousands of times, and so do the next tasks of a home.
_space = lru_cache(maxsize=1000)(WordSpace)


@lru_cache(maxsize=5000)
def _lexical_similarities(text: str, options: tuple[str, ...]) -> Similarities:
    found = _space(options).similarities(text)
    found.setflags(write=False)
    return found


def _lexical(model: str | None) -> Matcher:
    if model is not None:
        raise UsageError(f"the matcher lexical takes no model, but {model!r} was named; say just lexical")
    return LexicalMatcher()


def _embeddings(model: str | None) -> Matcher:
    from commonsense_planning.matching.embedding_matcher import EmbeddingMatcher

    return EmbeddingMatcher(model)


MATCHERS: dict[str, Callable[[str | None], Matcher]] = {"lexical": _lexical, "embeddings": _embeddings}


def matcher_named(spec: str) -> Matcher:
    """The matcher of a name: ``lexical``, ``embeddings``, or ``embeddings:MODEL`` with a model's name or folder.

    Raises ``UsageError`` for any other name, ``MissingError`` if what the matcher needs is not there.
    """
    name, colon, model = spec.partition(":")
    if name in MATCHERS and not (colon and not model):
        return MATCHERS[name](model or None)
    close = difflib.get_close_matches(name, MATCHERS, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise UsageError(
        f"no matcher is called {spec!r}{hint}; there are lexical, embeddings and embeddings:MODEL_OR_FOLDER"
    )
