"""The length of the questions on the household's problems that ship, in tokens of four characters.

    python -m lab.benchmarks.question_tokens

Each method plays each problem with the embedded model's answers, and with random ones (seed 0) where it has none. The
table has the mean of each kind of question, and its growth (``BEFORE``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning import read_task
from commonsense_planning.config import GuideLevel
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, LanguageModel, Usage
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.wording.questions import Question, Scene
from lab.benchmarks.performance.table import head, line

HOUSEHOLD = Path(__file__).parents[2] / "pddl" / "household"
LARGE = "large-salmon"  # ten thousand actions
SETTINGS: dict[str, dict[str, Any]] = {
    "llm-policy": {"max_steps": 25},
    "llm-mcts": {},
    "llm-hill-climb": {"max_steps": 15, "guide": GuideLevel.LOW},
}
BEFORE = {  # mean tokens of the same questions before what never changes was told
    "llm-policy NextAction": 452.8,
    "llm-mcts NextAction": 360.4,
    "llm-mcts Placement": 176.2,
    "llm-mcts PlacementAgain": 247.6,
    "llm-hill-climb WriteGuide": 356.7,
    "llm-hill-climb ChooseAction": 210.0,
}
Lengths = dict[str, list[int]]  # kind of question → characters of each


class Measured:
    """A model whose questions are counted by kind."""

    name, note = "measured", "embedded answers, else random ones"

    def __init__(self, prompts: Prompts, matcher: Matcher, rng: np.random.Generator, lengths: Lengths) -> None:
        self.usage = Usage()
        self._prompts, self._matcher, self._rng, self._lengths = prompts, matcher, rng, lengths
        self._knowing = EmbeddedModel(rng)

    def answers(self, kind: type[Question]) -> bool:
        return True

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        return [[*self._said(question, n)] for question in questions]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        answers = self.ask(questions, n)
        return [read_answers(q, texts, self._matcher) for q, texts in zip(questions, answers, strict=True)]

    def take_notes(self) -> list[str]:
        return []

    def _said(self, question: Question, n: int) -> Iterator[str]:
        told = "".join(message["content"] for message in self._prompts.messages(question))
        self._lengths[type(question).__name__].append(len(told))
        if self._knowing.answers(type(question)):
            yield from self._knowing.ask([question], n)[0]
        else:
            yield from self._rng.choice(question.options or ("1. walk to the kitchen",), n).tolist()


class MeasuredModels(ModelSession):
    """Opens the measured model."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths: Lengths = defaultdict(list)

    def open(self, scene: Scene, prompts: Path | None, matcher: Matcher, rng: np.random.Generator) -> LanguageModel:
        return Measured(Prompts([] if prompts is None else [prompts], scene), matcher, rng, self.lengths)


def measured() -> Lengths:
    """The lengths of all questions."""
    found: Lengths = defaultdict(list)
    for problem in sorted((HOUSEHOLD / "problems").glob("*.pddl")):
        if problem.stem == LARGE:
            continue
        task = read_task(HOUSEHOLD / "domain.pddl", problem)
        for name, settings in SETTINGS.items():
            with MeasuredModels() as models:
                method = METHODS[name]
                solve(Request(task, method, method.Options.of(method.Options.among(settings)), models, seed=0))
            for kind, lengths in models.lengths.items():
                found[f"{name} {kind}"] += lengths
    return found


def table() -> None:
    """Prints the figures."""
    print(head("method and question", "questions", "tokens before", "tokens", "growth"))
    total = before = 0.0
    for kind, lengths in measured().items():
        mean = sum(lengths) / len(lengths) / CHARACTERS_PER_TOKEN
        total, before = total + mean * len(lengths), before + BEFORE[kind] * len(lengths)
        growth = mean / BEFORE[kind] - 1
        print(line(kind, len(lengths), f"{BEFORE[kind]:.1f}", f"{mean:.1f}", f"{growth:+.1%}"))
    print(line("all", "", f"{before:,.0f}", f"{total:,.0f}", f"{total / before - 1:+.1%}"))


if __name__ == "__main__":
    table()
