"""The judge of routes against a slow twin that writes every route down."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from commonsense_planning.studies.travelling.flight_network import FlightNetwork
from commonsense_planning.studies.travelling.flight_routes import (
    Flights,
    NextCities,
    flight_table,
    route_lengths,
    shortest_policy,
)
from tests.studies.travelling.test_flight_network import graph_of, networks


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
