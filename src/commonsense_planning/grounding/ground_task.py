"""The grounded task: facts, operators as flat arrays, goal; and the sensors of its agent.

Ragged lists are ``Lists``: row ``i`` is ``items[start[i]:end[i]]``. Rows may share a part of ``items``: a universal
effect such as ``(forall (?p - place) (not (near ?p)))`` is stored once for all its operators.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.instantiate import Conjunction, Instantiator, unwanted, wanted
from commonsense_planning.pddl.evaluation import Formulas
from commonsense_planning.pddl.plan import Plan, Step
from commonsense_planning.pddl.problem import Problem

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


class Lists(NamedTuple):
    """Ragged rows of int32: ``start`` and ``end`` int64 (rows,), ``items`` int32 (total,)."""

    start: Int64
    end: Int64
    items: Int32

    def row(self, i: int) -> Int32:
        """Row ``i`` as a view of ``items``."""
        return self.items[self.start[i] : self.end[i]]

    def __len__(self) -> int:  # the number of rows, not of the tuple's fields
        return int(self.start.shape[0])


def lists_of(rows: Iterable[Sequence[int] | Int32]) -> Lists:
    """``Lists`` of the given rows, in order."""
    rows = list(rows)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    end = np.cumsum(lengths)
    items = np.fromiter(itertools.chain.from_iterable(rows), np.int32)
    return Lists(end - lengths, end, items)


def concatenate_lists(parts: Sequence[Lists]) -> Lists:
    """The rows of all ``parts``, in order. Rows that share items within a part still share them."""
    if not parts:
        return lists_of([])
    shifts = np.cumsum([0] + [len(p.items) for p in parts[:-1]])
    return Lists(
        np.concatenate([p.start + s for p, s in zip(parts, shifts, strict=True)]),
        np.concatenate([p.end + s for p, s in zip(parts, shifts, strict=True)]),
        np.concatenate([p.items for p in parts]),
    )


def owners_of(rows: Lists) -> tuple[Int32, Int32]:
    """The row number and the item of every item, row by row: two int32 arrays of equal length."""
    lengths = rows.end - rows.start
    owner = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return owner, rows.items[np.repeat(rows.start, lengths) + within]


def by_item(owner: Int32, item: Int32, size: int) -> Lists:
    """The owners of each item below ``size``: the inverse of ``owners_of``."""
    counts = np.bincount(item, minlength=size)
    end = np.cumsum(counts)
    return Lists(end - counts, end, owner[np.argsort(item, kind="stable")])


class Operators(NamedTuple):
    """Ground operators, one row each.

    ``pre``/``npre``: facts that must be true / false. ``delete``/``add``: unconditional effects; adds come after
    deletes. The conditional effects of operator ``o`` are the rows ``effect_start[o] <= k < effect_end[o]`` of
    ``cond_*``. ``cost`` int64 (operators,), not negative.
    """

    pre: Lists
    npre: Lists
    add: Lists
    delete: Lists
    effect_start: Int64
    effect_end: Int64
    cond_pre: Lists
    cond_npre: Lists
    cond_add: Lists
    cond_delete: Lists
    cost: Int64


ROWS = ("pre", "npre", "add", "delete", "cond_pre", "cond_npre", "cond_add", "cond_delete")
"""The fields of operators that are lists."""


class Goal(NamedTuple):
    """A disjunction: disjunct ``d`` wants the facts ``pos.row(d)`` true and the facts ``neg.row(d)`` false."""

    pos: Lists
    neg: Lists


_NO_LISTS, _NO_NUMBERS, _NO_BITS = lists_of([]), np.zeros(0, np.int32), np.zeros(0, np.bool_)
NEVER = Goal(_NO_LISTS, _NO_LISTS)


def goal_of(disjuncts: Iterable[Conjunction]) -> Goal:
    """A condition in disjunctive normal form as a goal."""
    disjuncts = list(disjuncts)
    return Goal(lists_of(wanted(c) for c in disjuncts), lists_of(unwanted(c) for c in disjuncts))


class Rules(NamedTuple):
    """Rules of derived facts: ``head[r]`` is true where the facts ``pos.row(r)`` are true and ``neg.row(r)`` false.

    A derived fact is true if and only if one of its rules derives it. ``head``, ``stratum`` int32 (rules,), by
    ascending stratum: a rule mentions no fact of a later stratum, and negates none of its own. The meaning of a stratum
    is its least fixed point.
    """

    head: Int32
    pos: Lists
    neg: Lists
    stratum: Int32


NO_RULES = Rules(_NO_NUMBERS, _NO_LISTS, _NO_LISTS, _NO_NUMBERS)


def distinct(rules: Rules, kept: Bits) -> Rules:
    """The ``kept`` rules, bool (rules,), by stratum, without duplicates and without rules that want their own head or
    contradict themselves."""
    found: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}
    for r in np.flatnonzero(kept).tolist():
        head, pos, neg = int(rules.head[r]), set(rules.pos.row(r).tolist()), set(rules.neg.row(r).tolist())
        if head not in pos and not pos & neg:
            found.setdefault((head, tuple(sorted(pos)), tuple(sorted(neg))), int(rules.stratum[r]))
    rows = sorted(found, key=lambda row: (found[row], row))
    return Rules(
        np.array([head for head, _, _ in rows], np.int32),
        lists_of([pos for _, pos, _ in rows]),
        lists_of([neg for _, _, neg in rows]),
        np.array([found[row] for row in rows], np.int32),
    )


def closed(rules: Rules, state: Bits) -> Bits:
    """``state``, bool (facts,), with the derived facts recomputed from the others."""
    true = state.copy()
    true[rules.head] = False
    for _, group in itertools.groupby(range(len(rules.head)), key=rules.stratum.tolist().__getitem__):
        missing: dict[int, int] = {}
        users: defaultdict[int, list[int]] = defaultdict(list)
        ready: list[int] = []
        for r in group:
            if true[rules.neg.row(r)].any():
                continue
            open_facts = [fact for fact in rules.pos.row(r).tolist() if not true[fact]]
            missing[r] = len(open_facts)
            for fact in open_facts:
                users[fact].append(r)
            if not open_facts:
                ready.append(r)
        while ready:
            fact = int(rules.head[ready.pop()])
            if true[fact]:
                continue
            true[fact] = True
            for r in users[fact]:
                missing[r] -= 1
                if missing[r] == 0:
                    ready.append(r)
    return true


class Monitors(NamedTuple):
    """The memory of constraints: bits, which are the last facts of the task, and updates, applied in order in every
    state, after derived facts.

    Update ``u`` sets the fact ``bit[u]`` to ``value[u]`` where the facts ``pos.row(u)`` are true and ``neg.row(u)``
    false. ``harms[u]``: whether that can make a plan invalid. ``constraint[u]``: the number of its constraint in
    ``problem.constraints``. ``bit``, ``constraint`` int32, ``value``, ``harms`` bool (updates,). ``initial`` bool
    (bits,): the bits before the updates of the initial state.
    """

    pos: Lists
    neg: Lists
    bit: Int32
    value: Bits
    harms: Bits
    constraint: Int32
    initial: Bits


class ChanceOutcomes(NamedTuple):
    """The outcomes of actions by chance, each an operator. ``first`` int32 (operators,): the first outcome of the same
    action; ``next`` int32 (operators,): its next outcome, -1 after the last; ``chance`` float64 (operators,), in (0,
    1]."""

    first: Int32
    next: Int32
    chance: npt.NDArray[np.float64]


NO_MONITORS = Monitors(_NO_LISTS, _NO_LISTS, _NO_NUMBERS, _NO_BITS, _NO_BITS, _NO_NUMBERS, _NO_BITS)


@dataclass(frozen=True)
class GroundTask:
    """A grounded planning task.

    ``facts``: the normalised predicate of each fact, and its arguments as object indices. ``init`` bool (facts,).
    ``schema`` int32 (operators,) indexes ``schemas``; ``arguments`` int32 (operators, widest arity), padded with -1,
    indexes ``objects``. Several operators may have the same schema and arguments, one per disjunct of the action's
    precondition. Static facts are compiled away. ``failure``: the condition of states that no plan may pass; its
    disjunct ``d`` violates constraint ``violates[d]`` of ``problem.constraints``. ``rules``: those of derived facts,
    which no operator adds or deletes; ``init`` includes the facts derived initially. ``monitors``: the memory of
    constraints; ``init`` is after their first updates, and ``goal`` includes their conditions on the last state.
    ``scale``: the factor between costs in the files and the operators' costs. ``instantiator`` grounds further
    conditions on the same facts.
    """

    problem: Problem
    objects: tuple[str, ...]
    facts: tuple[tuple[str, tuple[int, ...]], ...]
    init: Bits
    operators: Operators
    goal: Goal
    schemas: tuple[str, ...]
    arities: tuple[int, ...]
    schema: Int32
    arguments: Int32
    failure: Goal = NEVER
    violates: tuple[int, ...] = ()
    rules: Rules = NO_RULES
    monitors: Monitors = NO_MONITORS
    scale: int = 1
    instantiator: Instantiator | None = field(default=None, repr=False, compare=False)

    @cached_property
    def outcomes(self) -> ChanceOutcomes:
        """Which operators are outcomes of one action by chance."""
        every = np.arange(self.operator_count, dtype=np.int32)
        if not self.problem.outcomes:
            return ChanceOutcomes(every, np.full(len(every), -1, np.int32), np.ones(len(every)))
        of = [self.problem.outcomes.get(name, (name, 1.0)) for name in self.schemas]
        ways: Counter[tuple[int, ...]] = Counter()  # outcome → its operators so far, one per way to meet its condition
        last: dict[tuple[object, ...], int] = {}  # action, arguments, which way → the last of its outcomes so far
        first, following = every.copy(), np.full(len(every), -1, np.int32)
        for operator, schema in enumerate(self.schema.tolist()):
            outcome = schema, *self.arguments[operator].tolist()
            ways[outcome] += 1
            action = of[schema][0], *outcome[1:], ways[outcome]
            if action in last:
                first[operator], following[last[action]] = first[last[action]], operator
            last[action] = operator
        return ChanceOutcomes(first, following, np.array([chance for _, chance in of])[self.schema])

    @property
    def fact_count(self) -> int:
        """Number of facts."""
        return len(self.facts)

    @property
    def operator_count(self) -> int:
        """Number of operators."""
        return int(self.schema.shape[0])

    def step(self, operator: int) -> Step:
        """The operator as a plan step, in the user's spelling."""
        schema = int(self.schema[operator])
        spell = self.problem.spell
        arguments = self.arguments[operator, : self.arities[schema]]
        return Step(spell(self.schemas[schema]), tuple(spell(self.objects[a]) for a in arguments))

    def plan(self, operators: Sequence[int]) -> Plan:
        """The plan that carries out ``operators`` in order, with its cost."""
        return Plan(tuple(map(self.step, operators)), self.cost(operators))

    def units(self, operators: Iterable[int]) -> int:
        """The sum of the operators' costs."""
        return sum(int(self.operators.cost[o]) for o in operators)

    def cost(self, operators: Iterable[int]) -> float:
        """The sum of the operators' costs, as in the files."""
        return self.amount(self.units(operators))

    def amount(self, units: int) -> float:
        """The cost of ``units``, as in the files: the nearest float, or a whole number that no float holds."""
        whole, rest = divmod(units, self.scale)
        return whole if not rest and whole > 2**53 else units / self.scale

    def fact_step(self, fact: int) -> Step:
        """The fact in the user's spelling, as ``(predicate arguments)``."""
        predicate, arguments = self.facts[fact]
        spell = self.problem.spell
        return Step(spell(predicate), tuple(spell(self.objects[a]) for a in arguments))

    def constraint(self, disjunct: int) -> str:
        """The constraint that a disjunct of ``failure`` violates, as PDDL in the user's spelling."""
        return self.constraint_text(self.violates[disjunct])

    def constraint_text(self, number: int) -> str:
        """A constraint of the problem, as PDDL in the user's spelling."""
        return Formulas(self.problem).render_constraint(self.problem.constraints[number], {})


@dataclass(frozen=True)
class CorrelatedFacts:
    """Hidden facts that are not independent, and the combinations that are possible initially.

    ``facts`` int32 (n,); ``worlds`` bool (worlds, n), without duplicates. ``choices``: tuples of columns of which
    exactly one is true in each world, from an ``oneof``.
    """

    facts: Int32
    worlds: Bits
    choices: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class GroundSensors:
    """The sensors of a grounded task's agent, from its sensors file and the contingent part of its problem.

    ``hidden`` bool (facts,); other facts are always known. ``groups``: rows of facts of which exactly one is true (or
    none, once the agent has moved it); the first ``exact`` groups are from ``:init``. Sensing rule ``i`` shows the
    facts ``seen.row(i)`` where the facts ``when.row(i)`` are true and ``when_not.row(i)`` false.

    ``observed``: operator → hidden facts that it shows; no rows if no operator shows any. ``correlated``: hidden facts
    with correlations other than those of ``groups``, in independent parts; a fact is in one part at most, and then in
    no group. ``unobserved`` bool (conditional effects,): whether the agent cannot see if an effect takes place, since
    its condition is about hidden facts; empty if there are none. ``shown_true`` float64 (2, facts), in [0, 1]: the
    probability that the sensors show each fact as true if it is false (row 0) and if it is true (row 1); None if they
    do not err. ``prior`` float64 (facts,), in [0, 1]: the initial probability of each hidden fact; None if the files
    give none.
    """

    hidden: Bits
    groups: Lists
    when: Lists
    when_not: Lists
    seen: Lists
    observed: Lists = _NO_LISTS
    correlated: tuple[CorrelatedFacts, ...] = ()
    unobserved: Bits = field(default_factory=_NO_BITS.copy)
    shown_true: npt.NDArray[np.float64] | None = None
    prior: npt.NDArray[np.float64] | None = None
    exact: int = 0

    @property
    def by_worlds(self) -> bool:
        """Whether facts are correlated or operators observe, so that more is unknown than the places of things."""
        return bool(self.correlated) or len(self.observed.items) > 0

    @property
    def partial(self) -> bool:
        """True if anything is hidden."""
        return bool(self.hidden.any())


def fully_observable(fact_count: int) -> GroundSensors:
    """The sensors of a fully observable task: nothing is hidden."""
    return GroundSensors(np.zeros(fact_count, np.bool_), _NO_LISTS, _NO_LISTS, _NO_LISTS, _NO_LISTS)


def forbidding(task: GroundTask, sensors: GroundSensors, operators: Int32) -> tuple[GroundTask, GroundSensors]:
    """The task with the same operator numbers in which ``operators`` are never applicable: they require a new fact, the
    last one, which never becomes true."""
    pre, never = task.operators.pre, np.array([task.fact_count], np.int32)
    rows = [np.concatenate((pre.row(operator), never)) for operator in operators.tolist()]
    added = lists_of(rows)
    wanted = Lists(pre.start.copy(), pre.end.copy(), np.concatenate((pre.items, added.items)))
    wanted.start[operators], wanted.end[operators] = added.start + len(pre.items), added.end + len(pre.items)
    forbidden = replace(
        task,
        facts=(*task.facts, ("never", ())),
        init=np.append(task.init, False),
        operators=task.operators._replace(pre=wanted),
    )
    prior = None if sensors.prior is None else np.append(sensors.prior, 0.0)
    return forbidden, replace(sensors, hidden=np.append(sensors.hidden, False), prior=prior)
