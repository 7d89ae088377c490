"""The page of questions: each kind, as a model gets it, in domains that ship.

python -m tests.wording.test_questions_page    writes the page again
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning import read_task
from commonsense_planning.config import GuideLevel
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.model import LanguageModel, Usage
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.wording.questions import NextAction, Placement, Placements, Question, Scene
from tests.data import REPOSITORY

PAGE = REPOSITORY / "docs" / "questions.md"
PROBLEMS = (
    ("household", "small-apple"),
    ("household", "unlikely-remote"),
    ("flights", "short-oslo-athens"),
    ("medical", "ward-3"),
    ("colour-balls", "yard-2"),
)
METHOD_OPTIONS: dict[str, dict[str, Any]] = {
    "llm-policy": {"max_steps": 6},
    "llm-mcts": {"max_steps": 6},
    "llm-hill-climb": {"max_steps": 4, "guide": GuideLevel.LOW},
}
KINDS = {
    "NextAction": "The next action (`llm-policy`)",
    "NextAction of plans": "What to bring about next (`llm-mcts`)",
    "Placement": "Where a thing is",
    "Placements": "Where several things are",
    "PlacementAgain": "Where a thing is that was not found",
    "Trait": "Which of several things is so",
    "Alternatives": "Which of several statements is true",
    "WriteGuide": "A guide (`llm-guide`, `llm-hill-climb`)",
    "MendGuide": "A guide that cannot be followed",
    "ChooseAction": "The best of the relevant actions (`llm-hill-climb`)",
    "WriteGoal": "What an instruction means",
}


class Asked:
    """A model whose questions are kept; its answers are the embedded model's, or else drawn from the options."""

    name, note = "asked", "embedded answers, else random ones"

    def __init__(self, prompts: Prompts, matcher: Matcher, rng: np.random.Generator, put: list[tuple[Question, str]]):
        self.usage = Usage()
        self._prompts, self._matcher, self._rng, self._put = prompts, matcher, rng, put
        self._knowing = EmbeddedModel(rng)

    def answers(self, kind: type[Question]) -> bool:
        return True

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        self._put += [(question, text_of(self._prompts, question)) for question in questions]
        return [[*self._said(question, n)] for question in questions]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        answers = self.ask(questions, n)
        return [read_answers(q, texts, self._matcher) for q, texts in zip(questions, answers, strict=True)]

    def take_notes(self) -> list[str]:
        return []

    def _said(self, question: Question, n: int) -> Iterator[str]:
        if self._knowing.answers(type(question)):
            yield from self._knowing.ask([question], n)[0]
        else:
            yield from self._rng.choice(question.options or ("1. wait",), n).tolist()


class AskedModels(ModelSession):
    """Opens such a model."""

    def __init__(self) -> None:
        super().__init__()
        self.put: list[tuple[Question, str]] = []

    def open(self, scene: Scene, prompts: Path | None, matcher: Matcher, rng: np.random.Generator) -> LanguageModel:
        return Asked(Prompts([] if prompts is None else [prompts], scene), matcher, rng, self.put)


def text_of(prompts: Prompts, question: Question, form: str = "", **given: Any) -> str:
    return "\n".join(message["content"] for message in prompts.messages(question, form, **given))


def shown() -> dict[str, dict[str, str]]:
    """Kind of question → domain → the first question of it."""
    found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for domain, problem in PROBLEMS:
        folder = REPOSITORY / "pddl" / domain
        task = read_task(folder / "domain.pddl", folder / "problems" / f"{problem}.pddl")
        prompts = Prompts([task.prompts] if task.prompts else [], Scene(task.problem.domain_name))
        for name, options in METHOD_OPTIONS.items():
            with AskedModels() as models:
                method = METHODS[name]
                solve(Request(task, method, method.Options.of(options), models, seed=0))
            for question, text in models.put:
                plans = " of plans" if isinstance(question, NextAction) and question.steps else ""
                found[f"{type(question).__name__}{plans}"].setdefault(domain, text)
                if type(question) is Placement and domain == "household" and not found["Placements"]:
                    several = Placements((question, Placement("plate", question.places)))
                    form = {"options": several.options, "most": 4, "parts": 2}
                    found["Placements"][domain] = text_of(prompts, several, "answer_with_a_list.jinja", **form)
    goals = PddlGoalReader(task.problem, task.lexicon)
    found["WriteGoal"][domain] = text_of(prompts, goals.question("put the football away"))
    return found


def page() -> str:
    """The page, whose text before the first heading of a kind stays."""
    parts = [PAGE.read_text(encoding="utf-8").partition("\n## ")[0]]
    for kind, texts in shown().items():
        parts.append(f"\n## {KINDS[kind]}\n")
        parts += [f"\nIn {domain}:\n\n```text\n{text.strip()}\n```\n" for domain, text in texts.items()]
    return "".join(parts)


def test_the_page_has_each_kind_of_question_as_it_is_asked() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.wording.test_questions_page"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
