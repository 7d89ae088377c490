"""The delete relaxation of a task, compiled for the kernels of ``kernels.relaxed``.

The relaxation has a proposition for every fact (that a hidden one is known to be true), for the falsity of each fact
that some condition wants false, which deletes achieve, and for the goal. An operator becomes one relaxed operator, and
each of its conditional effects another one with the additional condition. A sensing rule becomes a relaxed operator
without cost for each fact that it shows, if the fact is true in the state. An operator that observes a fact achieves it
likewise, with its cost and conditions. A disjunct of the goal becomes a relaxed operator that achieves the goal. A
negative condition on the single fact that an operator adds is left out, since it only excludes that the operator is
idle (an operator that adds more may need it: driving to a place where something is in the way). Negative sensing
conditions, and the knowledge that facts are false, are left out, too, as are conditions of effects and sensing on a
hidden fact, which depend on its truth, known or not. If conclusions from exactly-one groups count (``CONCLUDES``), a
member that is true may be known from the start.

A rule for a derived fact is a relaxed operator without cost, and so is an update of a constraint's memory. For a
derived fact to become false, each of its rules has to be broken, by one of its conditions. So each such rule has a
proposition that it is broken, which the negation of each of its conditions achieves. A rule that wants a fact of its
own stratum counts as broken from the start: two facts that hold only by each other become false together. That may
lower costs, never raise them, and makes nothing unreachable.

In a large task, most of this is irrelevant to the goal from a given state, and the exploration goes backwards from the
goal to find the rest. Two reductions, made here once, keep that small:

- An achiever of a proposition is dropped if another one has a proper subset of its conditions, and costs no more
  (walking to the apple on the desk, besides walking to the desk).
- An achiever of ``p`` is guarded by one of its conditions ``q`` if all achievers of ``q`` have ``p`` among their
  conditions (putting down the apple frees the hand, but the hand was free before the apple was grabbed). It counts only
  in states where ``q`` is true.

Invariant: neither changes the h_add or h_max cost of any proposition in any state: dropped and guarded achievers could
only repeat a cost, never lower it.

A relaxation is one int32 array, see ``kernels.relaxation``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import Int32, Int64, Lists, Rules, owners_of
from commonsense_planning.kernels import relaxation as layout
from commonsense_planning.kernels.compiled import CONCLUDES, Compiled

Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # (row, item) of every item of ragged rows
_Numbers = npt.NDArray[np.int64]
_Hashes = npt.NDArray[np.uint64]


def compile_relaxation(task: Compiled, unit_cost: bool = True) -> Int32:
    """The relaxation of a task, int32; with ``unit_cost`` every operator costs 1."""
    ops, goal, sensors, rules, monitors = task.operators, task.goal, task.sensors, task.rules, task.monitors
    facts, disjuncts, contrary = 64 * task.half, len(task.goal.pos), _Contrary(task.rules, 64 * task.half)

    def truths(rows: Lists) -> Pairs:
        row, item = _pairs(rows)
        return row[item < facts], item[item < facts]

    def open_truths(rows: Lists) -> Pairs:
        row, item = _pairs(rows)
        return row[~task.hidden[item]], item[~task.hidden[item]]

    npre = _without_idle(_pairs(ops.npre), _pairs(ops.add))
    cond_npre = _without_idle(_pairs(ops.cond_npre), _pairs(ops.cond_add))
    wanted_false = np.zeros(facts, np.bool_)
    for pairs in (npre, cond_npre, *map(_pairs, (goal.neg, rules.neg, monitors.neg))):
        wanted_false[pairs[1]] = True
    negated = np.flatnonzero(contrary.needed(wanted_false))
    false_at = np.full(facts, -1, np.int64)
    false_at[negated] = facts + np.arange(len(negated))
    stated = facts + len(negated)
    contraries = contrary.relaxed(false_at, stated)

    def falsity(pairs: Pairs) -> Pairs:
        kept = false_at[pairs[1]] >= 0
        return pairs[0][kept], false_at[pairs[1][kept]]

    def deleted(rows: Lists) -> list[Pairs]:
        return [falsity(_pairs(rows))] if len(negated) else []

    count, pre, false_pre = task.operator_count, truths(ops.pre), falsity(npre)
    owner = np.repeat(np.arange(count), ops.effect_end - ops.effect_start)  # conditional effect → operator
    rule, shown = _pairs(sensors.seen)
    if task.table[CONCLUDES]:  # the last member of a group may be known without being seen
        last = np.concatenate([np.zeros(0, np.int32), *map(sensors.groups.row, range(sensors.exact))])
        rule, shown = np.append(rule, np.full(len(last), len(sensors.when))), np.append(shown, last)
    observer, observed = _pairs(sensors.observed)
    row, bit = _one_each(monitors.bit)
    becomes, ceases = (row[monitors.value], bit[monitors.value]), (row[~monitors.value], bit[~monitors.value])
    goal_at = stated + contraries.broken
    of_owner, of_observer = ([_of_rows(p, rows, count) for p in (pre, false_pre)] for rows in (owner, observer))
    looking = _of_rows(open_truths(sensors.when), rule, len(sensors.when) + 1)
    deriving, updates = np.full(len(rules.head), layout.DERIVING), np.full(len(bit), layout.DERIVING)
    kinds: list[tuple[_Numbers, list[Pairs], list[Pairs]]] = [  # parents, conditions, effects
        (np.arange(count), [pre, false_pre], [_pairs(ops.add), *deleted(ops.delete)]),
        (
            owner,
            [*of_owner, open_truths(ops.cond_pre), falsity(cond_npre)],
            [_pairs(ops.cond_add), *deleted(ops.cond_delete)],
        ),
        (np.full(len(rule), layout.SENSING), [looking], [_one_each(shown)]),
        (observer, of_observer, [_one_each(observed)]),
        (deriving, [_pairs(rules.pos), falsity(_pairs(rules.neg))], [_one_each(rules.head)]),
        (np.full(contraries.size, layout.DERIVING), [contraries.conditions], [contraries.achieved]),
        (updates, [truths(monitors.pos), falsity(_pairs(monitors.neg))], [becomes, falsity(ceases)]),
        (
            np.full(disjuncts, layout.GOAL_DISJUNCT),
            [truths(goal.pos), falsity(_pairs(goal.neg))],
            [_one_each(np.full(disjuncts, goal_at))],
        ),
    ]
    parent = np.concatenate([parents for parents, _, _ in kinds])
    first = np.cumsum([0, *(len(parents) for parents, _, _ in kinds)]).tolist()
    conditions = [(row + at, item) for at, (_, parts, _) in zip(first, kinds, strict=False) for row, item in parts]
    achieved = [(row + at, item) for at, (_, _, parts) in zip(first, kinds, strict=False) for row, item in parts]
    shows = np.zeros(len(parent), np.bool_)
    shows[first[2] : first[4]] = True
    price, real = np.zeros(len(parent), np.int64), parent >= 0
    price[real] = 1 if unit_cost else ops.cost[parent[real]]
    rows = _rows(conditions, len(parent)), _rows(achieved, len(parent))
    return _assemble(task.half, goal_at + 1, stated, negated, *rows, price, parent, shows)


def set_goal(relaxation: Int32, disjuncts: int, disjunct: int) -> None:
    """Makes one disjunct the whole goal, in place; ``disjuncts``: the number of disjuncts of the compiled goal."""
    groups = int(relaxation[layout.ACHIEVED]) + 2 * (int(relaxation[layout.PROPOSITIONS]) - 1)
    group = int(relaxation[groups])
    relaxation[groups + 1] = group + layout.GROUP_SIZE
    members = int(relaxation[group + layout.MEMBERS])
    relaxation[group + layout.GUARD], relaxation[group + layout.MEMBERS_END] = -1, members + 1
    relaxation[members] = int(relaxation[layout.RELAXED]) - disjuncts + disjunct


class _Contraries(NamedTuple):
    """Relaxed operators by which derived facts become false, numbered from 0, ``size`` of them; ``broken``: the number
    of propositions that a rule is broken."""

    size: int
    broken: int
    conditions: Pairs
    achieved: Pairs


class _Contrary:
    """How derived facts become false: by all their rules being broken, except for rules that want a fact of their own
    stratum."""

    def __init__(self, rules: Rules, facts: int) -> None:
        stratum = np.full(facts, -1, np.int64)
        stratum[rules.head] = rules.stratum
        self._derived = stratum >= 0
        self._head, self._pos, self._neg = rules.head.astype(np.int64), _pairs(rules.pos), _pairs(rules.neg)
        self._counts = np.ones(len(rules.head), np.bool_)
        row, item = self._pos
        self._counts[row[stratum[item] == rules.stratum[row]]] = False

    def needed(self, relevant: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The facts whose falsity is relevant if that of the ``relevant`` ones is, bool (facts,)."""
        relevant, size = relevant.copy(), -1
        row, item = self._pos
        while size != (size := int(relevant.sum())):
            relevant[item[self._counts[row] & relevant[self._head[row]]]] = True
        self._relevant = relevant
        return relevant

    def relaxed(self, false_at: _Numbers, first: int) -> _Contraries:
        """The relaxed operators for the ``needed`` facts. ``false_at``: fact → the proposition of its falsity;
        ``first``: the first proposition that a rule is broken."""
        falsified = np.flatnonzero(self._relevant & self._derived)
        rules = np.flatnonzero(self._counts & self._relevant[self._head])
        broken = np.full(len(self._head), -1, np.int64)
        broken[rules] = first + np.arange(len(rules))
        of_fact = np.searchsorted(falsified, self._head[rules])
        target = broken[np.concatenate([self._pos[0], self._neg[0]])]
        contrary = np.concatenate([false_at[self._pos[1]], self._neg[1]])[target >= 0]
        target = target[target >= 0]
        breaking = len(falsified) + np.arange(len(target))
        return _Contraries(
            len(falsified) + len(target),
            len(rules),
            (np.concatenate([of_fact, breaking]), np.concatenate([broken[rules], contrary])),
            (np.concatenate([np.arange(len(falsified)), breaking]), np.concatenate([false_at[falsified], target])),
        )


def _pairs(rows: Lists) -> Pairs:
    row, item = owners_of(rows)
    return row.astype(np.int64), item.astype(np.int64)


def _without_idle(wants_false: Pairs, adds: Pairs) -> Pairs:
    """The first pairs, except for a row's pair with the single fact that it adds, which only excludes that it is
    idle."""
    alone = np.bincount(adds[0], minlength=1)[adds[0]] == 1
    only = np.full(1 + max(wants_false[0].max(initial=0), adds[0].max(initial=0)), -1, np.int64)  # row → that fact
    only[adds[0][alone]] = adds[1][alone]
    idle = only[wants_false[0]] == wants_false[1]
    return wants_false[0][~idle], wants_false[1][~idle]


def _of_rows(pairs: Pairs, rows: npt.NDArray[np.int64], count: int) -> Pairs:
    """New row ``i`` has the items of row ``rows[i]`` of the ``count`` rows of ``pairs``."""
    table = _rows([pairs], count)
    return _pairs(Lists(table.start[rows], table.end[rows], table.items))


def _rows(parts: list[Pairs], count: int) -> Lists:
    """Ragged rows, with the items of each ascending and without duplicates."""
    row = np.concatenate([p[0] for p in parts])
    item = np.concatenate([p[1] for p in parts])
    base = int(item.max(initial=0)) + 1
    keys = np.sort(row * base + item, kind="stable")  # nearly sorted before
    row, item = np.divmod(keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]], base)
    lengths = np.bincount(row, minlength=count).astype(np.int64)
    end = np.cumsum(lengths)
    return Lists(end - lengths, end, item.astype(np.int32))


def _one_each(items: npt.NDArray[np.signedinteger]) -> Pairs:
    return np.arange(len(items)), items.astype(np.int64)


def _conditions_of(pairs: Pairs, conditions: Lists) -> Pairs:
    """(number of the pair, condition) of every condition of every pair's relaxed operator."""
    row = pairs[0]
    return _pairs(Lists(conditions.start[row], conditions.end[row], conditions.items))


def _undominated(pairs: Pairs, conditions: Lists, price: Int64, propositions: int) -> Pairs:
    """The pairs (relaxed operator, effect) that no other achiever of the effect dominates: one that costs no more and
    has the same conditions, or all but one of them.

    Sets of conditions are compared by the sums of their members' 64-bit hashes.
    """
    row, effect = pairs
    if not len(row):
        return pairs
    hashes = _mixed(np.arange(2 * propositions, dtype=np.uint64))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes[conditions.items], dtype=np.uint64)])
    own = sums[conditions.end[row]] - sums[conditions.start[row]] + hashes[propositions + effect]
    order = np.lexsort((row, price[row], own))
    first = np.ones(len(order), np.bool_)
    first[1:] = own[order[1:]] != own[order[:-1]]
    best = order[first]  # the cheapest of those with the same conditions and effect
    dominated = np.ones(len(row), np.bool_)
    dominated[best] = False
    number, condition = _conditions_of(pairs, conditions)
    rest = own[number] - hashes[condition]
    known = own[best]
    parts = np.array_split(rest, 1 + len(rest) // 2**19)  # between them, signals are heard
    place = np.minimum(np.concatenate([np.searchsorted(known, part) for part in parts]), len(best) - 1)
    hit = (known[place] == rest) & (price[row[best]][place] <= price[row[number]])
    dominated[number[hit]] = True
    return row[~dominated], effect[~dominated]


def _mixed(numbers: _Hashes) -> _Hashes:
    """A 64-bit hash of each number (splitmix64)."""
    z = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _guards(pairs: Pairs, conditions: Lists, propositions: int) -> _Numbers:
    """For each pair (relaxed operator, effect) a condition whose achievers all need the effect, or -1; of several, the
    one that the fewest need, since it is rarely true."""
    row, effect = pairs
    number, condition = _conditions_of(pairs, conditions)
    achievers = np.bincount(effect, minlength=propositions)
    needs, times = np.unique(effect[number] * propositions + condition, return_counts=True)
    always = needs[times == achievers[needs // propositions]]  # proposition * propositions + its necessary condition
    other_way = condition * propositions + effect[number]
    at = np.minimum(np.searchsorted(always, other_way), len(always) - 1)
    circular = (always[at] == other_way if len(always) else False) | (achievers[condition] == 0)
    guard = np.full(len(row), -1, np.int64)
    number, condition = number[circular], condition[circular]
    order = np.lexsort((condition, -np.bincount(condition, minlength=propositions)[condition]))
    guard[number[order]] = condition[order]  # of several the last one remains
    return guard


def _assemble(
    half: int,
    propositions: int,
    stated: int,
    negated: _Numbers,
    conditions: Lists,
    effects: Lists,
    price: Int64,
    parent: _Numbers,
    shows: npt.NDArray[np.bool_],
) -> Int32:
    pairs = _pairs(effects)
    sensing = shows[pairs[0]]
    acting = _undominated((pairs[0][~sensing], pairs[1][~sensing]), conditions, price, propositions)
    looks = pairs[0][sensing], pairs[1][sensing]
    row, effect = np.concatenate([acting[0], looks[0]]), np.concatenate([acting[1], looks[1]])
    guard = np.concatenate([_guards(acting, conditions, propositions), looks[1]])  # only true facts are seen
    order = np.lexsort((row, guard, effect))
    row, effect, guard = row[order], effect[order], guard[order]
    new = np.ones(len(row), np.bool_)
    new[1:] = (effect[1:] != effect[:-1]) | (guard[1:] != guard[:-1])
    start = np.flatnonzero(new)
    end = np.append(start, len(row))[1:]

    header = np.zeros(layout.HEADER, np.int64)
    header[[layout.HALF, layout.PROPOSITIONS, layout.RELAXED]] = half, propositions, len(parent)
    header[layout.STATED] = stated
    header[layout.CONDITION_COUNT] = len(conditions.items)
    header[layout.UNIT] = unit = 1 + int(price.max(initial=0)) // (layout.MOST_PRICE + 1)
    header[layout.NEGATED] = layout.HEADER
    conditions_at = layout.HEADER + len(negated)
    effects_at = conditions_at + len(conditions.items)
    members_at = effects_at + len(effects.items)
    header[layout.OPERATORS] = members_at + len(row)
    records = [conditions.start + conditions_at, conditions.end + conditions_at]
    records += [effects.start + effects_at, effects.end + effects_at, price // unit, parent]
    header[layout.ACHIEVED] = header[layout.OPERATORS] + layout.OPERATOR_SIZE * len(parent)
    groups_at = header[layout.ACHIEVED] + 2 * propositions
    groups = np.bincount(effect[start], minlength=propositions)
    groups_end = groups_at + layout.GROUP_SIZE * np.cumsum(groups)
    parts: list[npt.NDArray[np.signedinteger]] = [header, negated, conditions.items, effects.items, row]
    parts.append(np.stack(records, axis=1).ravel())
    parts.append(np.stack([groups_end - layout.GROUP_SIZE * groups, groups_end], axis=1).ravel())
    parts.append(np.stack([guard[start], start + members_at, end + members_at], axis=1).ravel())
    return np.concatenate([part.astype(np.int32) for part in parts])
