"""What the prompts cost, compared with the papers', on the same episodes.

    python -m lab.benchmarks.prompts [TASKS] [METHOD …]
    python -m lab.benchmarks.prompts belief [MODEL] [THINGS] [WAY]

A free answerer gives the embedded model's answers and plans. Each METHOD (default: all that ask for the next action)
runs TASKS (20) seeded tasks of the household twice: with cplan's prompts about what is relevant for the goal (where
``--actions`` applies, with all and with the relevant actions), and with the papers' templates (everything in sight, all
actions, one question per node). Tables: questions, tokens per question and per solved task, of prompts and answers, a
token being four characters; solved tasks, and steps.

``belief``: the quality of a MODEL's (``local``) beliefs with the papers' prompts and with cplan's, for the first THINGS
(84) of VirtualHome's ``placements.json``, weighed in one WAY (score); see ``benchmarks.placements``.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from commonsense_planning.config import Actions, AskBy, ModelConfig
from commonsense_planning.elicitation.next_question import NextActionChoice, NextQuestions, Situation
from commonsense_planning.errors import Status
from commonsense_planning.llm.chat import ask_together
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, LanguageModel, Usage
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher, Matcher
from commonsense_planning.methods import episode_context
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.task import Task
from commonsense_planning.wording.questions import NextAction, Question, Scene
from lab.benchmarks.endpoint import HOUSEHOLD, planned_advice, said_of, tasks
from lab.benchmarks.performance.table import head, line
from lab.benchmarks.placements import DATA, asked_of

PAPER = Path("paper")
ASKING = ("llm-mcts", "llm-mcts-paper", "llm-policy", "llm-replan")
SETTINGS = {"llm-mcts-paper": {"simulations": 10}, "llm-policy": {"max_steps": 60}}
WAYS = (("paper", True, Actions.ALL), ("ours", False, Actions.ALL), ("ours, relevant", False, Actions.RELEVANT))
SAMPLES = 10
FLOOR = 1e-3  # of a share, as in a belief
ROOMS = ("bedroom", "bathroom", "living room", "kitchen")


@dataclass
class Cost:
    """Questions that were put, by kind, and tokens of prompts and answers."""

    questions: int = 0
    prompts: int = 0
    answers: int = 0

    def add(self, prompts: Prompts, question: Question, answers: Sequence[str]) -> None:
        """A question and its answers."""
        self.questions += 1
        told = "".join(message["content"] for message in prompts.messages(question))
        self.prompts += len(told) // CHARACTERS_PER_TOKEN
        self.answers += sum(map(len, answers)) // CHARACTERS_PER_TOKEN


class Answerer:
    """A free model: places are the embedded model's, next actions are those ``planned``."""

    name, note = "answerer", "the embedded model and its plans"

    def __init__(self, prompts: Prompts, matcher: Matcher, rng: np.random.Generator, cost: Cost, usage: Usage) -> None:
        self.prompts, self.matcher, self.rng, self.cost, self.usage = prompts, matcher, rng, cost, usage
        self.planned: dict[Question, list[str]] = {}
        self._knowing = EmbeddedModel(rng)

    def answers(self, kind: type[Question]) -> bool:
        return True

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        found = [self._said(question, n) for question in questions]
        for question, texts in zip(questions, found, strict=True):
            self.usage.questions += 1
            self.cost.add(self.prompts, question, texts)
        return found

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        found = ask_together(self.ask, self.prompts.puts, questions, n)
        return [read_answers(q, texts, self.matcher) for q, texts in zip(questions, found, strict=True)]

    def take_notes(self) -> list[str]:
        return []

    def _said(self, question: Question, n: int) -> list[str]:
        if isinstance(question, NextAction):
            return self.planned.get(question) or self.rng.choice(question.actions, n).tolist()
        return said_of(question, n, self._knowing)


class AnsweredModels(ModelSession):
    """The answerer, with cplan's prompts or the papers'."""

    def __init__(self, paper: bool) -> None:
        super().__init__()
        self.folders, self.counted = [PAPER] if paper else [], Cost()

    def open(self, scene: Scene, prompts: Path | None, matcher: Matcher, rng: np.random.Generator) -> LanguageModel:
        own = [] if prompts is None else [prompts]
        return Answerer(Prompts([*self.folders, *own], scene), matcher, rng, self.counted, self.usage)


class AllInSight(NextQuestions):
    """The papers' question: it offers all actions, and is different at each node."""

    def __init__(self, *task: Any) -> None:
        super().__init__(*task)
        self._asked: list[tuple[Situation, NextActionChoice]] = []

    def choice(self, situation: Situation, lately: int = 0) -> NextActionChoice:
        if not self._asked or self._asked[-1][0] is not situation:  # a node is looked at twice in a row
            texts = [self.say.action(int(o)) for o in situation.operators]
            actions = tuple(dict.fromkeys(texts))
            number = (str(len(self._asked)),)
            question = replace(super().choice(situation).question, actions=actions, steps=(), lately=number)
            chosen = np.array([actions.index(text) for text in texts], np.int32)
            self._asked.append((situation, NextActionChoice(question, chosen)))
        return self._asked[-1][1]


def run(task: Task, method: str, seed: int, paper: bool, actions: Actions) -> tuple[Solution, Cost]:
    """Runs an episode; returns its solution and its cost."""
    models, options = AnsweredModels(paper), METHODS[method].Options
    given = options.among({**SETTINGS.get(method, {}), "actions": actions})
    with planned_advice(), patch.object(episode_context, "NextQuestions", AllInSight if paper else NextQuestions):
        solution = solve(Request(task, METHODS[method], options.of(given), models, seed=seed))
    return solution, models.counted


def costs(number: int, methods: Sequence[str]) -> None:
    """The table of what is asked."""
    print(f"{number} seeded tasks")
    columns = "tokens a question", "tokens a solved task", "share"
    print(head("method", "prompts", "solved", "steps", "questions", *columns))
    drawn = list(tasks(number))
    for method in methods:
        before = 0.0
        chooses = "actions" in METHODS[method].Options.__dataclass_fields__
        for words, paper, actions in WAYS if chooses else WAYS[:2]:
            ended = [run(task, method, seed, paper, actions) for seed, task in enumerate(drawn)]
            steps = [len(s.plan) for s, _ in ended if s.status == Status.SOLVED and s.plan is not None]
            questions = sum(cost.questions for _, cost in ended)
            prompts, answers = sum(cost.prompts for _, cost in ended), sum(cost.answers for _, cost in ended)
            each = (prompts + answers) / max(1, len(steps))
            before = before or each
            solved, middle = f"{len(steps)} of {number}", f"{statistics.median(steps or [0]):g}"
            tokens = f"{prompts / max(1, questions):,.0f}", f"{each:,.0f}", f"{each / before:.0%}"
            print(line(f"`{method}`", words, solved, middle, questions, *tokens), flush=True)


def belief(model: str, count: int, way: AskBy) -> None:
    """The table of the belief's log loss."""
    questions, plausible = asked_of(DATA / "placements.json", count)
    said = [place.partition(" ") for place in questions[0].places]
    inside, on = (tuple(place for relation, _, place in said if relation == kind) for kind in ("inside", "on"))
    scene = Scene("household", {"room": ROOMS, "container": inside, "surface": on})
    print(f"{model}, {len(questions)} things, {len(said)} places, {way}; uniform: {plausible.mean():.2f}")
    print(head("prompts", "on plausible places", "log loss", "tokens a thing"))
    for name, chosen in (("paper", PAPER), ("ours", None)):
        with ModelSession(ModelConfig(model, prompts=chosen, call_seconds=600.0, ask_by=way)) as models:
            asked = models.open(scene, HOUSEHOLD / "prompts", LexicalMatcher(), np.random.default_rng(0))
            shares = np.array([weights.shares for weights in asked.weigh(questions, SAMPLES)])
            tokens = models.usage.tokens / len(questions)
        shares[shares.sum(axis=1) == 0] = 1 / len(said)
        mass, floored = (shares * plausible).sum(axis=1).mean(), np.maximum(shares, FLOOR)
        loss = -np.log((floored * plausible).sum(axis=1) / floored.sum(axis=1)).mean()
        print(line(name, f"{mass:.2f}", f"{loss:.2f}", f"{tokens:,.0f}"), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["belief"]:
        number, way = (sys.argv[3:] + ["84", "score"][len(sys.argv[3:]) :])[:2]
        belief(sys.argv[2] if len(sys.argv) > 2 else "local", int(number), AskBy(way))
    else:
        costs(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:] or ASKING)
