"""Problems whose goal is an instruction in English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from commonsense_planning.errors import InputError
from commonsense_planning.instructions.pddl_goal import PddlGoalReader
from commonsense_planning.instructions.translated_goal import Asked, GoalParser, Read, TranslatedGoal, cut
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pddl.evaluation import Formulas, GroundAtom, is_instance
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.sensors import Sensors
from commonsense_planning.pddl.variants import has_goal, with_goal
from commonsense_planning.support.processes import temporary_folder
from commonsense_planning.support.registry import plug_in
from commonsense_planning.task import read_lexicon, read_sensors_of
from commonsense_planning.wording.lexicon import Lexicon

NO_ORDER = "an order is said with 'then' or 'before'; where none is meant, the same goal again"

NOTATIONS = "commonsense_planning.goal_notations"
"""The group of entry points for other notations: functions of a problem and a lexicon that return a ``GoalParser``."""
PAPER = "paper"


@dataclass(frozen=True)
class Interpretation:
    """``problem``: the file of the problem with the ``goal`` that the instruction was translated to."""

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
    sensors: Path | None = None,
    tuples: bool = False,
) -> Interpretation:
    """Writes the problem with the goal that the instruction asks for to ``out``; the problem need not have a goal.

    ``lexicon`` and ``sensors``: by default those in the domain's folder. ``tuples``: whether the model writes the
    LLM-MCTS paper's formal goals (Listing 3) in place of PDDL; MissingError if no plug-in supports them. Raises
    InputError if a file is wrong or the instruction cannot be translated (``translate``), and whatever the model
    raises.
    """
    read, words = _read(domain, problem), read_lexicon(domain, problem, lexicon)
    goal: TranslatedGoal
    if tuples:
        goal = translate(instruction, _notation(PAPER)(read, words), model, matcher)
    else:
        goal = translate(instruction, goal_reader(read, words, read_sensors_of(read, domain, sensors)), model, matcher)
    with_goal(domain, problem, goal.pddl, out, goal.constraints)
    return Interpretation(out, goal)


def translate(instruction: str, reader: GoalParser[Asked, Read], model: LanguageModel, matcher: Matcher) -> Read:
    """The goal that the instruction asks for, in terms of the reader's problem.

    If an answer cannot be used, the model is asked again, as often as the reader allows, but not after it repeats an
    answer that was rejected. If the instruction has an order and the goal has none, the model is asked again once; if
    there still is none, that is the goal's ``doubt``. Raises InputError, with the instruction, what was understood, and
    a remedy, if no answer can be used; MissingError and BudgetError as ``LanguageModel.ask``.
    """
    question, failure, before = reader.question(instruction), None, None
    doubtful: Read | None = None
    for attempt in range(reader.tries):
        answers = model.ask([question], 1)[0]
        answer = answers[0] if answers else ""
        try:
            found = replace(reader.read(answer, model.name, matcher), repairs=attempt)
            doubt = found.doubted(instruction)
            if not doubt or doubtful is not None:
                return replace(found, doubt=doubt)
            doubtful, failure = replace(found, doubt=doubt), InputError(f"{doubt}; {NO_ORDER}")
        except InputError as error:
            failure = error
        following = reader.again(question, answer, failure)
        if (answer == before and following != question) or (doubtful is not None and following == question):
            break
        question, before = following, answer
    if doubtful is not None:
        return doubtful
    trouble = "" if answer.strip() else model.usage.trouble
    why = f"the model {model.name} gives no answer: {trouble}" if trouble else failure
    raise InputError(f"the instruction '{cut(instruction)}' cannot be put into a goal: {why}") from failure


def goal_reader(problem: Problem, words: Lexicon, sensors: Sensors | None) -> PddlGoalReader:
    """The reader of goals of a problem of which an agent initially knows what these sensors show."""
    return PddlGoalReader(problem, words, known_at_first(problem, sensors), cache(FirstLook(problem, sensors).may_hold))


def known_at_first(problem: Problem, sensors: Sensors | None) -> Iterator[GroundAtom]:
    """The facts that hold initially and that an agent knows then: all but the hidden ones, and those that the sensors
    show at once. Normalised names."""
    look = FirstLook(problem, sensors)
    return (fact for fact in true_at_first(problem) if not look.is_hidden(fact) or look.shows(fact))


class FirstLook:
    """What sensors show of a problem initially."""

    def __init__(self, problem: Problem, sensors: Sensors | None) -> None:
        self._true = true_at_first(problem)
        self._hidden = sensors.hidden if sensors else ()
        self._rules = sensors.rules if sensors else ()
        self._formulas = Formulas(problem)
        self._left_open = {self._formulas.ground(atom, {}) for atom in problem.contingent.atoms}
        self._derived = {head.predicate.symbol for head, _ in problem.derived}

    def is_hidden(self, fact: GroundAtom) -> bool:
        """Whether the fact may be unknown to an agent."""
        return any(is_instance(fact, pattern.atom) for pattern in self._hidden)

    def shows(self, fact: GroundAtom) -> bool:
        """Whether a hidden fact is seen initially, true or false."""
        for rule in self._rules:
            if is_instance(fact, rule.pattern.atom):
                terms = zip(rule.pattern.atom.subterms, fact[1:], strict=True)
                binding = {term.symbol: name for term, name in terms if term.symbol.startswith("?")}
                if self._formulas.holds(rule.condition, self._true, binding):
                    return True
        return False

    def may_hold(self, fact: GroundAtom) -> bool:
        """Whether a fact that is not known to hold initially may hold."""
        unseen = self.is_hidden(fact) and not self.shows(fact)
        return unseen or fact in self._left_open or fact[0] in self._derived


def true_at_first(problem: Problem) -> set[GroundAtom]:
    """The facts that hold initially, with normalised names."""
    ground = Formulas(problem).ground
    return {ground(atom, {}) for atom in problem.tarski.init.as_atoms() if not isinstance(atom, tuple)}  # no function


def _notation(name: str) -> Any:
    """The factory of readers for that notation. Raises MissingError."""
    return plug_in(NOTATIONS, name, f"the notation of --prompts {name} for goals")


def _read(domain: Path, problem: Path) -> Problem:
    """The problem; one without a goal is read with a goal that is always true."""
    if has_goal(problem):
        return read_problem(domain, problem)
    with temporary_folder() as folder:
        complete = Path(folder) / problem.name
        with_goal(domain, problem, "(and)", complete)
        return read_problem(domain, complete)
