"""Questions which action helps most, as in "Large Language Models as Common-Sense Heuristics" (section 3.2, "Action
Selection" and "Error correction"), for ``--prompts paper``. cplan's form is in ``choosing``."""

from __future__ import annotations

from collections.abc import Sequence

from commonsense_planning.elicitation.choosing import Choice, ListChooser, Listed
from commonsense_planning.matching.answers import Pair, corrected, fitting, pair_in
from commonsense_planning.pomdp.transition_system import Path
from commonsense_planning.wording.questions import ChooseAction


class PaperChooser(ListChooser):
    """Asks a model for the best of the applicable actions.

    All parts of the list are asked about at once; the pairs in the answers are the candidates, and a final question
    decides among them, even if there is only one part or one candidate. A pair whose index and action do not match is
    corrected in the first round; in the last one, the question is repeated with the previous answer. If no part gives a
    candidate, the parts are asked about again, which counts as one repetition. ``repeats`` counts all repetitions; they
    end at ``config.repeats``.
    """

    def choose(self, path: Path, operators: Sequence[int]) -> Choice:
        """See ``Chooser``."""
        self.questions, before = 0, self.repeats
        done = tuple(self.language.text(o) for o in path.operators)
        listed = tuple(enumerate(map(self.language.text, operators), start=1))
        candidates = self._gather(listed, operators, done)
        preferred = self._decide(candidates, operators, done) if candidates else None
        found: tuple[int, ...] = ()
        if preferred is not None:
            indices = [preferred, *(i for i, _ in candidates if i != preferred)]
            found = tuple(operators[i - 1] for i in indices)
        reason = "" if found else self.config.too_many_repeats
        return Choice(found, self.questions, self.repeats - before, reason)

    def _gather(self, listed: Listed, operators: Sequence[int], done: tuple[str, ...]) -> Listed:
        """The candidates in the order of the list; none if the limit on repetitions was reached."""
        parts = self.parts(listed)
        previous: list[str | None] = [None] * len(parts)
        while True:
            asked = zip(parts, previous, strict=True)
            questions = [self._question(part, operators, done, said) for part, said in asked]
            answers = [weights.first for weights in self.weigh(questions)]
            chosen = {i for answer in answers for i in corrected(self._pair(answer), listed)}
            if chosen:
                return tuple(entry for entry in listed if entry[0] in chosen)
            if not self._may_repeat(answers):
                return ()
            previous = [*answers]

    def _decide(self, candidates: Listed, operators: Sequence[int], done: tuple[str, ...]) -> int | None:
        """The index of the preferred candidate; None if the limit on repetitions was reached."""
        previous: str | None = None
        while True:
            answer = self.weigh([self._question(candidates, operators, done, previous)])[0].first
            index = fitting(self._pair(answer), candidates)
            if index is not None:
                return index
            if not self._may_repeat([answer]):
                return None
            previous = answer

    def _may_repeat(self, unread: Sequence[str]) -> bool:
        """Counts answers without a pair; counts a repetition and returns True if another one is allowed."""
        for answer in unread if self.config.think else ():  # the model itself counts answers that name no option
            self.model.usage.not_read(answer)
        if self.repeats >= self.config.repeats:
            return False
        self.repeats += 1
        return True

    def _question(
        self, listed: Listed, operators: Sequence[int], done: tuple[str, ...], previous: str | None
    ) -> ChooseAction:
        guide, rules = self.guidance.lines, self.rules(operators, listed)
        return ChooseAction(self.description, guide, done, listed, previous, self.config.think, rules)

    def _pair(self, answer: str) -> Pair:
        return pair_in(answer, self.config.think)
