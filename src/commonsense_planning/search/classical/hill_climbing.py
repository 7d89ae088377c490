"""Hill climbing with a language model's choices as the heuristic ("Large Language Models as Common-Sense Heuristics",
section 3.2): a ``Chooser`` asks the model which action helps most.

The search is in a known world, so its sequence of actions can be carried out. The world decides whether it reaches the
goal (section 3.2, "Stopping Criteria"), never the model.

Two options go beyond the paper; both are off by default. ``beam``: the number of sequences of actions that are kept.
Each is extended by the chooser's candidates, the preferred ones first; of sequences to one state the first remains.
``backtrack``: a sequence never enters a state twice, and the extensions left out are kept. If no sequence can continue
(a failure condition, no action, no usable answer within the limit on repetitions), the latest of these are continued,
and repetitions count from 0 again, at most as often as a sequence may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from commonsense_planning.config import option
from commonsense_planning.elicitation.choosing import Choice, Chooser, ChoosingOptions
from commonsense_planning.errors import BudgetError, EndpointError, Status
from commonsense_planning.pomdp.transition_system import Path, PathResult, TransitionSystem
from commonsense_planning.support.english import counted
from commonsense_planning.support.interrupts import held
from commonsense_planning.wording.action_language import ActionLanguage

Event = dict[str, Any]


@dataclass(frozen=True)
class ClimbingOptions(ChoosingOptions):
    """The options of ``HillClimbing``; the module describes both."""

    beam: int = option(1, "Beam width: sequences of actions that are kept.", least=1)
    backtrack: bool = option(False, "Backtrack out of dead ends and loops.")


@dataclass(frozen=True)
class Extension:
    """A sequence that ends with a candidate of ``choice``, chosen from ``of`` actions."""

    path: Path
    choice: Choice
    of: int


@dataclass(eq=False)
class HillClimbing:
    """One run. ``emit`` gets every sequence when it is entered, with the current ``notes``; ``check_time`` raises
    BudgetError when the time is up."""

    world: TransitionSystem
    language: ActionLanguage
    chooser: Chooser
    config: ClimbingOptions
    max_steps: int
    emit: Callable[[Event], None]
    notes: Callable[[], list[str]] = list
    check_time: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._current = self.world.start()  # the result if the search ends now
        self._reason = ""  # why the last sequence could not continue

    def run(self) -> PathResult:
        """Climbs until a stopping criterion is met, a budget is used up, or the user interrupts.

        Raises EndpointError if no step was taken before it.
        """
        try:
            status = self._climb()
        except BudgetError as error:
            status, self._reason = Status.BUDGET, str(error)
        except EndpointError as error:
            if not self._current.operators:
                raise
            status, self._reason = Status.UNSOLVED, error.reason
        except KeyboardInterrupt:
            status, self._reason = Status.INTERRUPTED, "interrupted"
        return PathResult(status, self._current.operators, "" if status is Status.SOLVED else self._reason)

    def _climb(self) -> Status:
        beam = [self._current]
        self._reason = self.world.failure(self._current)
        if self._reason:
            return Status.UNSOLVED
        if self.world.reached(self._current):
            return Status.SOLVED
        left_out: list[Extension] = []  # the best and latest at the end
        returns = 0
        while True:
            beam = [path for path in beam if len(path.operators) < self.max_steps]
            if not beam:
                self._reason = f"the limit of {counted(self.max_steps, 'step')} (--max-steps) is reached"
                return Status.UNSOLVED
            self._current = beam[0]
            kept, others = self._ranked(beam)
            if self.config.backtrack:
                left_out += reversed(others)
            beam = []
            while True:
                for extension in kept:
                    if self._enter(extension):
                        return Status.SOLVED
                beam = [e.path for e in kept if not self.world.failure(e.path)]
                if beam:
                    self._current = beam[0]
                    break
                if not left_out or returns >= self.max_steps:
                    return Status.UNSOLVED
                returns += 1
                self.chooser.repeats = 0
                kept = [left_out.pop() for _ in range(min(self.config.beam, len(left_out)))]
                back = min(len(e.path.operators) for e in kept) - 1
                self.emit({"event": "back", "step": back, "reason": self._reason, "notes": self.notes()})

    def _ranked(self, beam: Sequence[Path]) -> tuple[list[Extension], list[Extension]]:
        """The extensions of all sequences: those to keep, and the others; both with the best first."""
        ranked: list[tuple[int, Extension]] = []
        for path in beam:
            ranked += enumerate(self._extensions(path))
        ranked.sort(key=lambda entry: entry[0])
        different: dict[bytes, Extension] = {}
        for _, extension in ranked:
            different.setdefault(extension.path.state.tobytes(), extension)
        extensions = list(different.values())
        return extensions[: self.config.beam], extensions[self.config.beam :]

    def _extensions(self, path: Path) -> list[Extension]:
        """A sequence extended by each of the model's candidates, the preferred one first."""
        self.check_time()
        operators = self.world.applicable(path)
        if self.config.backtrack:
            seen = {state.tobytes() for state in path.states}
            operators = [o for o in operators if self.world.successor(path, o).state.tobytes() not in seen]
        if not operators:
            self._reason = "no action leads to a new state" if self.config.backtrack else "no action is applicable"
            return []
        choice = self.chooser.choose(path, operators)
        self._reason = choice.reason or self._reason
        return [Extension(self.world.successor(path, o), choice, len(operators)) for o in choice.candidates]

    def _enter(self, extension: Extension) -> bool:
        """Carries out the last action of a sequence; whether that reaches the goal."""
        path, choice = extension.path, extension.choice
        self._reason = self.world.failure(path) or self._reason
        operator, task = path.operators[-1], self.world.task
        why = {
            "of": extension.of,
            "candidates": [str(task.step(o)) for o in choice.candidates],
            "questions": choice.questions,
            "repeats": choice.repeats,
        }
        event = {
            "event": "step",
            "step": len(path.operators),
            "action": str(task.step(operator)),
            "says": self.language.text(operator),
            "why": why,
            "seen": [],
            "notes": self.notes(),
        }
        with held():  # an interrupt comes before or after both
            self._current = path
            self.emit(event)
        return self.world.reached(path) and not self.world.failure(path)
