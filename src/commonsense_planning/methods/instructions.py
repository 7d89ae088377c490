"""Problems whose goal is an instruction in English."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commonsense_planning.errors import InputError
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.methods.task import read_lexicon
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.variants import has_goal, with_goal
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.wording.instruction import GoalReader, TranslatedGoal, cut

TRIES = 2  # how often the model is asked what an instruction means


@dataclass(frozen=True)
class Interpretation:
    """``problem`` is the file of the problem with the ``goal`` that an instruction was taken for."""

    problem: Path
    goal: TranslatedGoal


def interpret(
    instruction: str,
    domain: Path,
    problem: Path,
    model: LanguageModel,
    matcher: Matcher,
    out: Path,
    lexicon: Path | None = None,
) -> Interpretation:
    """Write to ``out`` the problem with what the instruction says for a goal; the problem need not have one.

    ``lexicon`` is read from beside the domain where it is not given. Raises InputError for what is wrong in a file or
    if the instruction cannot be translated (``translate``), and whatever the model raises.
    """
    reader = GoalReader(_read(domain, problem), read_lexicon(domain, problem, lexicon))
    goal = translate(instruction, reader, model, matcher)
    with_goal(domain, problem, goal.pddl, out)
    return Interpretation(out, goal)


def translate(instruction: str, reader: GoalReader, model: LanguageModel, matcher: Matcher) -> TranslatedGoal:
    """The goal that the instruction asks for, in terms of the reader's problem.

    The model is asked once more if its first answer cannot be used. Raises InputError, with the instruction, what was
    understood, and the way out, if the second cannot either; MissingError and BudgetError as ``LanguageModel.ask``.
    """
    question = reader.question(instruction)
    failure: InputError | None = None
    for _ in range(TRIES):
        answers = model.ask([question], 1)[0]
        try:
            return reader.read(answers[0] if answers else "", model.name, matcher)
        except InputError as error:
            failure = error
    raise InputError(f"the instruction '{cut(instruction)}' cannot be put into a goal: {failure}") from failure


def _read(domain: Path, problem: Path) -> Problem:
    """The problem; one without a goal is read with a goal that is always true."""
    if has_goal(problem):
        return read_problem(domain, problem)
    with temporary_folder() as folder:
        complete = Path(folder) / problem.name
        with_goal(domain, problem, "(and)", complete)
        return read_problem(domain, complete)
