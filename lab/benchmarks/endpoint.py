"""What parallel calls save, and how much the methods ask.

    python -m lab.benchmarks.endpoint [SECONDS] [TASKS] [METHOD …]

A server on this machine, behind the real client of ``openai``, gives the embedded model's answers after SECONDS (0.5).
Two tables: seconds per decision with one call in flight and with 16, left out if SECONDS is 0; how many of TASKS (50)
seeded tasks each METHOD (default: all that ask) solves, and what it asks per solved task, repetitions included: HTTP
requests to a server that honours ``n``, their answers, tokens of prompts and answers, and requests to a server that
refuses ``n``.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from commonsense_lab.studies.homes.household import Placing, class_goal, render_problem
from commonsense_planning.config import AskBy, ModelConfig
from commonsense_planning.elicitation.next_question import NextQuestions, Situation
from commonsense_planning.elicitation.policies import LATELY, Advice, ModelPolicy
from commonsense_planning.errors import Status
from commonsense_planning.llm.embedded import EmbeddedModel
from commonsense_planning.llm.model import ChatRequest, LanguageModel, Usage
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.methods import tree_search
from commonsense_planning.methods.method import Request, Solution
from commonsense_planning.methods.registry import METHODS, solve
from commonsense_planning.search.pomdp.hindsight import HindsightPlanner, PlanPolicy
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.questions import Batch, NextAction, Question, Scene
from lab.benchmarks.performance.homes import random_home
from lab.benchmarks.performance.table import head
from tests.chat_server import Behaviour, ChatServer, Messages
from tests.chat_troubles import refuses_n

HOUSEHOLD = Path(__file__).parents[2] / "pddl" / "household"
PROBLEMS = ("demo", "two-apples", "plate-chicken")
PARALLEL = (1, 16)
SAMPLES = 20  # answers to a placement question


class KnowingServer(ChatServer):
    """Gives the ``answers`` set for each prompt; each request begins with the next answer, since a server that refuses
    ``n`` gets one request for each."""

    def __init__(self, delay: float) -> None:
        super().__init__(self._said, delay)
        self.answers: dict[str, deque[str]] = {}

    def _said(self, messages: Messages) -> Sequence[str]:
        answers = self.answers[_asked(messages)]
        answers.rotate(-1)
        return tuple(answers)


def _asked(messages: Sequence[Mapping[str, Any]]) -> str:
    """Returns the last question, before an answer to be scored, if any."""
    asked: str = next(message["content"] for message in reversed(messages) if message["role"] == "user")
    return asked


class Prompted:
    """A chat model that sets the server's answers, and then asks it. ``planned``: answers about the next action, which
    the embedded model does not know; without any, an action is drawn with ``rng``."""

    def __init__(self, chat: Any, knowing: EmbeddedModel, server: KnowingServer, rng: np.random.Generator) -> None:
        self.chat: LanguageModel = chat
        self.planned: dict[Question, list[str]] = {}
        render = chat.request

        def told(question: Question, parameters: Mapping[str, Any], form: str = "", **more: Any) -> ChatRequest:
            request: ChatRequest = render(question, parameters, form, **more)
            n = parameters.get("n", SAMPLES)
            if isinstance(question, NextAction):
                texts = self.planned.get(question) or rng.choice(question.actions, n).tolist()
            else:
                texts = said_of(question, n, knowing)
            server.answers[_asked(request.messages)] = deque(texts or ["I do not know"])
            return request

        chat.request = told

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)


def said_of(question: Question, n: int, knowing: EmbeddedModel) -> list[str]:
    """Returns the embedded model's answers, also to a batch of questions."""
    if not isinstance(question, Batch):
        return knowing.ask([question], n)[0]
    each = zip(*knowing.ask(question.parts, n), strict=True)
    return ["\n".join(f"{p.thing}: {a}" for p, a in zip(question.parts, a, strict=True)) for a in each]


class ServedPolicy(ModelPolicy):
    """Asks the server for the next action; it answers as the embedded model's policy: with first actions of plans."""

    def __init__(
        self, model: Prompted, questions: NextQuestions, hindsight: HindsightPlanner, matcher: Matcher, *numbers: Any
    ) -> None:
        super().__init__(model, questions, matcher, *numbers)
        self._prompted = model
        self.plans = PlanPolicy(hindsight, Usage(), questions.say, matcher, *numbers)

    def advice(self, situations: Sequence[Situation], n: int) -> list[Advice]:
        self._plan(situations, n)
        return super().advice(situations, n)

    def suggest(self, situation: Situation) -> tuple[str, int | None]:
        self._plan([situation], 1, LATELY)
        return super().suggest(situation)

    def _plan(self, situations: Sequence[Situation], n: int, lately: int = 0) -> None:
        for situation, advice in zip(situations, self.plans.advice(situations, n), strict=True):
            question, action = self.questions.choice(situation, lately)
            named = dict(zip(situation.operators.tolist(), action.tolist(), strict=True))
            planned = [(said.text, named.get(o, -1)) for said in advice.said for o in said.named]
            self._prompted.planned[question] = [text if i < 0 else question.actions[i] for text, i in planned]


@dataclass
class ServedModels(ModelSession):
    """The model behind the server."""

    server: KnowingServer
    parallel: int

    def __post_init__(self) -> None:
        url = self.server.base_url
        super().__init__(ModelConfig("openai:served", base_url=url, parallel=self.parallel, ask_by=AskBy.SAMPLES))

    def open(self, scene: Scene, prompts: Path | None, matcher: Matcher, rng: np.random.Generator) -> LanguageModel:
        return Prompted(super().open(scene, prompts, matcher, rng), EmbeddedModel(rng), self.server, rng)


def run(models: ModelSession, task: Task, method: str, seed: int) -> tuple[Solution, float]:
    """Runs an episode; returns its solution, and seconds per decision, from the first event to the last action."""
    times: list[float] = []
    request = Request(
        task,
        METHODS[method],
        METHODS[method].Options.of({"prior_samples": SAMPLES if isinstance(models, ServedModels) else 10}),
        models,
        seed=seed,
        emit=lambda event: times.append(time.perf_counter()),
    )
    solution = solve(request)
    return solution, (times[-1] - times[0]) / max(1, len(times) - 2)  # events: start, one a step, end


@contextmanager
def planned_advice() -> Iterator[None]:
    """Sets the server's answers about next actions to those of the embedded model's policy."""
    with patch.object(tree_search, "policy_of", ServedPolicy):
        yield


def tasks(count: int) -> Iterator[Task]:
    """Yields seeded tasks: one thing of an apartment of 40 is wanted somewhere else."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(count):
            rng = random.Random(seed)
            apartment = random_home(40, 8, 8, seed)
            thing = rng.choice(apartment.movables)
            place = rng.choice([piece for piece in apartment.furniture if piece.name != thing.place])
            goal = class_goal(Placing(place.relation), thing.kind, [place.name])
            problem = Path(folder) / f"task-{seed}.pddl"
            problem.write_text(render_problem(apartment, f"task-{seed}", goal), encoding="utf-8")
            yield read_task(HOUSEHOLD / "domain.pddl", problem, HOUSEHOLD / "sensors.pddl", HOUSEHOLD / "lexicon.toml")


def speed(delay: float) -> None:
    """Seconds a decision, with one call in flight and with many."""
    print(f"llm-mcts, 100 simulations a decision, {delay:g} s an answer, whole episodes")
    print(head("problem", "seconds a decision, 1 in flight", "16 in flight", "faster"))
    with KnowingServer(delay) as server, planned_advice():
        for name in PROBLEMS:
            task = read_task(HOUSEHOLD / "domain.pddl", HOUSEHOLD / "problems" / f"{name}.pddl")
            one, many = (run(ServedModels(server, parallel), task, "llm-mcts", 0)[1] for parallel in PARALLEL)
            print(f"| {name} | {one:.2f} | {many:.2f} | {one / many:.1f} × |", flush=True)


def success(count: int, methods: Sequence[str]) -> None:
    """Tasks solved, and what was asked for it."""
    print(f"{count} seeded tasks, at most 30 steps, no delay; all numbers but the median of steps are per solved task")
    asked = "requests", "sampled answers", "tokens", "requests if n is refused"
    print(head("method", "in flight", "solved", "steps", *asked))
    drawn = list(tasks(count))
    for method, parallel in ((method, p) for method in methods for p in PARALLEL if p > 1 or method == "llm-mcts"):
        ended, sent, answers = whole_episodes(drawn, method, parallel)
        refused = whole_episodes(drawn, method, parallel, refuses_n)
        steps = [len(s.plan) for s in ended if s.status == Status.SOLVED and s.plan is not None]
        tokens = sum(s.usage.tokens for s in ended if s.usage is not None)
        also = sum(s.status == Status.SOLVED for s in refused[0])
        middle = f"{statistics.median(steps):g}" if steps else "–"
        sums = ((sent, len(steps)), (answers, len(steps)), (tokens, len(steps)), (refused[1], also))
        each = [f"{total / solved:,.1f}" if solved else "–" for total, solved in sums]
        print(f"| `{method}` | {parallel} | {len(steps)} of {count} | {middle} | {' | '.join(each)} |", flush=True)


def whole_episodes(
    drawn: Sequence[Task], method: str, parallel: int, *troubles: Behaviour
) -> tuple[list[Solution], int, int]:
    """Runs an episode for each task; returns how they ended, how many requests reached the server, and how many answers
    it was asked for."""
    with KnowingServer(0.0) as server, planned_advice():
        server.always(*troubles)
        ended = [run(ServedModels(server, parallel), task, method, seed)[0] for seed, task in enumerate(drawn)]
        return ended, len(server.requests), sum(int(request.body.get("n") or 1) for request in server.requests)


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
    if seconds:
        speed(seconds)
    success(int(sys.argv[2]) if len(sys.argv) > 2 else 50, sys.argv[3:] or ("llm-mcts", "llm-replan", "llm-policy"))
