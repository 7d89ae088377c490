"""The transition system of a fully observable task: applicable actions, successors, and sequences of them."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.errors import Status
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.state import State, make_state


@dataclass(frozen=True)
class Path:
    """A sequence of operators and the states that it passes through, the first one included."""

    operators: tuple[int, ...]
    states: tuple[State, ...]

    @property
    def state(self) -> State:
        """Where it ends."""
        return self.states[-1]


@dataclass(frozen=True)
class PathResult:
    """The end of a search for a path, or of an episode. ``operators`` can be carried out, or were; ``reason`` says why
    it ended unsolved."""

    status: Status
    operators: tuple[int, ...]
    reason: str = ""


class TransitionSystem:
    """States and successors of a task that was grounded with nothing hidden."""

    def __init__(self, task: GroundTask, compiled: Compiled) -> None:
        self.task = task
        self.compiled = compiled
        self.transition = TransitionModel(compiled)

    def start(self) -> Path:
        """The empty sequence."""
        return Path((), (make_state(self.compiled, self.task.init),))

    def applicable(self, path: Path) -> list[int]:
        """The operators that can follow, ascending; of several for one action, the first."""
        actions: dict[tuple[int, ...], int] = {}
        for operator in self.transition.applicable(path.state).tolist():
            actions.setdefault((int(self.task.schema[operator]), *self.task.arguments[operator].tolist()), operator)
        return list(actions.values())

    def successor(self, path: Path, operator: int) -> Path:
        """The sequence with one more operator."""
        state = self.transition.successor(path.state, operator)
        return Path((*path.operators, operator), (*path.states, state))

    def reached(self, path: Path) -> bool:
        """Whether the goal holds at its end."""
        return self.transition.reached(path.state)

    def failure(self, path: Path) -> str:
        """A message that a failure condition holds at its end; empty if none does."""
        disjunct = self.transition.failure(path.state)
        return "" if disjunct is None else f"a failure condition holds: {self.task.constraint(disjunct)} is violated"
