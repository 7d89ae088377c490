"""Routes that a policy or a model of flights gives, and whether they can be flown.

A policy is a table of the next city, int (cities, cities), by city and destination; -1 where it has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from commonsense_planning.studies.travelling.flight_network import FlightNetwork

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
