"""Every error that cplan raises on purpose, every way that solving a task ends, and the exit codes that the command
line gives them.

    CplanError
    ├── InputError                exit 2   the user's files or words are wrong
    │   ├── LocatedError                   at a place in a text: name, line, column, caret
    │   │   ├── PddlError                  in a PDDL file
    │   │   │   └── UnsupportedFeature     correct PDDL that cplan does not plan with
    │   │   ├── FormalGoalError            in a formal goal, as a model writes it
    │   │   ├── ProgramError               in a program of actions, as a model writes it
    │   │   └── HeuristicError             in a heuristic, as a model writes it
    │   └── UsageError                     contradictory options or arguments
    ├── MissingError              exit 3   something needed is not there: VAL, a planner, an endpoint, a key
    │   ├── EndpointError                  an endpoint that gives no answers, or no more
    │   ├── WaitingError                   questions whose answers come later
    │   └── UnansweredError                a question without an answer in a recording
    └── BudgetError               exit 4   a limit on time, calls or memory was reached
        ├── TooLargeError                  a task is too large to ground
        └── LateError                      the time of one decision is up; results so far are kept

Errors of other libraries are mapped to these where they are called, with the cause kept (``raise … from``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

MOST_SHOWN = 4000  # characters of a message

EXIT_SOLVED = 0
EXIT_UNSOLVED = 1
EXIT_INPUT = 2
EXIT_MISSING = 3
EXIT_BUDGET = 4
EXIT_INTERRUPTED = 130  # by Ctrl-C; by another signal, 128 + its number


class Status(StrEnum):
    """The closed list of outcomes; "proven unsolvable" differs from "gave up"."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"  # gave up: out of steps, of ideas or of places to look; or a planner failed
    UNSOLVABLE = "unsolvable"  # proven: there is no plan
    INVALID = "invalid plan"  # a plan was found and a validator refuses it
    UNVALIDATED = "unvalidated"  # a plan was found and no validator could be asked
    BUDGET = "out of budget"  # a limit on time or memory was reached
    INTERRUPTED = "interrupted"

    @property
    def exit_code(self) -> int:
        """The exit code of the command line for this outcome."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Status.SOLVED: EXIT_SOLVED,
    Status.UNSOLVED: EXIT_UNSOLVED,
    Status.UNSOLVABLE: EXIT_UNSOLVED,
    Status.INVALID: EXIT_UNSOLVED,
    Status.UNVALIDATED: EXIT_MISSING,
    Status.BUDGET: EXIT_BUDGET,
    Status.INTERRUPTED: EXIT_INTERRUPTED,
}


class CplanError(Exception):
    """Base of all errors that cplan raises on purpose. ``spent``: the cost of a request to a language model that this
    error ended, a ``Completion``; None if it was not such a request or had cost nothing."""

    exit_code = EXIT_UNSOLVED
    status: Status | None = None  # of a run that it ends
    spent: Any = None

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints for a run that this error ends."""
        return {"status": self.status, "reason": str(self)}

    @property
    def line(self) -> str:
        """The message as a terminal shows it, cut if it quotes very long input."""
        message = f"cplan: {self}"
        return message if len(message) <= MOST_SHOWN else f"{message[:MOST_SHOWN]} …"


class InputError(CplanError):
    """The input is wrong; the message tells what was expected."""

    exit_code = EXIT_INPUT


class UsageError(InputError):
    """A contradictory combination of options or arguments."""


@dataclass(frozen=True)
class Place:
    """A place in a file or another named text: ``line`` and ``column`` count from 1; ``source`` is that line's text,
    for the caret."""

    path: Path
    line: int
    column: int
    source: str = ""


@dataclass(frozen=True)
class PddlWarning:
    """A located deviation from PDDL in a file that is read nevertheless, since its meaning is clear.

    ``problem`` tells what is wrong, ``taken`` how it was read; a ``harmless`` one changes no meaning, and only ``cplan
    check`` reports it. ``str()`` gives ``file:line:column: warning: problem; taken …`` and a caret line.
    """

    place: Place
    problem: str
    taken: str
    harmless: bool = False

    def __str__(self) -> str:
        return _pointed(self.place, f"warning: {self.problem}; taken {self.taken}")

    def as_json(self) -> dict[str, Any]:
        """The warning as plain data."""
        where = {"file": str(self.place.path), "line": self.place.line, "column": self.place.column}
        return {**where, "message": self.problem, "taken": self.taken}


class LocatedError(InputError):
    """Something wrong at a known place.

    ``problem`` tells what is wrong, ``expected`` what would be right, ``hint`` the likely intention; the last two may
    be empty. ``str()`` gives ``file:line:column: problem; expected …`` and a caret line.
    """

    def __init__(self, place: Place, problem: str, expected: str = "", hint: str = "") -> None:
        self.place = place
        self.problem = problem
        self.expected = expected
        self.hint = hint
        super().__init__(self.render())

    def __reduce__(self) -> tuple[type[LocatedError], tuple[Any, ...]]:
        """Pickles the error by its parts, so that it can pass from one process to another."""
        return type(self), (self.place, self.problem, self.expected, self.hint)

    def render(self) -> str:
        """The message as a terminal shows it: one located line, the source line, a caret under the place."""
        text = self.problem
        if self.expected:
            text += f"; expected {self.expected}"
        if self.hint:
            text += f" (did you mean {self.hint}?)"
        return _pointed(self.place, text)


class PddlError(LocatedError):
    """Wrong PDDL, located. ``warnings``: earlier warnings about the same file, which may be the cause. ``others``: the
    errors found after this one."""

    def __init__(
        self,
        place: Place,
        problem: str,
        expected: str = "",
        hint: str = "",
        warnings: tuple[PddlWarning, ...] = (),
        others: tuple[PddlError, ...] = (),
    ) -> None:
        super().__init__(place, problem, expected, hint)
        self.warnings = warnings
        self.others = others

    def __reduce__(self) -> tuple[type[PddlError], tuple[Any, ...]]:
        return type(self), (self.place, self.problem, self.expected, self.hint, self.warnings, self.others)

    @property
    def line(self) -> str:
        """The warnings and the errors, each beginning with file:line:column, where editors look for it."""
        messages = (*(warning for warning in self.warnings if not warning.harmless), self, *self.others)
        return "\n".join(map(str, messages))


@contextmanager
def collected(errors: list[PddlError] | None) -> Iterator[None]:
    """A context whose PddlError is added to ``errors``, if there is a list of them."""
    try:
        yield
    except PddlError as error:
        if errors is None:
            raise
        errors.append(error)


class FormalGoalError(LocatedError):
    """A text that is not a formal goal, located."""


class ProgramError(LocatedError):
    """A line of a program of actions that cannot be read, located."""


class HeuristicError(LocatedError):
    """A heuristic that is not allowed to run, or that failed while running, located."""


class UnsupportedFeature(PddlError):
    """Correct PDDL that cplan does not plan with; named with its place, never ignored. ``need``: its kind, if other
    planners have it (``pddl.source.Need``); else empty."""

    need = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return *super().__reduce__(), {"need": self.need}


def check_known(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raises UsageError for the first name of a kind that is not known."""
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {kind} {name}; there are {', '.join(known)}")


class MissingError(CplanError):
    """Something needed is not installed or cannot be reached; the message tells what to do."""

    exit_code = EXIT_MISSING


class EndpointError(MissingError):
    """An endpoint gives no answers, or no more; a run keeps the steps that it has taken."""

    @property
    def reason(self) -> str:
        """The message in one line."""
        return "; ".join(str(self).splitlines())


class WaitingError(MissingError):
    """A question was written to a file, to be answered later; the same command then continues."""


class UnansweredError(MissingError):
    """A recording has no answer to a question; it may have those of other episodes of the same run."""


class BudgetError(CplanError):
    """A limit on time, memory or calls was reached."""

    exit_code = EXIT_BUDGET
    status = Status.BUDGET


class TooLargeError(BudgetError):
    """A task is too large to ground; a lifted search may still work."""


class LateError(BudgetError):
    """The time of one decision is up, or an answer is late; a caller that can continues without it."""


def _pointed(place: Place, text: str) -> str:
    """A located line, the source line, and a caret under the place."""
    text = f"{place.path}:{place.line}:{place.column}: {text}"
    if place.source:
        source, column = _window(place.source.replace("\t", " "), place.column)
        text += f"\n    {source}\n    {' ' * (column - 1)}^"
    return text


def _window(source: str, column: int, width: int = 100) -> tuple[str, int]:
    """Cuts a very long source line to ``width`` characters around ``column``; returns the cut and the new column."""
    if len(source) <= width:
        return source, column
    start = max(0, min(column - 1 - width // 2, len(source) - width))
    return source[start : start + width], column - start
