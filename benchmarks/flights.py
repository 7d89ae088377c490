"""How long OpenFlights' files take to import, and what becomes of their lines.

    python -m benchmarks.flights AIRPORTS ROUTES

AIRPORTS and ROUTES are airports.dat and routes.dat. Each step is done five times and the median is printed: reading
both files into a network, and the text of a problem of all its cities.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from commonsense_planning.domains.flights import render_flights
from commonsense_planning.domains.openflights import By, read_openflights

RUNS = 5


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


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
