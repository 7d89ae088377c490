"""Policies that guide the search: the only seam between MCTS and a language model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.llm.model import LanguageModel, Usage
from commonsense_planning.llm.weights import Said
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.search.hindsight import HindsightPlanner
from commonsense_planning.wording.questions import NextAction
from commonsense_planning.wording.verbalise import Verbaliser

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

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        """For each situation a distribution over its ``operators``, float64, same shape."""


class UniformPolicy:
    """Every applicable operator alike: UCT's, and the paper's ablation without a heuristic policy."""

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        return [np.full(len(s.operators), 1.0 / max(1, len(s.operators))) for s in situations]


class AdvisedPolicy(ABC):
    """The empirical policy of section 2.3: π̂(a|h) = λ/|A| + (1-λ)·softmax(Σᵢ cos(αᵢ, a) - η).

    αᵢ are ``samples`` (M) texts that name an action, η is the mean over the actions of the sum. Where the texts come
    from is the subclass's. Of a model that weighs the actions, each stands for as many texts as its share of M.
    """

    def __init__(
        self,
        verbaliser: Verbaliser,
        matcher: Matcher,
        mixing: float,
        samples: int,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.say = verbaliser
        self.matcher = matcher
        self.mixing = mixing  # λ
        self.samples = samples
        self.note = note

    @abstractmethod
    def advice(self, situations: Sequence[Situation], n: int) -> list[list[Said]]:
        """For each situation at most ``n`` texts, each the action to take there; none where there is no advice."""

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        """Advice on all is taken together. A situation for which there is none of use is noted and gets the uniform
        policy."""
        found = [np.ones(len(s.operators)) for s in situations]
        open_ones = [i for i, s in enumerate(situations) if len(s.operators) > 1]
        advice = self.advice([situations[i] for i in open_ones], self.samples) if open_ones else []
        for i, said in zip(open_ones, advice, strict=True):
            found[i] = self._mixed(situations[i], said)
        return found

    def suggest(self, situation: Situation) -> tuple[str, int | None]:
        """What is to be done next, in words, and which of the operators that is; None if it is none of them."""
        advice = self.advice([situation], 1)[0]
        if not advice:
            return "", None
        said = max(advice, key=lambda said: said.times)
        return said.text, self.matcher.best(said.text, self._actions(situation)) if said.named else None

    def _actions(self, situation: Situation) -> tuple[str, ...]:
        return tuple(self.say.action(int(o)) for o in situation.operators)

    def _mixed(self, situation: Situation, advice: Sequence[Said]) -> Probabilities:
        """The paper's formula for one node; uniform where no text names an action."""
        actions = self._actions(situation)
        usable = [said for said in advice if said.named]
        if not usable:
            self.note(f"no usable answer to what to do after {len(situation.done)} actions: uniform policy there")
            return np.full(len(actions), 1 / len(actions))
        total = np.zeros(len(actions))
        for text, times, _ in usable:
            total += times * self.matcher.similarities(text, actions)
        centred = total - total.mean()  # η is the mean
        scores = np.exp(centred - centred.max())
        mixed: Probabilities = self.mixing / len(actions) + (1 - self.mixing) * scores / scores.sum()
        return mixed


class ModelPolicy(AdvisedPolicy):
    """The paper's: a language model says what comes next; all questions go to it together.

    ``hidden``: bool (facts,), the facts that an agent may not know; ``goal`` in words.
    """

    def __init__(
        self,
        model: LanguageModel,
        verbaliser: Verbaliser,
        matcher: Matcher,
        hidden: npt.NDArray[np.bool_],
        goal: str,
        mixing: float,
        samples: int,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(verbaliser, matcher, mixing, samples, note)
        self.model = model
        self.hidden = hidden
        self.goal = goal

    def advice(self, situations: Sequence[Situation], n: int) -> list[list[Said]]:
        questions = [next_action(s, self.goal, self.say, self.hidden) for s in situations]
        return [
            [said._replace(text=question.phrases(said.text)[0]) for said in weights.said]
            for question, weights in zip(questions, self.model.weigh(questions, n), strict=True)
        ]


class PlanPolicy(AdvisedPolicy):
    """For a model that cannot say what comes next: the first actions of plans in worlds drawn from the belief stand in
    for its answers, and are counted in its ``usage`` as questions."""

    def __init__(
        self,
        hindsight: HindsightPlanner,
        usage: Usage,
        verbaliser: Verbaliser,
        matcher: Matcher,
        mixing: float,
        samples: int,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(verbaliser, matcher, mixing, samples, note)
        self.hindsight = hindsight
        self.usage = usage

    def advice(self, situations: Sequence[Situation], n: int) -> list[list[Said]]:
        self.usage.questions += len(situations)
        return [[Said(self.say.action(o), 1, (o,)) for o in self.hindsight.first_operators(s, n)] for s in situations]


def next_action(situation: Situation, goal: str, say: Verbaliser, hidden: npt.NDArray[np.bool_]) -> NextAction:
    """What a model is asked at a node; ``hidden`` as for :class:`ModelPolicy`."""
    return NextAction(
        goal=goal,
        completed=tuple(say.action(o) for o in situation.done),
        actions=tuple(say.action(int(o)) for o in situation.operators),
        observation=tuple(say.statements(situation.truth, situation.known, hidden)),
    )


def policy_of(
    model: LanguageModel,
    hindsight: HindsightPlanner,
    verbaliser: Verbaliser,
    matcher: Matcher,
    goal: str,
    mixing: float,
    samples: int,
    note: Callable[[str], None] = lambda text: None,
) -> AdvisedPolicy:
    """The policy that a model gives: its own answers, or plans in believed worlds where it has none to what comes
    next."""
    if model.answers(NextAction):
        return ModelPolicy(model, verbaliser, matcher, hindsight.planner.task.hidden, goal, mixing, samples, note)
    return PlanPolicy(hindsight, model.usage, verbaliser, matcher, mixing, samples, note)
