"""A scripted answerer that knows the right goal and first makes a typical mistake, to try how repairs go."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.weights import Said, Weights
from commonsense_planning.wording.questions import Question, WriteGoal

Mistake = Callable[[str], str]


def _unclosed(goal: str) -> str:
    return goal[:-1]


def _talk(goal: str) -> str:
    return f"Sure! Here is the goal (as PDDL):\n```pddl\n(:goal {goal})\n```\nIt says what you asked for."


def _strange_predicate(goal: str) -> str:
    return re.sub(r"\((inside|on|at|visited|opened|lit|locked)\b", r"(placed-at", goal, count=1)


def _no_such_object(goal: str) -> str:
    return re.sub(r"\b(?:[a-z]+_\d|athens|mailroom|archive|lobby|oslo)\b", "the-thing", goal, count=1)


def _free_variable(goal: str) -> str:
    return re.sub(r"(\((?:inside|on|at|visited|opened|lit|locked)) [^\s()]+", r"\1 ?thing", goal, count=1)


def _one_argument_more(goal: str) -> str:
    return re.sub(r"(\((?:inside|on|at|visited|opened|lit|locked) [^()]*)\)", r"\1 now)", goal, count=1)


def _sorry(goal: str) -> str:
    return "I am sorry, I cannot write PDDL."


def _runs_on(goal: str) -> str:
    return f"{goal}\nInstruction: put the moon in the box\nGoal: (inside moon box)"


def _always_within(goal: str) -> str:
    return f"(not (always (not {goal})))"


MISTAKES: tuple[Mistake, ...] = (
    _unclosed,
    _talk,
    _strange_predicate,
    _no_such_object,
    _free_variable,
    _one_argument_more,
    _sorry,
    _runs_on,
    _always_within,
)


class MistakenModel:
    """Knows ``goals``: an instruction → the right answer. Its n-th instruction begins with the n-th mistake; each third
    one makes another before it is right."""

    name = "mistaken"
    note = "a script that first makes a typical mistake"

    def __init__(self, goals: Mapping[str, str]) -> None:
        self.usage = Usage()
        self._goals = goals
        self._order = {instruction: number for number, instruction in enumerate(goals)}

    def answers(self, kind: type[Question]) -> bool:
        """Whether it is about goals."""
        return kind is WriteGoal

    def ask(self, questions: Sequence[Question], n: int) -> list[list[str]]:
        """One answer to each."""
        self.usage.questions += len(questions)
        self.usage.calls += len(questions)
        return [[self._answer(question)] for question in questions if isinstance(question, WriteGoal)]

    def weigh(self, questions: Sequence[Question], n: int) -> list[Weights]:
        """What it answers, each as said once."""
        return [Weights((), (Said(text, 1.0, ()),)) for texts in self.ask(questions, n) for text in texts]

    def _answer(self, question: WriteGoal) -> str:
        number, tries = self._order[question.instruction], len(question.attempts)
        goal = self._goals[question.instruction]
        if tries > (number % 3 == 2):
            return goal
        return MISTAKES[(number + 4 * tries) % len(MISTAKES)](goal)

    def take_notes(self) -> list[str]:
        """Nothing goes wrong here."""
        return []
