"""Whether a network learns direct flights better than the next city of every route: "model or policy?" (LLM-MCTS paper,
section 4.1) without a language model.

The same small transformer, with as many weights and as many steps of training, learns one or the other on growing parts
of a network of flights. The model's routes are those of breadth-first search on the flights that it predicts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from commonsense_planning import __version__
from commonsense_planning.errors import UsageError
from commonsense_planning.learning.weights import torch_library
from commonsense_planning.studies.travelling.learner_study import (
    DETOUR,
    SHARE,
    SUITE,
    Kind,
    LearnerLabels,
    LearnerOutcome,
    Regime,
)
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
    def labels(self) -> LearnerLabels:
        return LearnerLabels(
            key=self.key,
            suite=SUITE,
            cities=self.cities,
            kind=self.kind,
            regime=self.regime,
            seed=self.seed,
            setup=self.setup.text,
            command=self.setup.command,
            version=__version__,
        )

    def run(self) -> LearnerOutcome:
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
        lengths, distances = lengths[tested], distances[tested]
        right = lengths > 0
        return LearnerOutcome(
            size=cities,
            flights=int(flights.sum()),
            shown=model_lessons(ways).targets.nnz,
            trials=len(lengths),
            successes=int(right.sum()),
            accuracy=round(float(right.mean()), 6) if len(lengths) else None,
            shortest=int(np.sum(lengths == distances)),
            by_distance=_by_distance(right, distances),
            examples=len(lessons),
            training_steps=self.setup.steps,
            drawn=self.setup.steps * BATCH,
            parameters=trained.parameters,
            loss=round(trained.loss, 6),
            seconds=round(time.perf_counter() - started, 4),
        )


def _by_distance(right: npt.NDArray[np.bool_], distances: npt.NDArray[np.int16]) -> dict[str, tuple[int, int]]:
    """How many of the routes there are and how many are right, by the fewest flights that they could have."""
    return {
        str(distance): (int(np.sum(distances == distance)), int(np.sum(right & (distances == distance))))
        for distance in np.unique(distances)
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
