"""Small search problems: one wanted thing, hidden in one of a few places in a few rooms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.data import REPOSITORY

FLOOR = 1e-3  # the least weight of a place, before normalising, as in a belief of ``pomdp``
FEWEST_PLACES, MOST_PLACES, MOST_ROOMS = 4, 12, 4
LONGEST_WAY = 6  # steps between two rooms
CONCENTRATIONS = (0.2, 0.5, 1.0, 3.0, 100.0)  # of Dirichlet priors: from nearly sure to nearly even
HARD = (
    *(64, 162, 196, 202, 232, 239, 298, 307, 318, 395, 704, 705, 753, 818, 834, 880, 929, 942, 1082, 1089, 1114, 1132),
    *(1180, 1204, 1297, 1309, 1369, 1465, 1539, 1584, 1599, 1622, 1637, 1706, 1757, 1835, 1846, 2039, 2078, 2104),
)
"""The first problems in which the greedy order takes 1.10 of the best expectation or more: 40 of 2,105."""

Way = tuple[int, int]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Place:
    """Where the thing may be: a box at a ``cell``, or a table there, which is seen from all cells of ``room``."""

    cell: int
    room: int
    box: bool

    def name(self, number: int) -> str:
        """Returns what the problem file calls place ``number``."""
        return f"{'box' if self.box else 'table'}_{number}"


@dataclass(frozen=True)
class SearchProblem:
    """``cells`` are numbered from 0, and ``ways`` lead from one to another in a step. ``rooms``: the cells of each; a
    corridor's are in none. ``prior``: the probability of each of ``places``, positive, summing to one. ``start``: the
    cell where the robot begins. ``target``: the destination of the thing; None if it need only be held."""

    cells: int
    ways: tuple[Way, ...]
    rooms: tuple[tuple[int, ...], ...]
    places: tuple[Place, ...]
    prior: tuple[float, ...]
    start: int
    target: int | None

    @cached_property
    def view(self) -> tuple[int, ...]:
        """Per cell the tables that are seen from there, as bits."""
        seen = [0] * self.cells
        for number, place in enumerate(self.places):
            for cell in () if place.box else self.rooms[place.room]:
                seen[cell] |= 1 << number
        return tuple(seen)

    @cached_property
    def distances(self) -> Ints:
        """Steps from cell to cell, int64 (cells, cells)."""
        return walking_distances(self.cells, self.ways)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Per cell those that a step leads to, ascending."""
        lists: list[list[int]] = [[] for _ in range(self.cells)]
        for a, b in sorted(self.ways):
            lists[a].append(b)
        return tuple(map(tuple, lists))

    @property
    def folder(self) -> Path:
        """Where ``domain.pddl`` and ``sensors.pddl`` are."""
        return REPOSITORY / "tests" / "search" / "pomdp" / "search_regret"

    @property
    def worlds(self) -> tuple[tuple[int, float], ...]:
        """Every world: the place of the thing, and its probability."""
        return tuple(enumerate(self.prior))

    def weight(self, fact: Sequence[str]) -> float:
        """The prior of a fact that says where the thing is, by its arguments."""
        return self.prior[int(fact[1].rpartition("_")[2])]

    def finish(self, cell: int, place: int) -> int:
        """Steps from ``cell`` to the goal, once it is known that the thing is at ``place`` and the box, if it is one,
        is open: walk there, take it, bring it to the target."""
        there = self.places[place].cell
        bring = 0 if self.target is None else int(self.distances[there, self.target])
        return int(self.distances[cell, there]) + 1 + bring

    def pddl(self, truth: int) -> str:
        """Returns the problem file of the world in which the thing is at place ``truth``."""
        names = [place.name(number) for number, place in enumerate(self.places)]
        cells = " ".join(f"cell_{c}" for c in range(self.cells))
        kinds = " ".join(f"{name} - {name.partition('_')[0]}" for name in names)
        facts = [f"(at cell_{self.start})", *(f"(way cell_{a} cell_{b})" for a, b in self.ways)]
        for name, place in zip(names, self.places, strict=True):
            facts.append(f"(stands {name} cell_{place.cell})")
            facts += [f"(in-view {name} cell_{c})" for c in self.rooms[place.room] if not place.box]
        facts.append(f"({'inside' if self.places[truth].box else 'on'} ring {names[truth]})")
        bring = "" if self.target is None else f" (at cell_{self.target})"
        return (
            f"(define (problem search)\n  (:domain search)\n  (:objects ring - item {cells} - cell {kinds})\n"
            f"  (:init {' '.join(facts)})\n  (:goal (and (holding ring){bring})))\n"
        )


def walking_distances(cells: int, ways: Iterable[Way]) -> Ints:
    """Steps from cell to cell, int64 (cells, cells); ``cells``, which is more than any, where there is no way."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    a, b = np.array([*ways], np.int64).reshape(-1, 2).T
    steps = shortest_path(coo_array((np.ones(len(a)), (a, b)), shape=(cells, cells)).tocsr(), unweighted=True)
    return np.where(np.isinf(steps), cells, steps).astype(np.int64)


class Plan(Enum):
    """Which rooms ways lead between."""

    LINE = "line"
    RING = "ring"
    HALL = "hall"  # all begin at one cell
    TREE = "tree"
    OPEN = "open"  # one step from anywhere to the middle of any other room, as in the household domain


def numbered(number: int) -> SearchProblem:
    """Returns the random problem of that number, always the same."""
    return random_problem(np.random.default_rng([15, number]))


def random_problem(rng: np.random.Generator) -> SearchProblem:
    """Any of them: plan, lengths of ways, rooms, places, prior, start and target are drawn."""
    rooms = int(rng.integers(1, MOST_ROOMS + 1))
    count = int(rng.integers(FEWEST_PLACES, MOST_PLACES + 1))
    plan = list(Plan)[rng.integers(len(Plan))]
    boxes, crowded = rng.choice([0.3, 0.6, 1.0]), rng.random() < 0.5
    members: list[list[int]] = [[room] for room in range(rooms)]  # the first cell is a room's middle
    cells = rooms
    ways: list[Way] = []
    places = []
    for number in range(count):
        room = number if number < rooms else int(rng.integers(rooms))
        cell, cells = cells, cells + 1
        beside = members[room][1:] if crowded else []  # from place to place, or by way of the middle
        ways += [way for other in (room, *beside) for way in ((cell, other), (other, cell))]
        members[room].append(cell)
        places.append(Place(cell, room, bool(rng.random() < boxes)))
    if plan is Plan.OPEN:
        ways += [(c, other) for r, own in enumerate(members) for c in own for other in range(rooms) if other != r]
    elif rooms > 1:
        hall = cells
        cells += plan is Plan.HALL
        for a, b in _passages(plan, rooms, hall, rng):
            length = int(rng.integers(1, LONGEST_WAY + 1))
            chain = [a, *range(cells, cells + length - 1), b]
            cells += length - 1
            ways += [way for x, y in zip(chain, chain[1:], strict=False) for way in ((x, y), (y, x))]
    start = int(rng.integers(cells))
    target = int(rng.integers(cells)) if rng.random() < 0.25 else None
    uninformed = SearchProblem(
        cells, tuple(ways), tuple(map(tuple, members)), tuple(places), (1 / count,) * count, start, target
    )
    return _with_prior(uninformed, rng)


def _passages(plan: Plan, rooms: int, hall: int, rng: np.random.Generator) -> list[Way]:
    """Pairs of cells that corridors join."""
    if plan is Plan.HALL:
        return [(hall, room) for room in range(rooms)]
    if plan is Plan.TREE:
        return [(int(rng.integers(room)), room) for room in range(1, rooms)]
    ring = [(rooms - 1, 0)] if plan is Plan.RING and rooms > 2 else []
    return [(room, room + 1) for room in range(rooms - 1)] + ring


def _with_prior(problem: SearchProblem, rng: np.random.Generator) -> SearchProblem:
    """Returns a Dirichlet prior; in every fourth problem the farther a place is, the likelier: it seems to be turned
    around."""
    count = len(problem.places)
    weights = rng.dirichlet(np.full(count, CONCENTRATIONS[rng.integers(len(CONCENTRATIONS))])) + FLOOR
    if rng.random() < 0.25:
        away = np.argsort([problem.distances[problem.start, place.cell] for place in problem.places], kind="stable")
        weights[away] = np.sort(weights)
    return SearchProblem(
        problem.cells,
        problem.ways,
        problem.rooms,
        problem.places,
        tuple((weights / weights.sum()).tolist()),
        problem.start,
        problem.target,
    )
