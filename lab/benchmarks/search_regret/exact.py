"""The best expected number of steps by dynamic programming, and the greedy order by probability over cost.

Before an agent has found the thing, it knows its position and the places that it has searched. A strategy maps this to
an action: a step to a neighbouring cell, or opening a box. Everything is exact: expectations are sums over all places
weighted by the prior.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lab.benchmarks.search_regret.problems import SearchProblem, walking_distances

Floats = npt.NDArray[np.float64]


class Move(NamedTuple):
    """A step to ``cell``, or opening box ``opens`` at the agent's cell."""

    cell: int
    opens: int | None


Strategy = Callable[[int, int], Move]
"""What to do at a cell after a search of a set of places (bits) without the thing; other places are left."""


class Optimum:
    """The dynamic program over (cell, places looked at).

    W(c, S) is the least expected number of steps to the goal that are still to come, times the probability that the
    thing is at none of the places S: with m(S) that probability, f(c, i) the steps that finish once the thing is found
    at i, and V(c) the tables that are seen from c,

        W(c, S) = m(S) + min over moves to c', which shows places N,  Σ_{i in N} p_i f(c', i) + W(c', S ∪ N).

    Within one S nothing but walking can happen, so the minimum is over all cells that are reached without seeing
    anything new, of the walk there and what is done next.
    """

    def __init__(self, problem: SearchProblem) -> None:
        self.problem = problem
        self._all = (1 << len(problem.places)) - 1
        self._kept: dict[int, Floats] = {}
        self._walks: dict[frozenset[int], Floats] = {}

    @property
    def steps(self) -> float:
        """The least expected number of steps from the start."""
        return self._seeing(self.problem.start, 0)

    def move(self, cell: int, looked: int) -> Move:
        """Returns an optimal strategy: the move with the least expectation, the first of them."""
        moves = [*(Move(cell, box) for box in _boxes(self.problem, cell, looked))]
        moves += [Move(other, None) for other in self.problem.neighbours[cell]]
        return min(moves, key=lambda move: (round(self._after(move, looked), 9), move.opens is None, move.cell))

    def _after(self, move: Move, looked: int) -> float:
        """Returns what is still to come after a move; opening shows a box, entering what is in view."""
        if move.opens is None:
            return self._seeing(move.cell, looked)
        found = self.problem.prior[move.opens] * self.problem.finish(move.cell, move.opens)
        return found + float(self._remaining(looked | 1 << move.opens)[move.cell])

    def _seeing(self, cell: int, looked: int) -> float:
        """Returns what is still to come for one who has just come to a cell."""
        problem = self.problem
        new = problem.view[cell] & ~looked
        found = sum(problem.prior[i] * problem.finish(cell, i) for i in _members(new))
        return found + float(self._remaining(looked | new)[cell])

    def _remaining(self, looked: int) -> Floats:
        """W(·, S), float64 (cells,)."""
        if looked not in self._kept:
            self._kept[looked] = self._solve(looked)
        return self._kept[looked]

    def _solve(self, looked: int) -> Floats:
        problem = self.problem
        if looked == self._all:
            return np.zeros(problem.cells)
        mass = sum(problem.prior[i] for i in _members(self._all & ~looked))
        next_sight = np.full(problem.cells, np.inf)  # the least that a move which shows something leads to
        for cell in range(problem.cells):
            for box in _boxes(problem, cell, looked):
                next_sight[cell] = min(next_sight[cell], mass + self._after(Move(cell, box), looked))
        showing = frozenset(cell for cell in range(problem.cells) if problem.view[cell] & ~looked)
        entered = {cell: mass + self._seeing(cell, looked) for cell in sorted(showing)}
        for a, b in problem.ways:
            if b in showing:
                next_sight[a] = min(next_sight[a], entered[b])
        if showing not in self._walks:
            blind = walking_distances(problem.cells, [way for way in problem.ways if way[1] not in showing])
            self._walks[showing] = np.where(blind < problem.cells, blind, np.inf)
        return np.asarray((mass * self._walks[showing] + next_sight).min(axis=1))


def greedy(problem: SearchProblem) -> Strategy:
    """Looks where probability over cost is highest: of a box, its own over the steps to it and opening it; of a cell,
    that of the tables that would be seen from there first, over the steps to it. Ties go to the nearest."""

    def choose(cell: int, looked: int) -> Move:
        away = problem.distances[cell]
        looks = [
            (problem.prior[box] / (away[there] + 1), -int(away[there]), there, box)
            for there in range(problem.cells)
            for box in _boxes(problem, there, looked)
        ]
        for there in range(problem.cells):
            new = problem.view[there] & ~looked
            if new:
                looks.append((sum(problem.prior[i] for i in _members(new)) / away[there], -int(away[there]), there, -1))
        _, _, there, box = max(looks)
        if there == cell:
            return Move(cell, box)
        return Move(min(problem.neighbours[cell], key=lambda other: problem.distances[other, there]), None)

    return choose


def expected_steps(problem: SearchProblem, strategy: Strategy) -> float:
    """Returns the exact expected steps of a strategy, which is followed once, as if the thing were never found."""
    cell, looked, steps, expected = problem.start, 0, 0, 0.0
    new = problem.view[cell]
    everything = (1 << len(problem.places)) - 1
    while True:
        expected += sum(problem.prior[i] * (steps + problem.finish(cell, i)) for i in _members(new))
        looked |= new
        if looked == everything:
            return expected
        move = strategy(cell, looked)
        steps += 1
        cell = move.cell
        new = (problem.view[cell] if move.opens is None else 1 << move.opens) & ~looked


def _boxes(problem: SearchProblem, cell: int, looked: int) -> list[int]:
    """Returns the boxes at a cell that were not looked at."""
    return [i for i, place in enumerate(problem.places) if place.box and place.cell == cell and not looked >> i & 1]


def _members(bits: int) -> list[int]:
    return [i for i in range(bits.bit_length()) if bits >> i & 1]
