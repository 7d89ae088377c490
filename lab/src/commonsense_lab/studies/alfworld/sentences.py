"""ALFWorld's tasks as PDDL goals: the engine's own sentences by their six templates, without a model; what people say
in their own words by a model."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from commonsense_planning.instructions.translate import goal_reader, translate
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.task import read_task
from commonsense_planning.wording.questions import Scene

PUT = re.compile(
    r"(?:put|find) (?P<count>an?|some|two) (?:(?P<state>clean|hot|cool) )?(?P<thing>[a-z]+)"
    r"(?: and put (?:it|them))? (?:in|on) (?P<place>[a-z]+)"
)
TREAT = re.compile(r"(?P<state>clean|heat|cool) some (?P<thing>[a-z]+) and put it (?:in|on) (?P<place>[a-z]+)")
LIGHT = re.compile(r"(?:look at|examine) (?:the )?(?P<thing>[a-z]+) (?:under|with) the (?P<lamp>[a-z]+)")
SIMPLE = re.compile(r"\(exists \(\?t - (?P<thing>\w+) \?p - (?P<place>\w+)\) \(and \(in \?t \?p\)\)\)")
STATES = {"clean": "washed", "hot": "hot", "heat": "hot", "cool": "cold"}


def goal_of(sentence: str) -> str | None:
    """The goal in PDDL that a sentence of the engine's asks for; None if it is of no template."""
    sentence = " ".join(sentence.lower().rstrip(". ").split())
    if found := LIGHT.fullmatch(sentence):
        return f"(exists (?t - {found['thing']} ?l - {found['lamp']}) (and (holding ?t) (lit-by ?t ?l)))"
    found = PUT.fullmatch(sentence) or TREAT.fullmatch(sentence)
    if found is None:
        return None
    thing, place = found["thing"], found["place"]
    state = f"({STATES[found['state']]} ?t) " if found["state"] else ""
    if "two" in sentence.split():
        return f"(exists (?t ?u - {thing} ?p - {place}) (and (not (= ?t ?u)) (in ?t ?p) (in ?u ?p)))"
    return f"(exists (?t - {thing} ?p - {place}) (and {state}(in ?t ?p)))"


def translated(sentence: str, domain: Path, room: Path, models: ModelSession) -> str:
    """The goal in PDDL that a model takes a sentence for, in the problem ``room``, which has things of all kinds.
    Raises InputError where it cannot be translated, and what the model raises."""
    task, matcher = read_task(domain, room), matcher_named(models.config.matcher)
    model = models.open(Scene(), task.prompts, matcher, np.random.default_rng(0))
    reader = goal_reader(task.problem, task.lexicon, task.sensors)
    return translate(sentence, reader, model, matcher).pddl
