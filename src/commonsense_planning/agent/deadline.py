"""The time limit of each decision, and the handling of a model's late answers.

A decision that was cut off by its deadline can be repeated and cut off at the same points: the checks of the deadline
are counted, and those that found it passed are recorded. So a loaded agent decides as it did before.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any

from commonsense_planning.errors import CplanError, LateError
from commonsense_planning.llm.model import LanguageModel, ModelWrapper
from commonsense_planning.llm.weights import Weights
from commonsense_planning.methods.run import Clock
from commonsense_planning.wording.questions import Question

MODELS_SHARE = 0.5  # share of a decision's time spent waiting for the model's answers; the rest is the search's
MOMENT = 0.2  # seconds between two checks of the deadline while waiting for a model

Key = tuple[str, Question, int]
"""A call of a model: the kind, the questions, and the number of samples."""


class Deadline(Clock):
    """The time limit of the decision under way. ``late``: the checks of the deadline since ``begin`` that found it
    passed, counted from 1. ``call``: the model's call that is not answered yet, and its answers to come; ``answers``:
    answers that are not used yet."""

    def __init__(self) -> None:
        super().__init__(None)
        self.call: tuple[Sequence[Key], Future[list[Any]]] | None = None
        self.answers: dict[Key, Any] = {}
        self._taken: dict[Key, Any] = {}
        self.begin(None)

    def begin(self, seconds: float | None, again: Collection[int] | None = None) -> None:
        """Begins a decision with a limit of ``seconds``, None for no limit. ``again``: the checks of the deadline that
        found it passed, for a decision that is repeated: it is ``overdue`` if it takes longer."""
        now = time.monotonic()
        self._up = math.inf if seconds is None else now + seconds
        self._patience = math.inf if seconds is None else now + MODELS_SHARE * seconds
        self._again = again
        self._looks = 0
        self.overdue = False
        self.late: list[int] = []

    def hurry(self) -> None:
        """Ends the time of the decision; called from a thread other than the deciding one."""
        self._up = self._patience = -math.inf

    @property
    def hurries(self) -> bool:
        """Whether this decision has, or had, a limit."""
        return self._up < math.inf or bool(self._again)

    def check(self) -> None:
        """Raises LateError if the time of the decision is up."""
        if self._is_late(lambda: time.monotonic() > self._up):
            raise LateError("the time of the decision is up")

    def wait(self) -> None:
        """Takes the answers to ``call``. Raises LateError if they do not come in time, and the model's errors."""
        if self.call is None:
            return
        keys, answers = self.call

        def over() -> bool:
            while not wait([answers], max(0.0, min(MOMENT, self._patience - time.monotonic()))).done:
                if time.monotonic() >= self._patience:
                    return True
            return False

        if self._is_late(over):
            raise LateError("the model's answer is late: the agent decides without it")
        self.call = None
        self.answers |= zip(keys, answers.result(), strict=True)

    def take(self, keys: Sequence[Key]) -> list[Any]:
        """The answers to these calls, all of which have come."""
        taken = {key: self.answers.pop(key) for key in dict.fromkeys(keys)}
        self._taken |= taken
        return [taken[key] for key in keys]

    def begin_anew(self) -> None:
        """Takes over the answers so far, so that the model need not be asked for them again."""
        self.answers, self._taken = {**self._taken, **self.answers}, {}

    def patient(self, model: LanguageModel, turn: threading.Lock) -> LanguageModel:
        return PatientModel(model, self, turn)

    def _is_late(self, over: Callable[[], bool]) -> bool:
        self._looks += 1
        if self._again is not None and time.monotonic() > self._up:
            self.overdue = True
            raise LateError("the decision takes longer than when it was made first")
        late = over() if self._again is None else self._looks in self._again
        if late:
            self.late.append(self._looks)
        return late


def _begun(ask: Callable[[], list[Any]]) -> Future[list[Any]]:
    """The answers of a call in a thread that does not keep the process from ending."""
    answers: Future[list[Any]] = Future()

    def run() -> None:
        try:
            answers.set_result(ask())
        except CplanError as error:
            answers.set_exception(error)
        finally:
            answers.cancel()  # after an unexpected error

    threading.Thread(target=run, daemon=True).start()
    return answers


class PatientModel(ModelWrapper):
    """A model whose answers are awaited only until the deadline: then LateError is raised. The call continues, and the
    same question later gets its answer; until then, nothing else is asked. ``turn``: held while the model is asked."""

    def __init__(self, model: LanguageModel, clock: Deadline, turn: threading.Lock) -> None:
        super().__init__(model)
        self._turn = turn
        self._clock = clock

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        return self._patiently("ask", self.model.ask, questions, n)

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        return self._patiently("weigh", self.model.weigh, questions, n)

    def _patiently(
        self, how: str, ask: Callable[[Sequence[Question], int], list[Any]], questions: Sequence[Question], n: int
    ) -> list[Any]:
        clock, keys = self._clock, [(how, question, n) for question in questions]
        if any(key not in clock.answers for key in keys):
            clock.wait()
        missing = [key for key in dict.fromkeys(keys) if key not in clock.answers]
        if missing:
            asked = partial(self._asked, ask, [question for _, question, _ in missing], n)
            if clock.hurries:
                clock.call = missing, _begun(asked)
                clock.wait()
            else:
                clock.answers |= zip(missing, asked(), strict=True)
        return clock.take(keys)

    def _asked(
        self, ask: Callable[[Sequence[Question], int], list[Any]], questions: Sequence[Question], n: int
    ) -> list[Any]:
        with self._turn:
            return ask(questions, n)
