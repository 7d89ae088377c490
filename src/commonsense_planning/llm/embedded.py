"""The embedded model: not a language model, but the tables and the grammar of ``embedded/``, with the same interface.

It needs no network, key or parameters, and answers in text like any other model. It does not answer which action to
take next in any domain: callers use plans in possible worlds instead (``elicitation.policies.PlanPolicy``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from commonsense_planning.embedded.answers import answer, answers_to
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher, Matcher
from commonsense_planning.support.reading import read_toml, reading
from commonsense_planning.wording.questions import Placement, Question

Kept = Mapping[str, Mapping[str, float]]

MOST_NAMED = 3  # unknown things that a note names


class EmbeddedModel:
    """Answers the kinds of questions that :func:`answer` knows. ``rng`` draws the samples, ``matcher`` reads them,
    ``temperature`` is that of the weights, ``preferences`` are those of the people in the scene. ``kept``: a domain's
    own table, thing → place → likelihood for each such place, in any unit; its entries take precedence over cplan's
    tables."""

    name = "embedded"
    note = "hand-written commonsense tables and a relaxed-plan planner, not a language model"

    def __init__(
        self,
        rng: np.random.Generator,
        usage: Usage | None = None,
        matcher: Matcher | None = None,
        temperature: float = 1.0,
        preferences: tuple[str, ...] = (),
        kept: Kept = MappingProxyType({}),
    ) -> None:
        self.usage = Usage() if usage is None else usage
        self._matcher = LexicalMatcher() if matcher is None else matcher
        self._temperature = temperature
        self._rng = rng
        self._preferences = preferences
        self._kept = kept
        self._unknown: dict[str, None] = {}  # things without an answer
        self._noted = False

    def answers(self, kind: type[Question]) -> bool:
        """See LanguageModel: whether answers to questions of this kind are registered."""
        return answers_to(kind) is not answer.dispatch(Question)

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """See LanguageModel: ``n`` sampled answers to each question, none if the tables have no entry."""
        self.usage.questions += len(questions)
        told = [question.preferring(self._preferences) for question in questions]
        answers = [answers_to(type(question))(question, n, self._rng) for question in told]
        self.usage.unheard += answers.count([])
        return answers

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """See LanguageModel: by the domain's own table, else by ``n`` sampled answers; equal weights if no table has an
        entry."""
        return [
            Weights.of_shares(question.options, shares, n)
            if isinstance(question, Placement) and any(shares := self._shares(question))
            else self._even(question, n)
            if isinstance(question, Placement) and not texts
            else read_answers(question, texts, self._matcher).tempered(self._temperature)
            for question, texts in zip(questions, self.ask(questions, n), strict=True)
        ]

    def _shares(self, question: Placement) -> list[float]:
        there = self._kept.get(question.thing, {})
        counts = question.counts or (1,) * len(question.places)
        return [n * there.get(place.partition(" ")[2], 0.0) for n, place in zip(counts, question.places, strict=True)]

    def _even(self, question: Placement, n: int) -> Weights:
        self._unknown[question.thing] = None
        self.usage.trouble = "it knows homes only; --model embeddings goes by the names anywhere"
        return Weights.of_shares(question.places, [1.0] * len(question.places), n)

    def take_notes(self) -> list[str]:
        """See LanguageModel: notes once that the tables have no entry for some things."""
        if self._noted or not self._unknown:
            return []
        self._noted = True
        things = list(self._unknown)
        more = f" and {len(things) - MOST_NAMED} more" if len(things) > MOST_NAMED else ""
        return [
            f"the embedded model knows homes, and nothing of where {', '.join(things[:MOST_NAMED])}{more} may be here: "
            "all places are equally likely; --model embeddings goes by the names, and look-nearest needs no model"
        ]


def read_kept(path: Path) -> Kept:
    """Reads a domain's own table of where things are kept: ``[kept]``, thing = { place = likelihood }, in the words of
    its lexicon. Raises InputError if the file has another form."""
    with reading(path, "a table of where things are kept"):
        table = read_toml(path, "a table of where things are kept")["kept"]
        return {thing: {place: float(count) for place, count in places.items()} for thing, places in table.items()}
