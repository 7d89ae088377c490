"""Plays ALFWorld from its text alone: each text of the engine becomes an observation of an ``Agent``, each action of
the agent a command. The engine's own task sentences are read by their six templates, others by a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from commonsense_lab.studies.alfworld.engine_text import EngineText, kind_of, read_text
from commonsense_planning.agent.agent import Action, Agent
from commonsense_planning.agent.observation_report import ObservationReport
from commonsense_planning.config import Source
from commonsense_planning.errors import InputError
from commonsense_planning.instructions.translate import goal_reader, translate
from commonsense_planning.llm.models import ModelSession
from commonsense_planning.matching.registry import matcher_named
from commonsense_planning.methods.method import Event
from commonsense_planning.methods.observer import Observer
from commonsense_planning.methods.registry import method_named
from commonsense_planning.pddl.check import check_domain
from commonsense_planning.pddl.syntax import read_source
from commonsense_planning.pddl.vocabulary import Vocabulary
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
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
    """Returns the goal in PDDL of a sentence of the engine's; None if it matches no template."""
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


def translated(sentence: str, domain: Path, room: Text, models: ModelSession) -> str:
    """Has a model translate a sentence to a goal in PDDL in the problem ``room``, which has things of all kinds. Raises
    InputError if it cannot, and what the model raises."""
    task, matcher = read_task(domain, room), matcher_named(models.config.matcher)
    model = models.open(Scene(), task.prompts, matcher, np.random.default_rng(0))
    reader = goal_reader(task.problem, task.lexicon, task.sensors)
    return translate(sentence, reader, model, matcher).pddl


COMMANDS = {
    "go": "go to {0}",
    "open": "open {0}",
    "close": "close {0}",
    "take": "take {0} from {1}",
    "move": "move {0} to {1}",
    "heat": "heat {0} with {1}",
    "cool": "cool {0} with {1}",
    "clean": "clean {0} with {1}",
    "slice": "slice {0} with {2}",
    "use": "use {0}",
}
"""Action of the domain → the engine's command."""
WITH_DOORS = ("cabinet", "drawer", "fridge", "microwave", "safe")
"""Kinds of places that are taken to be closed until they are seen; some are open, or have no door."""
OPTIONS = {"max_steps": 1000, "ask_again": False}
"""Of the methods that have them: the judge limits the steps, and where a thing is, is asked once a game."""
GROUPS = ("thing", "portable", "coolable", "heatable", "lamp", "blade")
"""Types that are not kinds of things."""
_QUANTIFIED = re.compile(r"\(\s*(?:exists|forall)\s*\(([^()]*)\)")
_TYPED = re.compile(r"((?:\?\S+\s+)+)-\s+(\S+)")
_NAMED = re.compile(r"\b([a-z]+)_0(\d)\b")


@dataclass(frozen=True)
class Room:
    """What a player begins with: the ``places`` by name, and the ``goal`` in PDDL."""

    places: tuple[str, ...]
    goal: str

    def problem(self, words: Vocabulary, kinds: Mapping[str, int]) -> str:
        """Returns the text of a problem with the numbers of things in ``kinds``, which must be somewhere. They are
        numbered from 01 on, unlike anything in the engine."""
        objects = {place: kind if (kind := kind_of(place)) in words.parents else "place" for place in self.places}
        for kind, count in kinds.items():
            objects |= {f"{kind}_{number:02}": kind for number in range(1, count + 1)}
        declared = " ".join(f"{name} - {kind}" for name, kind in objects.items())
        closed = " ".join(f"(closed {place})" for place in self.places if kind_of(place) in WITH_DOORS)
        return (
            f"(define (problem room) (:domain alfworld) (:objects {declared})\n"
            f"(:init (hand-empty) {closed})\n(:goal {self.goal}))"
        )


def wanted_kinds(goal: str, words: Vocabulary) -> Mapping[str, int]:
    """Counts the different things of each kind in a goal. Raises InputError for an unknown kind."""
    kinds: Counter[str] = Counter()
    for quantified in _QUANTIFIED.findall(goal):
        for variables, kind in _TYPED.findall(quantified):
            if kind not in words.parents:
                raise InputError(f"the goal speaks of a {kind}, and of such a kind nothing is known")
            if "thing" in words.ancestors(kind):
                kinds[kind] += len(variables.split())
    for kind, number in _NAMED.findall(goal):
        kinds[kind] = max(kinds[kind], int(number))
    return kinds


class Player:
    """Answers each text of the engine with a command.

    ``domain``: of the pack. ``method``, ``models``, ``options``, ``seed``, ``emit``: as of an ``Agent``. ``models``, if
    they are open, translate a sentence that matches no template. ``observing`` makes the observer once the task is
    known. ``notes``: what was not understood so far."""

    def __init__(
        self,
        domain: Path,
        method: str = "llm-mcts",
        models: ModelSession | str = "embedded",
        *,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        emit: Callable[[Event], None] = lambda event: None,
        observing: Callable[[Task], Observer] = lambda task: Observer(),
    ) -> None:
        self._domain, self._method, self._models, self._observing = domain, method, models, observing
        chosen = method_named(method).Options
        settings = chosen.among(OPTIONS) | dict(options or {})
        if method == "llm-mcts" and isinstance(models, ModelSession) and models.adapter.reads_prompts:
            settings.setdefault("policy", Source.UNIFORM)  # the search decides without a model what comes next
        self._settings: dict[str, Any] = {"options": settings, "seed": seed, "emit": emit}
        self._words = check_domain(read_source(domain)).vocabulary
        self._kinds: Mapping[str, int] = {}
        self.agent: Agent | None = None
        self.goal = ""
        self.notes: list[str] = []
        self._action: Action | None = None
        self._at = ""  # the place that it went to
        self._shut: set[str] = set()  # places that are taken to be closed
        self._failed = False  # whether it looks why the last action failed
        self._open = ExitStack()

    @property
    def reason(self) -> str:
        """Why the agent has nothing more to do; empty while it has."""
        if self.agent is None or self.agent.status is None:
            return ""
        return self.agent.reason or "all that was wanted is done, as far as it knows"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._open.close()

    def reply(self, text: str) -> str | None:
        """Returns the command after a text; None if the agent has nothing more to do. Raises InputError for a first
        text that is not a game's, or whose task has no goal here."""
        said = read_text(text)
        self.notes += [f"not understood: {sentence}" for sentence in said.unread]
        seen = self._seen(said)
        if seen is None:
            return f"examine {_spoken(self._at)}"
        if self.agent is None:
            self.agent = self._begun(said)
            seen = ObservationReport(false=self._not_yet(said.around), complete=False)
        self._action = self.agent.act(seen)
        self._failed = False
        if self._action is None:
            return None
        if self._action.name == "go":
            self._at = self._action.arguments[0]
        return COMMANDS[self._action.name].format(*map(_spoken, self._action.arguments))

    def end(self, text: str) -> None:
        """Takes in the last text of a game that is won."""
        seen = self._seen(read_text(text))
        if self.agent is not None and seen is not None:
            self.agent.act(replace(seen, goal_reached=True))

    def _seen(self, said: EngineText) -> ObservationReport | None:
        """Returns what a text shows an agent; of the things, those of the kinds in the goal. None if nothing happened
        and the agent must look why. One who cannot go to a place is there already: some places share a spot."""
        opened = {*said.opened, *(place for place, _ in said.found)}
        self._shut = self._shut - opened | set(said.closed)
        going = self._action is not None and self._action.name == "go"
        if said.nothing and not self._failed and not (going and self._at in self._shut):
            self._failed = True
            return None
        there = [(thing, place) for place, things in said.found for thing in things if self._matters(thing)]
        true = [f"(in {thing} {place})" for thing, place in there] + [f"(closed {place})" for place in said.closed]
        return ObservationReport(
            true=[*true, f"(at {self._at})"] if going else true,
            false=[f"(closed {place})" for place in opened],
            complete=bool(said.found),
            applied=going and not (said.nothing and self._failed) if said.nothing or self._failed else None,
            objects={thing: kind_of(thing) for thing, _ in there},
        )

    def _not_yet(self, places: Sequence[str]) -> list[str]:
        """Denies what would end the game at once, if only a thing at a place of a kind is wanted."""
        found = SIMPLE.fullmatch(self.goal)
        there = [place for place in places if kind_of(place) == found["place"]] if found else ()
        return [f"(in {found['thing']}_01 {place})" for place in there] if found else []

    def _matters(self, thing: str) -> bool:
        kind = kind_of(thing)
        return kind in self._words.parents and not self._kinds.keys().isdisjoint(self._words.ancestors(kind))

    def _begun(self, said: EngineText) -> Agent:
        if not said.around or not said.wanted:
            raise InputError("the first text does not say what is in the room and what is wanted")
        goal = goal_of(said.wanted) or self._translated(said)
        self._shut = {place for place in said.around if kind_of(place) in WITH_DOORS}
        self.goal, self._kinds = goal, wanted_kinds(goal, self._words)
        problem = Room(said.around, goal).problem(self._words, self._kinds)
        task = read_task(self._domain, Text(problem, "room.pddl"))
        looks_on = self._observing(task)
        agent = Agent(task, method=self._method, model=self._models, tries=1, observer=looks_on, **self._settings)
        return self._open.enter_context(agent)

    def _translated(self, said: EngineText) -> str:
        if not isinstance(self._models, ModelSession):
            raise InputError(f"the task's sentence is of none of the six templates: {said.wanted}")
        kinds = [kind for kind in self._words.types if "thing" in self._words.ancestors(kind) and kind not in GROUPS]
        room = Room(said.around, "(and)").problem(self._words, dict.fromkeys(kinds, 2))
        return translated(said.wanted, self._domain, Text(room, "room.pddl"), self._models)


def _spoken(name: str) -> str:
    return name.replace("_", " ")
