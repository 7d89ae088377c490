"""The common part of all ways to translate instructions to goals: the resulting goal, and how it is requested and
read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from commonsense_planning.errors import InputError
from commonsense_planning.instructions.goal_order import order_said
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.wording.naming import Match
from commonsense_planning.wording.questions import Translation


@dataclass(frozen=True)
class TranslatedGoal:
    """How an instruction was understood: ``pddl``, the goal's formula in the user's spelling; ``constraints``, PDDL3's,
    on the way there; ``english``, the same in sentences; ``matched``, how names were understood, without duplicates;
    ``repairs``: how often the model was told of an error in its answer; ``doubt``: what the instruction asks for and
    the goal does not express."""

    pddl: str
    matched: tuple[Match, ...]
    english: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    repairs: int = 0
    doubt: str = ""

    def doubted(self, instruction: str) -> str:
        """What the instruction asks for and the goal does not express: an order; empty if there is none."""
        ordered = any(constraint.startswith("(sometime") for constraint in self.constraints)
        said = "" if ordered else order_said(instruction)
        return f"the instruction says '{said}', and the goal has no order" if said else ""


Asked = TypeVar("Asked", bound=Translation)
Read = TypeVar("Read", bound=TranslatedGoal, covariant=True)


class GoalParser(Protocol[Asked, Read]):
    """A way to translate instructions to goals. ``tries``: how often the model is asked at most."""

    tries: int

    def question(self, instruction: str) -> Asked:
        """The question to the model."""

    def again(self, question: Asked, answer: str, error: InputError) -> Asked:
        """The next question after an answer that cannot be used."""

    def read(self, answer: str, model: str, matcher: Matcher) -> Read:
        """The goal in the answer of ``model``. Raises InputError, with the part that was understood, if it is
        unusable."""


def cut(text: str, most: int = 200) -> str:
    """The text on one line, limited to ``most`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most]}…"
