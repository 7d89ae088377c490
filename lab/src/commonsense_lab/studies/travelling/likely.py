"""The most probable route between two places, over ways that a model names.

A model's list of ways errs: some of them do not exist, others are missing. A search for the fewest ways finds the false
ones, since a way that is not there is a short cut. Here a way has a probability, from all that the model said of it:
the evidence is added up as log-odds (naive Bayes), less where it is not independent. A way costs ``-ln p``, and a
little for being one more. Which places and ways to ask about is decided as in a search whose edges are evaluated lazily
(LazySP, Dellin and Srinivasa 2016): only what may still change which route is the best."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

Place = TypeVar("Place", bound=Hashable)

# log-odds that a way exists
PRIOR = -3.0  # between two places of which nothing is said, about 1 in 20
NAMED = 5.0  # first in a list, which alone makes 0.88
LATER = 0.3  # less for each e-fold of the place in the list: first, second, fourth, eleventh
LEFT_OUT = -2.0  # not in a list that could have been longer
CROWDED_OUT = -0.2  # not in one that is as long as it may be
SECOND = 0.4  # share that the weaker of two lists counts with the way at both ends: one model wrote both
ANSWERED = 2.2  # a plain yes or no, as of one who is right nine times in ten; a model that is less sure says less

STEP = 0.02  # cost of a way besides -ln p
DOUBTFUL = 0.95  # probability below which a way on the best route is asked about
TOGETHER = 4  # places that are asked about at a time


class WayBelief(Generic[Place]):
    """A belief about the ways between places, from lists of at most ``most`` places that one gets to from a place
    (their ``ranks``), and from answers whether one way exists. A way named at its end is taken to lead back."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.ranks: dict[Place, dict[Place, int]] = {}  # place → other place → rank in its list
        self._answers: dict[tuple[Place, Place], float] = {}
        self._costs: dict[Place, dict[Place, float]] = {}

    def listed(self, place: Place, ends: Sequence[Place]) -> None:
        """Takes in the model's list of where one gets to from a place, the most important first."""
        self.ranks[place] = {end: rank for rank, end in enumerate(dict.fromkeys(ends)) if end != place}
        for end in {*self.ranks[place], *self._costs.get(place, ())}:
            self._update(place, end)
            self._update(end, place)

    def update(self, start: Place, end: Place, yes: float) -> None:
        """Takes in how sure the model is, in [0, 1], that the way from ``start`` to ``end`` exists."""
        self._answers[start, end] = yes
        self._update(start, end)

    def doubts(self, route: Sequence[Place]) -> list[tuple[Place, Place]]:
        """Returns the ways of a route that are less probable than ``DOUBTFUL`` and were not asked about one by one."""
        return [w for w in pairwise(route) if w not in self._answers and self.probability(*w) < DOUBTFUL]

    def probability(self, start: Place, end: Place) -> float:
        """Returns the probability of the way from ``start`` to ``end``."""
        return 1 / (1 + math.exp(-self._log_odds(start, end)))

    def best_route(self, source: Place, destination: Place, depth: int) -> tuple[tuple[Place, ...], float]:
        """Returns the cheapest route of at most ``depth`` ways and its cost; no places and infinity if there is
        none."""
        costs, parents = self._explore(source, depth)
        if destination not in costs:
            return (), math.inf
        cost, ways = costs[destination]
        route = [(destination, ways)]
        while route[-1] in parents:
            route.append(parents[route[-1]])
        return tuple(place for place, _ in reversed(route)), cost

    def worth_asking(self, source: Place, destination: Place, depth: int, below: float) -> list[Place]:
        """Places without a list through which a route may lead that costs less than ``below``, the best first.

        Such a route has a way of which nothing is known yet: from a place near the source to one near the destination,
        neither with a list. To ask about all of either kind settles it; given are the fewer. Where no route is known,
        lists of one side may be empty, and the other is given."""
        near = [self._explore(source, depth - 1)[0], self._explore(destination, depth - 1, back=True)[0]]
        open_ = [sorted((c, n, p) for n, (p, (c, _)) in enumerate(it.items()) if p not in self.ranks) for it in near]
        sides = []
        for fringe, other in (open_, open_[::-1]):
            beyond = _cost(PRIOR + (1 + SECOND) * NAMED) + (other[0][0] if other else 0.0)
            sides.append([place for cost, _, place in fringe if cost + beyond < below])
        fewer, more = sorted(sides, key=len)
        return fewer or (more if below == math.inf else [])

    def _explore(
        self, root: Place, depth: int, back: bool = False
    ) -> tuple[dict[Place, tuple[float, int]], dict[tuple[Place, int], tuple[Place, int]]]:
        """How one gets most cheaply from the root to each place by at most ``depth`` ways, or ``back`` to the root: at
        which cost, and by how many ways; and before each place, after so many ways, the one on the way there."""
        costs, parents = {(root, 0): 0.0}, dict[tuple[Place, int], tuple[Place, int]]()
        reached: dict[Place, tuple[float, int]] = {}
        fewest: dict[Place, int] = {}  # ways of the cheaper routes to a place
        queue = [(0.0, 0, 0, root)]
        while queue:
            cost, ways, _, place = heapq.heappop(queue)
            if fewest.get(place, depth + 1) <= ways:
                continue
            fewest[place] = ways
            reached.setdefault(place, (cost, ways))
            for end in self._costs.get(place, ()) if ways < depth else ():
                through = cost + (self._costs[end][place] if back else self._costs[place][end])
                if through < costs.get((end, ways + 1), math.inf):
                    costs[end, ways + 1], parents[end, ways + 1] = through, (place, ways)
                    heapq.heappush(queue, (through, ways + 1, len(costs), end))
        return reached, parents

    def _update(self, start: Place, end: Place) -> None:
        self._costs.setdefault(start, {})[end] = _cost(self._log_odds(start, end))

    def _log_odds(self, start: Place, end: Place) -> float:
        said = self._answers.get((start, end), 0.5)
        sure = min(ANSWERED, math.log((1 + abs(2 * said - 1)) / max(1e-9, 1 - abs(2 * said - 1))))
        weaker, stronger = sorted((self._evidence(start, end), self._evidence(end, start)))
        lists = stronger + (SECOND * weaker if weaker > 0 else weaker)
        return PRIOR + lists + math.copysign(sure, said - 0.5)

    def _evidence(self, place: Place, other: Place) -> float:
        """Returns the evidence of a place's list for a way to another; 0 if there is no list."""
        ranks = self.ranks.get(place)
        if ranks is None:
            return 0.0
        if other in ranks:
            return NAMED - LATER * math.log1p(ranks[other])
        return CROWDED_OUT if len(ranks) >= self._most else LEFT_OUT


def _cost(log_odds: float) -> float:
    """Returns ``-ln p`` of a way, and the cost of a step."""
    return math.log1p(math.exp(-log_odds)) + STEP


def most_probable_route(
    source: Place,
    destination: Place,
    lists: Callable[[Sequence[Place]], Sequence[Sequence[Place]]],
    sure: Callable[[Sequence[tuple[Place, Place]]], Sequence[float]],
    most: int,
    depth: int,
    again: int,
) -> tuple[tuple[Place, ...], tuple[float, ...]]:
    """The most probable route of at most ``depth`` ways, both ends included, and the probability of each of its ways;
    no places where none is predicted.

    ``lists`` gives, for places that are asked about together, where one gets to from each, at most ``most`` places;
    ``sure`` for ways how sure the model is that each exists. At most ``again`` ways are asked about one by one, before
    the route is given."""
    if source == destination:
        return (source,), ()
    belief = WayBelief[Place](most)
    unlisted = [source, destination]
    while True:
        for place, ends in zip(unlisted, lists(unlisted) if unlisted else (), strict=True):
            belief.listed(place, ends)
        route, cost = belief.best_route(source, destination, depth)
        unlisted = [place for place in route if place not in belief.ranks]
        unlisted = unlisted or belief.worth_asking(source, destination, depth, cost)[:TOGETHER]
        if unlisted:
            continue
        doubts = belief.doubts(route)[:again]
        again -= len(doubts)
        for way, yes in zip(doubts, sure(doubts) if doubts else (), strict=True):
            belief.update(*way, yes)
        if not doubts:
            return route, tuple(belief.probability(*way) for way in pairwise(route))
