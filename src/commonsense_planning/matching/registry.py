"""The registry of matchers: lexical, embeddings, and those of plug-ins (entry points
``commonsense_planning.matchers``).

A plug-in is one module with a class that implements ``Matcher``, a :class:`MatcherKind` that opens it, and an entry
point of the kind's name for the latter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commonsense_planning.matching.matcher import LexicalMatcher, Matcher
from commonsense_planning.support.registry import Registry


@dataclass(frozen=True)
class MatcherKind:
    """The names of one kind of matchers, and a description. ``open`` gets the text after the colon, empty if there is
    none; it raises MissingError if something that the matcher needs is missing."""

    forms: tuple[str, ...]
    summary: str
    open: Callable[[str], Matcher]


def _embeddings(model: str) -> Matcher:
    from commonsense_planning.matching.embedding_matcher import EmbeddingMatcher

    return EmbeddingMatcher(model or None)


MATCHERS = Registry(
    "matcher",
    "commonsense_planning.matchers",
    MatcherKind,
    (
        MatcherKind(("lexical",), "words, their synonyms, their order; needs no weights", lambda _: LexicalMatcher()),
        MatcherKind(
            ("embeddings", "embeddings:MODEL_OR_FOLDER"),
            "the paper's: cosine of sentence embeddings (all-MiniLM-L6-v2, or the model that is named)",
            _embeddings,
        ),
    ),
)


def matcher_named(spec: str) -> Matcher:
    """The matcher of a name: ``lexical``, ``embeddings``, ``embeddings:MODEL_OR_FOLDER``, or a plug-in's.

    Raises UsageError for any other name, MissingError if something that the matcher needs is missing.
    """
    kind, which = MATCHERS.find(spec)
    return kind.open(which)
