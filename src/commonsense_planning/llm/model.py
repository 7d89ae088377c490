"""The protocol of a language model, and the count of what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from commonsense_planning.llm.questions import Question


@dataclass
class Usage:
    """What a model was used for in a run.

    ``questions`` were asked, of which ``failures`` got no usable answer; ``calls`` are requests to an endpoint, those
    that a recording stands for included, ``recorded`` the questions that a recording or cache answered. Tokens are the
    endpoint's counts, or ``estimated`` from the length of the texts where it gives none. ``waiting``: seconds in which
    nothing went on but waiting for answers. ``retries``: calls that had to be repeated.
    """

    questions: int = 0
    failures: int = 0
    calls: int = 0
    recorded: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    waiting: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions."""
        return self.prompt_tokens + self.completion_tokens


class LanguageModel(Protocol):
    """Anything that answers questions in text."""

    @property
    def name(self) -> str:
        """What the model is called in outputs, such as ``embedded``."""

    @property
    def note(self) -> str:
        """One sentence that outputs show beside the name: what kind of model this is."""

    @property
    def usage(self) -> Usage:
        """What was asked so far."""

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """For each question at most ``n`` sampled answers, free text; none where no usable answer was to be had.

        Raises MissingError if the model cannot be used at all, BudgetError if a limit of the budget is reached.
        """

    def take_notes(self) -> list[str]:
        """What went wrong or differently since the last call, for the trace; each is given once."""
