"""Policies that guide the search: the only seam between MCTS and a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from commonsense_planning.language.matching import Matcher
from commonsense_planning.language.model import LanguageModel
from commonsense_planning.language.questions import NextAction
from commonsense_planning.language.verbalise import Verbaliser
from commonsense_planning.search.outlook import Outlook
from commonsense_planning.task.ground_task import Int32

Probabilities = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Situation:
    """What an agent knows at a node: ``truth`` and ``known`` bool (facts,), its applicable ``operators``, and
    the operators ``done`` since the episode began."""

    truth: npt.NDArray[np.bool_]
    known: npt.NDArray[np.bool_]
    operators: Int32
    done: tuple[int, ...]


class Policy(Protocol):
    """π̂(a|h)."""

    def probabilities(self, situation: Situation) -> Probabilities:
        """A distribution over ``situation.operators``, float64, same shape."""


class UniformPolicy:
    """Every applicable operator alike: UCT's, and the paper's ablation without a heuristic policy."""

    def probabilities(self, situation: Situation) -> Probabilities:
        return np.full(len(situation.operators), 1.0 / max(1, len(situation.operators)))


class ModelPolicy:
    """The empirical policy of section 2.3: π̂(a|h) = λ/|A| + (1-λ)·softmax(Σᵢ cos(αᵢ, a) - η).

    αᵢ are ``samples`` (M) answers of the model, η the mean over the actions of the sum.
    """

    def __init__(
        self,
        model: LanguageModel,
        verbaliser: Verbaliser,
        matcher: Matcher,
        outlook: Outlook,
        goal: str,
        mixing: float,
        samples: int,
    ) -> None:
        self.model = model
        self.verbaliser = verbaliser
        self.matcher = matcher
        self.outlook = outlook
        self.goal = goal
        self.mixing = mixing  # λ
        self.samples = samples

    def probabilities(self, situation: Situation) -> Probabilities:
        size = len(situation.operators)
        if size < 2:
            return np.ones(size)
        texts = [self.verbaliser.action(int(o)) for o in situation.operators]
        similarity = self._similarity(self.model.ask(self.question(situation, texts), self.samples), texts)
        scores = np.exp(similarity - similarity.max())
        mixed: Probabilities = self.mixing / size + (1 - self.mixing) * scores / scores.sum()
        return mixed

    def question(self, situation: Situation, texts: Sequence[str]) -> NextAction:
        """What the model is asked at a node."""
        say = self.verbaliser
        return NextAction(
            goal=self.goal,
            completed=tuple(say.action(o) for o in situation.done),
            actions=tuple(texts),
            outlook=lambda n: [say.action(o) for o in self.outlook.first_operators(situation, n)],
        )

    def _similarity(self, answers: Sequence[str], texts: Sequence[str]) -> Probabilities:
        """Σᵢ cos(αᵢ, a) - η for each action, float64 (actions,)."""
        total = np.zeros(len(texts))
        for answer in answers:
            total += self.matcher.similarities(answer, texts)
        centred: Probabilities = total - total.mean()
        return centred
