"""The prior of the belief: uniform, or sampled from a language model (section 2.2 and appendix C.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from commonsense_planning.grounding.ground_task import GroundSensors
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.answers import places
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pomdp.belief import FLOOR, Belief
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.pomdp.relevance import Relevance
from commonsense_planning.wording.questions import Placement
from commonsense_planning.wording.verbalise import Verbaliser


def uniform_prior(sensors: GroundSensors) -> list[Floats]:
    """The same weight for every member of a group."""
    return [np.full(len(sensors.groups.row(g)), 1.0) for g in range(len(sensors.groups))]


def placement_questions(sensors: GroundSensors, verbaliser: Verbaliser, groups: Sequence[int]) -> list[Placement]:
    """One question per group: where may that be which the group is about? Things of one name share a question."""
    return list(dict.fromkeys(_placement(sensors, verbaliser, group)[0] for group in groups))


def model_prior(
    sensors: GroundSensors,
    verbaliser: Verbaliser,
    model: LanguageModel,
    matcher: Matcher,
    samples: int,
    note: Callable[[str], None] = lambda text: None,
    groups: Sequence[int] | None = None,
) -> list[Floats]:
    """Count ``samples`` (the paper's M) answers per group and normalise; FLOOR for what was never sampled. Only about
    ``groups`` if they are given, in that order.

    All questions go out together. An answer that names several places is shared among them, and so is a place of which
    there are several ("kitchen cabinet"); what fits no place is dropped. ``note`` is told of a thing for which nothing
    is left.
    """
    wanted = [_placement(sensors, verbaliser, g) for g in (range(len(sensors.groups)) if groups is None else groups)]
    questions = list(dict.fromkeys(question for question, _ in wanted))
    answers = model.ask(questions, samples)
    counted = {q: _count(q, texts, matcher) for q, texts in zip(questions, answers, strict=True)}
    for question in questions:
        if not counted[question]:
            note(f"no usable answer to where the {question.thing} may be: all places are taken as equally likely")
    priors = []
    for question, phrases in wanted:
        named, total, instances = counted[question], sum(counted[question].values()), Counter(phrases)
        weights = np.full(len(phrases), FLOOR)
        for i, phrase in enumerate(phrases):
            if named[phrase]:
                weights[i] = max(FLOOR, named[phrase] / total / instances[phrase])
        priors.append(weights / weights.sum())
    return priors


class AskedPrior:
    """The model's prior of one episode: the model is asked about a group when it comes to matter, not before. Until
    then its prior is what it was. ``ask`` gives the weights of the groups that it is asked about, see
    :func:`model_prior`."""

    def __init__(self, relevance: Relevance, ask: Callable[[Sequence[int]], list[Floats]]) -> None:
        self._relevance = relevance
        self._ask = ask
        self._asked: set[int] = set()

    def attend(self, belief: Belief) -> None:
        """Ask about what has come to matter, and revise the belief. Raises BudgetError as ``LanguageModel.ask``
        does."""
        new = [g for g in open_questions(self._relevance, belief) if g not in self._asked]
        if new:
            for group, weights in zip(new, self._ask(new), strict=True):
                belief.revise(group, weights)
            self._asked.update(new)


def open_questions(relevance: Relevance, belief: Belief) -> list[int]:
    """The groups that can change the plan and of which several members are open."""
    several = (belief.distributions() > 0).sum(axis=1) > 1
    return np.flatnonzero(relevance.of(belief.truth, belief.known).groups & several).tolist()


def _placement(sensors: GroundSensors, verbaliser: Verbaliser, group: int) -> tuple[Placement, list[str]]:
    """A group's question, and what each of its members says of the thing, in words."""
    members = sensors.groups.row(group)
    subject = verbaliser.subject(members)
    phrases = [verbaliser.place(int(fact), subject) for fact in members]
    thing = " ".join(verbaliser.name(o) for o in subject) or "it"
    return Placement(thing, tuple(dict.fromkeys(phrases))), phrases


def _count(question: Placement, answers: Sequence[str], matcher: Matcher) -> Counter[str]:
    """Place → how many answers name it; an answer that names k places counts 1/k for each."""
    counted: Counter[str] = Counter()
    for answer, times in Counter(answers).items():
        found = [matcher.best(phrase, question.places) for phrase in places(answer)]
        matcher.unmatched += (times - 1) * found.count(None)
        named = [question.places[i] for i in found if i is not None]
        for place in named:
            counted[place] += times / len(named)  # type: ignore[assignment]
    return counted
