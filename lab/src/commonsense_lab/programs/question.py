"""ProgPrompt's question, and what the embedded model answers to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.embedded.answers import answer
from commonsense_planning.embedded.knowhow import KnowHow
from commonsense_planning.wording.questions import Question, WriteGuide

TEMPLATES = Path(__file__).with_name("templates")
NO_PROGRAM = "# the embedded model has no program for this task"


@dataclass(frozen=True)
class WriteProgram(Question):
    """Which program of actions does a task? (ProgPrompt, Singh et al. 2023, section 3.) An answer is a function that
    looks like Python.

    ``description``: the task in words. ``actions``: names and the types of their parameters, such as
    "putin <movable> <receptacle>". ``objects``: what the objects are called, each once.
    """

    template = TEMPLATES / "write_program.jinja"
    temperature = 0.0  # that of the code published with ProgPrompt
    tokens = 600
    description: str
    actions: tuple[str, ...]
    objects: tuple[str, ...]

    @property
    def about(self) -> str:
        return f'which program does "{self.description}"'


@answer.register
def _(question: WriteProgram, n: int, rng: np.random.Generator) -> list[str]:
    """The low-level guide of the know-how as a program: "1. putin salmon fridge" calls putin('salmon', 'fridge')."""
    listed = tuple((name, ()) for name in question.objects)
    guide = KnowHow.read().guide(WriteGuide(question.description, "low", knowledge=listed))
    steps = [line.partition(". ")[2].split() for line in guide.splitlines()]
    calls = [f"{verb}({', '.join(map(repr, names))})" for verb, *names in steps]
    return ["\n".join(calls) or NO_PROGRAM] * n
