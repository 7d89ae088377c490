"""What all ways to put instructions into goals have in common: the goal that comes of it, and how it is asked for and
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
    """What an instruction was taken for: ``pddl``, the goal's formula in the user's spelling; ``constraints``, PDDL3's,
    on the way there; ``english``, the same in sentences; ``matched``, what names were taken for, each once;
    ``repairs``: how often the model was told what was wrong with its answer; ``doubt``: what the instruction says and
    the goal does not."""

    pddl: str
    matched: tuple[Match, ...]
    english: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    repairs: int = 0
    doubt: str = ""

    def doubted(self, instruction: str) -> str:
        """What the instruction says and the goal does not: an order."""
        ordered = any(constraint.startswith("(sometime") for constraint in self.constraints)
        said = "" if ordered else order_said(instruction)
        return f"the instruction says '{said}', and the goal has no order" if said else ""


Asked = TypeVar("Asked", bound=Translation)
Read = TypeVar("Read", bound=TranslatedGoal, covariant=True)


class GoalParser(Protocol[Asked, Read]):
    """A way to put instructions into goals. ``tries``: how often the model is asked at most."""

    tries: int

    def question(self, instruction: str) -> Asked:
        """What the model is asked."""

    def again(self, question: Asked, answer: str, error: InputError) -> Asked:
        """What it is asked after an answer that is of no use."""

    def read(self, answer: str, model: str, matcher: Matcher) -> Read:
        """The goal in the answer of ``model``. Raises InputError, with what was understood, if it is of no use."""


def cut(text: str, most: int = 200) -> str:
    """The text on one line, cut to a number of characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most]}…"
