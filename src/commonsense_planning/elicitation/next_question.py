"""The question which action comes next. It gives everything relevant to the goal: the parts of it that are done and to
do; the facts that never change and that useful actions need; the facts now; the things not found yet, the places where
they may be, and those where they are not; what actions need and bring about. The options are the relevant actions, or
all, without those that only undo a part of the goal. A thing has the same name everywhere and in later questions; of
actions on equal things, one is listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.config import Actions
from commonsense_planning.elicitation.goal_words import GoalWords, Literals, Parts
from commonsense_planning.grounding.ground_task import GroundTask, Int32, Operators, owners_of
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.relevance import Relevance, Relevant
from commonsense_planning.wording.action_language import MOST_FIXED
from commonsense_planning.wording.kinds import alike
from commonsense_planning.wording.questions import Missing, NextAction, Places
from commonsense_planning.wording.verbalise import Verbaliser, listed

Bits = npt.NDArray[np.bool_]
MOST_FOUND = 3  # names of things listed for a place, besides those that are sought
MOST_WORLDS = 5  # combinations of correlated facts that are told


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
        self._words = GoalWords(task, say)
        self._remembered = self._words.remembered

    def choice(self, situation: Situation, lately: int = 0) -> NextActionChoice:
        """The question, which includes the last ``lately`` actions."""
        truth, known, done = situation.truth, situation.known, situation.done
        relevant = self._relevance.of(truth, known)
        helpful = self._relevance.helpful(truth, known, relevant.groups)
        plans = situation.plans or tuple((o,) for o in situation.operators.tolist())
        every = range(len(plans))
        now = [i for i in every if situation.plans or helpful.operators[plans[i][-1]]] or [*every]
        parts = self._words.parts(truth, known)
        named = self._harmless(plans, every if self._actions is Actions.ALL else now, parts, situation, relevant)
        told = {i: _ends(self._task.operators, plans[i]) for i in named}
        texts = self._texts(told, self._kinds(relevant.facts | helpful.facts, situation, chain(*told.values())))
        actions = tuple(dict.fromkeys(texts.values()))
        number = {text: i for i, text in enumerate(actions)}
        action = np.array([number[texts[i]] if i in texts else -1 for i in every], np.int32)
        now = [] if situation.plans else [plans[i][-1] for i in now]
        given = dict.fromkeys(np.flatnonzero((helpful.facts & truth & known)[: self._remembered]).tolist(), True)
        given |= self._asked_for(now, truth, known) | self._conditions(helpful.operators, truth, known)
        missing, seen, passed, places = self._missing(relevant, situation, parts)
        unsure = relevant.facts & self._compiled.sensors.hidden
        later = helpful.operators | self._looking(unsure if not known[unsure].all() else ~known)
        useful = [*dict.fromkeys((*(o for i in named for o in told[i]), *np.flatnonzero(later).tolist()))]
        facts = self._told({f: value for f, value in sorted(given.items()) if f not in parts.told})
        goal = self._goal or self._words.papers
        question = NextAction(
            goal=goal,
            wanted="" if self._goal or parts.goal == goal else parts.goal,
            completed=tuple(self.say.action(o) for o in done),
            actions=actions,
            observation=tuple(self.say.statements(truth, known, self._compiled.hidden)),
            steps=tuple(min(len(plans[i]) for i in named if texts[i] == text) for text in actions if situation.plans),
            done=parts.done,
            to_do=parts.to_do,
            fixed=self._fixed(useful, (parts.goal, *parts.done, *parts.to_do, *facts, *actions), places),
            facts=facts,
            missing=missing,
            seen=seen,
            passed=passed,
            unknown=self._unknown(relevant, situation),
            rules=() if situation.plans else self._rules(later, now),
            effects=self._words.language.schemas.effects([*dict.fromkeys(map(self.say.schema, useful))]),
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

    def _told(self, literals: Literals) -> tuple[str, ...]:
        """The facts in English; the place of each thing is given at its first mention."""
        now = [(*self._task.facts[f], value) for f, value in literals.items() if f < self._remembered]
        past = {f: value for f, value in literals.items() if f >= self._remembered}
        met: set[int] = set()

        def call(obj: int) -> str:
            if obj in met:
                return self.say.label(obj)
            met.add(obj)
            return self.say.placed(obj)

        return (
            *self.say.together(now, call, None, self._words.objects),
            *(self._words.sentence(f, self.say.label, past[f]) for f in past),
        )

    def _fixed(self, operators: Sequence[int], said: Sequence[str], listed_places: Collection[int]) -> tuple[str, ...]:
        """The facts that never change and that these operators need; without the places of things that are ``said``
        with them, or that are among the listed places."""
        owners, label = self.say.belongs_to, self.say.label
        text = "; ".join(said)
        told: list[tuple[str, tuple[int, ...], bool]] = []
        for predicate, args in self._words.language.fixed(operators):
            pair = next(
                (pair for pair in (args, args[::-1]) if len(args) == 2 and owners.get(pair[0]) == pair[1]), None
            )
            if pair is not None:
                name, owner = map(label, pair)
                if pair[0] in listed_places or name.startswith(f"{owner} ") or f"{name} ({owner})" in text:
                    continue
            told.append((predicate, args, True))
        return self.say.together(told, label, MOST_FIXED, self._words.objects)

    def _conditions(self, helpful: Bits, truth: Bits, known: Bits) -> Literals:
        """The known facts of a predicate that a helpful operator wants false of something, such as that a drawer is
        locked; without predicates of which one fact replaces another, such as where the agent is."""
        row, fact = owners_of(self._task.operators.npre)
        about = {self._task.facts[f][0] for f in np.unique(fact[helpful[row]]).tolist() if f < self._remembered}
        told = (
            f for predicate in sorted(about - self._words.language.moving) for f in self._said_of_one.get(predicate, ())
        )
        return {f: bool(truth[f]) for f in told if known[f]}

    @cached_property
    def _said_of_one(self) -> dict[str, list[int]]:
        """Predicate → its facts, if they are about one thing at most and not hidden."""
        found: dict[str, list[int]] = {}
        for f, (predicate, arguments) in enumerate(self._task.facts[: self._remembered]):
            if len(arguments) < 2 and not self._compiled.hidden[f]:
                found.setdefault(predicate, []).append(f)
        return found

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

    def _missing(
        self, relevant: Relevant, situation: Situation, parts: Parts
    ) -> tuple[tuple[Missing, ...], Places, Places, set[int]]:
        """The things not found yet, with the places where they may be; and the places where none of them is: first the
        places that an action was about, with the things there, then the other places. And the objects of all these
        places."""
        things: dict[tuple[Places, bool], list[str]] = {}
        left: dict[tuple[int, ...], str] = {}
        ruled_out: dict[tuple[int, ...], str] = {}
        known, wanted = situation.known, self._sought(relevant, situation, parts)
        sought = {" ".join(map(self.say.called, self._subjects[g])) for g in wanted}
        for group in wanted:
            members, subject = self._compiled.sensors.groups.row(group), self._subjects[group]
            looked = known[members]
            if not looked.all():
                places = dict.fromkeys((self._others(f, subject) for f in members[~looked].tolist()), "")
                things.setdefault((self._places(places), wanted[group]), []).append(self._name(subject))
                left |= places
                ruled_out |= dict.fromkeys((self._others(f, subject) for f in members[looked].tolist()), "")
        been = {a for o in situation.done for a in self.say.arguments(o)}
        in_vain = [place for place in ruled_out if place not in left]
        gone = [place for place in in_vain if been.issuperset(place)]
        there = self._found(situation.truth, known, sought) if gone else {}
        seen = {place: f" ({there.get(place, 'nothing')})" for place in gone}
        passed = {p: "" for p in in_vain if p not in seen}
        missing = (Missing(listed(dict.fromkeys(names, "")), *where) for where, names in things.items())
        objects = {a for place in (*left, *in_vain) for a in place}
        return tuple(missing), self._places(seen), self._places(passed), objects

    def _unknown(self, relevant: Relevant, situation: Situation) -> tuple[tuple[str, ...], ...]:
        """What is not known of the relevant hidden facts and is not where a thing is: alternatives of which one is so,
        or, by itself, what may be so or not."""
        truth, known, sensors = situation.truth, situation.known, self._compiled.sensors
        told, rest = list[tuple[str, ...]](), relevant.facts & sensors.hidden & ~known
        rest[self._remembered :] = False
        for group, placing in enumerate(self._placing):
            members = sensors.groups.row(group)
            left = members[~known[members]]
            if placing or not rest[left].any() or (truth & known)[members].any():
                rest[members] = False
            elif len(left) <= MOST_FIXED:
                told.append(tuple(self._words.sentence(f, self.say.label) for f in left.tolist()))
                rest[members] = False
        for part in (sensors.correlated[i] for i in np.flatnonzero(relevant.correlated).tolist()):
            lasting = ~self._changeable[part.facts]
            so = known[part.facts] & lasting
            possible = part.worlds[(part.worlds[:, so] == truth[part.facts[so]]).all(axis=1)]
            open_now = lasting & ~known[part.facts]
            worlds = np.unique(possible[:, open_now], axis=0)[::-1]
            if open_now.any() and len(worlds) <= MOST_WORLDS:
                facts = part.facts[open_now]
                told += [tuple(" and ".join(self._told(dict.fromkeys(facts[w].tolist(), True))) for w in worlds)]
                rest[facts] = False
        either = self._told(dict.fromkeys(np.flatnonzero(rest).tolist(), True))
        return (*told, *((f"whether {text}",) for text in either))

    @cached_property
    def _changeable(self) -> Bits:
        """Which facts some operator changes, bool (facts,)."""
        ops, found = self._task.operators, np.zeros(self._task.fact_count, np.bool_)
        for rows in (ops.add, ops.delete, ops.cond_add, ops.cond_delete):
            found[rows.items] = True
        return found

    @cached_property
    def _placing(self) -> list[bool]:
        """Whether each exactly-one group is about where a thing is."""
        groups = self._compiled.sensors.groups
        return [self.say.is_place(int(groups.row(g)[0]), subject) for g, subject in enumerate(self._subjects)]

    def _sought(self, relevant: Relevant, situation: Situation, parts: Parts) -> dict[int, bool]:
        """The groups of the relevant things not found yet, and whether they are needed: of the things of the goal,
        those of the alternatives for which the fewest have to be found."""
        groups = self._compiled.sensors.groups
        missing = {
            g: frozenset(self._subjects[g])
            for g in np.flatnonzero(relevant.groups).tolist()
            if self._placing[g] and not (situation.truth & situation.known)[groups.row(g)].any()
        }
        of_goal = {g for g, subject in missing.items() if subject and subject <= self._words.objects}
        ways = {frozenset(g for g in of_goal if missing[g] <= objects) for objects in parts.wanting}
        least = {g for way in ways if not any(other < way for other in ways) for g in way}
        return {g: g in least or g not in of_goal for g in missing}

    def _found(self, truth: Bits, known: Bits, sought: set[str]) -> dict[tuple[int, ...], str]:
        """The things known to be at the places: all ``sought`` ones and some others, each name once, the number of
        those left out, and whether there may be more."""
        group, fact = owners_of(self._compiled.sensors.groups)
        there = known[fact] & truth[fact]
        found: dict[tuple[int, ...], dict[str, bool]] = {}
        for g, f in zip(group[there].tolist(), fact[there].tolist(), strict=True):
            subject = self._subjects[g]
            mine = found.setdefault(self._others(f, subject), {})
            mine[self._name(subject)] = " ".join(map(self.say.called, subject)) in sought
        unsure = ~known[fact]
        open_ones = {
            self._others(f, self._subjects[g])
            for g, f in zip(group[unsure].tolist(), fact[unsure].tolist(), strict=True)
        }
        told = {}
        for place in found.keys() | open_ones:
            names = sorted(found.get(place, {}).items(), key=lambda entry: not entry[1])
            kept = max(MOST_FOUND, sum(is_sought for _, is_sought in names))
            first = listed(dict.fromkeys((name for name, _ in names[:kept]), ""))
            more = [f"{len(names) - kept} more"] * (len(names) > kept) + ["perhaps more"] * (place in open_ones)
            told[place] = ", ".join((*first, *more))
        return told

    def _places(self, places: Mapping[tuple[int, ...], str]) -> Places:
        """The owners of the places, each with the names of its places and their descriptions."""
        owned: dict[str, dict[str, str]] = {}
        for objects, said in places.items():
            owner = next((self.say.label(self.say.belongs_to[o]) for o in objects if o in self.say.belongs_to), "")
            owned.setdefault(owner, {})[self._name(objects)] = said
        return tuple((owner, listed(names)) for owner, names in owned.items())

    def _others(self, fact: int, subject: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a for a in self._task.facts[fact][1] if a not in subject)

    def _name(self, objects: Iterable[int]) -> str:
        return " ".join(map(self.say.label, objects)) or "it"

    def _looking(self, unknown: Bits) -> Bits:
        """The operators that observe one of these facts, bool (facts,), or bring about what such an operator needs, at
        any depth: bool (operators,)."""
        ops, chosen = self._task.operators, np.zeros(self._task.operator_count, np.bool_)
        (looker, shown), (taker, taken), (maker, made) = map(
            owners_of, (self._compiled.sensors.observed, ops.pre, ops.add)
        )
        chosen[looker[unknown[shown]]] = True
        size = 0
        while size != (size := int(chosen.sum())):
            needed = np.zeros(self._task.fact_count, np.bool_)
            needed[taken[chosen[taker]]] = True
            chosen[maker[needed[made]]] = True
        return chosen

    def _rules(self, helpful: Bits, operators: Sequence[int]) -> tuple[str, ...]:
        """The preconditions of the actions that are useful later but not now."""
        of_use = set(np.unique(self._task.schema[helpful]).tolist())
        now = {int(self._task.schema[o]) for o in operators}
        return self._words.language.schemas.needs([self._task.schemas[s] for s in sorted(of_use - now)])

    @cached_property
    def _subjects(self) -> list[tuple[int, ...]]:
        """The subject of each exactly-one group."""
        groups = self._compiled.sensors.groups
        return [self.say.subject(groups.row(g)) for g in range(len(groups))]

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(self._task, self._compiled)


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
