"""A language model that says what a test tells it to, and a household to look around in."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from commonsense_planning import Belief, Compiled, Environment, GroundTask, Matcher, Task, read_task
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.ground_task import GroundSensors
from commonsense_planning.grounding.partial_observability import ground_pomdp
from commonsense_planning.kernels.compiled import compile_task
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.wording.questions import Question
from tests.data import HOUSEHOLD, REPOSITORY

HIDDEN_ROOMS = HOUSEHOLD / "sensors-hidden-rooms.pddl"


class ScriptedModel:
    """Answers with what ``script`` gives for a question, which ``matcher`` reads; keeps the questions."""

    name = "scripted"
    note = "a test's double"

    def __init__(self, script: Callable[[Question], Sequence[str]], matcher: Matcher | None = None) -> None:
        self.script = script
        self.matcher = matcher or LexicalMatcher()
        self.asked: list[Question] = []

    @property
    def usage(self) -> Usage:
        return Usage(questions=len(self.asked))

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        self.asked += questions
        return [list(self.script(question))[:n] for question in questions]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        answers = self.ask(questions, n)
        return [read_answers(q, texts, self.matcher) for q, texts in zip(questions, answers, strict=True)]

    def answers(self, kind: type[Question]) -> bool:
        return True

    def take_notes(self) -> list[str]:
        return []


@cache
def _grounded(problem: Path, sensors: Path | None) -> tuple[Task, GroundTask, GroundSensors, Compiled]:
    pack = read_task(problem.parents[1] / "domain.pddl", problem, sensors)
    task, seen = ground_pomdp(pack.problem, pack.sensors)
    return pack, task, seen, compile_task(task, seen)


class World:
    """A pack's problem, grounded for an agent that has its initial observation."""

    def __init__(
        self, problem: Path, prior: Callable[[int, int], Floats] | None = None, sensors: Path | None = None
    ) -> None:
        grounded = _grounded if REPOSITORY in problem.parents else _grounded.__wrapped__
        self.pack, task, seen, self.compiled = grounded(problem, sensors)
        self.task = task
        self.environment = Environment(self.compiled, task.init)
        self.first = self.environment.look()
        groups = seen.groups
        weights = uniform_prior(seen) if prior is None else [prior(g, len(groups.row(g))) for g in range(len(groups))]
        self.belief = Belief(self.compiled, weights, lambda g: f"group {g}")
        self.belief.update(None, self.first)
        self.facts = {str(task.fact_step(f)).strip("()"): f for f in range(task.fact_count)}
        self.operators = {str(task.step(o)).strip("()"): o for o in range(task.operator_count)}

    def do(self, *actions: str) -> None:
        """Carry actions out and take in what they show."""
        for action in actions:
            operator = self.operators[action]
            self.belief.update(operator, self.environment.step(operator))

    def believed(self, group: int) -> dict[str, float]:
        """The agent's distribution over a group's members, by name."""
        members = self.belief.groups.row(group).tolist()
        names = [str(self.task.fact_step(f)).strip("()") for f in members]
        return dict(zip(names, self.belief.distribution(group).tolist(), strict=True))

    def known(self) -> np.ndarray:
        return self.belief.known


def small_apple(prior: Callable[[int, int], Floats] | None = None) -> World:
    """Three things, two rooms; group 0 is the apple's."""
    return World(HOUSEHOLD / "problems" / "small-apple.pddl", prior)
