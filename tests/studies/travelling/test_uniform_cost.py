"""Uniform-cost search with a perfect model finds what networkx finds, and asks no more than it has to."""

from __future__ import annotations

from collections.abc import Sequence

import networkx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.flights import search
from commonsense_planning.studies.travelling.openflights import read_openflights
from commonsense_planning.studies.travelling.uniform_cost import uniform_cost
from tests.data import shared_data

Graph = dict[int, list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Directed graphs of up to ten places; a place may be named twice, or lead to itself."""
    size = draw(st.integers(1, 10))
    places = st.integers(0, size - 1)
    return {place: draw(st.lists(places, max_size=5)) for place in range(size)}


def route(graph: Graph, end: int, depth: int, together: int = 1) -> tuple[tuple[int, ...] | None, list[list[int]]]:
    """The route from 0, and what was expanded, each time together."""
    asked: list[list[int]] = []

    def successors(places: Sequence[int]) -> list[list[int]]:
        asked.append(list(places))
        return [graph[place] for place in places]

    return uniform_cost(0, end, successors, depth, together), asked


@given(graphs(), st.integers(0, 9), st.integers(0, 10), st.integers(1, 4))
def test_routes_are_shortest_and_within_the_depth(graph: Graph, end: int, depth: int, together: int) -> None:
    found, asked = route(graph, end, depth, together)
    truth = networkx.DiGraph((start, other) for start, others in graph.items() for other in others)
    truth.add_nodes_from([0, end])
    lengths = networkx.single_source_shortest_path_length(truth, 0)
    if lengths.get(end, depth + 1) > depth:
        assert found is None
    else:
        assert found is not None
        assert len(found) - 1 == lengths[end]
        assert (found[0], found[-1]) == (0, end)
        assert all(other in graph[start] for start, other in zip(found, found[1:], strict=False))
    expanded = [place for places in asked for place in places]
    assert len(expanded) == len(set(expanded))
    assert all(len(places) <= together for places in asked)
    assert found == route(graph, end, depth)[0]  # however many are asked about together


def test_routes_over_all_airports_are_as_short_as_networkx_says() -> None:
    files = [shared_data() / "openflights" / f"{name}.dat" for name in ("airports", "routes")]
    network = read_openflights(*files, by="airport").network
    assert len(network) > 3000
    seconds, equal = search(network, 100, np.random.default_rng(0))
    assert (len(seconds), equal) == (100, 100)


def test_it_stops_as_soon_as_the_destination_is_named() -> None:
    graph = {0: [1, 2, 3], 1: [0], 2: [4], 3: [5], 4: [], 5: []}
    assert route(graph, 4, 5) == ((0, 2, 4), [[0], [1], [2]])
    assert route(graph, 4, 5, 16) == ((0, 2, 4), [[0], [1, 2, 3]])
    assert route(graph, 0, 5) == ((0,), [])
