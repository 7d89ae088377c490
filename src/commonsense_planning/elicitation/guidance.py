"""A guide on the way through the world: how far it was followed, and its one repair if it cannot be followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from commonsense_planning.elicitation.situations import SituationKind
from commonsense_planning.errors import BudgetError, EndpointError, Status
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.answers import guide_lines, key_of
from commonsense_planning.pomdp.transition_system import Path, PathResult, TransitionSystem
from commonsense_planning.support.english import counted
from commonsense_planning.support.interrupts import held
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import MendGuide, WriteGuide

Event = dict[str, Any]


class Guidance:
    """The ``lines`` of a guide. ``asked``: the question that they answer, if they are actions and may be repaired;
    ``emit`` then gets the event."""

    def __init__(
        self,
        language: ActionLanguage,
        lines: Sequence[str] = (),
        asked: WriteGuide | None = None,
        emit: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.lines = tuple(lines)
        self._language, self._asked, self._emit = language, asked, emit
        self._before = 0  # the number of actions taken when the lines were written

    @property
    def mendable(self) -> bool:
        """Whether it may still be repaired."""
        return self._asked is not None

    def text(self, operator: int) -> str:
        """An operator as a line."""
        return self._language.text(operator)

    def ahead(self, path: Path) -> tuple[str, ...]:
        """The lines after the last one that was carried out."""
        keys, done = [key_of(line) for line in self.lines], 0
        for operator in path.operators[self._before :]:
            key = key_of(self.text(operator))
            if key in keys[done:]:
                done = keys.index(key, done) + 1
        return self.lines[done:]

    def mend(self, path: Path, operators: Sequence[int], here: SituationKind, model: LanguageModel) -> int:
        """Has the guide repaired, once, if its next line is not one of the ``operators`` that can follow on the path.
        Returns the number of questions that took. Raises MissingError and BudgetError like ``LanguageModel.ask``."""
        ahead = self.ahead(path)
        if self._asked is None or not ahead:
            return 0
        key = key_of(ahead[0])
        if any(key_of(self.text(o)) == key for o in operators):
            return 0
        why = self._why_not(key, here)
        state = self._language.facts(here.given, here.denied, here.named)
        asked = {**vars(self._asked), "state": state}
        question = MendGuide(**asked, guide=ahead, taken=tuple(self.text(o) for o in path.operators), why=why)
        self._asked = None
        answers = model.ask([question], 1)[0]
        lines = guide_lines(answers[0]) if answers else ()
        if lines:
            self.lines, self._before = lines, len(path.operators)
        event = {"event": "guide", "level": question.level, "lines": list(lines), "mended": ahead[0], "why": list(why)}
        self._emit({**event, "notes": []})
        return 1

    def _why_not(self, key: tuple[str, ...], here: SituationKind) -> tuple[str, ...]:
        """The unmet conditions of an action with that text; of several, the one with the fewest."""
        task, lacking = self._language.task, list[list[tuple[int, bool]]]()
        for o in range(task.operator_count):
            if key_of(self.text(o)) == key:
                pre, npre = task.operators.pre.row(o).tolist(), task.operators.npre.row(o).tolist()
                wants = [*((f, True) for f in pre), *((f, False) for f in npre)]
                lacking.append([(f, holds) for f, holds in wants if bool(here.truth[f]) is not holds])
        if not lacking:
            return ("there is no such action",)
        least = min(lacking, key=len)
        named = self._language.instances.named(sorted({a for f, _ in least for a in task.facts[f][1]}))
        return tuple(self._language.fact(f, named, not holds) for f, holds in least)


def follow_guide(
    world: TransitionSystem,
    guidance: Guidance,
    mend: Callable[[Guidance, Path, Sequence[int]], None],
    max_steps: int,
    emit: Callable[[Event], None],
) -> tuple[PathResult, float | None]:
    """Carries out the lines of a guide, until the goal is reached, a failure condition holds, ``max_steps`` are done,
    or a line is not an applicable action, even after ``mend``, which is called before each line.

    A line is the first applicable operator whose text has the same words. Every step goes to ``emit``. Also returns the
    share of the lines that could be carried out, with the remaining ones counted as not; None if there are no lines, or
    if a budget, an endpoint or an interrupt ended it, which keeps the steps so far. Raises EndpointError if there are
    none.
    """
    path, share, say = world.start(), 1.0 if guidance.lines else None, guidance.text
    try:
        while not (world.reached(path) or world.failure(path) or len(path.operators) >= max_steps):
            operators = world.applicable(path)
            mend(guidance, path, operators)
            ahead = guidance.ahead(path)
            if not ahead:
                break
            number = 1 + len(guidance.lines) - len(ahead)
            operator = next((o for o in operators if key_of(say(o)) == key_of(ahead[0])), None)
            if operator is None:
                reason = f'line {number} of the guide, "{ahead[0][:80]}", is no action that is possible there'
                done = len(path.operators)
                return PathResult(Status.UNSOLVED, path.operators, reason), done / (done + len(ahead))
            after = world.successor(path, operator)
            step, why = str(world.task.step(operator)), {"line": number, "of": len(guidance.lines)}
            event = {"event": "step", "step": len(after.operators), "action": step, "says": say(operator), "why": why}
            with held():  # an interrupt must find both or neither
                path = after
                emit({**event, "seen": [], "notes": []})
    except BudgetError as error:
        return PathResult(Status.BUDGET, path.operators, str(error)), None
    except EndpointError as error:
        if not path.operators:
            raise
        return PathResult(Status.UNSOLVED, path.operators, error.reason), None
    except KeyboardInterrupt:
        return PathResult(Status.INTERRUPTED, path.operators, "interrupted"), None
    reason = world.failure(path)
    if world.reached(path) and not reason:
        return PathResult(Status.SOLVED, path.operators), share
    if not reason:
        reason = "the guide ends and the goal is not reached"
        if len(path.operators) >= max_steps:
            reason = f"the limit of {counted(max_steps, 'step')} (--max-steps) is reached"
    return PathResult(Status.UNSOLVED, path.operators, reason), share
