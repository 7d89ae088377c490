"""A heuristic that a model wrote, as an object over facts, and over the kernels' states.

Its program defines ``make_heuristic(objects, static, goal, unwanted, initial)``, which gets what does not change, and
the first state if it has a parameter for it, and returns a function of the state (Corrêa, Pereira and Seipp 2025 have a
class for this). A fact is a tuple of words, such as ("on", "a", "b"). It may return two functions: the second one,
``update(state, added, deleted)``, returns the value of the state after a change. Samples of it are checked.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import signature
from pathlib import Path
from typing import Any

from tarski.syntax.sorts import Interval

from commonsense_lab.learning.guarded_python import functions_of, refusal
from commonsense_planning.errors import CplanError
from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.grounding.lifted_successors import Atom, Facts, LiftedTask, check_ways
from commonsense_planning.instructions.translate import true_at_first
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.state import State, StateView, facts_in, make_state

ENTRY = "make_heuristic"
MOST_GOALS = 16  # ways to reach the goal, each with a separate heuristic; the least value counts
UNTOLD: AbstractContextManager[object] = nullcontext()
LARGEST = 1e300  # the bound of integer values
SAMPLED = 1000  # every 1000th value of ``update`` is compared, and those of calls 1, 2, 4, 8, …


class WrittenHeuristic:
    """The program ``text`` for a goal; ``path`` is its name in messages. ``ways``: for each way to reach the goal, the
    facts that must be true and those that must be false; ``start``: the first state.

    Making it and calling it raise HeuristicError, with the line, for a program that is refused, that fails, whose value
    is no number, or whose second function contradicts the first. ``calls`` is entered around every call.
    """

    def __init__(
        self,
        problem: Problem,
        static: Facts,
        start: Facts,
        ways: Sequence[tuple[list[Atom], list[Atom]]],
        text: str,
        path: Path,
        calls: AbstractContextManager[object] = UNTOLD,
    ) -> None:
        self._text, self._path, self._calls = text, path, calls
        self._updates = 0
        kinds = objects_by_type(problem)
        with calls, self._located():
            make = functions_of(text, path).get(ENTRY)
            if not callable(make):
                raise refusal(path, text, 1, 1, f"there is no function {ENTRY}")
            first = (start,) if len(signature(make).parameters) > 4 else ()
            made = [make(dict(kinds), static, *way, *first) for way in ways]
        pairs = [one if isinstance(one, tuple) and len(one) == 2 else (one, None) for one in made]
        self._functions: list[Callable[[Facts], object]] = [pair[0] for pair in pairs]
        self._update: list[Callable[[Facts, Facts, Facts], object]] = [pair[1] for pair in pairs if pair[1] is not None]

    def __call__(self, state: Facts) -> float:
        """Returns the estimate of the cost to the goal; infinite for what the program takes for a dead end."""
        return self._least(self._functions, state)

    def after(self, state: Facts, added: Facts, deleted: Facts) -> float:
        """Returns the estimate of the state after a change."""
        if not self._update:
            return self((state - deleted) | added)
        value = self._least(self._update, state, added, deleted)
        self._updates += 1
        if self._updates & (self._updates - 1) == 0 or self._updates % SAMPLED == 0:
            whole = self((state - deleted) | added)
            if not math.isclose(whole, value):
                why = f"update gives {value:g} for a state of which the heuristic gives {whole:g}"
                raise refusal(self._path, self._text, 1, 1, why)
        return value

    def _least(self, functions: Sequence[Callable[..., object]], *of: Any) -> float:
        with self._calls, self._located():
            return min((self._number(function(*of)) for function in functions), default=math.inf)

    def _number(self, value: object) -> float:
        if isinstance(value, int) and abs(value) < LARGEST or isinstance(value, float) and value > -math.inf:
            return float(value)
        said = _said(repr, value) or "one too large to be written"
        raise refusal(self._path, self._text, 1, 1, f"the heuristic's value is no number: {said:.80}")

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Maps whatever the program raises to an error at the line that raised it."""
        try:
            yield
        except (CplanError, MemoryError):  # its own, and limits
            raise
        except Exception as error:  # a model's program may raise anything
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(self._path)]
            said = ": ".join(filter(None, (type(error).__name__, _said(str, error))))
            raise refusal(self._path, self._text, (lines or [1])[-1] or 1, 1, said[:300]) from error


def _said(say: Callable[[Any], str], value: Any) -> str:
    """Returns the text of a value; empty for a number with too many digits, or one nested too deeply."""
    try:
        return say(value)
    except (ValueError, RecursionError):
        return ""


def on_lifted(
    task: LiftedTask, text: str, path: Path, calls: AbstractContextManager[object] = UNTOLD
) -> WrittenHeuristic:
    """Returns the heuristic of a program on a lifted task. Raises as ``WrittenHeuristic``, and InputError for a goal
    that can be reached in more than ``MOST_GOALS`` ways."""
    return WrittenHeuristic(task.lifted.problem, task.static, task.start, task.ways(MOST_GOALS), text, path, calls)


class GroundedHeuristic:
    """A ``WrittenHeuristic`` over the kernels' states of a grounded task."""

    def __init__(
        self,
        task: GroundTask,
        compiled: Compiled,
        text: str,
        path: Path,
        calls: AbstractContextManager[object] = UNTOLD,
    ) -> None:
        self._compiled = compiled
        spell, goal = task.problem.spell, task.goal
        check_ways(len(goal.pos), MOST_GOALS)
        objects = tuple(map(spell, task.objects))
        self._facts: list[Atom] = [
            (spell(predicate), *(objects[o] for o in arguments)) for predicate, arguments in task.facts
        ]
        changing = {atom[0] for atom in self._facts}
        at_first = frozenset(tuple(map(spell, atom)) for atom in true_at_first(task.problem))
        never_changes = at_first.difference(self._facts)
        static = frozenset(atom for atom in never_changes if atom[0] not in changing)
        self._constant = never_changes - static  # of predicates that change, but not of these objects
        ways = [(self._atoms_of(goal.pos.row(d)), self._atoms_of(goal.neg.row(d))) for d in range(len(goal.pos))]
        start = self.atoms(make_state(compiled, task.init))
        self._heuristic = WrittenHeuristic(task.problem, static, start, ways, text, path, calls)

    def __call__(self, state: State) -> float:
        """As of ``WrittenHeuristic``."""
        return self._heuristic(self.atoms(state))

    def atoms(self, state: State) -> Facts:
        """Returns the facts that are true in a state, of the predicates that change."""
        true = facts_in(StateView(self._compiled, state).true).tolist()
        return self._constant.union(map(self._facts.__getitem__, true))

    def _atoms_of(self, facts: Int32) -> list[Atom]:
        return [self._facts[fact] for fact in facts]


def objects_by_type(problem: Problem) -> dict[str, list[str]]:
    """Returns type → its objects, with those of its subtypes, in the user's spelling."""
    language, spell = problem.tarski.language, problem.spell
    kinds: dict[str, list[str]] = {}
    for sort in language.sorts:
        if not sort.builtin and not isinstance(sort, Interval):  # the numbers of costs
            kinds[spell(str(sort.name))] = sorted(spell(str(constant.symbol)) for constant in sort.domain())
    return kinds


def text_of(atom: Atom) -> str:
    """Returns a fact as PDDL."""
    return f"({' '.join(atom)})"
