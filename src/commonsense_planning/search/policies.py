"""Policies that guide the search: the only seam between MCTS and a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.llm.answers import first_action
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.questions import NextAction
from commonsense_planning.matching.matching import Matcher
from commonsense_planning.search.hindsight import HindsightPlanner
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


class ModelPolicy:
    """The empirical policy of section 2.3: π̂(a|h) = λ/|A| + (1-λ)·softmax(Σᵢ cos(αᵢ, a) - η).

    αᵢ are ``samples`` (M) answers of the model, η the mean over the actions of the sum.
    """

    def __init__(
        self,
        model: LanguageModel,
        verbaliser: Verbaliser,
        matcher: Matcher,
        hindsight: HindsightPlanner,
        goal: str,
        mixing: float,
        samples: int,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.model = model
        self.verbaliser = verbaliser
        self.matcher = matcher
        self.hindsight = hindsight
        self.goal = goal
        self.mixing = mixing  # λ
        self.samples = samples
        self.note = note

    def probabilities(self, situations: Sequence[Situation]) -> list[Probabilities]:
        """All questions go to the model together. A situation to which it has no usable answer is noted and gets the
        uniform policy."""
        found = [np.ones(len(s.operators)) for s in situations]
        open_ones = [i for i, s in enumerate(situations) if len(s.operators) > 1]
        questions = [self.question(situations[i]) for i in open_ones]
        answers = self.model.ask(questions, self.samples) if questions else []
        for i, question, texts in zip(open_ones, questions, answers, strict=True):
            found[i] = self._mixed(question, texts)
        return found

    def suggest(self, situation: Situation) -> tuple[str, int | None]:
        """What the model says is to be done next, and which of the operators that is; None if it is none of them."""
        question = self.question(situation)
        answers = self.model.ask([question], 1)[0]
        said = first_action(answers[0]) if answers else ""
        return said, self.matcher.best(said, question.actions) if said else None

    def question(self, situation: Situation) -> NextAction:
        """What the model is asked at a node."""
        say, hidden = self.verbaliser, self.hindsight.planner.task.hidden
        return NextAction(
            goal=self.goal,
            completed=tuple(say.action(o) for o in situation.done),
            actions=tuple(say.action(int(o)) for o in situation.operators),
            observe=lambda: say.statements(situation.truth, situation.known, hidden),
            outlook=lambda n: [say.action(o) for o in self.hindsight.first_operators(situation, n)],
        )

    def _mixed(self, question: NextAction, answers: Sequence[str]) -> Probabilities:
        """The paper's formula for one node; uniform where no answer names an action."""
        size = len(question.actions)
        named = [first_action(answer) for answer in answers]
        usable = [text for text in named if text and self.matcher.best(text, question.actions) is not None]
        if not usable:
            self.note(f"no usable answer to what to do after {len(question.completed)} actions: uniform policy there")
            return np.full(size, 1 / size)
        total = np.zeros(size)
        for text in usable:
            total += self.matcher.similarities(text, question.actions)
        centred = total - total.mean()  # η is the mean
        scores = np.exp(centred - centred.max())
        mixed: Probabilities = self.mixing / size + (1 - self.mixing) * scores / scores.sum()
        return mixed
