"""Which hidden facts can change the plan, by backward relevance on the delete relaxation (after Nebel, Dimopoulos and
Koehler 1997, "Ignoring irrelevant facts and operators in plan generation").

From the goal, and from the opposite of the failure condition, backwards: the preconditions of a relevant operator are
relevant; a relevant literal that is false now makes the operators relevant that achieve it; so does one that is true
now, once a relevant operator violates it. A hidden fact is relevant if it or its opposite is; with it all members of
its exactly-one groups are, and what their sensing rules want. All other hidden facts may have any value: no best plan
changes. A rule for a derived fact is like an operator that brings it about, and one for each of its conditions that
makes it false; what spoils a condition may spoil what follows from it.

Two kinds of operators are left out, for which there is always something as good:

- One that another dominates: the same effects, conditions among its own, no dearer (walking to the apple on the desk,
  besides walking to the desk). Otherwise whatever might lie on a desk would be relevant to walking there.
- One that only undoes what it was for: of ``p`` and the facts ``q`` that are made from ``p`` alone, at most one is ever
  true (the hand is empty, or it holds this, or that). Getting ``p`` back from a ``q`` that is neither true now nor made
  by a relevant operator takes a ``p`` first (to empty the hand of a banana one has to grab it with an empty hand).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from commonsense_planning.grounding.ground_task import (
    Goal,
    GroundTask,
    Int64,
    Lists,
    Monitors,
    Operators,
    Rules,
    owners_of,
)
from commonsense_planning.kernels.compiled import Compiled
from commonsense_planning.pomdp.observation_model import Bits

_NEVER = np.iinfo(np.int32).max
_Hashes = npt.NDArray[np.uint64]


class Relevant(NamedTuple):
    """What can change the plan: ``groups`` bool (groups,), the exactly-one groups of which something is not known;
    ``facts`` bool (facts,), all facts that the plan is about, known or not, with the members of their groups;
    ``correlated`` bool (parts,), the relevant parts of correlated hidden facts."""

    groups: Bits
    facts: Bits
    correlated: Bits


class Helpful(NamedTuple):
    """``operators`` bool (operators,): those of the nearest ways; ``facts`` bool (facts,): what they need of what may
    become false or was hidden, and what they make false."""

    operators: Bits
    facts: Bits


class Pairs(NamedTuple):
    """(row, item) of every item of ragged rows, int64 each."""

    row: Int64
    item: Int64

    def where(self, kept: Bits) -> Pairs:
        """The ``kept`` pairs, bool (pairs,)."""
        return Pairs(self.row[kept], self.item[kept])


class Relevance:
    """What is relevant in a task, for any state of knowledge.

    Literal ``f`` says that fact f is true, ``facts + f`` that it is false. An action is an operator or, numbered behind
    them, a conditional effect; ``parent`` is its operator. What rules derive, and the updates of bits that remember for
    constraints, are further actions, each its own parent.
    """

    def __init__(self, task: GroundTask, compiled: Compiled) -> None:
        sensors, ops = compiled.sensors, task.operators
        self._facts, self._hidden, self._exactly_one = task.fact_count, sensors.hidden, len(sensors.groups)
        numbered = enumerate(sensors.correlated)
        correlated = [Pairs(np.full(len(t.facts), i), t.facts.astype(np.int64)) for i, t in numbered]
        self._groups = self._exactly_one + len(correlated)  # such a part is like a group: all or none is relevant
        self._members = _pairs(sensors.groups)
        for part in correlated:
            self._members = _joined(self._members, Pairs(part.row + self._exactly_one, part.item))
        self._operators = count = task.operator_count
        parent = np.concatenate([np.arange(count), np.repeat(np.arange(count), ops.effect_end - ops.effect_start)])
        kept = ~_dominated(ops)[parent]
        parts = (ops.pre, ops.npre, ops.cond_pre, ops.cond_npre), (ops.add, ops.delete, ops.cond_add, ops.cond_delete)
        self._wants, makes = (_of_actions(rows, count, self._facts, kept) for rows in parts)
        self._acting = len(parent)  # actions from here on follow by themselves
        derived = _of_rules(task.rules, self._acting, self._facts)
        updates = _of_updates(task.monitors, self._acting + len(derived[1].row), self._facts)
        for wants, made in (derived, updates):
            self._wants, makes = _joined(self._wants, wants), _joined(makes, made)
        following = len(derived[1].row) + len(updates[1].row)
        self._parent = np.concatenate([parent, self._acting + np.arange(following)])
        keys = makes.row * 2 * self._facts + makes.item
        again = _among(keys - self._facts, keys) & (makes.item >= self._facts)  # deleted, then added
        self._makes = makes.where(~again)
        self._spoilable = np.zeros(self._facts, np.bool_)
        self._spoilable[self._makes.item[self._makes.item >= self._facts] - self._facts] = True
        self._opposite = np.concatenate([np.arange(self._facts) + self._facts, np.arange(self._facts)])
        self._task_goal, self._goal = task.goal, _literals(task.goal, self._facts)
        self._avoid = self._opposite[_literals(task.failure, self._facts)]
        self._when = _joined(_pairs(sensors.when), _shifted(_pairs(sensors.when_not), self._facts))
        self._seen = _pairs(sensors.seen)
        if len(sensors.observed):  # an operator that observes is like a rule whose condition is the precondition
            rules, observed = len(sensors.when), _pairs(sensors.observed)
            conditions = _joined(_pairs(ops.pre), _shifted(_pairs(ops.npre), self._facts))
            conditions = conditions.where(np.isin(conditions.row, observed.row))
            self._when = _joined(self._when, Pairs(conditions.row + rules, conditions.item))
            self._seen = _joined(self._seen, Pairs(observed.row + rules, observed.item))
        self._guard, self._exclusive = self._guards(count)

    def of(self, truth: Bits, known: Bits, ends: Bits | None = None) -> Relevant:
        """What is relevant where ``known`` facts are as in ``truth``, both bool (facts,).

        With ``ends``, bool (facts,), only what is relevant next: facts that are true now count as if they stayed true,
        and nothing is followed beyond these hidden facts. A condition with one of them has no others, and no operator
        achieves it except for the goal.
        """
        facts = self._facts
        hidden_relevant, groups = np.zeros(facts, np.bool_), np.zeros(self._groups, np.bool_)
        unsettled = self._hidden & ~known
        so_now = np.concatenate([known & truth, known & ~truth])
        guarded = self._guarded(truth, known)
        wants, when, seen = self._wants, self._when, self._seen
        later = np.zeros(2 * facts, np.bool_)  # literals that no operator needs to achieve yet
        if ends is not None:
            wants, when, seen = _up_to(ends, wants), _up_to(ends, when), seen.where(~ends[seen.item])
            later = np.tile(ends, 2) | so_now
            later[self._goal] = later[self._avoid] = False
        relevant = np.zeros(2 * facts, np.bool_)
        relevant[self._goal] = relevant[self._avoid] = True
        chosen = np.zeros(len(self._parent), np.bool_)  # the actions that are relevant
        made = np.zeros(2 * facts, np.bool_)  # by relevant operators
        size = -1
        while size != (size := int(relevant.sum() + chosen.sum() + made.sum() + hidden_relevant.sum())):
            # relevant literals that are false, or violated, must be achieved
            lacking = relevant & ~later & ~(so_now & ~made[self._opposite])
            can = lacking[self._makes.item] & (~guarded | so_now[self._guard] | made[self._guard])
            chosen[self._makes.row[can]] = True
            chosen[self._parent[chosen]] = True
            relevant[wants.item[chosen[wants.row]]] = True
            # a conditional effect that violates something relevant should not fire
            along = chosen[self._parent]
            spoils = np.zeros(len(chosen), np.bool_)
            spoils[self._makes.row[relevant[self._opposite[self._makes.item]]]] = True
            spoils &= along & (np.arange(len(chosen)) != self._parent)
            relevant[self._opposite[wants.item[spoils[wants.row]]]] = True
            follows = np.zeros(len(chosen), np.bool_)
            follows[self._wants.row[made[self._wants.item]]] = True
            follows[: self._acting] = False
            made[self._makes.item[(chosen | spoils | follows)[self._makes.row]]] = True
            # what is relevant must be seen
            hidden_relevant |= unsettled & (relevant[:facts] | relevant[facts:])
            groups[self._members.row[hidden_relevant[self._members.item]]] = True
            hidden_relevant[self._members.item[groups[self._members.row]]] = True
            hidden_relevant &= unsettled
            looks = np.zeros(int(when.row.max(initial=-1)) + 1, np.bool_)
            rules = seen.row[hidden_relevant[seen.item]]
            looks[rules[rules < len(looks)]] = True
            relevant[when.item[looks[when.row]]] = True
        about = relevant[:facts] | relevant[facts:]
        together = np.zeros(self._groups, np.bool_)
        together[self._members.row[about[self._members.item]]] = True
        about[self._members.item[together[self._members.row]]] = True
        return Relevant(groups[: self._exactly_one], about, groups[self._exactly_one :])

    def helpful(self, truth: Bits, known: Bits, groups: Bits, disjunct: int | None = None) -> Helpful:
        """The operators and facts of the nearest ways to the goal, or to one ``disjunct`` of it, and to a look at each
        open member of the relevant ``groups``. Deletes are ignored, and hidden facts are taken to be as wanted (helpful
        actions of all depths, after Hoffmann and Nebel 2001, "The FF planning system", section 5.2; all supporters of
        the same level count)."""
        facts, wants, makes = self._facts, self._wants, self._makes
        unsettled = self._hidden & ~known
        level = np.where(np.concatenate([unsettled | (known & truth), unsettled | ~truth]), 0, _NEVER)
        goal = self._goal
        if disjunct is not None:
            pos, neg = (rows.row(disjunct).astype(np.int64) for rows in self._task_goal)
            goal = np.concatenate([pos, neg + facts])
        unsure = goal[np.concatenate([unsettled, unsettled])[goal]]
        level[unsure] = _NEVER
        reached = np.full(len(self._parent), _NEVER)  # the level at which an action can be carried out
        for now in range(_NEVER):
            waits = np.zeros(len(reached), np.bool_)
            waits[wants.row[level[wants.item] > now]] = True
            fresh = ~(waits | waits[self._parent]) & (reached == _NEVER)
            if not fresh.any():
                break
            reached[fresh] = now
            made = makes.item[fresh[makes.row]]
            level[made[level[made] == _NEVER]] = now + 1
        relevant = np.zeros(2 * facts, np.bool_)
        relevant[goal] = relevant[self._avoid] = True
        open_members = np.zeros(facts, np.bool_)
        about = np.concatenate([groups, np.ones(self._groups - len(groups), np.bool_)])
        open_members[self._members.item[about[self._members.row]]] = True
        rules = np.zeros(int(max(self._seen.row.max(initial=-1), self._when.row.max(initial=-1))) + 1, np.bool_)
        rules[self._seen.row[(open_members & unsettled)[self._seen.item]]] = True
        relevant[self._when.item[rules[self._when.row]]] = True
        chosen = np.zeros(len(reached), np.bool_)
        for now in range(int(level[level < _NEVER].max(initial=0)), 0, -1):
            due = relevant & (level == now)
            serving = makes.row[due[makes.item]]
            chosen[serving[reached[serving] == now - 1]] = True
            chosen[self._parent[chosen]] = True
            relevant[wants.item[chosen[wants.row]]] = True
        touched = relevant[:facts] & (self._spoilable | self._hidden[:facts])
        spoiled = makes.item[chosen[makes.row]] - facts
        touched[spoiled[spoiled >= 0]] = True
        return Helpful(chosen[: self._operators], touched)

    def _guards(self, count: int) -> tuple[Int64, Pairs]:
        """Per pair of ``_makes`` the fact that guards it, or -1; and (p, member) of the sets of which at most one is
        true, for all p with a guard."""
        facts, makes = self._facts, self._makes
        adds = makes.where(makes.item < facts)
        plain = makes.row < count
        swaps = self._wants.where(self._wants.row < count)  # what an operator wants true, and makes false
        key = makes.row[plain] * 2 * facts + makes.item[plain]
        swaps = swaps.where(_among(swaps.row * 2 * facts + swaps.item + facts, key) & (swaps.item < facts))
        makers = np.bincount(adds.item, minlength=facts)
        action, q, p = _joint(adds, swaps)
        pair, times = np.unique(q * facts + p, return_counts=True)
        always = pair[times == makers[pair // facts]]  # q is only ever made from p
        # broken: some p made otherwise than from one of its q, or several q made at once
        broken = np.zeros(facts, np.bool_)
        from_p = _among(q * facts + p, always)
        of_p, at_once = np.unique(action[from_p] * facts + p[from_p], return_counts=True)
        broken[of_p[at_once > 1] % facts] = True
        back = _among(p * facts + q, always)  # here an operator makes the first of q, p from the second
        key, made = makes.row * facts + makes.item, action[back] * facts + q[back]
        order = np.argsort(made, kind="stable")
        guard = np.full(len(key), -1)
        hit = (makes.item < facts) & _among(key, made)
        guard[hit] = p[back][order][np.searchsorted(made[order], key[hit])]
        unguarded = (makes.item < facts) & (guard < 0)
        broken[makes.item[unguarded]] = True
        guard[(guard >= 0) & broken[np.minimum(makes.item, facts - 1)]] = -1
        guards = np.unique(makes.item[guard >= 0])
        sets = Pairs(always % facts, always // facts)
        sets = sets.where(_among(sets.row, guards))
        return guard, _joined(sets, Pairs(guards, guards))

    def _guarded(self, truth: Bits, known: Bits) -> Bits:
        """Which of the pairs of ``_makes`` need their guard: those for whose p it is known that at most one is true."""
        doubtful = np.zeros(self._facts, np.bool_)
        doubtful[self._exclusive.row[~known[self._exclusive.item]]] = True
        true = np.bincount(self._exclusive.row[truth[self._exclusive.item]], minlength=self._facts)
        sure = ~doubtful & (true <= 1)
        return (self._guard >= 0) & sure[np.minimum(self._makes.item, self._facts - 1)]


def _pairs(rows: Lists) -> Pairs:
    row, item = owners_of(rows)
    return Pairs(row.astype(np.int64), item.astype(np.int64))


def _joined(one: Pairs, other: Pairs) -> Pairs:
    return Pairs(np.concatenate([one.row, other.row]), np.concatenate([one.item, other.item]))


def _up_to(ends: Bits, literals: Pairs) -> Pairs:
    """The pairs (row, literal), but of a row with literals about some of ``ends``, bool (facts,), only these."""
    at_end = ends[literals.item % len(ends)]
    cut = np.zeros(int(literals.row.max(initial=-1)) + 1, np.bool_)
    cut[literals.row[at_end]] = True
    return literals.where(at_end | ~cut[literals.row])


def _of_actions(rows: tuple[Lists, Lists, Lists, Lists], count: int, facts: int, kept: Bits) -> Pairs:
    """The literals that the ``kept`` actions want, or make, as (action, literal): true and false facts of operators,
    then of conditional effects."""
    parts = []
    for i, part in enumerate(rows):
        pairs = _pairs(part)
        pairs = Pairs(pairs.row + count * (i >= 2), pairs.item + facts * (i % 2))
        parts.append(pairs.where(kept[pairs.row]))
    return Pairs(np.concatenate([p.row for p in parts]), np.concatenate([p.item for p in parts]))


def _of_rules(rules: Rules, first: int, facts: int) -> tuple[Pairs, Pairs]:
    """The conditions of rules and the facts that they derive, (action, literal) each. There is one action per rule,
    from ``first`` on, then one for each condition, whose contrary makes the derived fact false."""
    body = _joined(_pairs(rules.pos), _shifted(_pairs(rules.neg), facts))
    heads, count = rules.head.astype(np.int64), len(rules.head)
    against = first + count + np.arange(len(body.row))
    wants = Pairs(body.row + first, body.item), Pairs(against, (body.item + facts) % (2 * facts))
    makes = Pairs(first + np.arange(count), heads), Pairs(against, heads[body.row] + facts)
    return _joined(*wants), _joined(*makes)


def _of_updates(monitors: Monitors, first: int, facts: int) -> tuple[Pairs, Pairs]:
    """The same for the updates of bits that remember for constraints, one action each from ``first`` on."""
    wants = _joined(_pairs(monitors.pos), _shifted(_pairs(monitors.neg), facts))
    bits = monitors.bit + facts * ~monitors.value
    return Pairs(wants.row + first, wants.item), Pairs(first + np.arange(len(bits)), bits.astype(np.int64))


def _among(keys: Int64, others: Int64) -> Bits:
    """Which keys are among the others: bool (keys,)."""
    others = np.sort(others)
    at = np.searchsorted(others, keys)
    found = np.zeros(len(keys), np.bool_)
    inside = at < len(others)
    found[inside] = others[at[inside]] == keys[inside]
    return found


def _shifted(pairs: Pairs, by: int) -> Pairs:
    return Pairs(pairs.row, pairs.item + by)


def _literals(condition: Goal, facts: int) -> Int64:
    return np.concatenate([condition.pos.items.astype(np.int64), condition.neg.items.astype(np.int64) + facts])


def _joint(one: Pairs, other: Pairs) -> tuple[Int64, Int64, Int64]:
    """(row, item of one, item of other) of every two items that the two have in the same row."""
    order = np.argsort(other.row, kind="stable")
    row, item = other.row[order], other.item[order]
    start, end = np.searchsorted(row, one.row), np.searchsorted(row, one.row, side="right")
    number, partner = owners_of(Lists(start.astype(np.int64), end.astype(np.int64), item.astype(np.int32)))
    return one.row[number], one.item[number], partner.astype(np.int64)


def _dominated(ops: Operators) -> Bits:
    """Bool (operators,): whether one of the operators with the fewest conditions among those of the same effects wants
    nothing that this one does not want, fewer things, and costs no more. Effects are compared by 64-bit hashes."""
    count = len(ops.cost)
    every = np.arange(count)
    same = _hashed(ops.add, 0) + _hashed(ops.delete, 1)
    rows = sum(_hashed(r, 2 + i) for i, r in enumerate((ops.cond_pre, ops.cond_npre, ops.cond_add, ops.cond_delete)))
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(np.asarray(rows, np.uint64)), dtype=np.uint64)])
    same = same + total[ops.effect_end] - total[ops.effect_start]
    _, kind = np.unique(same, return_inverse=True)
    widest = max(ops.pre.items.max(initial=0), ops.npre.items.max(initial=0)) + 1
    wants = _joined(_pairs(ops.pre), _shifted(_pairs(ops.npre), widest))
    wants = Pairs(*np.divmod(np.unique(wants.row * 2 * widest + wants.item), 2 * widest))  # each once
    length = np.bincount(wants.row, minlength=count)
    order = np.lexsort((every, ops.cost, length, kind))
    _, first, kinds = np.unique(kind[order], return_index=True, return_inverse=True)
    shortest = length[order] == length[order[first]][kinds]
    mixed = np.bincount(kinds[~shortest], minlength=len(first)) > 0  # kinds of which some operator is longer
    rank = np.where(shortest & mixed[kinds], every - first[kinds], -1)  # among the shortest of its kind
    dominated = np.zeros(count, np.bool_)
    for r in range(int(rank.max(initial=-1)) + 1):
        least = np.full(len(first), -1)  # kind → its operator of rank r
        least[kinds[rank == r]] = order[rank == r]
        best = least[kind]
        asked = wants.where(best[wants.row] == wants.row)
        common = _among(kind[wants.row] * 2 * widest + wants.item, kind[asked.row] * 2 * widest + asked.item)
        shared = np.bincount(wants.row[common], minlength=count)
        dominated |= (best >= 0) & (shared == length[best]) & (ops.cost[best] <= ops.cost) & (length > length[best])
    return dominated


def _hashed(rows: Lists, salt: int) -> _Hashes:
    """A 64-bit hash of each row as a set: the sum of its items' hashes."""
    hashes = _mixed(rows.items.astype(np.uint64) * np.uint64(8) + np.uint64(salt))
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    return np.asarray(total[rows.end] - total[rows.start])


def _mixed(numbers: _Hashes) -> _Hashes:
    """A 64-bit hash of each number (splitmix64)."""
    z = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
