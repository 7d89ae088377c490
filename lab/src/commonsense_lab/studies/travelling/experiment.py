"""The experiment on travel planning of "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning"
(section 4.1): its rows, its sections of a report, its episodes.

Pairs of large and of mid-size cities; the model writes the route, or predicts the flights of a search. The real flights
are those of OpenFlights' files, which no model sees. ``layout.toml`` has the variants and the tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from operator import attrgetter
from pathlib import Path

import numpy as np

from commonsense_lab.plans.rewritten import with_start
from commonsense_lab.report.method_layout import read_method_suite, wanted_variants
from commonsense_lab.report.method_tables import method_sections
from commonsense_lab.runner.rows import DecisionOutcome, DecisionRow
from commonsense_lab.runner.variants import check_own
from commonsense_lab.studies.solve_study import Attempt, Posed, SolveEpisode, SolveSetup, StudyTask, TaskStudy
from commonsense_lab.studies.travelling.methods import WaysOptions
from commonsense_lab.studies.travelling.network import draw_pairs, read_cities, render_flights, render_lexicon
from commonsense_lab.studies.travelling.openflights import OpenFlights, read_openflights
from commonsense_planning.errors import Status, UsageError
from commonsense_planning.support.reading import Text
from commonsense_planning.task import Task, read_task
from commonsense_planning.wording.lexicon import Lexicon

SUITE = "flights"


@dataclass(frozen=True, kw_only=True)
class FlightsRow(DecisionRow):
    """``cities`` are "large" or "mid-size"; ``fewest_flights`` between the two of a pair, ``fewest`` the column that
    this counts in."""

    cities: str
    fewest: str
    fewest_flights: int


layout = cache(partial(read_method_suite, Path(__file__).with_name("layout.toml")))
"""The variants and tables of ``layout.toml``."""
TABLES = ("routes",)
LONGEST = 4  # flights, from which on lengths share a column


@dataclass(frozen=True, kw_only=True)
class FlightsSetup(SolveSetup):
    """``airports``, ``routes``: OpenFlights' files."""

    domain_name = "flights"

    airports: Path
    routes: Path
    ways: WaysOptions = WaysOptions()

    @property
    def text(self) -> str:
        files = f"flights of {self.airports.name} and {self.routes.name}"
        limits = f"at most {self.ways.max_steps} flights, {self.ways.breadth} predicted of a city"
        return f"{super().text}, {files}, {limits}"


@cache  # reading so large a problem takes seconds
def _world(airports: Path, routes: Path, pack: Path) -> tuple[Task, frozenset[tuple[str, str]]]:
    """Returns all flights as a task, of which every trip is one with another start and goal, and as (from, to)."""
    network = _read(airports, routes).network
    text = render_flights(network, 0, 1, "flights", "All flights.")
    task = read_task(pack / "domain.pddl", Text(text, "flights.pddl"))
    own = Lexicon.read(Text(render_lexicon(network), "flights.lexicon.toml"))
    task = replace(task, lexicon=task.lexicon.with_own(own))
    flights = zip(network.ids, network.flights, strict=True)
    return task, frozenset((start, network.ids[end]) for start, ends in flights for end in ends)


def _posed(setup: FlightsSetup, source: str, destination: str) -> Posed:
    task, flights = _world(setup.airports, setup.routes, setup.pack)
    spelled = {name: normal for normal, name in task.problem.original_names.items()}
    start, end = spelled.get(source, source), spelled.get(destination, destination)
    facts = [("at", start), ("visited", start)]
    trip = replace(task, problem=with_start(task.problem, f"{source}-{destination}", facts, ("at", end)))
    return Posed(task=trip, settings=asdict(setup.ways), made_of=flights)


def _judged(attempt: Attempt) -> DecisionOutcome:
    solution, plan = attempt.solution, attempt.solution.plan
    legs = [] if plan is None else [step.arguments for step in plan]
    missing = next((f"from {a} to {b}" for a, b in legs if (a, b) not in attempt.posed.made_of), "")
    right = solution.status is Status.SOLVED and attempt.reached()
    status = Status.SOLVED if right else Status.UNSOLVED
    cause = "flight" if missing else "no route" if plan is None else "stray"
    return DecisionOutcome(
        **attempt.fields(status, f"there is no flight {missing}" if missing else solution.reason),
        cause="" if right else cause,
        decisions=1,
        decision_seconds=round(solution.seconds, 4),
        unmatched=solution.unmatched,
    )


STUDY = TaskStudy(
    name=SUITE,
    row=FlightsRow,
    sections=lambda setup, rows, name: method_sections(layout(), setup, rows, name, attrgetter("cities", "fewest")),
    methods=lambda: layout().variants,
    judge=_judged,
    by_variant=True,
)


_read = cache(read_openflights)


def flights_episodes(
    setup: FlightsSetup, pairs: int, seeds: int, variants: Collection[str] = (), sizes: Collection[str] = ()
) -> list[SolveEpisode]:
    """Returns the episodes of ``pairs`` pairs of cities of each size and seed, every variant on the same pairs.

    ``variants``: only these, by their names or by a method's. ``sizes``: only these of the cities. Raises UsageError
    for unknown names and for a method that cannot take the tasks, InputError for wrong files and for too many pairs."""
    setup.file()
    suite = layout()
    wanted = wanted_variants(suite, variants, (), TABLES)
    cities = read_cities()
    unknown = [size for size in sizes if size not in cities]
    if unknown:
        raise UsageError(f"there are no {unknown[0]} cities; there are {' and '.join(cities)} ones")
    found = _read(setup.airports, setup.routes)
    drawn = {
        (size, seed): _pairs(found, size, pairs, seed)
        for size in cities
        for seed in range(seeds)
        if not sizes or size in sizes
    }
    trips = [_trip(setup, size, seed, *drawn[size, seed][nth]) for nth in range(pairs) for size, seed in drawn]
    episodes = STUDY.episodes(setup, trips, wanted)
    check_own(suite.variants, episodes)
    return episodes


def _trip(setup: FlightsSetup, size: str, seed: int, source: str, destination: str, fewest: int) -> StudyTask:
    labels = {"cities": size, "fewest": str(min(fewest, LONGEST)), "fewest_flights": fewest}
    name = f"{size}: {source} to {destination}"
    return StudyTask(name, seed, labels, _posed, (setup, source, destination), agent_seed=seed)


def _pairs(found: OpenFlights, size: str, count: int, seed: int) -> list[tuple[str, str, int]]:
    """Draws ``count`` pairs: source, destination and the fewest flights between them."""
    network = found.network
    number: Mapping[str, int] = {city: i for i, city in enumerate(network.ids)}
    among = [number[found.ids[city]] for city in read_cities()[size] if city in found.ids]
    pairs = draw_pairs(network, among, count, np.random.default_rng(seed))
    place = {city: i for i, city in enumerate(among)}
    fewest = network.distances(among)
    return [(network.ids[a], network.ids[b], int(fewest[place[a], b])) for a, b in pairs]
