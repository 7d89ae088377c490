"""Small problems of fetching: two or three wanted things, hidden with independent priors, each with a place to go to; a
robot with one hand or two. Two families: cells in a graph, and homes, where any room is a step away."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from lab.benchmarks.search_regret.fetching_optimum import Fetching, least_steps

LEAST = 0.03  # of a place where a thing may be, before normalising
CONCENTRATIONS = (0.3, 1.0, 3.0)  # of Dirichlet priors: from nearly sure to nearly even
SUPPORTS = {2: (3, 5), 3: (2, 3)}  # by the number of things: the places where one may be, from and to


@dataclass(frozen=True)
class FetchingProblem:
    """``model``: what the dynamic program knows; ``family``: the folder of domain and sensors, the name of their
    domain. ``objects`` and ``facts``: of the problem file; in the facts nothing is said of where things lie."""

    family: str
    model: Fetching
    objects: str
    facts: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Where ``domain.pddl`` and ``sensors.pddl`` are."""
        return Path(__file__).with_name(self.family)

    @cached_property
    def worlds(self) -> tuple[tuple[tuple[int, ...], float], ...]:
        """Every world: the place of each thing, and the world's probability."""
        places = (np.flatnonzero(row).tolist() for row in self.model.prior)
        weigh = self.model.prior
        return tuple(
            (world, float(np.prod([weigh[thing][place] for thing, place in enumerate(world)])))
            for world in itertools.product(*places)
        )

    def weight(self, fact: Sequence[str]) -> float:
        """The prior of a fact that says where a thing lies, by its arguments."""
        thing, place = (int(name.rpartition("_")[2]) for name in fact)
        return self.model.prior[thing][place]

    @cached_property
    def best(self) -> float:
        """The least expected number of steps."""
        return least_steps(self.model)

    def pddl(self, world: Sequence[int]) -> str:
        """The problem file of a world: the place of each thing."""
        model = self.model
        facts = [*self.facts, *(f"(free hand_{hand})" for hand in range(model.hands))]
        facts += [self._lies(thing, place) for thing, place in enumerate(world)]
        goal = " ".join(self._lies(thing, place) for thing, place in enumerate(model.targets))
        names = [f"item_{i}" for i in range(len(model.targets))], [f"hand_{h}" for h in range(model.hands)]
        return (
            f"(define (problem fetching)\n  (:domain {self.family})\n"
            f"  (:objects {self.objects} {' '.join(names[0])} - item {' '.join(names[1])} - hand)\n"
            f"  (:init {' '.join(facts)})\n  (:goal (and {goal})))\n"
        )

    def _lies(self, thing: int, place: int) -> str:
        box = self.model.boxes[place]
        predicate = "lies" if self.family == "cells" else "inside" if box else "on"
        return f"({predicate} item_{thing} {named(place, box)})"


def named(place: int, box: bool) -> str:
    """What problem files call a place."""
    return f"{'box' if box else 'table'}_{place}"


def cells(number: int) -> FetchingProblem:
    """Five to seven cells in a tree with up to two more ways, or in a grid of two rows; as many places, each at any of
    them."""
    rng = np.random.default_rng([57, 0, number])
    count, places = (int(n) for n in rng.integers(5, 8, 2))
    pairs = {(int(rng.integers(max(0, b - 3), b)), b) for b in range(1, count)}
    pairs |= {(min(a, b), max(a, b)) for a, b in rng.integers(0, count, (int(rng.integers(3)), 2)).tolist() if a != b}
    if rng.random() < 0.3:
        pairs = {(a, b) for a in range(count) for b in ((a + 1,) if a % 2 == 0 else ()) + (a + 2,) if b < count}
    ways = tuple(tuple(sorted({b for b, a in pairs if a == c} | {b for a, b in pairs if a == c})) for c in range(count))
    at = rng.integers(0, count, places).tolist()
    boxes = tuple((rng.random(places) < 0.5).tolist())
    reach = tuple(tuple(p for p in range(places) if at[p] == c) for c in range(count))
    model = drawn(ways, tuple(_bits(p for p in row if not boxes[p]) for row in reach), reach, boxes, number, rng)
    names = [named(p, box) for p, box in enumerate(boxes)]
    objects = " ".join([*(f"cell_{c} - cell" for c in range(count)), *map(_typed, names)])
    facts = [f"(at cell_{model.start})", *(f"(way cell_{a} cell_{b})" for a in range(count) for b in ways[a])]
    facts += [f"(stands {name} cell_{c})" for name, c in zip(names, at, strict=True)]
    return FetchingProblem("cells", model, objects, tuple(facts))


def homes(number: int) -> FetchingProblem:
    """Two to four rooms with five to seven places: positions are the rooms' middles, then the places."""
    rng = np.random.default_rng([57, 1, number])
    rooms, places = int(rng.integers(2, 5)), int(rng.integers(5, 8))
    of = [p if p < rooms else int(rng.integers(rooms)) for p in range(places)]
    room = [*range(rooms), *of]  # of each position
    boxes = tuple((rng.random(places) < 0.5).tolist())
    ways = tuple(
        tuple(b for b in range(rooms + places) if b != a and (room[a] == room[b]) == (b >= rooms))
        for a in range(rooms + places)
    )
    seen = [_bits(p for p in range(places) if of[p] == r and not boxes[p]) for r in range(rooms)]
    reach = tuple((p - rooms,) if p >= rooms else () for p in range(rooms + places))
    model = drawn(ways, tuple(seen[r] for r in room), reach, boxes, number, rng, rooms)
    names = [named(p, box) for p, box in enumerate(boxes)]
    objects = " ".join([*(f"room_{r} - room" for r in range(rooms)), *map(_typed, names)])
    facts = (f"(robot-in room_{model.start})", *(f"(belongs {n} room_{r})" for n, r in zip(names, of, strict=True)))
    return FetchingProblem("homes", model, objects, facts)


FAMILIES: dict[str, Callable[[int], FetchingProblem]] = {"cells": cells, "homes": homes}


def drawn(
    ways: tuple[tuple[int, ...], ...],
    view: tuple[int, ...],
    reach: tuple[tuple[int, ...], ...],
    boxes: tuple[bool, ...],
    number: int,
    rng: np.random.Generator,
    starts: int | None = None,
) -> Fetching:
    """Draws start, targets and priors. A thing is neither at its target nor in sight at the start. Of four problems in
    a row each has another number of hands (one, two) and things (two, three). ``starts``: the first positions of which
    one is the start, None for all of them."""
    things, places = 2 + number // 2 % 2, len(boxes)
    start = int(rng.integers(starts or len(ways)))
    targets = tuple(int(t) for t in rng.integers(0, places, things))
    prior = []
    for target in targets:
        may = [p for p in range(places) if p != target and not view[start] >> p & 1]
        low, high = SUPPORTS[things]
        support = rng.permutation(may)[: int(rng.integers(low, high + 1))].tolist()
        weights = rng.dirichlet(np.full(len(support), CONCENTRATIONS[rng.integers(len(CONCENTRATIONS))])) + LEAST
        row = np.zeros(places)
        row[support] = weights / weights.sum()
        prior.append(tuple(row.tolist()))
    return Fetching(ways, view, reach, boxes, 1 + number % 2, start, targets, tuple(prior))


def _bits(places: Iterable[int]) -> int:
    return sum(1 << p for p in places)


def _typed(name: str) -> str:
    return f"{name} - {name.partition('_')[0]}"
