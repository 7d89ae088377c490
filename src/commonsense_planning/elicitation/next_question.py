"""The question what to do next, of what is relevant for the goal: facts that relevance keeps, what was not found yet
and where nobody has looked, which parts of the goal are done. To choose from are the actions that
relevance keeps, or all. Things of one name are told apart where they differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Actions
from commonsense_planning.grounding.ground_task import GroundTask, Int32, Lists, owners_of
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.relevance import Relevance, Relevant
from commonsense_planning.wording.action_language import ActionRules
from commonsense_planning.wording.kinds import Kinds, tell_apart
from commonsense_planning.wording.questions import Missing, NextAction
from commonsense_planning.wording.verbalise import Verbaliser

Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Situation:
    """What an agent knows at a node: ``truth`` and ``known`` bool (facts,), the ``operators`` that it may choose among,
    and those ``done`` since the episode began. ``aims``: whether the operators are not to be carried out at once but
    are what plans end with."""

    truth: Bits
    known: Bits
    operators: Int32
    done: tuple[int, ...]
    aims: bool = False


class Choice(NamedTuple):
    """A ``question``, and which of its actions each operator of the situation is: int32 (operators,), -1 for none."""

    question: NextAction
    action: Int32


class NextQuestions:
    """Puts the question for a task whose ``goal`` is said in words; where it is empty, the parts are. Asked about are
    these ``actions``; where the operators are what plans end with, all."""

    def __init__(
        self, task: GroundTask, compiled: Compiled, say: Verbaliser, goal: str, actions: Actions = Actions.RELEVANT
    ) -> None:
        self.say = say
        self._task = task
        self._compiled = compiled
        self._goal = goal
        self._actions = actions

    def choice(self, situation: Situation, lately: int = 0) -> Choice:
        """What is asked; the last ``lately`` actions are told."""
        truth, known = situation.truth, situation.known
        relevant = self._relevance.of(truth, known)
        helpful = self._relevance.helpful(truth, known, relevant.groups)
        operators = situation.operators.tolist()
        now = [o for o in operators if situation.aims or helpful.operators[o]] or operators
        named = operators if self._actions is Actions.ALL else now
        instances = self._instances(relevant.facts | helpful.facts, situation, named)
        call = instances.labels.__getitem__
        texts = {o: self.say.action_of(o, call) for o in named}
        actions = tuple(dict.fromkeys(texts.values()))
        parts = self._parts(truth, known, call)
        given = np.flatnonzero(helpful.facts & truth & known)
        facts = [f for f in given.tolist() if f not in parts.facts]
        question = NextAction(
            goal=self._goal or " and ".join((*parts.to_do, *parts.done)),
            completed=tuple(self.say.action(o) for o in situation.done),
            actions=actions,
            observation=tuple(self.say.statements(truth, known, self._compiled.hidden)),
            aims=situation.aims,
            done=parts.done,
            to_do=parts.to_do,
            facts=_counted([self._sentence(f, call) for f in facts]),
            missing=self._missing(relevant, known, instances),
            rules=() if situation.aims else self._rules(helpful.operators, now),
            lately=tuple(self.say.action(o) for o in situation.done[len(situation.done) - lately :]),
        )
        number = {text: i for i, text in enumerate(actions)}
        return Choice(question, np.array([number[texts[o]] if o in texts else -1 for o in operators], np.int32))

    def _instances(self, relevant: Bits, situation: Situation, named: Iterable[int]) -> Kinds:
        """All that is spoken of, told apart by what is known of it and what is ``relevant``, bool (facts,)."""
        task, known, truth = self._task, situation.known, situation.truth
        about = [(f, task.facts[f]) for f in np.flatnonzero(relevant).tolist()]
        spoken = {a for _, (_, args) in about for a in args}
        spoken |= {a for o in named for a in self.say.arguments(o)}
        spoken |= {self.say.belongs_to[o] for o in spoken if o in self.say.belongs_to}
        facts = [(f"{'' if truth[f] else 'not '}{what}", args) for f, (what, args) in about if known[f]]
        facts += [("of", (o, self.say.belongs_to[o])) for o in spoken if o in self.say.belongs_to]
        return tell_apart({o: self.say.called(o) for o in spoken}, facts)

    def _parts(self, truth: Bits, known: Bits, call: Callable[[int], str]) -> Parts:
        """The parts of the goal: of the ways to reach it, the one of which most is known to be done."""
        pos, neg = self._task.goal.pos, self._task.goal.neg
        if not len(pos):
            return Parts((), (), frozenset())
        way = int(np.argmax(_counts(pos, known & truth) + _counts(neg, known & ~truth)))
        several = len(pos) > 1  # any things of a name will do
        done: list[str] = []
        to_do: list[str] = []
        facts = set()
        for f, value in [*((f, True) for f in pos.row(way).tolist()), *((f, False) for f in neg.row(way).tolist())]:
            text = self._sentence(f, self.say.called if several else call, value)
            holds = known[f] and truth[f] == value
            (done if holds else to_do).append(text)
            if holds:
                facts.add(f)
        return Parts(_counted(done), _counted(to_do), frozenset(facts))

    def _sentence(self, fact: int, call: Callable[[int], str], value: bool = True) -> str:
        predicate, arguments = self._task.facts[fact]
        return self.say.sentence(self._task.problem.spell(predicate), [call(a) for a in arguments], value)

    def _missing(self, relevant: Relevant, known: Bits, instances: Kinds) -> tuple[Missing, ...]:
        things: dict[tuple[tuple[str, tuple[str, ...]], ...], list[str]] = {}
        for group in np.flatnonzero(relevant.groups).tolist():
            members = self._compiled.sensors.groups.row(group)
            left = members[~known[members]]
            if len(left) > 1:
                subject = self.say.subject(members)
                name = " ".join(instances.labels[o] for o in subject) or "it"
                things.setdefault(self._places(left.tolist(), subject, instances), []).append(name)
        return tuple(Missing(_listed(names), places) for places, names in things.items())

    def _places(
        self, members: Sequence[int], subject: tuple[int, ...], instances: Kinds
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What the places belong to, and the names of the places, those that are alike once."""
        found: dict[str, list[str]] = {}
        for f in members:
            others = [a for a in self._task.facts[f][1] if a not in subject]
            owner = next((self.say.belongs_to[o] for o in others if o in self.say.belongs_to), None)
            name = " ".join(instances.labels[o] for o in others) or self.say.fact(f)
            found.setdefault("" if owner is None else instances.labels[owner], []).append(name)
        return tuple((owner, _listed(names)) for owner, names in found.items())

    def _rules(self, helpful: Bits, operators: Sequence[int]) -> tuple[str, ...]:
        """What the schemas need that are of use later and not now."""
        of_use = set(np.unique(self._task.schema[helpful]).tolist())
        now = {int(self._task.schema[o]) for o in operators}
        return tuple(dict.fromkeys(self._told_rules.needs(self._task.schemas[s]) for s in sorted(of_use - now)))

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(self._task, self._compiled)

    @cached_property
    def _told_rules(self) -> ActionRules:
        return ActionRules(lift(self._task.problem), self.say, self.say.imperative)


class Parts(NamedTuple):
    """The parts of the goal that are ``done``, those ``to_do``, and the ``facts`` of those that are done."""

    done: tuple[str, ...]
    to_do: tuple[str, ...]
    facts: frozenset[int]


def _counts(rows: Lists, holds: Bits) -> npt.NDArray[np.int64]:
    """How many items of each row hold, int64 (rows,)."""
    row, item = owners_of(rows)
    return np.bincount(row[holds[item]], minlength=len(rows))


def _counted(sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences, each once, with how often it came where that is more than once."""
    return tuple(text if n == 1 else f"{text} ({n} times)" for text, n in Counter(sentences).items())


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, with how many there are where that is more than one."""
    return tuple(name if n == 1 else f"{name} ({n})" for name, n in Counter(names).items())
