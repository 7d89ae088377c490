"""Objects of one name: which of them are equal in a state, and the numbers that distinguish the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Goal, GroundTask
from commonsense_planning.wording.verbalise import Verbaliser

Bits = npt.NDArray[np.bool_]
Named = Mapping[int, str]  # object → what it is called


class Instances:
    """Of the objects of a task, numbered as indices of ``task.objects``; ``say`` has their names.

    Two with the same name are equal if everything that holds of one holds of the other, now (``truth``, bool (facts,)),
    permanently, and in goal and constraints: then it does not matter which of them is meant.
    """

    def __init__(self, task: GroundTask, say: Verbaliser) -> None:
        self._task, self._say = task, say
        declared = task.problem.normaliser.vocabulary.objects
        index = {name: o for o, name in enumerate(task.objects)}
        self._number = say.numbers(say.name, index.values())
        self._facts: dict[int, list[int]] = {o: [] for o in self._number}
        for fact, (_, arguments) in enumerate(task.facts):
            for o in self._several(arguments):
                self._facts[o].append(fact)
        self._for_good: dict[int, set[object]] = {o: set() for o in self._number}
        for name, typed in declared.items():
            for o in self._several([index[name]] if name in index else []):
                self._for_good[o].add(tuple(kind.key for kind in typed.types))
        spelled = {task.problem.spell(name): o for name, o in index.items()}
        nothing = np.zeros(task.fact_count, np.bool_)
        for s in say.statements(nothing, nothing, nothing):
            arguments = tuple(spelled.get(name, -1) for name in s.arguments)
            for o in self._several(arguments):
                self._for_good[o].add(_without(o, s.predicate, arguments))
        for part, condition in enumerate((task.goal, task.failure)):
            self._take_up(condition, part)

    def alike(self, objects: Iterable[int], truth: Bits) -> dict[int, int]:
        """Object → the first of ``objects`` that is like it; itself, mostly."""
        first: dict[object, int] = {}
        return {o: first.setdefault(self._all_of(o, truth), o) for o in objects}

    def named(self, mentioned: Collection[int]) -> Named:
        """What the objects are called where just these are ``mentioned``, each once: by name, and with a number
        where two would have the same."""
        names = Counter(self._say.name(o) for o in mentioned)
        return {
            o: f"{self._say.name(o)} {self._number[o]}" if names[self._say.name(o)] > 1 else self._say.name(o)
            for o in mentioned
        }

    def _several(self, objects: Sequence[int]) -> set[int]:
        """Those that share their name."""
        return {o for o in objects if o in self._number}

    def _take_up(self, condition: Goal, part: int) -> None:
        facts = self._task.facts
        for d in range(len(condition.pos)):
            literals = [(rows is condition.pos, *facts[f]) for rows in condition for f in rows.row(d).tolist()]
            for o in self._several([a for _, _, arguments in literals for a in arguments]):
                self._for_good[o].add((part, frozenset((sign, _without(o, p, a)) for sign, p, a in literals)))

    def _all_of(self, o: int, truth: Bits) -> object:
        if o not in self._number:
            return o
        holds = frozenset(_without(o, *self._task.facts[f]) for f in self._facts[o] if truth[f])
        return self._say.name(o), frozenset(self._for_good[o]), holds


def _without(o: int, predicate: str, arguments: Sequence[int]) -> tuple[object, ...]:
    """A fact with the object left out."""
    return predicate, *(None if a == o else a for a in arguments)
