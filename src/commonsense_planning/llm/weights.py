"""The weights that a model gives to the options of a question, and how they are read from answers in free text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.matching.words import contained
from commonsense_planning.wording.questions import Placement, Question

_DIGITS = re.compile(r"\d+")


class AnswerCount(NamedTuple):
    """An answer, or an option that was weighed without one. ``text``: the answer, or the phrase of it that counts if
    the question ``names_one``; ``times``: how often it was given, of n; ``named``: indices of the options that it
    names, empty if it matches none."""

    text: str
    times: float
    named: tuple[int, ...]


@dataclass(frozen=True)
class Weights:
    """A model's answers to a question with ``options``; ``said`` is empty if there was no answer."""

    options: tuple[str, ...]
    said: tuple[AnswerCount, ...]

    @staticmethod
    def of_shares(options: tuple[str, ...], shares: Sequence[float], n: float) -> Weights:
        """Returns options with their ``shares`` (at least 0), as if n answers had been drawn by them."""
        total = sum(shares) or 1.0
        said = (
            AnswerCount(o, n * share / total, (i,)) for i, (o, share) in enumerate(zip(options, shares, strict=True))
        )
        return Weights(options, tuple(entry for entry in said if entry.times))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The weight of each option, float64 (options,), summing to one, or all zero if no answer named an option. An
        answer that names k options counts 1/k for each."""
        shares = np.zeros(len(self.options))
        for _, times, named in self.said:
            for option in named:
                shares[option] += times / len(named)
        return shares / (shares.sum() or 1.0)

    def tempered(self, temperature: float) -> Weights:
        """Returns weights with shares to the power of 1/temperature: flatter above 1, sharper below."""
        if temperature == 1.0 or not self.options:
            return self
        answers = sum(said.times for said in self.said if said.named)
        tempered = Weights.of_shares(self.options, (self.shares ** (1 / temperature)).tolist(), answers)
        return Weights(self.options, (*tempered.said, *(said for said in self.said if not said.named)))

    @property
    def usable(self) -> bool:
        """Whether an answer names an option, or has any text if the question has no options."""
        return any(said.named or (not self.options and said.text.strip()) for said in self.said)

    @property
    def first(self) -> str:
        """The most frequent answer, the first of equals; empty if there is none."""
        return max(self.said, key=lambda said: said.times).text if self.said else ""


def read_answers(question: Question, answers: Sequence[str], matcher: Matcher) -> Weights:
    """Matches sampled answers with the options of a question. A phrase that matches none is counted in
    ``matcher.unmatched``. An answer to a placement question without a number names all places that differ only in their
    numbers."""
    options = question.options
    if not options:
        return Weights((), tuple(AnswerCount(answer, times, ()) for answer, times in Counter(answers).items()))
    places = {option: i for i, option in enumerate(options)}
    said = []
    for answer, times in Counter(answers).items():
        phrases, found, text = question.phrases(answer), list[int | None](), answer
        unmatched = matcher.unmatched
        for phrase in phrases:
            found.append(places[phrase] if phrase in places else _fit(phrase, options, matcher))
            if question.names_one and found[-1] is not None:
                text, found = phrase, found[-1:]
                break
        if question.names_one and found[-1:] in ([], [None]):
            text, found = next(iter(phrases), ""), [None]
        matcher.unmatched = unmatched + times * found.count(None)
        named = tuple(i for i in found if i is not None)
        if isinstance(question, Placement) and not _DIGITS.search(answer):
            kinds = {_DIGITS.sub("", options[i]) for i in named}
            named = tuple(i for i, option in enumerate(options) if i in named or _DIGITS.sub("", option) in kinds)
        said.append(AnswerCount(text, times, named))
    return Weights(options, tuple(said))


def _fit(phrase: str, options: Sequence[str], matcher: Matcher) -> int | None:
    """Returns the option that is most similar to a phrase, else the option that the phrase contains."""
    found = matcher.best(phrase, options)
    return contained(phrase, options) if found is None else found
