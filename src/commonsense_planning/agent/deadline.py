"""The time of one decision after the other, and the patience with a model whose answers come late.

A decision that the clock has cut off can be made again and be cut off at the same places: whoever looks at the clock is
counted, and who was told that the time is up is remembered. So an agent that is loaded thinks as it did before.
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

MODELS_SHARE = 0.5  # of a decision's time, for which the model's answers are waited for; the rest is the search's


MOMENT = 0.2  # seconds between two looks at the clock, while a model is waited for

Key = tuple[str, Question, int]
"""What a model was asked: in which way, what, by how many samples."""


class Deadline(Clock):
    """The time of the decision that is under way. ``late``: which of the looks at the clock since ``begin`` found that
    it was up, counted from 1. ``call``: what the model was asked and has not answered yet; ``answers``: what it has
    said and nobody has taken yet."""

    def __init__(self) -> None:
        super().__init__(None)
        self.call: Call | None = None
        self.answers: dict[Key, Any] = {}
        self._taken: dict[Key, Any] = {}
        self.begin(None)

    def begin(self, seconds: float | None, again: Collection[int] | None = None) -> None:
        """A decision begins that may take so many ``seconds``, None for no limit. ``again``: it was made before, and
        was late at these looks at the clock."""
        now = time.monotonic()
        self._up = math.inf if seconds is None else now + seconds
        self._patience = math.inf if seconds is None else now + MODELS_SHARE * seconds
        self._again = again
        self._looks = 0
        self.late: list[int] = []

    def hurry(self) -> None:
        """Let the time of the decision be up; for another thread than that which decides."""
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
        """Take the answer to ``call``. Raises LateError if it is not there in time, and what the model raised."""
        call = self.call
        if call is None:
            return

        def over() -> bool:
            while not call.has_ended(min(MOMENT, self._patience - time.monotonic())):
                if time.monotonic() >= self._patience:
                    return True
            return False

        if self._is_late(over):
            raise LateError("the model's answer is late: this is decided without it")
        self.call = None
        self.answers |= call.answers()

    def take(self, keys: Sequence[Key]) -> list[Any]:
        """The answers, each of which is there."""
        taken = {key: self.answers.pop(key) for key in dict.fromkeys(keys)}
        self._taken |= taken
        return [taken[key] for key in keys]

    def begin_anew(self) -> None:
        """Who begins anew is given what the model has said before: it need not be asked again."""
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
        """Whether it has within so many seconds."""
        self.join(max(0.0, seconds))
        return not self.is_alive()

    def answers(self) -> dict[Key, Any]:
        """What came, once it has. Raises what the model raised."""
        self.join()
        if self._error is not None:
            raise self._error
        if self._found is None:
            raise RuntimeError("the model's call has ended with an error of its own")
        return dict(zip(self._keys, self._found, strict=True))


class PatientModel:
    """A model whose answers nobody waits for longer than there is time: LateError then. The call goes on, and who asks
    the same later gets its answer; until then, nothing else is asked. ``turn``: held while the model is asked."""

    def __init__(self, model: LanguageModel, clock: Deadline, turn: threading.Lock) -> None:
        self._model = model
        self._turn = turn
        self._clock = clock
        self.name, self.note = model.name, model.note

    @property
    def usage(self) -> Usage:
        """Of the model."""
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
