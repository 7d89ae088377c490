"""What a network can learn of flights, as a policy and as a model: what to fly to next, and what can be flown to; and
whether the routes that it then gives can be flown.

Both are taken from the same ways, so that they tell the same (LLM-MCTS paper, section 4.1). Ways are a sparse bool
matrix (cities², cities): in the row of a pair, city · cities + destination, the cities to fly to next.

A policy is a table of the next city, int (cities, cities), by city and destination; -1 where it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from commonsense_planning.studies.travelling.network import FlightNetwork

Tokens = npt.NDArray[np.int64]
"""What a network reads, (examples, 3): what is asked, the city, the destination or nothing."""

SPECIAL = 3  # tokens behind those of the cities: nothing, policy, model


@dataclass(frozen=True)
class Lessons:
    """Examples to learn from: ``tokens`` and, for each, which cities are right, bool (examples, cities)."""

    tokens: Tokens
    targets: csr_array

    def __len__(self) -> int:
        """How many examples there are."""
        return len(self.tokens)


def policy_tokens(cities: int) -> Tokens:
    """The policy's question, where to fly next, for every pair, in the order of the rows of ways."""
    city, destination = np.divmod(np.arange(cities * cities), cities)
    return np.stack([np.full(len(city), cities + 1), city, destination], axis=1)


def model_tokens(cities: int) -> Tokens:
    """The model's question, where one can fly, for every city."""
    city = np.arange(cities)
    return np.stack([np.full(cities, cities + 2), city, np.full(cities, cities)], axis=1)


def policy_lessons(ways: csr_array) -> Lessons:
    """One example for every pair that something is known of."""
    known = np.flatnonzero(np.diff(ways.indptr))
    return Lessons(policy_tokens(ways.shape[1])[known], ways[known])


def model_lessons(ways: csr_array) -> Lessons:
    """One example for every city: the cities that some way flies to from it."""
    cities = ways.shape[1]
    pairs, following = ways.nonzero()
    flights = np.zeros((cities, cities), np.bool_)
    flights[pairs // cities, following] = True
    return Lessons(model_tokens(cities), csr_array(flights))


def optimal_ways(network: FlightNetwork) -> csr_array:
    """For every pair all cities that are next on a route of fewest flights; none from a city to itself."""
    cities = len(network)
    distances = network.distances()
    city = np.repeat(np.arange(cities), list(map(len, network.flights)))
    following = np.fromiter((to for line in network.flights for to in line), np.int32, len(city))
    # flight by destination: whether it brings the destination one flight nearer
    nearer = (distances[following] == distances[city] - 1) & (distances[following] >= 0)
    flight, destination = np.nonzero(nearer)
    rows = city[flight] * cities + destination
    return csr_array((np.ones(len(rows), np.bool_), (rows, following[flight])), shape=(cities * cities, cities))


def demonstrated_ways(optimal: csr_array, share: float, rng: np.random.Generator) -> csr_array:
    """What is seen of ``optimal`` in demonstrations: one route of fewest flights, drawn at random, for each pair of a
    random ``share`` (0 to 1) of all pairs of two cities. All pairs must have a route."""
    cities = optimal.shape[1]
    pairs = np.flatnonzero(~np.eye(cities, dtype=np.bool_))
    at, destination = np.divmod(rng.permutation(pairs)[: round(share * len(pairs))], cities)
    seen_pairs, seen_following = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    while len(at):
        pair = at * cities + destination
        options = optimal.indptr[pair + 1] - optimal.indptr[pair]
        following = optimal.indices[optimal.indptr[pair] + rng.integers(options)].astype(np.int64)
        seen_pairs.append(pair)
        seen_following.append(following)
        on = following != destination
        at, destination = following[on], destination[on]
    rows, columns = np.concatenate(seen_pairs), np.concatenate(seen_following)
    seen = csr_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=optimal.shape)
    seen.sum_duplicates()
    return seen


NextCities = npt.NDArray[np.signedinteger[Any]]
Flights = npt.NDArray[np.bool_]
"""Whether there is a direct flight, (cities, cities), from row to column."""


def flight_table(network: FlightNetwork) -> Flights:
    """The network's direct flights."""
    table = np.zeros((len(network), len(network)), np.bool_)
    for city, targets in enumerate(network.flights):
        table[city, targets] = True
    return table


def shortest_policy(flights: Flights) -> NextCities:
    """The policy that breadth-first search finds on these flights."""
    # searched backwards from every destination: the city found before is the one to fly to next
    _, before = shortest_path(csr_array(flights.T), method="D", unweighted=True, return_predecessors=True)
    following: NextCities = np.maximum(before.T, -1)
    return following


def route_lengths(policy: NextCities, flights: Flights, limit: int) -> npt.NDArray[np.int32]:
    """How many flights the policy's route has from each city to each, int32 (cities, cities); -1 where the route is
    wrong: it has a flight that is not among ``flights``, or has not arrived after ``limit`` of them. A route that comes
    to a city twice goes round in a circle and so never arrives. 0 from a city to itself."""
    cities = len(flights)
    lengths = np.where(np.eye(cities, dtype=np.bool_), 0, -1).astype(np.int32)
    source, destination = np.nonzero(lengths)
    at = source
    for flown in range(1, limit + 1):
        to = policy[at, destination]
        real = (to >= 0) & flights[at, to]
        arrived = real & (to == destination)
        lengths[source[arrived], destination[arrived]] = flown
        on = real & ~arrived
        source, destination, at = source[on], destination[on], to[on]
    return lengths
