"""How a search or an episode ended."""

from __future__ import annotations

from enum import StrEnum

from commonsense_planning import errors


class Status(StrEnum):
    """The closed list of outcomes. "Proven unsolvable" is not "gave up"."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"  # gave up: out of steps, of ideas or of places to look
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
    Status.SOLVED: errors.EXIT_SOLVED,
    Status.UNSOLVED: errors.EXIT_UNSOLVED,
    Status.UNSOLVABLE: errors.EXIT_UNSOLVED,
    Status.INVALID: errors.EXIT_UNSOLVED,
    Status.UNVALIDATED: errors.EXIT_MISSING,
    Status.BUDGET: errors.EXIT_BUDGET,
    Status.INTERRUPTED: errors.EXIT_INTERRUPTED,
}
