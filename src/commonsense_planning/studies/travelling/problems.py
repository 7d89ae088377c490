"""Problems of the domain in ``pddl/flights`` from networks of flights, and pairs of cities to travel between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from commonsense_planning.errors import InputError
from commonsense_planning.studies.travelling.flight_network import FlightNetwork

WIDTH = 110  # of a line


def render_flights(network: FlightNetwork, source: int, destination: int, name: str, comment: str) -> str:
    """The text of a problem of the domain ``flights``: from one city of the network to another.

    ``name`` is the problem's; ``comment`` stands at the top and should say where the network is from.
    """
    here = network.ids[source]
    objects = [*network.ids, "- city)"]
    facts = [f"(at {here})", f"(visited {here})"]
    for city, targets in zip(network.ids, network.flights, strict=True):
        facts += [f"(direct-flight {city} {network.ids[to]})" for to in targets]
    facts[-1] += ")"
    lines = [
        *(f"; {line}".rstrip() for line in comment.splitlines()),
        f"(define (problem {name})",
        "  (:domain flights)",
        "  (:objects",
        *_filled(objects),
        "  (:init",
        *_filled(facts),
        f"  (:goal (at {network.ids[destination]})))",
    ]
    return "\n".join(lines) + "\n"


def draw_pairs(
    network: FlightNetwork, cities: Sequence[int], count: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """``count`` different pairs (source, destination) of the given cities, all with a route in the network; each pair
    as likely as any other. Raises InputError if there are fewer."""
    routes = np.argwhere(network.distances(cities)[:, list(cities)] > 0)
    if count > len(routes):
        raise InputError(
            f"there are {len(routes)} pairs of these {len(cities)} cities with a route, not {count}; ask for fewer"
        )
    chosen = routes[rng.permutation(len(routes))[:count]]
    return [(cities[source], cities[destination]) for source, destination in chosen.tolist()]


def _filled(pieces: Iterable[str]) -> Iterator[str]:
    """Lines as full as they can be, none of the pieces broken."""
    line = "   "
    for piece in pieces:
        if len(line) + 1 + len(piece) > WIDTH and line.strip():
            yield line
            line = "   "
        line += f" {piece}"
    yield line
