"""The relevant situation at the end of a path: the actions, and the facts about the state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commonsense_planning.heuristics.delete_relaxation import FirstAchievers
from commonsense_planning.pomdp.transition_system import Path, TransitionSystem
from commonsense_planning.state import StateView
from commonsense_planning.wording.action_language import ActionLanguage, FixedFacts
from commonsense_planning.wording.instances import Bits, Named


@dataclass(frozen=True)
class SituationKind:
    """The end of a path. ``relevant``: the applicable operators relevant to the goal, of equal ones the first;
    ``others``: the rest. ``ahead``: all operators relevant to it, also later; ``conditions``: the facts that these want
    true or false. ``truth``: bool (facts,). ``given``: the true facts to give; ``denied``: the false ones; ``fixed``:
    those that never change and that ``ahead`` needs. ``named``: the names of the objects of these facts, of
    ``relevant`` and of the path."""

    relevant: tuple[int, ...]
    others: tuple[int, ...]
    ahead: tuple[int, ...]
    conditions: tuple[int, ...]
    truth: Bits
    given: tuple[int, ...]
    denied: tuple[int, ...]
    fixed: FixedFacts
    named: Named


class Situations:
    """The situations of one task. Relevance is computed backwards from the goal, see
    ``kernels.relaxed.first_achievers``; it ignores what another action must make redundant first, so ``others`` may
    still be useful."""

    def __init__(self, world: TransitionSystem, language: ActionLanguage) -> None:
        self._task, self._language = world.task, language
        self._compiled, self._achievers = world.compiled, FirstAchievers(world.compiled)

    def at(self, path: Path, operators: Sequence[int]) -> SituationKind:
        """The situation at the end of a path, where ``operators`` can follow."""
        truth, found = StateView(self._compiled, path.state).truth, self._achievers(path.state)
        ahead = tuple(np.flatnonzero(found.operators).tolist())
        actions = {self._action(o) for o in ahead}
        possible = [o for o in operators if self._action(o) in actions]
        relevant = self.distinct(possible, truth)
        about = {a for o in ahead for a in self._action(o)[1:]}
        first = self._language.instances.alike(sorted(about), truth)
        subjects = {first[o] for o in about} | {a for o in relevant for a in self._action(o)[1:]}
        true = np.flatnonzero(truth).tolist()
        given = tuple(f for f in true if self._is_given(f, bool(found.facts[f]), subjects, first))
        unwanted = {f for o in ahead for f in self._task.operators.npre.row(o).tolist()}
        untrue = (f for f in sorted(unwanted) if not truth[f] and self._task.facts[f][0] not in self._language.moving)
        denied = tuple(f for f in untrue if self._is_given(f, True, subjects, first))
        every = self._language.fixed(ahead)
        told = subjects | self._no_arguments
        fixed = tuple(fact for fact in every if all(a in told and first.get(a, a) == a for a in fact[1]))
        objects = {a for f in (*given, *denied) for a in self._task.facts[f][1]} | {
            a for _, args in fixed for a in args
        }
        objects |= {a for o in (*relevant, *path.operators) for a in self._action(o)[1:]}
        named = self._language.instances.named(sorted(objects))
        others = tuple(o for o in operators if self._action(o) not in actions)
        conditions = tuple(np.flatnonzero(found.facts).tolist())
        return SituationKind(relevant, others, ahead, conditions, truth, given, denied, fixed, named)

    def distinct(self, operators: Iterable[int], truth: Bits) -> tuple[int, ...]:
        """The operators without those that differ from an earlier one only in equal objects."""
        operators = list(operators)
        first = self._language.instances.alike(sorted({a for o in operators for a in self._action(o)[1:]}), truth)
        kept: dict[tuple[int, ...], int] = {}
        for o in operators:
            schema, *arguments = self._action(o)
            kept.setdefault((schema, *(first[a] for a in arguments)), o)
        return tuple(kept.values())

    def _is_given(self, fact: int, wanted: bool, subjects: Collection[int], first: dict[int, int]) -> bool:
        """Whether a fact must be given: one that an action ahead requires, or one about a relevant thing; but not about
        a thing equal to another."""
        arguments = self._task.facts[fact][1]
        if any(first.get(a, a) != a for a in arguments):
            return False
        return wanted or (len(arguments) > 0 and arguments[0] in subjects)

    @cached_property
    def _no_arguments(self) -> set[int]:
        """The objects that no operator has for an argument."""
        return set(range(len(self._task.objects))) - set(np.unique(self._task.arguments).tolist())

    def _action(self, operator: int) -> tuple[int, ...]:
        schema = int(self._task.schema[operator])
        return schema, *self._task.arguments[operator, : self._task.arities[schema]].tolist()
