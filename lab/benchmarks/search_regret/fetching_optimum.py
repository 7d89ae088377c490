"""The best expected number of steps where several things are wanted, by dynamic programming.

An information state is the position, the places looked at (the boxes among them are open), and of each thing whether it
is unknown, held, or at a place looked at. An unknown thing is where its prior says, given that it is at none of the
places looked at; priors are independent, so this is a set of worlds with exact weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from commonsense_planning.pomdp.observation_model import Floats
from lab.benchmarks.search_regret.problems import walking_distances


@dataclass(frozen=True)
class Fetching:
    """``ways``: position → positions a step away. ``view``: position → the tables seen there, as bits. ``reach``:
    position → the places that one can open, take from and put to there. ``boxes``: whether a place is one, which is
    shut at first, and whose opening needs a free hand. ``start``: a position. ``targets``: the place that each thing is
    wanted at. ``prior[i][p]``: the probability that thing i is at place p; 0 at its target."""

    ways: tuple[tuple[int, ...], ...]
    view: tuple[int, ...]
    reach: tuple[tuple[int, ...], ...]
    boxes: tuple[bool, ...]
    hands: int
    start: int
    targets: tuple[int, ...]
    prior: tuple[tuple[float, ...], ...]


def least_steps(problem: Fetching) -> float:
    """The least expected number of steps from the start, after the first look."""
    program = _Program(problem)
    return float(program.seeing(problem.start, 0, tuple(range(len(problem.targets))), problem.view[problem.start]))


class _Program:
    """Values by layers: within one, the same places were looked at and the same things are unknown, so nothing but
    walking, taking and putting can happen, and every step that shows something leads to a later layer.

    A layer's array is float64 (positions, n + 1, …, n + 1) with an axis per known thing, ascending: index k is the k-th
    of the n places looked at, n is held.
    """

    def __init__(self, problem: Fetching) -> None:
        self.problem = problem
        self._kept: dict[tuple[int, tuple[int, ...]], Floats] = {}
        self._walks: dict[frozenset[int], Floats] = {}

    def seeing(self, position: int, looked: int, unknown: tuple[int, ...], new: int) -> Floats:
        """The expected value at a position where the places ``new`` are looked at; an axis per thing not in
        ``unknown``, as in the layer of ``looked``."""
        before, places = _members(looked), _members(looked | new)
        known = [i for i in range(len(self.problem.targets)) if i not in unknown]
        kept = [*(places.index(p) for p in before), len(places)]
        total = np.zeros((len(kept),) * len(known))
        for chance, found in self._outcomes(looked, unknown, new):
            left = tuple(i for i in unknown if i not in found)
            axes = [[places.index(found[i])] if i in found else kept for i in sorted([*known, *found])]
            total += chance * self._layer(looked | new, left)[position][np.ix_(*axes)].reshape(total.shape)
        return total

    def _outcomes(self, looked: int, unknown: tuple[int, ...], new: int) -> Iterator[tuple[float, dict[int, int]]]:
        """What a look at new places may show: the probability, and the places of the things found."""
        each = []
        for i in unknown:
            prior = self.problem.prior[i]
            left = sum(prior[p] for p in range(len(prior)) if not looked >> p & 1)
            chances = [(prior[p] / left, p) for p in _members(new) if prior[p]]
            missed = sum(prior[p] for p in range(len(prior)) if not (looked | new) >> p & 1) / left
            each.append([*chances, *([(missed, -1)] if missed > 0 else [])])
        for outcome in itertools.product(*each):
            found = {i: place for i, (_, place) in zip(unknown, outcome, strict=True) if place >= 0}
            yield float(np.prod([chance for chance, _ in outcome])), found

    def _layer(self, looked: int, unknown: tuple[int, ...]) -> Floats:
        if (looked, unknown) not in self._kept:
            self._kept[looked, unknown] = self._solved(looked, unknown)
        return self._kept[looked, unknown]

    def _solved(self, looked: int, unknown: tuple[int, ...]) -> Floats:
        problem, places = self.problem, _members(looked)
        held, things = len(places), len(problem.targets) - len(unknown)
        shape = (held + 1,) * things
        in_hands = (np.indices(shape) == held).sum(axis=0)
        values = np.full((len(problem.ways), *shape), np.inf)
        if not unknown and all(looked >> t & 1 for t in problem.targets):
            goal: tuple[slice | int, ...] = (slice(None), *(places.index(t) for t in problem.targets))
            values[goal] = 0.0
        showing = frozenset(c for c, view in enumerate(problem.view) if view & ~looked)
        entered = {c: 1 + self.seeing(c, looked, unknown, problem.view[c] & ~looked) for c in sorted(showing)}
        for here, ways in enumerate(problem.ways):
            options = [entered[there] for there in ways if there in showing]
            for box in problem.reach[here]:
                if problem.boxes[box] and not looked >> box & 1:
                    opened = 1 + self.seeing(here, looked, unknown, 1 << box)
                    options.append(np.where(in_hands < problem.hands, opened, np.inf))
            for option in options:
                values[here] = np.minimum(values[here], option)
        values[:, in_hands > problem.hands] = np.inf
        walks = self._walking(showing)
        while True:
            before = values
            values = np.asarray((walks.reshape(*walks.shape, *(1,) * things) + values).min(axis=1))
            for here, reach in enumerate(problem.reach):
                for place, axis in itertools.product([places.index(p) for p in reach if p in places], range(things)):
                    at = np.moveaxis(values[here], axis, 0)
                    at[place], at[held] = np.minimum(at[place], 1 + at[held]), np.minimum(at[held], 1 + at[place])
            values[:, in_hands > problem.hands] = np.inf
            if np.array_equal(values, before):
                return values

    def _walking(self, showing: frozenset[int]) -> Floats:
        """Steps from position to position, past none that shows something new; infinite where there is no way."""
        if showing not in self._walks:
            count = len(self.problem.ways)
            steps = walking_distances(
                count, [(a, b) for a, to in enumerate(self.problem.ways) for b in to if b not in showing]
            )
            self._walks[showing] = np.where(steps < count, steps, np.inf)
        return self._walks[showing]


def _members(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]
