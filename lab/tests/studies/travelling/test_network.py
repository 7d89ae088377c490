"""Networks of flights, held against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.studies.homes.household import LINE_WIDTH
from commonsense_lab.studies.travelling.network import FlightNetwork, draw_pairs, render_flights
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from tests.data import REPOSITORY


def network_of(size: int, pairs: set[tuple[int, int]]) -> FlightNetwork:
    flights = tuple(tuple(sorted(b for a, b in pairs if a == city and b != city)) for city in range(size))
    return FlightNetwork(tuple(f"c{i}" for i in range(size)), tuple(f"City {i}" for i in range(size)), flights)


@st.composite
def networks(draw: st.DrawFn) -> FlightNetwork:
    size = draw(st.integers(0, 12))
    city = st.integers(0, size - 1) if size else st.nothing()
    pairs = draw(st.sets(st.tuples(city, city), max_size=40)) if size else set()
    if draw(st.booleans()):
        pairs |= {(b, a) for a, b in pairs}
    return network_of(size, pairs)


def graph_of(network: FlightNetwork) -> nx.DiGraph:
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(network.ids)
    graph.add_edges_from((network.ids[a], network.ids[b]) for a, line in enumerate(network.flights) for b in line)
    return graph


@given(networks())
def test_distances(network: FlightNetwork) -> None:
    fewest = dict(nx.all_pairs_shortest_path_length(graph_of(network)))
    expected = [[fewest[a].get(b, -1) for b in network.ids] for a in network.ids]
    found = network.distances()
    assert found.dtype == np.int16
    assert found.tolist() == expected
    some = list(range(len(network)))[::-2]
    assert network.distances(some).tolist() == [expected[city] for city in some]


@given(networks())
def test_connected(network: FlightNetwork) -> None:
    sizes = [len(c) for c in nx.strongly_connected_components(graph_of(network))]
    largest = network.connected()
    assert len(largest) == max(sizes, default=0)
    assert not len(largest) or nx.is_strongly_connected(graph_of(largest))
    assert nx.utils.graphs_equal(graph_of(largest), graph_of(network).subgraph(largest.ids))


def test_of_equally_large_parts_the_one_with_the_first_city() -> None:
    assert network_of(4, {(1, 3), (3, 1), (0, 2), (2, 0)}).connected().ids == ("c0", "c2")


@given(networks(), st.integers(0, 14))
def test_busiest_is_connected_and_as_large_as_wanted(network: FlightNetwork, count: int) -> None:
    whole, chosen = network.connected(), network.busiest(count)
    assert len(chosen) >= min(count, len(whole))
    assert set(chosen.ids) <= set(whole.ids)
    assert not len(chosen) or nx.is_strongly_connected(graph_of(chosen))
    assert nx.utils.graphs_equal(graph_of(chosen), graph_of(network).subgraph(chosen.ids))
    assert set(chosen.ids) <= set(network.busiest(count + 1).ids)


@given(networks(), st.integers(0, 14))
def test_busiest_has_the_count_where_all_flights_go_both_ways(network: FlightNetwork, count: int) -> None:
    pairs = {pair for a, line in enumerate(network.flights) for b in line for pair in ((a, b), (b, a))}
    both = network_of(len(network), pairs)
    chosen = both.busiest(count)
    assert len(chosen) == min(count, len(both.connected()))
    busyness = dict(graph_of(both).degree)
    if count > 0 and len(chosen):
        first = min(both.connected().ids, key=lambda city: (-busyness[city], city))
        assert first in chosen.ids


def test_busiest_takes_the_busier_city() -> None:
    star = {(0, i) for i in range(1, 5)} | {(3, 4)}
    network = network_of(5, star | {(b, a) for a, b in star})
    assert network.busiest(2).ids == ("c0", "c3")
    assert network.busiest(3).ids == ("c0", "c3", "c4")


def test_a_city_without_flights_both_ways_comes_with_its_route() -> None:
    ring = network_of(5, {(0, 1), (1, 0), (0, 2), (2, 3), (3, 4), (4, 0)})
    assert ring.busiest(2).ids == ("c0", "c1")
    assert len(ring.busiest(3)) == 5


@given(networks(), st.data())
def test_part(network: FlightNetwork, data: st.DataObject) -> None:
    chosen = data.draw(st.permutations(range(len(network))))[: data.draw(st.integers(0, len(network)))]
    part = network.part(chosen)
    assert part.names == tuple(network.names[city] for city in chosen)
    assert nx.utils.graphs_equal(graph_of(part), graph_of(network).subgraph(part.ids))
    assert all(line == tuple(sorted(line)) for line in part.flights)
    assert part.flight_count == graph_of(part).number_of_edges()


DOMAIN = REPOSITORY / "pddl" / "flights" / "domain.pddl"


@pytest.mark.parametrize("size", [2, 3, 40])
@pytest.mark.parametrize("some", [True, False])
def test_a_problem_describes_its_network(size: int, some: bool) -> None:
    network = network_of(size, {(a, b) for a in range(size) for b in range(size) if some and (a + b) % 3})
    text = render_flights(network, 0, size - 1, "there", "From here.\n\nTo there.")
    assert text.startswith("; From here.\n;\n; To there.\n(define (problem there)\n")
    assert all(len(line) <= LINE_WIDTH for line in text.splitlines())
    problem = read_problem(DOMAIN, Text(text))
    facts = {str(atom) for atom in problem.tarski.init.as_atoms()}
    flights = {f"direct-flight(c{a},c{b})" for a, line in enumerate(network.flights) for b in line}
    assert facts == {"at(c0)", "visited(c0)", *flights}
    assert str(problem.tarski.goal) == f"at(c{size - 1})"


@given(networks(), st.data())
def test_pairs_are_different_and_have_a_route(network: FlightNetwork, data: st.DataObject) -> None:
    among = data.draw(st.permutations(range(len(network))))[:6]
    distances = network.distances()
    routes = {(a, b) for a in among for b in among if distances[a, b] > 0}
    drawn = draw_pairs(network, among, len(routes), np.random.default_rng(0))
    assert len(drawn) == len(routes)
    assert set(drawn) == routes
    assert draw_pairs(network, among, len(routes) // 2, np.random.default_rng(0)) == drawn[: len(routes) // 2]
    with pytest.raises(InputError, match="ask for fewer"):
        draw_pairs(network, among, len(routes) + 1, np.random.default_rng(0))
