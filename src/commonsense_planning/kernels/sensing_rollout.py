"""Sensing in the order of probability per cost, in many worlds at once: the roll-outs of the search among sensing
macros.

An agent that searches for things takes one sensing macro after the other. The next one depends on its belief, not on
the world. So worlds with the same observations so far have the same next macro, and are processed together up to the
next observation, which splits them by the things found: the stack of pending work contains sets of worlds.

A sensor that errs is treated as one that shows the truth or nothing. With error probabilities m (a true fact is read as
false) and a (a false one as true), a reading is the truth with probability 1 - m - a, and otherwise true with a
probability that does not depend on the truth. So a look at a class shows nothing with probability ``blur``, and the
remaining belief in it is multiplied by that; a world determines how late its things are seen.

Invariant: ``order[first:last]`` of an entry of the stack are the worlds of the entry, and no world is in two entries.

``tests/kernels/reference.py`` has the slow twin, which processes one world after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from commonsense_planning.grounding.ground_task import Int32, Int64
from commonsense_planning.kernels.kernel import FloatRows, Floats, Int32Planes, Int32Rows, Table, check_signals, kernel

MOST_OBSERVATIONS = 4  # on one macro
INFINITE = np.inf
LOOKED_ENOUGH = 0.02  # a class with a smaller remaining share of its belief is not looked at again


class TravelCosts(NamedTuple):
    """The costs of the macros between n sensing rules, and from one more place, row n.

    ``cost``: float64 (n + 1, n), operators; infinite where there is no macro. ``after``: int32 (n + 1, n,
    MOST_OBSERVATIONS), the number of operators carried out when the class ``shown``, of the same shape, is observed; -1
    for none.
    """

    cost: FloatRows
    after: Int32Planes
    shown: Int32Planes

    @classmethod
    def empty(cls, rules: int) -> TravelCosts:
        """No macros at all."""
        observations = np.full((2, rules + 1, rules, MOST_OBSERVATIONS), -1, np.int32)
        return cls(np.full((rules + 1, rules), np.inf), observations[0], observations[1])

    def write(self, place: int, observations: Sequence[tuple[int, tuple[tuple[int, int], ...]] | None]) -> None:
        """Writes the macros from a place: for each rule the number of operators and the observations; None for no
        macro."""
        self.cost[place], self.after[place], self.shown[place] = np.inf, -1, -1
        for rule, macro in enumerate(observations):
            if macro is not None:
                self.cost[place, rule] = macro[0]
                for i, (after, c) in enumerate(macro[1]):
                    self.after[place, rule, i], self.shown[place, rule, i] = after, c


class Worlds(NamedTuple):
    """The part of worlds that matters for sensing; groups are bits in this order.

    ``observed``: int32 (worlds, groups), the observation class of the true member of each group, -1 if it has none.
    ``weight``: float64 (worlds,), not negative. ``mass``: float64 (groups, classes), the share of the belief in a group
    that is in a class. ``needed``: int64 (disjuncts,), sets of groups, of which one has to be found. ``blur``: float64
    (classes,), in [0, 1], the probability that a look at a class shows nothing. ``luck``: float64 (worlds, groups), in
    [0, 1): a group's member is seen once ``residual_after`` the looks at its class is at most this.
    """

    observed: Int32Rows
    weight: Floats
    mass: FloatRows
    needed: Int64
    blur: Floats
    luck: FloatRows


@kernel
def residual_after(residual: float, blur: float) -> float:
    """The share of the initial belief in a class that is left after a look that shows nothing."""
    share = residual * blur
    return share if share >= LOOKED_ENOUGH else 0.0


@kernel
def next_rule(macros: TravelCosts, place: int, residual: Floats, value: Floats) -> int:
    """The rule whose macro from ``place`` shows most of the belief per cost, the first of equal ones; -1 if none shows
    any.

    ``value``: float64 (classes,), the value of each observation class.
    """
    best, rule = 0.0, -1
    for j in range(macros.cost.shape[1]):
        if macros.cost[place, j] == INFINITE:
            continue
        gain = 0.0
        for k in range(macros.shown.shape[2]):
            c = macros.shown[place, j, k]
            if c >= 0 and residual[c] > 0:
                gain += value[c]
        if gain > best * macros.cost[place, j]:
            best, rule = gain / macros.cost[place, j], j
    return rule


@kernel
def class_values(worlds: Worlds, found: int, residual: Floats, value: Floats) -> None:
    """Writes the value of each observation class to ``value``, float64 (classes,): the shares of the belief that a look
    at it would show, for all groups not found. ``residual``: float64 (classes,), the share of the belief in each that
    is left; 0 if there is nothing left to see."""
    value[:] = 0.0
    for g in range(worlds.mass.shape[0]):
        if found >> g & 1:
            continue
        total = 0.0
        for c in range(len(residual)):
            total += worlds.mass[g, c] * residual[c]
        if total > 0:
            for c in range(len(residual)):
                value[c] += worlds.mass[g, c] * residual[c] * (1 - worlds.blur[c]) / total


@kernel
def sense_in_order(
    macros: TravelCosts,
    rule_of: Int32,
    worlds: Worlds,
    members: Table,
    place: int,
    found: int,
    residual: Floats,
    last: Int32,
    cost: Floats,
) -> None:
    """From ``place``, senses in the order of probability per cost until enough is found, or nothing is left to sense.

    ``members``: int32, the worlds in question. ``found``: the groups that are found, as bits; ``residual``: as for
    ``class_values``. Written, by world: ``last``, the rule at which it ends, or ``place``; ``cost``, the number of
    operators until there.
    """
    count, classes, groups = len(members), len(residual), worlds.observed.shape[1]
    order: Int32 = np.array(members)
    first_of: Int64 = np.empty(count + 1, np.int64)
    end_of: Int64 = np.empty(count + 1, np.int64)
    where: Int64 = np.empty(count + 1, np.int64)
    has: Int64 = np.empty(count + 1, np.int64)
    spent: Floats = np.empty(count + 1)
    dark: FloatRows = np.empty((count + 1, classes))
    value: Floats = np.empty(classes)
    saw: Int64 = np.empty(count, np.int64)
    first_of[0], end_of[0], where[0], has[0], spent[0] = 0, count, place, found, 0.0
    dark[0, :] = residual
    size = 1
    while size > 0:
        check_signals()
        top = size - 1
        first, end = first_of[top], end_of[top]
        target, enough = -1, False
        for d in range(len(worlds.needed)):
            enough = enough or worlds.needed[d] & ~has[top] == 0
        if not enough:
            class_values(worlds, has[top], dark[top], value)
            target = next_rule(macros, where[top], dark[top], value)
        if target < 0:
            for i in range(first, end):
                last[order[i]], cost[order[i]] = where[top], spent[top]
            size -= 1
            continue
        row, observation = where[top], 0
        while dark[top, macros.shown[row, target, observation]] == 0:  # ends, since the macro's gain is not 0
            observation += 1
        after, c = macros.after[row, target, observation], 0
        for i in range(first, end):
            saw[i] = 0
        while observation < macros.shown.shape[2] and macros.after[row, target, observation] == after:
            c = macros.shown[row, target, observation]
            unlucky = residual_after(dark[top, c], worlds.blur[c])
            for i in range(first, end):
                for g in range(groups):
                    there = worlds.observed[order[i], g] == c and worlds.luck[order[i], g] >= unlucky
                    if there and dark[top, c] > 0 and not has[top] >> g & 1:
                        saw[i] |= 1 << g
            dark[top, c] = unlucky
            observation += 1
        at = target if after == macros.cost[row, target] else rule_of[c]
        now, had, rest = spent[top] + after, has[top], first
        size -= 1
        while rest < end:  # divides them by their finds
            finds, begin = saw[rest], rest
            for i in range(rest, end):
                if saw[i] == finds:
                    order[i], order[rest] = order[rest], order[i]
                    saw[i], saw[rest] = saw[rest], saw[i]
                    rest += 1
            for g in range(classes):
                dark[size, g] = dark[top, g]
            first_of[size], end_of[size], where[size] = begin, rest, at
            has[size], spent[size] = had | finds, now
            size += 1
