"""The goal in English: as a whole, and what of it is done and to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import GroundTask, Lists, owners_of
from commonsense_planning.wording.action_language import ActionLanguage
from commonsense_planning.wording.verbalise import NUMBERED, Verbaliser, in_order

Bits = npt.NDArray[np.bool_]
Literals = dict[int, bool]  # fact → value
Call = Callable[[int], str]  # object → its name
MOST_WAYS = 200  # alternatives of the goal that are considered for its description
MOST_WAYS_TOLD = 5
_FIRST_NUMBER = re.compile(r"(.*?)(?:( \d+)\b(.*))?")


class Parts(NamedTuple):
    """The parts of the goal: all in English, those ``done``, and those ``to_do``; ``way``: the alternative of which
    most is done, and the ``held`` facts of it that are; ``told``: the facts of the done parts; ``wanting``: for each
    alternative that is left, the objects of its parts to do."""

    goal: str
    done: tuple[str, ...]
    to_do: tuple[str, ...]
    held: Literals
    told: Literals
    way: int
    wanting: tuple[frozenset[int], ...]


class GoalWords:
    """The words for the goal of a task, and for facts: with ``say`` for names and atoms, and the rules of actions."""

    def __init__(self, task: GroundTask, say: Verbaliser) -> None:
        self.say = say
        self.remembered = task.fact_count - len(task.monitors.initial)  # facts from here on are about the past
        self._task = task
        self._kept: dict[tuple[int, frozenset[int]], Parts] = {}  # by the alternative and the facts that are as wanted

    def parts(self, truth: Bits, known: Bits) -> Parts:
        """The parts of the goal. To do are the parts that are not done of one alternative or another, without the
        alternatives that want more than another one does; the parts to do name the things of the done parts."""
        pos, neg = self._task.goal.pos, self._task.goal.neg
        if not len(pos):
            return Parts("", (), (), {}, {}, 0, ())
        done = _counts(pos, known & truth) + _counts(neg, known & ~truth)
        way = int(np.argmax(done))
        first = np.argsort(-done, kind="stable")[:MOST_WAYS].tolist()
        held = frozenset(f for w in first for f, value in self._way(w).items() if known[f] and truth[f] == value)
        if (way, held) not in self._kept:
            self._kept[way, held] = self._parts_of(way, first, held)
        return self._kept[way, held]

    def _parts_of(self, way: int, first: Sequence[int], held: frozenset[int]) -> Parts:
        """The parts where the facts ``held`` are as the ``first`` alternatives want them."""
        settled = self._in_all_ways | {a for f in held for a in self._task.facts[f][1]}
        lacking = {
            w: Counter(self._wishes({f: value for f, value in self._way(w).items() if f not in held}, settled))
            for w in first
        }
        left = [w for w in first if not any(other < lacking[w] for other in lacking.values())]
        told = {f: value for w in left for f, value in self._way(w).items() if f in held}
        shared, either = self._either([_counted(lacking[w].elements()) for w in left])
        done = _counted(self.sentence(f, self.say.placed, value) for f, value in told.items())
        held_there = {f: value for f, value in self._way(way).items() if f in held}
        wanting = (frozenset(a for f in self._way(w).keys() - held for a in self._task.facts[f][1]) for w in left)
        to_do = (*shared, *([either] if either else []))
        return Parts(self.whole, done, to_do, held_there, told, way, tuple(wanting))

    def _way(self, way: int) -> Literals:
        """The facts of one alternative of the goal."""
        pos, neg = (rows.row(way).tolist() for rows in self._task.goal)
        return {**dict.fromkeys(pos, True), **dict.fromkeys(neg, False)}

    @cached_property
    def whole(self) -> str:
        """The goal: the facts shared by all alternatives, and the alternatives, each wording once; where there are
        many, or it is shorter, the formula of the problem."""
        ways = self._ways()
        if len(ways) == 1:
            return self._joined(ways)
        number = self.say.number
        formula = self.language.schemas.goal(lambda name: self.say.placed(number[name]) if name in number else name)
        many = len(ways) > MOST_WAYS_TOLD or len(self._task.goal.pos) > MOST_WAYS
        return formula if many else min(self._joined(ways), formula, key=len)

    @cached_property
    def papers(self) -> str:
        """The same as the papers' templates tell it: a few of many alternatives, no plurals; empty for no goal."""
        return self._joined(self._ways(plain=True)) if len(self._task.goal.pos) else ""

    def _ways(self, plain: bool = False) -> list[tuple[str, ...]]:
        first = range(min(MOST_WAYS, len(self._task.goal.pos)))
        said = (_counted(self._wishes(self._way(w), self._in_all_ways, plain), plain) for w in first)
        return [*dict.fromkeys(said)]

    def _joined(self, ways: Sequence[tuple[str, ...]]) -> str:
        shared, either = self._either(ways)
        return ", and ".join(part for part in (" and ".join(shared), either) if part)

    def _either(self, ways: Sequence[tuple[str, ...]]) -> tuple[list[str], str]:
        """What all of the ways want, and what each of them wants besides; empty if one of them wants no more."""
        ways = [*dict.fromkeys(ways)]
        shared = [part for part in ways[0] if all(part in way for way in ways)]
        apart = [" and ".join(part for part in way if part not in shared) for way in ways]
        if len(apart) == 1 or "" in apart:
            return shared, ""
        several = len(ways) > MOST_WAYS_TOLD or len(self._task.goal.pos) > MOST_WAYS
        more = ["something else that reaches it as well"] * several
        return shared, f"either {', or else '.join(apart[:MOST_WAYS_TOLD] + more)}"

    def _wishes(self, wanted: Literals, settled: Collection[int], plain: bool = False) -> list[str]:
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
            if fact >= self.remembered or all(times[a] < 2 for a in arguments):
                return self.sentence(fact, call, value, plain)
            return self.say.said_of(self._task.problem.spell(predicate), [*map(phrase, arguments)], value)

        return [sentence(f, value) for f, value in wanted.items()]

    def sentence(self, fact: int, call: Call, value: bool = True, plain: bool = False) -> str:
        """A fact with names by ``call``; ``plain``: whatever is plural."""
        predicate, arguments = self._task.facts[fact]
        words = [call(a) for a in arguments]
        if fact >= self.remembered:
            return self.language.schemas.wanted(int(predicate.split(":")[1]), words)
        spelled = self._task.problem.spell(predicate)
        return (
            self.say.sentence(spelled, words, value)
            if plain
            else self.say.agreeing(spelled, [[w] for w in words], value)
        )

    @cached_property
    def objects(self) -> set[int]:
        """The objects of all alternatives of the goal."""
        facts = (*self._task.goal.pos.items.tolist(), *self._task.goal.neg.items.tolist())
        return {a for f in facts for a in self._task.facts[f][1]}

    @cached_property
    def _in_all_ways(self) -> set[int]:
        """The objects of each alternative of the goal."""
        goal, facts = self._task.goal, self._task.facts
        ways = (chain(goal.pos.row(d).tolist(), goal.neg.row(d).tolist()) for d in range(len(goal.pos)))
        return set.intersection(*({a for f in way for a in facts[f][1]} for way in ways))

    @cached_property
    def language(self) -> ActionLanguage:
        """The actions in English."""
        return ActionLanguage(self._task, self.say.lexicon, None)


def _counts(rows: Lists, holds: Bits) -> npt.NDArray[np.int64]:
    """How many items of each row hold, int64 (rows,)."""
    row, item = owners_of(rows)
    return np.bincount(row[holds[item]], minlength=len(rows))


def _counted(sentences: Iterable[str], plain: bool = False) -> tuple[str, ...]:
    """The sentences, each once, with its count; those that differ only in their first number are merged. ``plain``: as
    the papers' templates tell it."""
    numbers: dict[tuple[str, str], list[str]] = {}
    for text, n in Counter(sentences).items():
        before, number, after = _FIRST_NUMBER.fullmatch(text).groups("")  # type: ignore[union-attr]
        times = "" if n == 1 else f" ({n} {'times' if plain else 'of them'})"
        numbers.setdefault((before, f"{after}{times}"), []).append(number)
    return tuple(
        f"{before}{','.join(first)}{' and' * bool(first)}{last}{after}"
        for (before, after), several in numbers.items()
        for *first, last in [in_order(several)]
    )
