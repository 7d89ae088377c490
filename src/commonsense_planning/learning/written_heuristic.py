"""A heuristic that a model wrote, as an object ``h(state) -> cost`` over the kernels' states.

Its program defines ``make_heuristic(objects, static, goal, unwanted)``, which is given what does not change and gives a
function of the state (Corrêa, Pereira and Seipp 2025 have a class for the same). A fact is a tuple of words, such as
("on", "a", "b").
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from commonsense_planning.errors import CplanError, InputError
from commonsense_planning.grounding.ground_task import GroundTask, Int32
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.learning.guarded_python import functions_of, refusal
from commonsense_planning.state import State, StateView, facts_in

Atom = tuple[str, ...]
ENTRY = "make_heuristic"
MOST_GOALS = 16  # ways to reach the goal, each of which has a heuristic of its own; the least of them counts


class WrittenHeuristic:
    """The program ``text`` on one task; ``path`` is what it is called in messages.

    Making it and calling it raise HeuristicError with the line at fault for a program that is refused, that fails, or
    whose value is no number. Raises InputError for a goal that can be reached in more than ``MOST_GOALS`` ways.
    """

    def __init__(self, task: GroundTask, compiled: Compiled, text: str, path: Path) -> None:
        self._text, self._path = text, path
        self._compiled = compiled
        spell, goal = task.problem.spell, task.goal
        if len(goal.pos) > MOST_GOALS:
            raise InputError(f"the goal can be reached in {len(goal.pos)} ways, and a heuristic takes {MOST_GOALS}")
        objects = tuple(map(spell, task.objects))
        self._facts: list[Atom] = [
            (spell(predicate), *(objects[o] for o in arguments)) for predicate, arguments in task.facts
        ]
        changing = {atom[0] for atom in self._facts}
        never_changes = initial_atoms(task).difference(self._facts)
        static = frozenset(atom for atom in never_changes if atom[0] not in changing)
        self._constant = never_changes - static  # of predicates that change, but not of these objects
        kinds = objects_by_type(task)
        with self._located():
            make = functions_of(text, path).get(ENTRY)
            if not callable(make):
                raise refusal(path, text, 1, 1, f"there is no function {ENTRY}")
            self._functions: list[Callable[[frozenset[Atom]], object]] = [
                make(dict(kinds), static, self._atoms_of(goal.pos.row(d)), self._atoms_of(goal.neg.row(d)))
                for d in range(len(goal.pos))
            ]

    def __call__(self, state: State) -> float:
        """The estimate of the cost to the goal; infinite at what the program takes for a dead end."""
        true = self.atoms(state)
        with self._located():
            return min((self._number(function(true)) for function in self._functions), default=math.inf)

    def atoms(self, state: State) -> frozenset[Atom]:
        """What is true in a state, of the predicates that change."""
        true = facts_in(StateView(self._compiled, state).true).tolist()
        return self._constant.union(map(self._facts.__getitem__, true))

    def _atoms_of(self, facts: Int32) -> list[Atom]:
        return [self._facts[fact] for fact in facts]

    def _number(self, value: object) -> float:
        if isinstance(value, bool | int | float) and not math.isnan(value):
            return float(value)
        raise refusal(self._path, self._text, 1, 1, f"the heuristic's value is no number: {value!r:.80}")

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Map whatever the program raises to an error at the line that it was raised by."""
        try:
            yield
        except (CplanError, MemoryError):  # its own, and limits
            raise
        except Exception as error:  # a program of somebody else's may raise any
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(self._path)]
            said = f"{type(error).__name__}: {error}"
            raise refusal(self._path, self._text, (lines or [1])[-1] or 1, 1, said[:300]) from error


def initial_atoms(task: GroundTask) -> frozenset[Atom]:
    """What is true at first, in the user's spelling."""
    spell = task.problem.spell
    atoms = task.problem.tarski.init.as_atoms()
    return frozenset(
        (spell(str(atom.predicate.name)), *(spell(str(term.name)) for term in atom.subterms))
        for atom in atoms
        if not isinstance(atom, tuple)  # the value of a function
    )


def objects_by_type(task: GroundTask) -> dict[str, list[str]]:
    """Type → its objects, those of its subtypes among them, in the user's spelling."""
    language, spell = task.problem.tarski.language, task.problem.spell
    kinds: dict[str, list[str]] = {}
    for sort in language.sorts:
        if not sort.builtin:
            kinds[spell(str(sort.name))] = sorted(spell(str(constant.symbol)) for constant in sort.domain())
    return kinds


def text_of(atom: Atom) -> str:
    """A fact as PDDL."""
    return f"({' '.join(atom)})"


