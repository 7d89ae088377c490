"""Policies that guide the search, from a model's answers: the only interface between MCTS and a language model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.weights import AnswerCount
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.questions import NextAction

Probabilities = npt.NDArray[np.float64]
LATELY = 3  # last actions in the question of an agent without a search


class PolicyOf(StrEnum):
    """The source of a policy π̂: a model that was asked what comes next; a planner that replaces it (gain per cost, or
    first actions of plans); or none, so that the policy is uniform."""

    MODEL = "model"
    PLANNER = "planner"
    NOBODY = "nobody"


class Policy(Protocol):
    """π̂(a|h); ``owner`` is its source."""

    owner: PolicyOf

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        """Returns for each situation a distribution over its ``operators``, float64, same shape."""


class Advice(NamedTuple):
    """The texts ``said`` about a situation; its ``actions`` in English, and the index of each operator among them,
    int32 (operators,), -1 for one that may not be named."""

    actions: tuple[str, ...]
    action: Int32
    said: Sequence[AnswerCount]


class AdvisedPolicy(ABC):
    """The empirical policy of section 2.3: π̂(a|h) = λ/|A| + (1-λ)·softmax(Σᵢ cos(αᵢ, a) - η).

    αᵢ are ``samples`` (M) texts that name an action, η is the mean over the actions of the sum. A subclass provides the
    texts, and so the source of the policy. If a model weights the actions, each counts as its share of M texts.
    """

    owner: PolicyOf

    def __init__(
        self, matcher: Matcher, mixing: float, samples: int, note: Callable[[str], None] = lambda text: None
    ) -> None:
        self.matcher = matcher
        self.mixing = mixing  # λ
        self.samples = samples
        self.note = note

    @abstractmethod
    def advice(self, situations: Sequence[Situation], n: int) -> list[Advice]:
        """Returns for each situation at most ``n`` texts, each the action to take there; none without advice."""

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        """Asks for advice on all situations together. One without usable advice is noted and gets the uniform
        policy."""
        found = [np.ones(len(s.operators)) for s in situations]
        open_ones = [i for i, s in enumerate(situations) if len(s.operators) > 1]
        advice = self.advice([situations[i] for i in open_ones], self.samples) if open_ones else []
        for i, given in zip(open_ones, advice, strict=True):
            found[i] = self._mixed(situations[i], given)
        return found

    def suggest(self, situation: Situation) -> tuple[str, int | None]:
        """Returns the next action in English, and its operator; None if it is none of them."""
        return self._best(self.advice([situation], 1)[0])

    def _best(self, advice: Advice) -> tuple[str, int | None]:
        if not advice.said:
            return "", None
        said = max(advice.said, key=lambda said: said.times)
        best = self.matcher.best(said.text, advice.actions) if said.named else None
        return said.text, None if best is None else int(np.flatnonzero(advice.action == best)[0])

    def _mixed(self, situation: Situation, advice: Advice) -> Probabilities:
        """The paper's formula for one node; uniform if no text names an action."""
        usable = [said for said in advice.said if said.named]
        count = len(situation.operators)
        if not usable:
            self.note(f"no usable answer to what to do after {len(situation.done)} actions: uniform policy there")
            return np.full(count, 1 / count)
        total = np.zeros(len(advice.actions) + 1)  # the last one for operators that may not be named
        for text, times, _ in usable:
            total[:-1] += times * self.matcher.similarities(text, advice.actions)
        total = total[advice.action]
        centred = total - total.mean()  # η is the mean
        scores = np.exp(centred - centred.max())
        mixed: Probabilities = self.mixing / count + (1 - self.mixing) * scores / scores.sum()
        return mixed


class ModelPolicy(AdvisedPolicy):
    """The paper's policy: a language model names the next action; all ``questions`` go to it together. A question asked
    before in the episode keeps its answers; none is asked if only one action may be named."""

    owner = PolicyOf.MODEL

    def __init__(
        self,
        model: LanguageModel,
        questions: NextQuestions,
        matcher: Matcher,
        mixing: float,
        samples: int,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(matcher, mixing, samples, note)
        self.model = model
        self.questions = questions
        self._kept: dict[NextAction, list[AnswerCount]] = {}

    def advice(self, situations: Sequence[Situation], n: int) -> list[Advice]:
        choices = [self.questions.choice(situation) for situation in situations]
        new = [q for q in dict.fromkeys(choice.question for choice in choices) if q not in self._kept]
        for question, said in zip(new, self._ask(new, n), strict=True):
            self._kept[question] = said
        return [Advice(question.actions, action, self._kept[question]) for question, action in choices]

    def suggest(self, situation: Situation) -> tuple[str, int | None]:
        """The same, asked again each time, and with the last actions in the question, against loops."""
        question, action = self.questions.choice(situation, LATELY)
        return self._best(Advice(question.actions, action, self._ask([question], 1)[0]))

    def _ask(self, questions: Sequence[NextAction], n: int) -> list[list[AnswerCount]]:
        found = {q: [AnswerCount(q.actions[0], n, (0,))] for q in questions if len(q.actions) == 1}
        doubtful = [q for q in questions if q not in found]
        if doubtful:
            for question, weights in zip(doubtful, self.model.weigh(doubtful, n), strict=True):
                found[question] = [*weights.said]
        return [found[question] for question in questions]
