"""Hill climbing with a language model's choices for a heuristic ("Large Language Models as Common-Sense Heuristics",
section 3.2): which action helps most is asked of the model ("Action Selection" and "Error correction").

The search goes through a world that is known, so what it ends with can be carried out, whether it reaches the goal or
not. Whoever chooses sees neither goal nor failure conditions.

Two things go beyond the paper, each off by default. ``beam`` keeps so many sequences of actions: each is extended by
the model's candidates; first come the extensions that the final questions preferred, then the other candidates in the
order of the lists; of sequences to one state the first stays. ``backtrack`` never enters a state twice in one sequence,
and keeps the extensions that were left out: where no sequence can go on (a failure condition, no action, no usable
answer within the limit on repetitions), the latest of them are taken up and the repetitions count from 0 again. That
happens at most as often as a sequence may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from commonsense_planning.config import Options, option
from commonsense_planning.errors import BudgetError, Status
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.answers import Pair, corrected, fitting, pair_in
from commonsense_planning.search.transition_system import Path, PathResult, TransitionSystem
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction

Event = dict[str, Any]
Listed = tuple[tuple[int, str], ...]  # (index in the list of applicable actions, text)


@dataclass(frozen=True)
class ChoosingOptions(Options):
    """``partition``: how many actions a question lists at most. ``repeats``: the limit on the cumulative number of
    repeated questions. Not in the paper: ``think`` and ``rules``, see ``ChooseAction``."""

    partition: int = option(100, "Actions that one question lists at most.", least=1)
    repeats: int = option(10, "Questions that may be repeated in a run.", least=0)
    think: bool = option(False, "Let the model reason before it chooses.")
    rules: bool = option(False, "Tell the model what the actions need and bring about.")


@dataclass(frozen=True)
class Choice:
    """What the model says at a state: the ``candidates``, operators, the one that it prefers first, the others in the
    order of the list; none if the limit on repeated questions was reached. It took so many ``questions``, of which
    ``repeats`` were repeated ones."""

    candidates: tuple[int, ...]
    questions: int
    repeats: int


class Chooser:
    """Asks a model for the best of the applicable actions.

    The list is asked about in parts of ``config.partition`` actions, all at once; the pairs that come back are the
    candidates, among which one more question decides, also where there is one part or one candidate only. A pair whose
    index and action do not go together is corrected in the first round; in the last one, it is asked again, with the
    previous answer. Where no part gives a candidate there is nothing to decide among: the parts are asked again, which
    counts as one repetition. ``repeats`` counts all repetitions; they end at ``config.repeats``.
    """

    def __init__(
        self,
        model: LanguageModel,
        language: ActionLanguage,
        config: ChoosingOptions,
        description: str,
        guide: tuple[str, ...] = (),
    ) -> None:
        self.model = model
        self.language = language
        self.config = config
        self.description = description
        self.guide = guide
        self.repeats = 0
        self._questions = 0

    def choose(self, operators: Sequence[int], taken: Sequence[int]) -> Choice:
        """Choose among ``operators``, of which there is at least one, after those ``taken``.

        Raises MissingError and BudgetError as ``LanguageModel.ask`` does.
        """
        self._questions, before = 0, self.repeats
        done = tuple(self.language.text(o) for o in taken)
        listed = tuple(enumerate(map(self.language.text, operators), start=1))
        candidates = self._gather(listed, operators, done)
        preferred = self._decide(candidates, operators, done) if candidates else None
        found: tuple[int, ...] = ()
        if preferred is not None:
            indices = [preferred, *(i for i, _ in candidates if i != preferred)]
            found = tuple(operators[i - 1] for i in indices)
        return Choice(found, self._questions, self.repeats - before)

    def _gather(self, listed: Listed, operators: Sequence[int], done: tuple[str, ...]) -> Listed:
        """The candidates in the order of the list; none if the limit on repetitions was reached."""
        size = self.config.partition
        parts = [listed[i : i + size] for i in range(0, len(listed), size)]
        previous: list[str | None] = [None] * len(parts)
        while True:
            asked = zip(parts, previous, strict=True)
            answers = self._ask([self._question(part, operators, done, said) for part, said in asked])
            chosen = {i for answer in answers for i in corrected(self._pair(answer), listed)}
            if chosen:
                return tuple(entry for entry in listed if entry[0] in chosen)
            if not self._may_repeat():
                return ()
            previous = [*answers]

    def _decide(self, candidates: Listed, operators: Sequence[int], done: tuple[str, ...]) -> int | None:
        """The index of the preferred candidate; None if the limit on repetitions was reached."""
        previous: str | None = None
        while True:
            answer = self._ask([self._question(candidates, operators, done, previous)])[0]
            index = fitting(self._pair(answer), candidates)
            if index is not None:
                return index
            if not self._may_repeat():
                return None
            previous = answer

    def _may_repeat(self) -> bool:
        """Count a repetition, if there may be one more."""
        if self.repeats >= self.config.repeats:
            return False
        self.repeats += 1
        return True

    def _question(
        self, listed: Listed, operators: Sequence[int], done: tuple[str, ...], previous: str | None
    ) -> ChooseAction:
        rules = self.language.rules(operators[i - 1] for i, _ in listed) if self.config.rules else ()
        return ChooseAction(self.description, self.guide, done, listed, previous, self.config.think, rules)

    def _ask(self, questions: Sequence[ChooseAction]) -> list[str]:
        """One answer to each; an empty one where there is none of use."""
        self._questions += len(questions)
        return [weights.first for weights in self.model.weigh(questions, 1)]

    def _pair(self, answer: str) -> Pair:
        return pair_in(answer, self.config.think)




@dataclass(frozen=True)
class ClimbingOptions(ChoosingOptions):
    """``beam`` and ``backtrack`` as above."""

    beam: int = option(1, "Sequences of actions that are kept.", least=1)
    backtrack: bool = option(False, "Leave dead ends and loops.")


@dataclass(frozen=True)
class Extension:
    """A sequence that ends with a candidate of ``choice``, made among so many actions (``of``)."""

    path: Path
    choice: Choice
    of: int


class HillClimbing:
    """One run. Every sequence that is entered goes to ``emit`` as it happens, with what ``notes`` gives; ``check_time``
    raises BudgetError when the time is up."""

    def __init__(
        self,
        world: TransitionSystem,
        chooser: Chooser,
        config: ClimbingOptions,
        max_steps: int,
        emit: Callable[[Event], None],
        notes: Callable[[], list[str]] = lambda: [],
        check_time: Callable[[], None] = lambda: None,
    ) -> None:
        self.world = world
        self.chooser = chooser
        self.config = config
        self.max_steps = max_steps
        self.emit = emit
        self.notes = notes
        self.check_time = check_time
        self._current = world.start()  # what is returned if the search ends now
        self._reason = ""  # why the last sequence could not go on

    def run(self) -> PathResult:
        """Climb until one of the stopping criteria is met, a budget is used up, or the user interrupts."""
        try:
            status = self._climb()
        except BudgetError as error:
            status, self._reason = Status.BUDGET, str(error)
        except KeyboardInterrupt:
            status, self._reason = Status.INTERRUPTED, "interrupted"
        return PathResult(status, self._current.operators, "" if status is Status.SOLVED else self._reason)

    def _climb(self) -> Status:
        beam = [self._current]
        if self.world.reached(self._current):
            return Status.SOLVED
        self._reason = self.world.failure(self._current)
        if self._reason:
            return Status.UNSOLVED
        left_out: list[Extension] = []  # the best and latest at the end
        returns = 0
        while True:
            beam = [path for path in beam if len(path.operators) < self.max_steps]
            if not beam:
                self._reason = f"the limit of {self.max_steps} steps is reached"
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
        """The extensions of all sequences: those to be kept, and the others; either with the best first."""
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
        """A sequence with each of the model's candidates after it, the preferred one first."""
        self.check_time()
        operators = self.world.applicable(path)
        if self.config.backtrack:
            seen = {state.tobytes() for state in path.states}
            operators = [o for o in operators if self.world.successor(path, o).state.tobytes() not in seen]
        if not operators:
            self._reason = "no action leads to a new state" if self.config.backtrack else "no action is applicable"
            return []
        choice = self.chooser.choose(operators, path.operators)
        if not choice.candidates:
            self._reason = f"the limit of {self.config.repeats} repeated questions is reached"
        return [Extension(self.world.successor(path, o), choice, len(operators)) for o in choice.candidates]

    def _enter(self, extension: Extension) -> bool:
        """Carry out the last action of a sequence; true if that reaches the goal."""
        path, choice = extension.path, extension.choice
        self._current = path
        self._reason = self.world.failure(path) or self._reason
        operator, language, task = path.operators[-1], self.chooser.language, self.world.task
        why = {
            "of": extension.of,
            "candidates": [str(task.step(o)) for o in choice.candidates],
            "questions": choice.questions,
            "repeats": choice.repeats,
        }
        self.emit(
            {
                "event": "step",
                "step": len(path.operators),
                "action": str(task.step(operator)),
                "says": language.text(operator),
                "why": why,
                "seen": [],
                "notes": self.notes(),
            }
        )
        return self.world.reached(path) and not self.world.failure(path)
