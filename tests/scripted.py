"""A language model that says what a test tells it to, and a household to look around in."""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning import Belief, Environment, Matcher, ModelSession, Task, read_task
from commonsense_planning.elicitation.prior import uniform_prior
from commonsense_planning.grounding.ground_task import Int32
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.weights import Weights, read_answers
from commonsense_planning.matching.matcher import LexicalMatcher
from commonsense_planning.methods.method import Event, Request, Solution
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pomdp.observation_model import Floats, ObservationModel
from commonsense_planning.wording.questions import Question
from commonsense_planning.wording.verbalise import Verbaliser
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


def solved(
    task: Task, method: str, models: ModelSession | None = None, seed: int = 0, **settings: Any
) -> tuple[Solution, list[Event]]:
    """How a method does on the task, and the events of its trace; of the settings, those that it has count."""
    events: list[Event] = []
    chosen = method_named(method)
    options = chosen.Options.of(chosen.Options.among(settings))
    request = Request(task, chosen, options, models or ModelSession(), seed=seed, emit=events.append)
    return solve(request), events


@cache
def _kept(problem: Path, sensors: Path | None) -> Task:
    return read_task(problem.parents[1] / "domain.pddl", problem, sensors)


class World:
    """A task, or the problem of a pack, for an agent that has its initial observation."""

    def __init__(
        self, of: Path | Task, prior: Callable[[int, int], Floats] | None = None, sensors: Path | None = None
    ) -> None:
        kept = _kept if isinstance(of, Path) and REPOSITORY in of.parents else _kept.__wrapped__
        self.pack = kept(of, sensors) if isinstance(of, Path) else of
        self.task, self.compiled = task, compiled = self.pack.seen_in_part
        self.environment = Environment(compiled, task.init)
        self.first = self.environment.look()
        groups = compiled.sensors.groups
        weights = None if prior is None else [prior(g, len(groups.row(g))) for g in range(len(groups))]
        self.belief = Belief(compiled, weights or uniform_prior(compiled.sensors), lambda g: f"group {g}")
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

    @cached_property
    def say(self) -> Verbaliser:
        """It in English."""
        return Verbaliser(self.task, self.pack.lexicon)

    def possible(self) -> Int32:
        """The operators that can be carried out, by what is believed, ascending."""
        return self.belief.transition.applicable(self.belief.state())


class NoisySensing(ObservationModel):
    """A true fact is overlooked with probability ``miss``, a false one seen with probability ``false_alarm``."""

    def __init__(self, miss: float, false_alarm: float) -> None:
        self.chances = np.array([[false_alarm], [1 - miss]])

    def shown_true(self, operator: int | None, facts: Int32) -> Floats:
        return np.repeat(self.chances, len(facts), axis=1)


def small_apple(prior: Callable[[int, int], Floats] | None = None) -> World:
    """Three things, two rooms; group 0 is the apple's."""
    return World(HOUSEHOLD / "problems" / "small-apple.pddl", prior)
