"""Relevance, dominance and mutexes: the part of a grounded task that matters for its goal. Searches are faster without
the rest.

A fact is relevant if the goal, a constraint or its memory, or a condition of something relevant mentions it. An
operator, an effect or a rule is relevant if it changes a relevant fact (Nebel, Dimopoulos and Koehler 1997). Plans do
not need the rest, and states that agree on the relevant facts are equivalent.

For a cheapest plan more can be left out (``Pruning``), by rules that each keep at least one cheapest plan:

- **Dominance**: an operator is dropped if another one has the same effects, a subset of its conditions, and no higher
  cost (walking to the apple on the desk, besides walking to the desk).
- A negative condition on the only fact that an operator adds is ignored, as long as nothing else has to be false: where
  it fails, the operator can be left out.
- **Detours**: in an alternating mutex group (a set of facts of which one is true initially, where every operator that
  adds some of them deletes as many that it needs; Fišer and Komenda 2018), an operator does not count as achieving
  ``f`` by deleting an irrelevant fact ``q``, if all paths to ``q`` through irrelevant facts of the group begin at
  ``f``. Putting down the apple frees the hand; but the hand was free before the apple was taken, so both steps can be
  left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from commonsense_planning.grounding.ground_task import Bits, Goal, GroundTask, Int32, Lists, Operators, Rules, owners_of

Facts = frozenset[int]


@dataclass(frozen=True)
class PrunedTask:
    """The relevant part of a task. ``task``: renumbered; ``operators`` int32 (operators of ``task``,), ``facts`` int32
    (facts of ``task``,): the old numbers."""

    task: GroundTask
    operators: Int32
    facts: Int32


def relevant(task: GroundTask) -> PrunedTask:
    """The part of ``task`` that is relevant to its goal; ``task`` itself if all of it is."""
    monitors, facts = task.monitors, np.zeros(task.fact_count, np.bool_)
    for rows in (*task.goal, *task.failure, monitors.pos, monitors.neg):
        facts[owners_of(rows)[1]] = True
    facts[monitors.bit] = True
    facts, chosen = relevant_for(task, facts)
    if facts.all() and chosen.all():
        return PrunedTask(task, *(np.arange(n, dtype=np.int32) for n in (task.operator_count, task.fact_count)))
    return restricted(task, facts, chosen)


def relevant_for(task: GroundTask, facts: Bits, every: bool = False) -> tuple[Bits, Bits]:
    """The facts that are relevant if ``facts`` are, bool (facts,), and the operators, bool (operators,). With
    ``every``, all operators and effects count as relevant."""
    operators, rules, facts = task.operators, task.rules, facts.copy()
    conditions, changes = _entries(operators.pre, operators.npre), _entries(operators.add, operators.delete)
    effect_conditions = _entries(operators.cond_pre, operators.cond_npre)
    effect_changes = _entries(operators.cond_add, operators.cond_delete)
    bodies = _entries(rules.pos, rules.neg)
    chosen, effects = np.full(task.operator_count, every), np.full(len(operators.cond_pre), every)
    known = -1
    while known < np.count_nonzero(facts):
        known = int(np.count_nonzero(facts))
        effects[effect_changes[0][facts[effect_changes[1]]]] = True
        chosen[changes[0][facts[changes[1]]]] = True
        before = np.concatenate([[0], np.cumsum(effects)])
        chosen |= before[operators.effect_start] < before[operators.effect_end]
        for (owner, fact), owners in ((conditions, chosen), (effect_conditions, effects), (bodies, facts[rules.head])):
            facts[fact[owners[owner]]] = True
    return facts, chosen


def _entries(*lists: Lists) -> tuple[Int32, Int32]:
    """(row, item) of every item of all ``lists``, which have equally many rows."""
    entries = [owners_of(rows) for rows in lists]
    return np.concatenate([rows for rows, _ in entries]), np.concatenate([items for _, items in entries])


def restricted(task: GroundTask, facts: Bits, chosen: Bits) -> PrunedTask:
    """The task with only these ``facts`` and the ``chosen`` operators. Rules of other facts, and conditional effects
    that change none of the facts, are left out. The constraints must not depend on other facts."""
    number = np.cumsum(facts) - 1
    kept = np.flatnonzero(chosen).astype(np.int32)

    def rows(lists: Lists, which: Int32 | slice = slice(None)) -> Lists:
        before = np.concatenate([[0], np.cumsum(facts[lists.items])])
        items = number[lists.items[facts[lists.items]]].astype(np.int32)
        return Lists(before[lists.start[which]], before[lists.end[which]], items)

    old, rules, monitors = task.operators, task.rules, task.monitors
    cond_add, cond_delete = rows(old.cond_add), rows(old.cond_delete)
    changing = (cond_add.start < cond_add.end) | (cond_delete.start < cond_delete.end)
    effects, before = np.flatnonzero(changing).astype(np.int32), np.concatenate([[0], np.cumsum(changing)])
    kinds = ((name, of, effects if name.startswith("cond") else kept) for name, of in old._asdict().items())
    operators = Operators(
        **{name: rows(of, which) for name, of, which in kinds if isinstance(of, Lists)},
        effect_start=before[old.effect_start[kept]],
        effect_end=before[old.effect_end[kept]],
        cost=old.cost[kept],
    )
    deriving = np.flatnonzero(facts[rules.head]).astype(np.int32)
    smaller = replace(
        task,
        facts=tuple(task.facts[fact] for fact in np.flatnonzero(facts)),
        init=task.init[facts],
        operators=operators,
        goal=Goal(*map(rows, task.goal)),
        schema=task.schema[kept],
        arguments=task.arguments[kept],
        failure=Goal(*map(rows, task.failure)),
        rules=Rules(
            number[rules.head[deriving]].astype(np.int32),
            rows(rules.pos, deriving),
            rows(rules.neg, deriving),
            rules.stratum[deriving],
        ),
        monitors=monitors._replace(
            pos=rows(monitors.pos), neg=rows(monitors.neg), bit=number[monitors.bit].astype(np.int32)
        ),
        instantiator=None,
    )
    return PrunedTask(smaller, kept, np.flatnonzero(facts).astype(np.int32))


class Pruning:
    """Prunes the operators of a task. Tasks that differ only in the goal and the initial state share it."""

    def __init__(self, task: GroundTask) -> None:
        operators = task.operators
        self._operators = operators
        limited = len(task.failure.pos) or len(task.monitors.bit)
        self._simple = not len(operators.cond_pre) and not len(task.rules.head) and not limited
        if not self._simple:
            return
        self._pre, self._npre, self._add, self._delete = (
            _sets(rows) for rows in (operators.pre, operators.npre, operators.add, operators.delete)
        )
        self._dominated_operators = self._dominated(operators.cost.tolist())
        self._adders: defaultdict[int, list[int]] = defaultdict(list)
        self._deleters: defaultdict[int, list[int]] = defaultdict(list)
        for o, (adds, deletes) in enumerate(zip(self._add, self._delete, strict=True)):
            if o not in self._dominated_operators:
                for fact in adds:
                    self._adders[fact].append(o)
                for fact in deletes - adds:
                    self._deleters[fact].append(o)
        self._groups: dict[int, Facts] = {}

    def of(self, task: GroundTask) -> PrunedTask:
        """The part of ``task`` relevant to its goal from its initial state. In a task with conditional effects,
        constraints or derived facts, the three rules are not applied."""
        if not self._simple:
            return relevant(task)
        found = _Search(self, task, positive=True)
        if not found.complete():
            found = _Search(self, task, positive=False)
            found.complete()
        facts, chosen = np.zeros(task.fact_count, np.bool_), np.zeros(task.operator_count, np.bool_)
        facts[list(found.facts | found.falsities)] = True
        chosen[list(found.chosen)] = True
        return restricted(task, facts, chosen)

    def _dominated(self, costs: Sequence[int]) -> set[int]:
        alike: defaultdict[tuple[Facts, Facts, Facts], list[int]] = defaultdict(list)
        for o, key in enumerate(zip(self._add, self._delete, self._npre, strict=True)):
            alike[key].append(o)
        dominated: set[int] = set()
        for rivals in alike.values():
            kept: list[int] = []
            for o in sorted(rivals, key=lambda o: (len(self._pre[o]), costs[o], o)):
                if any(self._pre[k] <= self._pre[o] and costs[k] <= costs[o] for k in kept):
                    dominated.add(o)
                else:
                    kept.append(o)
        return dominated

    def group(self, fact: int) -> Facts:
        """An alternating mutex group grown from the fact; empty if that leads to none."""
        if fact not in self._groups:
            self._groups[fact] = self._grown(fact)
        return self._groups[fact]

    def _grown(self, fact: int) -> Facts:
        group, new = {fact}, [fact]
        while new:
            for o in self._adders[new.pop()]:
                given = self._pre[o] & self._delete[o]
                missing = len(self._add[o] & group) - len(given & group)
                others = given - group
                if missing > 0:
                    if len(others) != missing:
                        return frozenset()
                    group |= others
                    new += others
        operators = {o for member in group for o in (*self._adders[member], *self._deleters[member])}
        for o in operators:
            given = self._pre[o] & self._delete[o] & group
            if len(self._add[o] & group) > len(given) or not self._delete[o] & group <= given | self._add[o]:
                return frozenset()
        return frozenset(group)


class _Search:
    """The search backwards from a goal. ``positive``: whether it assumes that nothing relevant has to be false."""

    def __init__(self, pruning: Pruning, task: GroundTask, positive: bool) -> None:
        self._r = pruning
        self._positive = positive
        self._init = frozenset(np.flatnonzero(task.init).tolist())
        self.facts: set[int] = set()  # relevant ones
        self.falsities: set[int] = set()  # facts whose falsity is relevant
        self.chosen: set[int] = set()  # relevant operators
        self._skipped: defaultdict[int, set[int]] = defaultdict(set)  # fact → operators on a detour back to it
        self._given_up: defaultdict[int, set[int]] = defaultdict(set)  # fact → skipped operators that delete it
        self._without: set[int] = set()  # facts of which no detours are skipped
        self._new: list[tuple[int, bool]] = []
        for rows, value in ((task.goal.pos, True), (task.goal.neg, False)):
            for fact in set(rows.items.tolist()):
                self._want(fact, value)

    def complete(self) -> bool:
        """Finds everything relevant; whether the assumption holds."""
        while True:
            while self._new:
                fact, value = self._new.pop()
                if not value and self._positive:
                    return False
                achievers = self._r._adders[fact] if value else self._r._deleters[fact]
                for o in (*achievers, *self._given_up.pop(fact, ())):
                    if o not in self.chosen and not (self._positive and self._is_detour(o)):
                        self._choose(o)
            wrong = [fact for fact, skipped in self._skipped.items() if skipped and not self._only_detours(fact)]
            if not wrong:
                return True
            for fact in wrong:
                self._without.add(fact)
                for o in self._skipped.pop(fact) - self.chosen:
                    self._choose(o)

    def _want(self, fact: int, value: bool) -> None:
        relevant = self.facts if value else self.falsities
        if fact not in relevant:
            relevant.add(fact)
            self._new.append((fact, value))

    def _choose(self, o: int) -> None:
        self.chosen.add(o)
        for fact in self._r._pre[o]:
            self._want(fact, True)
        for fact in self._r._npre[o]:
            if not (self._positive and self._r._add[o] == {fact}):
                self._want(fact, False)

    def _is_detour(self, o: int) -> bool:
        """Whether ``o`` regains all relevant facts that it adds by deleting irrelevant ones."""
        achieved = self._r._add[o] & self.facts
        ways = {}
        for fact in achieved:
            given = self._r._pre[o] & self._r._delete[o] & self._r.group(fact) - self.facts
            if fact in self._without or not given:
                return False
            ways[fact] = given
        for fact, given in ways.items():
            self._skipped[fact].add(o)
            for q in given:
                self._given_up[q].add(o)
        return True

    def _only_detours(self, fact: int) -> bool:
        """Whether the irrelevant facts of the fact's group are entered only from the fact, and left only to it."""
        r, group = self._r, self._r.group(fact)
        off = group - self.facts
        if len(self._init & group) != 1 or self._init & off:
            return False
        for o in {o for member in off for o in (*r._adders[member], *r._deleters[member])}:
            before, after = r._pre[o] & r._delete[o] & group, r._add[o] & group
            if o in self.chosen or not before | after <= off | {fact} or len(before) != 1:
                return False
        return True


def _sets(rows: Lists) -> list[Facts]:
    """Each row as a set; rows that share items share the set."""
    items, known = rows.items.tolist(), dict[tuple[int, int], Facts]()
    found = []
    for span in zip(rows.start.tolist(), rows.end.tolist(), strict=True):
        if span not in known:
            known[span] = frozenset(items[slice(*span)])
        found.append(known[span])
    return found
