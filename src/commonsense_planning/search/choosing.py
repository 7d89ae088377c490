"""Which action helps most? A language model as the heuristic of a local search ("Large Language Models as Common-Sense
Heuristics", section 3.2, "Action Selection" and "Error correction")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from commonsense_planning.config import Options, option
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.answers import Pair, corrected, fitting, pair_in
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction

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
        return [answers[0] if answers else "" for answers in self.model.ask(questions, 1)]

    def _pair(self, answer: str) -> Pair:
        return pair_in(answer, self.config.think)
