"""What networks learn of flights, held against what is said of it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from commonsense_planning.studies.travelling.lessons import (
    Flights,
    NextCities,
    demonstrated_ways,
    flight_table,
    model_lessons,
    optimal_ways,
    policy_lessons,
    route_lengths,
    shortest_policy,
)
from commonsense_planning.studies.travelling.network import FlightNetwork
from tests.studies.travelling.test_network import graph_of, network_of, networks

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


@st.composite
def policies(draw: st.DrawFn) -> tuple[NextCities, Flights, int]:
    """Any policy on any flights, mostly one that knows them well; and a limit."""
    network = draw(networks().filter(len))
    flights = flight_table(network)
    policy = shortest_policy(flights)
    cities = st.integers(-1, len(network) - 1)
    wrong = draw(st.lists(st.tuples(st.integers(0, policy.size - 1), cities), max_size=policy.size))
    policy = policy.copy()
    for place, city in wrong:
        policy.flat[place] = city
    return policy, flights, draw(st.integers(0, 2 * len(network)))


def route_of(policy: NextCities, source: int, destination: int, limit: int) -> list[int]:
    """The cities from source to destination; empty if the policy goes in a circle, gives up or takes too long."""
    route = [source]
    while route[-1] != destination:
        following = int(policy[route[-1], destination])
        if following < 0 or following in route or len(route) > limit:
            return []
        route.append(following)
    return route


@given(policies())
def test_the_judge_agrees_with_its_slow_twin(case: tuple[NextCities, Flights, int]) -> None:
    policy, flights, limit = case
    lengths = route_lengths(policy, flights, limit)
    for (source, destination), length in np.ndenumerate(lengths):
        route = route_of(policy, source, destination, limit)
        right = bool(route) and all(flights[a, b] for a, b in zip(route, route[1:], strict=False))
        assert length == (len(route) - 1 if right else -1)


@given(networks().filter(len))
def test_breadth_first_search_finds_shortest_routes(network: FlightNetwork) -> None:
    flights = flight_table(network)
    lengths = route_lengths(shortest_policy(flights), flights, len(network))
    assert lengths.tolist() == network.distances().tolist()


@given(
    st.integers(1, 8).flatmap(lambda n: arrays.arrays(np.bool_, (2, n, n))),
)
def test_routes_on_predicted_flights_are_right_where_these_exist(tables: npt.NDArray[np.bool_]) -> None:
    """A prediction with flights that do not exist: what is found is shortest in it, and judged by the truth."""
    predicted, flights = tables
    graph = nx.from_numpy_array(predicted, create_using=nx.DiGraph)
    policy = shortest_policy(predicted)
    lengths = route_lengths(policy, flights, len(flights))
    for source, destination in np.ndindex(lengths.shape):
        route = route_of(policy, source, destination, len(flights))
        assert bool(route) == nx.has_path(graph, source, destination)
        if route:
            assert len(route) - 1 == nx.shortest_path_length(graph, source, destination)
            right = all(flights[a, b] for a, b in zip(route, route[1:], strict=False))
            assert (lengths[source, destination] >= 0) == right


@given(networks())
def test_the_table_has_the_flights(network: FlightNetwork) -> None:
    assert flight_table(network).tolist() == nx.to_numpy_array(graph_of(network), network.ids).astype(bool).tolist()


@pytest.mark.parametrize(("limit", "length"), [(1, -1), (2, 2)])
def test_the_limit_is_on_flights(limit: int, length: int) -> None:
    flights = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.bool_)
    assert route_lengths(shortest_policy(flights), flights, limit)[0, 2] == length


def test_giving_up_is_no_flight() -> None:
    """From 0 the way to 1 is by the last city, but the policy does not say so."""
    flights = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], np.bool_)
    policy = shortest_policy(flights).copy()
    assert route_lengths(policy, flights, 3)[0, 1] == 2
    policy[0, 1] = -1
    assert route_lengths(policy, flights, 3)[0, 1] == -1
