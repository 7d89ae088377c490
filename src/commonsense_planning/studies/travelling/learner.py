"""Whether a network learns direct flights better than the next city of every route: "model or policy?" (LLM-MCTS paper,
section 4.1) without a language model.

The same small transformer, with as many weights and as many steps of training, learns one or the other on growing parts
of a network of flights. The model's routes are those of breadth-first search on the flights that it predicts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning import __version__
from commonsense_planning.errors import UsageError
from commonsense_planning.learning.library import torch_library
from commonsense_planning.runner.rows import Row
from commonsense_planning.studies.travelling.lessons import (
    demonstrated_ways,
    flight_table,
    model_lessons,
    optimal_ways,
    policy_lessons,
    route_lengths,
    shortest_policy,
)
from commonsense_planning.studies.travelling.network import FlightNetwork
from commonsense_planning.studies.travelling.openflights import read_openflights

SUITE = "learner"
SHARE = 0.5  # of all pairs, where only some are demonstrated
DETOUR = 2  # flights that a policy's route may have beyond those of the longest shortest route


class Kind(StrEnum):
    """What the network learns: where to fly next for a city and a destination, or where one can fly from a city."""

    POLICY = "policy"
    MODEL = "model"


class Regime(StrEnum):
    """What it learns from: the shortest routes of all pairs, which it is then tested on; or one shortest route for each
    of a share of them, and it is tested on pairs that none of these shows."""

    ALL = "all"
    HELD_OUT = "held-out"


@dataclass(frozen=True)
class Setup:
    """What all episodes of a run share: the files of OpenFlights, the steps of training, and the command that gives the
    run again. Raises UsageError for less than one step."""

    airports: Path
    routes: Path
    steps: int
    command: str = ""

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise UsageError(f"steps must be at least 1, not {self.steps}")

    @property
    def text(self) -> str:
        """All that the results depend on, in words."""
        return f"flights of {self.airports.name} and {self.routes.name} by city, {self.steps} steps of training"


@dataclass(frozen=True)
class LearnerEpisode:
    """One network, trained and tested. The seed draws the order of the cities and the demonstrations, which policy and
    model share, the weights and the examples of each step."""

    cities: int
    kind: Kind
    regime: Regime
    seed: int
    setup: Setup

    @property
    def key(self) -> str:
        return f"{SUITE}: {self.cities} cities, {self.kind}, {self.regime}, {self.setup.text}, seed {self.seed}"

    @property
    def labels(self) -> Row:
        return {
            "suite": SUITE,
            "cities": self.cities,
            "kind": str(self.kind),
            "regime": str(self.regime),
            "seed": self.seed,
            "setup": self.setup.text,
            "command": self.setup.command,
            "version": __version__,
        }

    def run(self) -> Row:
        """Train and test. Raises MissingError without torch, InputError for files that cannot be read."""
        torch_library()
        from commonsense_planning.studies.travelling.flight_net import BATCH, train

        started = time.perf_counter()
        drawing = np.random.default_rng([self.seed, self.cities])
        network = read_network(self.setup.airports, self.setup.routes).busiest(self.cities)
        network = network.part(drawing.permutation(len(network)).tolist())
        cities, flights, distances = len(network), flight_table(network), network.distances()
        ways, tested = optimal_ways(network), distances > 0
        if self.regime is Regime.HELD_OUT:
            ways = demonstrated_ways(ways, SHARE, drawing)
            tested &= np.diff(ways.indptr).reshape(cities, cities) == 0
        learns_policy = self.kind is Kind.POLICY
        lessons = policy_lessons(ways) if learns_policy else model_lessons(ways)
        trained = train(lessons, self.setup.steps, np.random.default_rng([self.seed, self.cities, 1]))
        if learns_policy:
            lengths = route_lengths(trained.net.next_cities(), flights, int(distances.max()) + DETOUR)
        else:
            lengths = route_lengths(shortest_policy(trained.net.flights()), flights, cities)
        return {
            "size": cities,
            "flights": int(flights.sum()),
            "shown": model_lessons(ways).targets.nnz,
            **_counts(lengths[tested], distances[tested]),
            "examples": len(lessons),
            "training_steps": self.setup.steps,
            "drawn": self.setup.steps * BATCH,
            "parameters": trained.parameters,
            "loss": round(trained.loss, 6),
            "seconds": round(time.perf_counter() - started, 4),
        }


def _counts(lengths: npt.NDArray[np.int32], distances: npt.NDArray[np.int16]) -> Row:
    """How many of the routes are right and shortest, in all and by the fewest flights that they could have."""
    right = lengths > 0
    by_distance = {
        str(distance): [int(np.sum(distances == distance)), int(np.sum(right & (distances == distance)))]
        for distance in np.unique(distances)
    }
    return {
        "trials": len(lengths),
        "successes": int(right.sum()),
        "accuracy": round(float(right.mean()), 6) if len(lengths) else None,
        "shortest": int(np.sum(lengths == distances)),
        "by_distance": by_distance,
    }


@lru_cache(maxsize=1)
def read_network(airports: Path, routes: Path) -> FlightNetwork:
    """The flights between cities in two files of OpenFlights, read once in a process. Raises InputError for files that
    cannot be read."""
    return read_openflights(airports, routes).network


def learner_episodes(setup: Setup, cities: Sequence[int], seeds: int) -> list[LearnerEpisode]:
    """Policy and model in both regimes for every number of cities, seed by seed, small networks first.

    Raises UsageError for a number of cities that cannot be had, InputError for files that cannot be read.
    """
    most = len(read_network(setup.airports, setup.routes).connected())
    for count in cities:
        if not 3 <= count <= most:
            raise UsageError(f"{count} cities cannot be had: there are {most} with routes to each other; at least 3")
    return [
        LearnerEpisode(count, kind, regime, seed, setup)
        for seed in range(seeds)
        for count in sorted(set(cities))
        for regime in Regime
        for kind in Kind
    ]
