"""What networks learn of flights, held against what is said of it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.studies.travelling.flight_lessons import (
    demonstrated_ways,
    model_lessons,
    optimal_ways,
    policy_lessons,
)
from commonsense_planning.studies.travelling.flight_network import FlightNetwork
from tests.studies.travelling.test_flight_network import network_of, networks

connected = networks().map(FlightNetwork.connected).filter(len)
shares = st.floats(0, 1)
seeds = st.integers(0, 9)


def ways_of(matrix: object, cities: int) -> dict[tuple[int, int], set[int]]:
    """Pair → the next cities."""
    table = np.asarray(matrix)
    return {divmod(pair, cities): set(np.flatnonzero(line).tolist()) for pair, line in enumerate(table) if line.any()}


@given(networks().filter(len))
def test_optimal_ways_are_all_that_bring_one_flight_nearer(network: FlightNetwork) -> None:
    distances = network.distances()
    expected = {}
    for city in range(len(network)):
        for destination in range(len(network)):
            nearer = {x for x in network.flights[city] if 0 <= distances[x, destination] < distances[city, destination]}
            if nearer:
                expected[city, destination] = nearer
    assert ways_of(optimal_ways(network).toarray(), len(network)) == expected


@given(connected, shares, seeds)
def test_demonstrations_arrive_along_shortest_routes(network: FlightNetwork, share: float, seed: int) -> None:
    cities = len(network)
    optimal = optimal_ways(network)
    seen = demonstrated_ways(optimal, share, np.random.default_rng(seed))
    best, shown = ways_of(optimal.toarray(), cities), ways_of(seen.toarray(), cities)
    assert len(shown) >= round(share * cities * (cities - 1))
    for (city, destination), following in shown.items():
        assert following <= best[city, destination]
        assert all(to == destination or (to, destination) in shown for to in following)
    again = demonstrated_ways(optimal, share, np.random.default_rng(seed))
    assert (again != seen).nnz == 0


@given(connected, seeds)
def test_nothing_and_all_can_be_demonstrated(network: FlightNetwork, seed: int) -> None:
    optimal = optimal_ways(network)
    assert demonstrated_ways(optimal, 0, np.random.default_rng(seed)).nnz == 0
    seen = demonstrated_ways(optimal, 1, np.random.default_rng(seed))
    assert np.count_nonzero(np.diff(seen.indptr)) == len(network) * (len(network) - 1)


def test_demonstrations_are_drawn_among_routes_that_are_as_short() -> None:
    """From 0 to 3 by 1 or by 2."""
    network = network_of(4, {(0, 1), (0, 2), (1, 3), (2, 3), (3, 0)})
    drawn = [demonstrated_ways(optimal_ways(network), 1, np.random.default_rng(seed)) for seed in range(20)]
    assert {tuple(seen[[3]].nonzero()[1]) for seen in drawn} == {(1,), (2,)}


@given(networks().filter(len))
def test_the_policy_is_asked_by_city_and_destination(network: FlightNetwork) -> None:
    cities = len(network)
    ways = optimal_ways(network)
    lessons = policy_lessons(ways)
    assert len(lessons) == lessons.targets.shape[0]
    assert set(lessons.tokens[:, 0].tolist()) <= {cities + 1}
    taught = {
        (city, destination): set(np.flatnonzero(right).tolist())
        for (_, city, destination), right in zip(lessons.tokens.tolist(), lessons.targets.toarray(), strict=True)
    }
    assert taught == ways_of(ways.toarray(), cities)


@given(networks().filter(len))
def test_of_all_shortest_routes_the_model_learns_all_flights(network: FlightNetwork) -> None:
    cities = len(network)
    lessons = model_lessons(optimal_ways(network))
    assert lessons.tokens.tolist() == [[cities + 2, city, cities] for city in range(cities)]
    assert [tuple(np.flatnonzero(line)) for line in lessons.targets.toarray()] == list(network.flights)


@given(connected, shares, seeds)
def test_policy_and_model_are_shown_the_same_flights(network: FlightNetwork, share: float, seed: int) -> None:
    seen = demonstrated_ways(optimal_ways(network), share, np.random.default_rng(seed))
    policy, model = policy_lessons(seen), model_lessons(seen)
    example, following = policy.targets.nonzero()
    flown = set(zip(policy.tokens[example, 1].tolist(), following.tolist(), strict=True))
    city, to = model.targets.nonzero()
    assert flown == set(zip(city.tolist(), to.tolist(), strict=True))
