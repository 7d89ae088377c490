"""The time limit of each decision, and the handling of a model's late answers.

A decision that was cut off by its deadline can be repeated and cut off at the same points: the checks of the deadline
are counted, and those that found it passed are recorded. So a loaded agent decides as it did before.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from commonsense_planning.errors import CplanError, LateError
from commonsense_planning.llm.model import LanguageModel, Usage
from commonsense_planning.llm.weights import Weights
from commonsense_planning.methods.run import Clock
from commonsense_planning.wording.questions import Question

MODELS_SHARE = 0.5  # share of a decision's time spent waiting for the model's answers; the rest is the search's


MOMENT = 0.2  # seconds between two checks of the deadline while waiting for a model

Key = tuple[str, Question, int]
"""A call of a model: the kind, the questions, and the number of samples."""


class Deadline(Clock):
    """The time limit of the decision under way. ``late``: the checks of the deadline since ``begin`` that found it
    passed, counted from 1. ``call``: the model's call that is not answered yet; ``answers``: its answers that are not
    used yet."""

    def __init__(self) -> None:
        super().__init__(None)
        self.call: Call | None = None
        self.answers: dict[Key, Any] = {}
        self._taken: dict[Key, Any] = {}
        self.begin(None)

    def begin(self, seconds: float | None, again: Collection[int] | None = None) -> None:
        """Begins a decision with a limit of ``seconds``, None for no limit. ``again``: it is repeated, and was late at
        these checks of the deadline."""
        now = time.monotonic()
        self._up = math.inf if seconds is None else now + seconds
        self._patience = math.inf if seconds is None else now + MODELS_SHARE * seconds
        self._again = again
        self._looks = 0
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
        """Takes the answer to ``call``. Raises LateError if it is not there in time, and what the model raised."""
        call = self.call
        if call is None:
            return

        def over() -> bool:
            while not call.has_ended(min(MOMENT, self._patience - time.monotonic())):
                if time.monotonic() >= self._patience:
                    return True
            return False

        if self._is_late(over):
            raise LateError("the model's answer is late: the agent decides without it")
        self.call = None
        self.answers |= call.answers()

    def take(self, keys: Sequence[Key]) -> list[Any]:
        """The answers, all of which have come."""
        taken = {key: self.answers.pop(key) for key in dict.fromkeys(keys)}
        self._taken |= taken
        return [taken[key] for key in keys]

    def begin_anew(self) -> None:
        """Takes over the answers of a model that was asked before, so that it need not be asked again."""
        self.answers, self._taken = {**self._taken, **self.answers}, {}

    def patient(self, model: LanguageModel, turn: threading.Lock) -> LanguageModel:
        return PatientModel(model, self, turn)

    def _is_late(self, over: Callable[[], bool]) -> bool:
        self._looks += 1
        late = over() if self._again is None else self._looks in self._again
        if late:
            self.late.append(self._looks)
        return late


class Call(threading.Thread):
    """A call of a model, in a thread that does not keep the process from ending."""

    def __init__(self, keys: Sequence[Key], ask: Callable[[], list[Any]]) -> None:
        super().__init__(daemon=True)
        self._keys = keys
        self._ask = ask
        self._found: list[Any] | None = None
        self._error: CplanError | None = None
        self.start()

    def run(self) -> None:
        try:
            self._found = self._ask()
        except CplanError as error:
            self._error = error

    def has_ended(self, seconds: float) -> bool:
        """Whether it has ended within this number of seconds."""
        self.join(max(0.0, seconds))
        return not self.is_alive()

    def answers(self) -> dict[Key, Any]:
        """The result, once it has ended. Raises the model's error."""
        self.join()
        if self._error is not None:
            raise self._error
        if self._found is None:
            raise RuntimeError("the model's call has ended with an unexpected error")
        return dict(zip(self._keys, self._found, strict=True))


class PatientModel:
    """A model whose answers are awaited only until the deadline: then LateError. The call continues, and the same
    question later gets its answer; until then, nothing else is asked. ``turn``: held while the model is asked."""

    def __init__(self, model: LanguageModel, clock: Deadline, turn: threading.Lock) -> None:
        self._model = model
        self._turn = turn
        self._clock = clock
        self.name, self.note = model.name, model.note

    @property
    def usage(self) -> Usage:
        """The model's name."""
        return self._model.usage

    def answers(self, kind: type[Question]) -> bool:
        """As the model."""
        return self._model.answers(kind)

    def take_notes(self) -> list[str]:
        """The model's."""
        return self._model.take_notes()

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """See LanguageModel; raises LateError where the answers are not there in time."""
        return self._patiently("ask", self._model.ask, questions, n)

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """See LanguageModel; raises LateError where the answers are not there in time."""
        return self._patiently("weigh", self._model.weigh, questions, n)

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
                clock.call = Call(missing, asked)
                clock.wait()
            else:
                clock.answers |= zip(missing, asked(), strict=True)
        return clock.take(keys)

    def _asked(
        self, ask: Callable[[Sequence[Question], int], list[Any]], questions: Sequence[Question], n: int
    ) -> list[Any]:
        with self._turn:
            return ask(questions, n)
