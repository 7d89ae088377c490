"""The question which action comes next. It gives everything relevant to the goal: facts, the things not found yet and
the places not looked at, the things found in the other places, and the parts of the goal that are done. The options are
the relevant actions, or all, without those that only undo a part of the goal. A thing has the same name everywhere and
in later questions; of actions on equal things, one is listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Actions
from commonsense_planning.grounding.ground_task import GroundTask, Int32, Lists, Operators, owners_of
from commonsense_planning.grounding.lifted import lift
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.relevance import Relevance, Relevant
from commonsense_planning.wording.action_language import ActionRules
from commonsense_planning.wording.kinds import alike
from commonsense_planning.wording.questions import Missing, NextAction, Places
from commonsense_planning.wording.verbalise import NUMBERED, Verbaliser

Bits = npt.NDArray[np.bool_]
Literals = dict[int, bool]  # fact → value
MOST_FOUND = 3  # names of things listed for a place, besides those that are sought
MOST_WAYS = 200  # alternatives of the goal that are considered for its description
MOST_WAYS_TOLD = 5
_NUMBERED = re.compile(r"(.*?)( \d+)?")
_FIRST_NUMBER = re.compile(r"(.*?)(?:( \d+)\b(.*))?")


@dataclass(frozen=True)
class Situation:
    """An agent's knowledge at a node: ``truth`` and ``known`` bool (facts,), the ``operators`` that it may choose
    among, and those ``done`` since the episode began. ``plans``: if the operators cannot be carried out immediately,
    the plans that end with them, in their order."""

    truth: Bits
    known: Bits
    operators: Int32
    done: tuple[int, ...]
    plans: tuple[tuple[int, ...], ...] = ()


class NextActionChoice(NamedTuple):
    """A ``question``, and the index of each operator among its actions: int32 (operators,), -1 for none."""

    question: NextAction
    action: Int32


class NextQuestions:
    """Makes the question for a task whose ``goal`` is given in English; if that is empty, its parts are put into
    English. It lists these ``actions``; all if the operators are the ends of plans."""

    def __init__(
        self, task: GroundTask, compiled: Compiled, say: Verbaliser, goal: str, actions: Actions = Actions.RELEVANT
    ) -> None:
        self.say = say
        self._task = task
        self._compiled = compiled
        self._goal = goal
        self._actions = actions
        self._remembered = task.fact_count - len(task.monitors.initial)  # facts from here on are about the past

    def choice(self, situation: Situation, lately: int = 0) -> NextActionChoice:
        """The question, which includes the last ``lately`` actions."""
        truth, known, done = situation.truth, situation.known, situation.done
        relevant = self._relevance.of(truth, known)
        helpful = self._relevance.helpful(truth, known, relevant.groups)
        plans = situation.plans or tuple((o,) for o in situation.operators.tolist())
        every = range(len(plans))
        now = [i for i in every if situation.plans or helpful.operators[plans[i][-1]]] or [*every]
        parts = self._parts(truth, known)
        named = self._harmless(plans, every if self._actions is Actions.ALL else now, parts, situation, relevant)
        told = {i: _ends(self._task.operators, plans[i]) for i in named}
        texts = self._texts(told, self._kinds(relevant.facts | helpful.facts, situation, chain(*told.values())))
        actions = tuple(dict.fromkeys(texts.values()))
        number = {text: i for i, text in enumerate(actions)}
        action = np.array([number[texts[i]] if i in texts else -1 for i in every], np.int32)
        now = [] if situation.plans else [plans[i][-1] for i in now]
        given = dict.fromkeys(np.flatnonzero((helpful.facts & truth & known)[: self._remembered]).tolist(), True)
        given |= self._asked_for(now, truth, known)
        missing, seen, passed = self._missing(relevant, situation)
        question = NextAction(
            goal=self._goal or parts.goal,
            completed=tuple(self.say.action(o) for o in done),
            actions=actions,
            observation=tuple(self.say.statements(truth, known, self._compiled.hidden)),
            steps=tuple(min(len(plans[i]) for i in named if texts[i] == text) for text in actions if situation.plans),
            done=parts.done,
            to_do=parts.to_do,
            facts=self._told({f: value for f, value in sorted(given.items()) if f not in parts.held}),
            missing=missing,
            seen=seen,
            passed=passed,
            rules=() if situation.plans else self._rules(helpful.operators, now),
            lately=tuple(self.say.action_of(o, self.say.label) for o in done[max(0, len(done) - lately) :]),
        )
        return NextActionChoice(question, action)

    def _harmless(
        self,
        plans: Sequence[tuple[int, ...]],
        chosen: Sequence[int],
        parts: Parts,
        situation: Situation,
        relevant: Relevant,
    ) -> list[int]:
        """The ``chosen`` plans that undo no part of the goal permanently, or only because the other parts require it;
        all if there are none."""
        undoing = {i: undone for i in chosen if (undone := _undoing(self._task.operators, plans[i], parts.held))}
        if not undoing:
            return [*chosen]
        wanted = self._relevance.helpful(situation.truth, situation.known, relevant.groups, parts.way).operators
        return [i for i in chosen if wanted[list(undoing.get(i, ()))].all()] or [*chosen]

    def _texts(self, told: Mapping[int, tuple[int, ...]], kind: Mapping[int, int]) -> dict[int, str]:
        """The plans in English, each by its ``told`` operators; plans that differ only in things of one kind have the
        text of the first of them."""
        first: dict[object, str] = {}
        texts = {}
        for i, operators in told.items():
            actions = [self.say.action_of(o, self.say.placed) for o in operators]
            way = f" (on the way: {' and '.join(actions[:-1])})" if len(actions) > 1 else ""
            key = tuple((self.say.schema(o), *(kind[a] for a in self.say.arguments(o))) for o in operators)
            texts[i] = first.setdefault(key, f"{actions[-1]}{way}")
        return texts

    def _kinds(self, relevant: Bits, situation: Situation, named: Iterable[int]) -> Mapping[int, int]:
        """The kinds of the things in the question, by their known and ``relevant`` facts, bool (facts,)."""
        task, known, truth = self._task, situation.known, situation.truth
        about = [(f, task.facts[f]) for f in np.flatnonzero(relevant).tolist()]
        spoken = {a for _, (_, args) in about for a in args}
        spoken |= {a for o in named for a in self.say.arguments(o)}
        spoken |= {self.say.belongs_to[o] for o in spoken if o in self.say.belongs_to}
        facts = [(f"{'' if truth[f] else 'not '}{what}", args) for f, (what, args) in about if known[f]]
        facts += [("of", (o, self.say.belongs_to[o])) for o in spoken if o in self.say.belongs_to]
        return alike({o: self.say.called(o) for o in spoken}, facts)

    def _parts(self, truth: Bits, known: Bits) -> Parts:
        """The parts of the alternative of the goal that is known to be done furthest. The parts to do name the things
        of the done parts."""
        pos, neg = self._task.goal.pos, self._task.goal.neg
        if not len(pos):
            return Parts("", (), (), {}, 0)
        way = int(np.argmax(_counts(pos, known & truth) + _counts(neg, known & ~truth)))
        wanted = self._way(way)
        held = {f: value for f, value in wanted.items() if known[f] and truth[f] == value}
        settled = self._in_all_ways | {a for f in held for a in self._task.facts[f][1]}
        to_do = self._wish({f: value for f, value in wanted.items() if f not in held}, settled)
        done = _counted(self._sentence(f, self.say.placed, value) for f, value in held.items())
        return Parts(self._whole_goal, done, to_do, held, way)

    def _way(self, way: int) -> Literals:
        """The facts of one alternative of the goal."""
        pos, neg = (rows.row(way).tolist() for rows in self._task.goal)
        return {**dict.fromkeys(pos, True), **dict.fromkeys(neg, False)}

    @cached_property
    def _whole_goal(self) -> str:
        """The goal: the facts shared by all alternatives, and the alternatives, each wording once."""
        count = len(self._task.goal.pos)
        said = (self._wish(self._way(w), self._in_all_ways) for w in range(min(count, MOST_WAYS)))
        ways = [*dict.fromkeys(said)]
        shared = [part for part in ways[0] if all(part in way for way in ways)]
        apart = [" and ".join(part for part in way if part not in shared) for way in ways]
        if len(apart) == 1 or "" in apart:
            return " and ".join(shared)
        more = ["something else that reaches it as well"] * (len(ways) > MOST_WAYS_TOLD or count > MOST_WAYS)
        either = f"either {', or else '.join(apart[:MOST_WAYS_TOLD] + more)}"
        return f"{' and '.join(shared)}, and {either}" if shared else either

    def _wish(self, wanted: Literals, settled: Collection[int]) -> tuple[str, ...]:
        """The wanted facts in English, in which ``settled`` things have their names; any other thing is "a" thing, and
        "that" thing once it was mentioned."""
        any_of_several = (a for f in wanted for a in self._task.facts[f][1] if self.say.label(a) != self.say.called(a))
        times = Counter(a for a in any_of_several if a not in settled)
        told: set[int] = set()

        def call(obj: int) -> str:
            return self.say.placed(obj) if obj in settled else self.say.called(obj)

        def phrase(obj: int) -> str:
            name = call(obj)
            if obj in settled or obj in told:
                return name if NUMBERED.search(name) else f"{'the' if obj in settled else 'that'} {name}"
            told.add(obj)
            return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"

        def sentence(fact: int, value: bool) -> str:
            predicate, arguments = self._task.facts[fact]
            if fact >= self._remembered or all(times[a] < 2 for a in arguments):
                return self._sentence(fact, call, value)
            return self.say.said_of(self._task.problem.spell(predicate), [*map(phrase, arguments)], value)

        return _counted(sentence(f, value) for f, value in wanted.items())

    def _told(self, literals: Literals) -> tuple[str, ...]:
        """The true facts in English; the place of each thing is given at its first mention."""
        met: set[int] = set()

        def call(obj: int) -> str:
            if obj in met:
                return self.say.label(obj)
            met.add(obj)
            return self.say.placed(obj)

        return tuple(self._sentence(f, call, value) for f, value in literals.items())

    def _asked_for(self, operators: Sequence[int], truth: Bits, known: Bits) -> Literals:
        """The operators' preconditions that are true and may change, such as that a container is open; without the ones
        that the operator itself makes false."""
        found: Literals = {}
        for o in operators:
            pre, npre = (rows.row(o).tolist() for rows in (self._task.operators.pre, self._task.operators.npre))
            wants = {**dict.fromkeys(pre, True), **{f: False for f in npre if self.say.deniable(f)}}
            made = _made(self._task.operators, o)
            found |= {f: v for f, v in wants.items() if known[f] and truth[f] == v and made.get(f, v) == v}
        return found

    def _sentence(self, fact: int, call: Callable[[int], str], value: bool = True) -> str:
        predicate, arguments = self._task.facts[fact]
        if fact >= self._remembered:
            return self._told_rules.wanted(int(predicate.split(":")[1]), [call(a) for a in arguments])
        return self.say.sentence(self._task.problem.spell(predicate), [call(a) for a in arguments], value)

    def _missing(self, relevant: Relevant, situation: Situation) -> tuple[tuple[Missing, ...], Places, Places]:
        """The things not found yet, with the places where they may be; and the places without any of them: first the
        places that an action was about, with the things found there, then the places seen in passing."""
        things: dict[Places, list[str]] = {}
        left: dict[tuple[int, ...], str] = {}
        ruled_out: dict[tuple[int, ...], str] = {}
        known, wanted = situation.known, np.flatnonzero(relevant.groups).tolist()
        sought = {" ".join(map(self.say.called, self._subjects[g])) for g in wanted}
        found = self._found(situation.truth, known, sought)
        for group in wanted:
            members, subject = self._compiled.sensors.groups.row(group), self._subjects[group]
            looked = known[members]
            if np.sum(~looked) > 1:
                places = dict.fromkeys((self._others(f, subject) for f in members[~looked].tolist()), "")
                things.setdefault(self._places(places), []).append(self._name(subject))
                left |= places
                ruled_out |= dict.fromkeys((self._others(f, subject) for f in members[looked].tolist()), "")
        been = {a for o in situation.done for a in self.say.arguments(o)}
        in_vain = [place for place in ruled_out if place not in left]
        seen = {p: f" ({', '.join(found[p])})" if p in found else "" for p in in_vain if been.issuperset(p)}
        passed = {p: "" for p in in_vain if p not in seen}
        missing = (Missing(_listed(dict.fromkeys(names, "")), places) for places, names in things.items())
        return tuple(missing), self._places(seen), self._places(passed)

    def _found(self, truth: Bits, known: Bits, sought: set[str]) -> dict[tuple[int, ...], list[str]]:
        """The known places of things, with the names of some of the things there, each once, and of all ``sought``
        ones."""
        group, fact = owners_of(self._compiled.sensors.groups)
        there = known[fact] & truth[fact]
        found: dict[tuple[int, ...], dict[str, None]] = {}
        for g, f in zip(group[there].tolist(), fact[there].tolist(), strict=True):
            names = " ".join(map(self.say.called, self._subjects[g]))
            found.setdefault(self._others(f, self._subjects[g]), {})[names] = None
        first = {place: sorted(names, key=lambda name: name not in sought) for place, names in found.items()}
        kept = {place: max(MOST_FOUND, len(sought.intersection(names))) for place, names in first.items()}
        return {place: names[: kept[place]] + ["…"] * (len(names) > kept[place]) for place, names in first.items()}

    def _places(self, places: Mapping[tuple[int, ...], str]) -> Places:
        """The owners of the places, each with the names of its places and their descriptions."""
        owned: dict[str, dict[str, str]] = {}
        for objects, said in places.items():
            owner = next((self.say.label(self.say.belongs_to[o]) for o in objects if o in self.say.belongs_to), "")
            owned.setdefault(owner, {})[self._name(objects)] = said
        return tuple((owner, _listed(names)) for owner, names in owned.items())

    def _others(self, fact: int, subject: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a for a in self._task.facts[fact][1] if a not in subject)

    def _name(self, objects: Iterable[int]) -> str:
        return " ".join(map(self.say.label, objects)) or "it"

    def _rules(self, helpful: Bits, operators: Sequence[int]) -> tuple[str, ...]:
        """The preconditions of the actions that are useful later but not now."""
        of_use = set(np.unique(self._task.schema[helpful]).tolist())
        now = {int(self._task.schema[o]) for o in operators}
        return self._told_rules.needs([self._task.schemas[s] for s in sorted(of_use - now)])

    @cached_property
    def _subjects(self) -> list[tuple[int, ...]]:
        """The subject of each exactly-one group."""
        groups = self._compiled.sensors.groups
        return [self.say.subject(groups.row(g)) for g in range(len(groups))]

    @cached_property
    def _in_all_ways(self) -> set[int]:
        """The objects of each alternative of the goal."""
        goal, facts = self._task.goal, self._task.facts
        ways = (chain(goal.pos.row(d).tolist(), goal.neg.row(d).tolist()) for d in range(len(goal.pos)))
        return set.intersection(*({a for f in way for a in facts[f][1]} for way in ways))

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(self._task, self._compiled)

    @cached_property
    def _told_rules(self) -> ActionRules:
        return ActionRules(lift(self._task.problem), self.say, self.say.imperative)


class Parts(NamedTuple):
    """The parts of the goal: all in English, those ``done``, and those ``to_do``; the ``held`` facts of those done; and
    the alternative of the goal with these parts."""

    goal: str
    done: tuple[str, ...]
    to_do: tuple[str, ...]
    held: Literals
    way: int


def _ends(operators: Operators, plan: Sequence[int]) -> tuple[int, ...]:
    """The operators of a plan whose effects no later one needs, among them the last: the purpose of the plan."""
    wanted: set[tuple[int, bool]] = set()
    ends: list[int] = []
    for o in reversed(plan):
        made = _made(operators, o).items()
        if wanted.isdisjoint(made):
            ends.insert(0, o)
        wanted.difference_update(made)
        wanted.update((f, True) for f in operators.pre.row(o).tolist())
        wanted.update((f, False) for f in operators.npre.row(o).tolist())
    return tuple(ends)


def _undoing(operators: Operators, plan: Sequence[int], held: Literals) -> set[int]:
    """The operators of a plan after which a ``held`` fact is changed, to the end."""
    last = {f: o for o in plan for f in _made(operators, o).keys() & held.keys()}
    return {o for f, o in last.items() if _made(operators, o)[f] != held[f]}


def _made(operators: Operators, operator: int) -> Literals:
    """The facts that an operator makes true or false."""
    made = dict.fromkeys(operators.delete.row(operator).tolist(), False)
    return made | dict.fromkeys(operators.add.row(operator).tolist(), True)


def _counts(rows: Lists, holds: Bits) -> npt.NDArray[np.int64]:
    """How many items of each row hold, int64 (rows,)."""
    row, item = owners_of(rows)
    return np.bincount(row[holds[item]], minlength=len(rows))


def _counted(sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences, each once, with its count; those that differ only in their first number are merged."""
    numbers: dict[tuple[str, str], list[str]] = {}
    for text, n in Counter(sentences).items():
        before, number, after = _FIRST_NUMBER.fullmatch(text).groups("")  # type: ignore[union-attr]
        times = "" if n == 1 else f" ({n} times)"
        numbers.setdefault((before, f"{after}{times}"), []).append(number)
    return tuple(
        f"{before}{','.join(first)}{' and' * bool(first)}{last}{after}"
        for (before, after), several in numbers.items()
        for *first, last in [_in_order(several)]
    )


def _listed(names: Mapping[str, str]) -> tuple[str, ...]:
    """The names with their descriptions; those that differ only in their numbers and have the same description are
    merged."""
    numbers: dict[tuple[str, str], list[str]] = {}
    for name, said in names.items():
        stem, number = _NUMBERED.fullmatch(name).groups("")  # type: ignore[union-attr]
        numbers.setdefault((stem, said), []).append(number)
    return tuple(f"{stem}{','.join(_in_order(several))}{said}" for (stem, said), several in numbers.items())


def _in_order(numbers: Iterable[str]) -> list[str]:
    return sorted(numbers, key=lambda number: int(number or 0))
