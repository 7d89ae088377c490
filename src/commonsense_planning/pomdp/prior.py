"""The prior of the belief: uniform, or sampled from a language model (section 2.2 and appendix C.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from commonsense_planning.grounding.ground_task import GroundSensors
from commonsense_planning.llm.model import LanguageModel
from commonsense_planning.matching.answers import places
from commonsense_planning.matching.matcher import Matcher
from commonsense_planning.pomdp.belief import FLOOR
from commonsense_planning.pomdp.observation_model import Floats
from commonsense_planning.wording.questions import Placement
from commonsense_planning.wording.verbalise import Verbaliser


def uniform_prior(sensors: GroundSensors) -> list[Floats]:
    """The same weight for every member of a group."""
    return [np.full(len(sensors.groups.row(g)), 1.0) for g in range(len(sensors.groups))]


def placement_questions(sensors: GroundSensors, verbaliser: Verbaliser) -> list[Placement]:
    """One question per group: where may that be which the group is about? Things of one name share a question."""
    return [question for question, _ in _groups(sensors, verbaliser)]


def model_prior(
    sensors: GroundSensors,
    verbaliser: Verbaliser,
    model: LanguageModel,
    matcher: Matcher,
    samples: int,
    note: Callable[[str], None] = lambda text: None,
) -> list[Floats]:
    """Count ``samples`` (the paper's M) answers per group and normalise; FLOOR for what was never sampled.

    All questions go out together. An answer that names several places is shared among them, and so is a place of which
    there are several ("kitchen cabinet"); what fits no place is dropped. ``note`` is told of a thing for which nothing
    is left.
    """
    wanted = _groups(sensors, verbaliser)
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


def _groups(sensors: GroundSensors, verbaliser: Verbaliser) -> list[tuple[Placement, list[str]]]:
    """Per group its question, and what each of its members says of the thing, in words."""
    groups = []
    for g in range(len(sensors.groups)):
        members = sensors.groups.row(g)
        subject = verbaliser.subject(members)
        phrases = [verbaliser.place(int(fact), subject) for fact in members]
        thing = " ".join(verbaliser.name(o) for o in subject) or "it"
        groups.append((Placement(thing, tuple(dict.fromkeys(phrases))), phrases))
    return groups


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
