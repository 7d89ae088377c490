"""The prior of the belief: uniform, or sampled from a language model (section 2.2 and appendix C.2)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from commonsense_planning.language.matching import Matcher
from commonsense_planning.language.model import LanguageModel
from commonsense_planning.language.questions import Placement
from commonsense_planning.language.verbalise import Verbaliser
from commonsense_planning.task.observing import Observing
from commonsense_planning.world.belief import FLOOR, Weights


def uniform_prior(observing: Observing) -> list[Weights]:
    """The same weight for every member of a group."""
    return [np.full(len(observing.groups.row(g)), 1.0) for g in range(len(observing.groups))]


def model_prior(
    observing: Observing, verbaliser: Verbaliser, model: LanguageModel, matcher: Matcher, samples: int
) -> list[Weights]:
    """Count ``samples`` (the paper's M) answers per group and normalise; FLOOR for what was never sampled.

    Things of one name are asked about once. An answer that fits several places of one name ("kitchen
    cabinet") is shared among them evenly; one that fits no place is dropped.
    """
    answers: dict[Placement, Counter[str]] = {}
    priors = []
    for g in range(len(observing.groups)):
        members = observing.groups.row(g)
        subject = verbaliser.subject(members)
        phrases = [verbaliser.place(int(fact), subject) for fact in members]
        thing = " ".join(verbaliser.name(o) for o in subject) or "it"
        question = Placement(thing, tuple(dict.fromkeys(phrases)))
        if question not in answers:
            answers[question] = Counter()
            for answer in model.ask(question, samples):
                best = matcher.best(answer, question.places)
                if best is not None:
                    answers[question][question.places[best]] += 1
        counted = answers[question]
        total = sum(counted.values())
        instances = Counter(phrases)
        weights = np.full(len(members), FLOOR)
        for i, phrase in enumerate(phrases):
            if counted[phrase]:
                weights[i] = max(FLOOR, counted[phrase] / total / instances[phrase])
        priors.append(weights / weights.sum())
    return priors
