"""Questions which action helps most, in a form that models can answer. The paper's form is in ``paper_choosing``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from commonsense_planning.config import Options, option
from commonsense_planning.elicitation.guidance import Guidance
from commonsense_planning.elicitation.situations import SituationKind, Situations
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.llm.weights import Weights
from commonsense_planning.matching.answers import meant, pair_in
from commonsense_planning.pomdp.transition_system import Path
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.questions import ChooseAction

NONE_OF_THESE = (0, "none of these")

Listed = tuple[tuple[int, str], ...]
"""Actions that a question lists: index, from 1, and text."""


@dataclass(frozen=True)
class ChoosingOptions(Options):
    """Options of choosing: ``partition`` and ``repeats`` are the paper's; ``think`` and ``rules`` (see
    ``ChooseAction``) are not."""

    partition: int = option(100, "Limit on the actions that one question lists.", least=1)
    repeats: int = option(10, "Limit on repeated questions in a run.", least=0)
    think: bool = option(False, "Let the model reason before it chooses an action.")
    rules: bool = option(False, "Tell the model the preconditions and effects of the actions.")

    @property
    def too_many_repeats(self) -> str:
        """The reason for choosing nothing after as many."""
        return f"the limit of {self.repeats} repeated questions is reached"


@dataclass(frozen=True)
class Choice:
    """The model's choice in a state. ``candidates``: operators, the preferred one first; ``reason``: why there are
    none. ``questions``: the number of questions asked; ``repeats``: how many of them were repeated."""

    candidates: tuple[int, ...]
    questions: int
    repeats: int
    reason: str = ""


class Chooser(Protocol):
    """An object that chooses among actions; ``repeats`` counts the repeated questions."""

    repeats: int

    def choose(self, path: Path, operators: Sequence[int]) -> Choice:
        """Chooses among ``operators``, at least one, at the end of ``path``.

        Raises MissingError and BudgetError like ``LanguageModel.ask``.
        """


@dataclass(eq=False)
class ListChooser:
    """The common part of the choosers: it asks about partitioned lists of actions, with a description of the task and a
    guide, and counts the questions of a choice, and the repeated ones of a run."""

    model: LanguageModel
    language: ActionLanguage
    config: ChoosingOptions
    description: str
    guidance: Guidance
    repeats: int = field(default=0, init=False)
    questions: int = field(default=0, init=False)

    def parts(self, listed: Listed) -> list[Listed]:
        """A list in parts of ``config.partition`` actions."""
        size = self.config.partition
        return [listed[i : i + size] for i in range(0, len(listed), size)]

    def rules(self, operators: Sequence[int], part: Listed) -> tuple[str, ...]:
        """The rules of the actions in a part of the list of ``operators``; none if they are not to be told."""
        return self.language.rules(operators[i - 1] for i, _ in part) if self.config.rules else ()

    def weigh(self, questions: Sequence[ChooseAction]) -> list[Weights]:
        """The weights for one answer to each question."""
        self.questions += len(questions)
        return self.model.weigh(questions, 1)


@dataclass(eq=False)
class RelevantChooser(ListChooser):
    """Asks a model for the best of the relevant actions; if none of these helps, for the best of the others.

    All parts of a list are asked about at once, with ``NONE_OF_THESE`` in every part if there are several. A part of
    the others in which nothing helped is not asked about again while it is unchanged. The results of several parts go
    into one final question; a single action needs no question. A question whose answer cannot be read is repeated, with
    the answer; ``repeats`` counts that, up to ``config.repeats``.
    """

    situations: Situations
    _of_no_help: set[Listed] = field(default_factory=set, init=False)

    def choose(self, path: Path, operators: Sequence[int]) -> Choice:
        """See ``Chooser``; no candidates if no applicable action is relevant to the goal."""
        self.questions, before = 0, self.repeats
        here = self.situations.at(path, operators)
        if not here.relevant:
            return Choice((), 0, 0, "the goal cannot be reached any more")
        self.questions += self.guidance.mend(path, operators, here, self.model)
        if len(here.relevant) == 1:
            return Choice(here.relevant, self.questions, 0)
        ranked = self._among(here, here.relevant, path, none=bool(here.others))
        if ranked == ():
            others = self.situations.distinct(here.others, here.truth)
            ranked = self._among(here, others, path, none=True, again=False) if others else ()
        if ranked == ():  # it has to be something
            ranked = self._among(here, here.relevant, path, none=False)
        if not ranked:
            return Choice((), self.questions, self.repeats - before, self.config.too_many_repeats)
        rest = tuple(o for o in here.relevant if o not in ranked)
        return Choice((*ranked, *rest), self.questions, self.repeats - before)

    def _among(
        self, here: SituationKind, operators: Sequence[int], path: Path, none: bool, again: bool = True
    ) -> tuple[int, ...] | None:
        """The operators to which the model gives a weight, the best first; empty if the model answers that none helps,
        None if the limit on repetitions was reached. ``again``: whether actions that did not help are asked about
        again."""
        mentioned = {a for o in (*operators, *path.operators) for a in self.language.objects(o)}
        named = self.language.instances.named(sorted({*here.named, *mentioned}))
        listed = tuple(enumerate((self.language.called(o, named) for o in operators), start=1))
        parts = self.parts(listed)
        none = none or len(parts) > 1
        taken = tuple(self.language.called(o, named) for o in path.operators)
        state = self.language.facts(here.given, here.denied, named)
        fixed = self.language.told_fixed(here.fixed, named)

        def question(part: Listed, none: bool) -> ChooseAction:
            rules, guide = self.rules(operators, part), self.guidance.lines
            actions = (*part, NONE_OF_THESE) if none else part
            return ChooseAction(self.description, guide, taken, actions, None, self.config.think, rules, state, fixed)

        asked = [part for part in parts if again or part not in self._of_no_help]
        found = self._ask([question(part, none) for part in asked])
        if found is None:
            return None
        self._of_no_help |= {part for part, best in zip(asked, found, strict=True) if not best and not again}
        if len(asked) == 1 and found[0]:
            return tuple(operators[i - 1] for i in found[0])
        best = {i for indices in found for i in indices[:1]}
        if len(best) > 1:
            final = self._ask([question(tuple(entry for entry in listed if entry[0] in best), none=False)])
            return None if final is None else tuple(operators[i - 1] for i in final[0])
        return tuple(operators[i - 1] for i in best)

    def _ask(self, questions: Sequence[ChooseAction]) -> list[tuple[int, ...]] | None:
        """The indices with a positive weight for each question, the heaviest first, and empty for "none of these"; None
        if the limit on repetitions was reached."""
        found: dict[int, tuple[int, ...]] = {}
        waiting = dict(enumerate(questions))
        while waiting:
            unread: dict[int, ChooseAction] = {}
            for (number, question), weights in zip(waiting.items(), self.weigh([*waiting.values()]), strict=True):
                indices = _ranked(question, weights)
                if indices:
                    found[number] = () if indices[0] == NONE_OF_THESE[0] else tuple(i for i in indices if i)
                else:
                    if not question.options:
                        self.model.usage.not_read(weights.first)
                    unread[number] = question.again(weights.first)
            if len(unread) > self.config.repeats - self.repeats:
                return None
            self.repeats += len(unread)
            waiting = unread
        return [found[number] for number in range(len(questions))]


def _ranked(question: ChooseAction, weights: Weights) -> tuple[int, ...]:
    """The indices of a list with a positive weight, the heaviest first, ties in their order."""
    if not question.options:  # the model may have reasoned before
        return tuple(meant(pair_in(weights.first, question.think), question.actions))
    shares = weights.shares
    order = np.argsort(-shares, kind="stable")
    return tuple(question.actions[i][0] for i in order.tolist() if shares[i] > 0)
