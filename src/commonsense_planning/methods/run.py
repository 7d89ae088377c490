"""Shared parts of the methods that ask a model: clock, notes, model, the trace's first and last event."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_planning.elicitation.goal_words import GoalWords
from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.llm.model import CHARACTERS_PER_TOKEN, LanguageModel
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Estimate, Request, Solution
from commonsense_planning.methods.result import end_event
from commonsense_planning.pddl.plan import Plan
from commonsense_planning.wording.questions import TEMPLATES, Question, Scene
from commonsense_planning.wording.verbalise import Verbaliser

ANSWER_TOKENS = 12  # typical tokens of one answer


class Clock:
    """The time that a run may take from now on; None is no limit."""

    def __init__(self, seconds: float | None) -> None:
        self.end = math.inf if seconds is None else time.monotonic() + seconds

    def check(self) -> None:
        """Raises BudgetError if the time is up."""
        if time.monotonic() > self.end:
            raise BudgetError("the time is up")

    def patient(self, model: LanguageModel, turn: threading.Lock) -> LanguageModel:
        """The model, asked within this time: all answers are waited for. ``turn`` orders the threads that share it."""
        return model


class Notes:
    """The notes for a trace, from all objects that have some."""

    def __init__(self) -> None:
        self.sources: tuple[Callable[[], list[str]], ...] = ()
        self._added: list[str] = []

    def add(self, text: str) -> None:
        """Adds a note."""
        self._added.append(text)

    def take(self) -> list[str]:
        """The notes since the last call."""
        added, self._added = self._added, []
        return [*(note for source in self.sources for note in source()), *added]


class Run:
    """One run of a method that asks a model about the task's ``scene``, with the ``templates`` of a folder.

    Opening the model raises UsageError, MissingError and InputError like ``ModelSession.open``; it is opened only when
    it is needed, and so never for an estimate.
    """

    def __init__(self, request: Request, scene: Scene, clock: Clock, templates: Path = TEMPLATES) -> None:
        self._templates = templates
        self.request = request
        self.scene = scene
        self.clock = clock
        self.notes = Notes()
        self.explanation: tuple[tuple[str, ...], ...] = ()  # of the last reason why there is no plan
        self.rng = np.random.default_rng(request.seed)
        self.matcher = matcher_named(request.models.config.matcher)

    @cached_property
    def model(self) -> LanguageModel:
        """The model that answers; no call continues after the time is up."""
        models = self.request.models
        with models.turn:
            model = models.open(self.scene, self.request.task.prompts, self.matcher, self.rng)
            models.stop_at(self.clock.end)
        self.notes.sources = (*self.notes.sources, model.take_notes)
        heard = self.request.observer.listen(model)
        return self.clock.patient(heard, models.turn) if models.adapter.reads_prompts else heard

    def start(self, **told: object) -> None:
        """The first event of the trace: the task, the method, and further fields."""
        problem = self.request.task.problem
        reads = self.request.models.adapter.reads_prompts
        event = {
            "event": "start",
            "domain": problem.domain_name,
            "problem": problem.problem_name,
            "method": self.request.method.name,
            "model": self.model.name,
            "seed": self.request.seed,
            **({"prompts": self._prompts.version(self._templates)} if reads else {}),
            **told,
        }
        self.request.emit({**event, "notes": self.notes.take()})

    def end(self, status: Status, plan: Plan | None, reason: str, **more: Any) -> Solution:
        """Emits the last event of the trace, and returns the solution with the fields about the model; ``more`` are
        further fields."""
        solution = self.solution(status, plan, reason, **more)
        self.request.emit(end_event(self.request, solution, self.notes.take()))
        return solution

    def solution(self, status: Status, plan: Plan | None, reason: str, **more: Any) -> Solution:
        """The solution so far, as ``end`` returns it."""
        model = self.model
        about = {"model": model.name, "model_note": model.note, "usage": model.usage, "usd": self.request.models.usd}
        if status in (Status.UNSOLVED, Status.UNSOLVABLE):
            about["explanation"] = self.explanation
        return Solution(status, plan, reason, **{**about, **more})

    def estimate(
        self,
        question: Question | None,
        asked: tuple[int, int],
        answer_tokens: int,
        placements: Sequence[Question] = (),
        placement_answers: int = 0,
    ) -> Estimate:
        """The cost of asking the ``placements``, and ``asked[0]`` to ``asked[1]`` questions that are about as long as
        ``question``."""
        fixed, each = sum(map(self._tokens, placements)), self._tokens(question) if question is not None else 0
        low, high = (
            (fixed + n * each, ANSWER_TOKENS * len(placements) * placement_answers + n * answer_tokens) for n in asked
        )
        price = self.request.models.price
        return Estimate(
            len(placements),
            (len(placements) + asked[0], len(placements) + asked[1]),
            (low[0], high[0]),
            (low[1], high[1]),
            None if price is None else (price.of(*low), price.of(*high)),
        )

    @cached_property
    def _prompts(self) -> Prompts:
        return self.request.models.prompts(self.scene, self.request.task.prompts, self.matcher)

    def _tokens(self, question: Question) -> int:
        return sum(len(message["content"]) for message in self._prompts.messages(question)) // CHARACTERS_PER_TOKEN


def goal_in_words(task: GroundTask, say: Verbaliser, plain: bool = False) -> str:
    """The goal in English; empty if nothing reaches it. ``plain``: as the papers' templates get it, which is the first
    alternative of it."""
    if not len(task.goal.pos):
        return ""
    if not plain:
        return GoalWords(task, say).whole
    wanted = [(int(f), True) for f in task.goal.pos.row(0)] + [(int(f), False) for f in task.goal.neg.row(0)]
    return " and ".join(say.fact(fact, value) for fact, value in wanted)
