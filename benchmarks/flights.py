"""How long OpenFlights' files take to import, what becomes of their lines, and how long the search for a route takes
with a perfect model.

    python -m benchmarks.flights AIRPORTS ROUTES

AIRPORTS and ROUTES are airports.dat and routes.dat. Each step is done five times and the median is printed: reading
both files into a network, and the text of a problem of all its cities. Then uniform-cost search, told the true flights
from each place, looks for routes between a thousand random pairs of airports, and networkx for their lengths.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np

from commonsense_planning.studies.travelling.methods import uniform_cost
from commonsense_planning.studies.travelling.network import FlightNetwork, render_flights
from commonsense_planning.studies.travelling.openflights import By, read_openflights

RUNS = 5
PAIRS = 1000


def median_seconds(step: Callable[[], object]) -> float:
    """Wall-clock seconds of a step, the median of the runs."""
    seconds = []
    for _ in range(RUNS):
        started = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def main(airports: Path, routes: Path) -> None:
    """Print a line per kind of place, then the lines that were not used."""
    kinds: tuple[By, ...] = ("city", "airport")
    for by in kinds:
        found = read_openflights(airports, routes, by)
        network = found.network
        reading = median_seconds(partial(read_openflights, airports, routes, by))
        writing = median_seconds(partial(render_flights, network, 0, len(network) - 1, "trip", ""))
        places = f"by {by}: {len(network)} places, {network.flight_count} direct flights"
        print(f"{places}; read in {reading:.2f} s, written in {writing:.2f} s (medians of {RUNS})")
        for file in (found.airports, found.routes):
            print(f"  {file.path.name}: {file.used} of {file.lines} lines used")
            for reason, lines in file.reasons.items():
                print(f"    {reason}: {lines.count}, first in line {', '.join(map(str, lines.first))}")
        seconds, equal = search(network, PAIRS, np.random.default_rng(0))
        times = f"{1000 * statistics.median(seconds):.1f} ms, at most {1000 * max(seconds):.1f} ms"
        print(f"  a route with a perfect model: {times}; as long as networkx's for {equal} of {PAIRS} pairs")


def search(network: FlightNetwork, pairs: int, rng: np.random.Generator) -> tuple[list[float], int]:
    """Seconds of the search for each of so many random pairs of places, and for how many of them the route's length, or
    that there is none, is what networkx says."""
    graph = networkx.DiGraph((start, end) for start, ends in enumerate(network.flights) for end in ends)
    graph.add_nodes_from(range(len(network)))
    seconds, equal = [], 0
    for source, destination in rng.integers(len(network), size=(pairs, 2)).tolist():
        started = time.perf_counter()
        route = uniform_cost(source, destination, partial(_flights, network), len(network))
        seconds.append(time.perf_counter() - started)
        fewest = None
        if networkx.has_path(graph, source, destination):
            fewest = networkx.shortest_path_length(graph, source, destination)
        exists = route is None or all(end in network.flights[start] for start, end in pairwise(route))
        equal += exists and (None if route is None else len(route) - 1) == fewest
    return seconds, equal


def _flights(network: FlightNetwork, places: Sequence[int]) -> list[tuple[int, ...]]:
    return [network.flights[place] for place in places]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
