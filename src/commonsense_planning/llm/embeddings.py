"""The model of sentence embeddings (Reimers and Gurevych 2019): a prior for any domain, by the similarity of a thing,
"bird food", and a place, "in pet supplies". It is no language model, needs neither network nor key, and has no table.

The weight of a place is exp(cosine / ``TEMPERATURE``), times the number of such places. Questions of other kinds are
answered by another model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from commonsense_planning.embedded.answers import preferred
from commonsense_planning.llm.model import LanguageModel, ModelWrapper
from commonsense_planning.llm.weights import Weights
from commonsense_planning.matching.embedding_matcher import EmbeddingMatcher
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.questions import Placement, Question

TEMPERATURE = 0.06
"""Of the default embedding model's cosines: ``lab/benchmarks/placement_priors.py`` fits it."""

Floats = npt.NDArray[np.float64]


class EmbeddingsModel(ModelWrapper):
    """Answers placement questions by ``similarity``; ``model`` answers the others. ``rng`` draws the samples of
    ``ask``; the weights have ``temperature`` times the fitted one; ``preferences`` are those of the people in the
    scene."""

    name = "embeddings"
    note = "similarity of names by sentence embeddings, not a language model"

    def __init__(
        self,
        model: LanguageModel,
        similarity: Matcher,
        rng: np.random.Generator,
        temperature: float = 1.0,
        preferences: tuple[str, ...] = (),
    ) -> None:
        super().__init__(model)
        self._similarity = similarity
        self._rng = rng
        self._temperature = TEMPERATURE * temperature
        self._preferences = preferences

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """See LanguageModel: ``n`` places drawn by their weights, for a placement question."""
        return [
            self._drawn(question, n) if isinstance(question, Placement) else self.model.ask([question], n)[0]
            for question in questions
        ]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """See LanguageModel: all places by their weights, not by samples, for a placement question."""
        return [
            Weights.of_shares(question.places, self._shares(question).tolist(), n)
            if isinstance(question, Placement)
            else self.model.weigh([question], n)[0]
            for question in questions
        ]

    def _drawn(self, question: Placement, n: int) -> list[str]:
        shares = self._shares(question)
        return [question.places[i] for i in self._rng.choice(len(shares), size=n, p=shares)]

    def _shares(self, question: Placement) -> Floats:
        """The probability of each place, float64 (places,)."""
        self.usage.questions += 1
        weights = place_shares(self._similarity, question, self._temperature)
        return preferred(weights, question.preferring(self._preferences))


def place_shares(similarity: Matcher, question: Placement, temperature: float) -> Floats:
    """The probability of each place of a question, float64 (places,): the softmax of the cosines over ``temperature``,
    with each place counted as often as there is one."""
    cosines = similarity.similarities(question.thing, question.places)
    weights = np.exp((cosines - cosines.max()) / temperature) * (question.counts or 1)
    return np.asarray(weights / weights.sum())


@cache
def kept_matcher(which: str) -> EmbeddingMatcher:
    """The embeddings of a model, kept for the process: loading it takes seconds. ``which``: a folder or a name on the
    hub, empty for the default. Raises MissingError."""
    return EmbeddingMatcher(which or None)
