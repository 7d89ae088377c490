"""The protocol of a language model, and the count of what was asked."""

from __future__ import annotations

from typing import Protocol

from commonsense_planning.language.questions import Question


class LanguageModel(Protocol):
    """Anything that answers questions in text."""

    @property
    def name(self) -> str:
        """What the model is called in outputs, such as ``embedded``."""

    @property
    def note(self) -> str:
        """One sentence that outputs show beside the name: what kind of model this is."""

    @property
    def calls(self) -> int:
        """Questions asked so far."""

    def ask(self, question: Question, n: int) -> list[str]:
        """At most ``n`` sampled answers, free text. Raises MissingError if the model cannot be used at
        all."""
