"""The rows of networks that learned flights, and their sections of a report: right routes by number of cities, as
policy and as model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from commonsense_planning.report.document import Commands, Grid, Lines, LineSeries, Section
from commonsense_planning.report.statistics import NOTHING, Cost, Mean, mean, with_error
from commonsense_planning.report.study import Study
from commonsense_planning.runner.rows import Labels, Outcome

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


@dataclass(frozen=True, kw_only=True)
class LearnerLabels(Labels):
    """One network."""

    cities: int
    kind: Kind
    regime: Regime
    seed: int


@dataclass(frozen=True, kw_only=True)
class LearnerOutcome(Outcome):
    """``size``: cities of the network; ``flights`` there are, and ``shown``. Of ``trials`` routes ``successes`` are
    right, the share ``accuracy`` (None for no trials), and ``shortest`` shortest; ``by_distance``: fewest flights →
    trials, successes. ``examples`` to learn from, of which ``drawn`` were drawn in ``training_steps``; ``parameters``
    of the network and its ``loss`` in the last steps."""

    size: int
    flights: int
    shown: int
    trials: int
    successes: int
    accuracy: float | None
    shortest: int
    by_distance: dict[str, tuple[int, int]]
    examples: int
    training_steps: int
    drawn: int
    parameters: int
    loss: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class LearnerRow(LearnerLabels, LearnerOutcome):
    """What came of training and testing one network."""


TITLES = {Regime.ALL: "every pair is taught", Regime.HELD_OUT: "some pairs are held out"}
CAPTIONS = {
    Regime.ALL: "The policy learns all cities that are next on a shortest route, for every pair of cities; the model "
    "learns all direct flights. They are tested on every pair.",
    Regime.HELD_OUT: f"For {100 * SHARE:.0f} % of the pairs one shortest route is demonstrated. The policy learns the "
    "next city for every city on these routes and their destination; the model learns the flights that occur in them. "
    "They are tested on the pairs that are neither demonstrated nor the rest of a route that is.",
}
JUDGED = (
    "A route is right if it arrives and every flight in it exists. The policy's may have "
    f"{DETOUR} flights more than the longest shortest route; the model's is found by breadth-first search on the "
    "flights that it predicts."
)
COLOURS = {Kind.POLICY: 6, Kind.MODEL: 3}

Cells = Mapping[tuple[int, Kind], Sequence[LearnerRow]]
"""Number of cities and what was learned → the rows of all seeds, at least one."""

LEARNED: tuple[Cost[LearnerRow], ...] = (
    Cost("weights", lambda row: row.parameters, lambda found: _number(found.value)),
    Cost("flights shown", lambda row: row.shown, lambda found: _number(found.value)),
    Cost("examples", lambda row: row.examples, lambda found: _number(found.value)),
    Cost("drawn", lambda row: row.drawn, lambda found: _number(found.value)),
    Cost("loss", lambda row: row.loss, partial(with_error, digits=3)),
    Cost("seconds", lambda row: row.seconds),
)
"""What the networks learned from, and how well."""

Counts = Mapping[int, tuple[int, int]]
"""Fewest flights → pairs, and how many of their routes are right."""


def _sections(setup: str, rows: Sequence[LearnerRow], name: str) -> Iterator[Section]:
    """A table and a chart for each regime that at least one of the rows, all of one setup, was run in, and what the
    networks learned from. ``name`` starts the names of the charts."""
    for regime in Regime:
        cells = _cells([row for row in rows if row.regime is regime and row.trials])
        if cells:
            yield from _regime_sections(regime, setup, cells, f"{name}-{regime}")


def _cells(rows: Sequence[LearnerRow]) -> Cells:
    """The rows of every cell in the order of the seeds; small networks first, the policy before the model."""
    cells = defaultdict[tuple[int, Kind], list[LearnerRow]](list)
    for row in sorted(rows, key=lambda row: (row.cities, list(Kind).index(row.kind), row.seed)):
        cells[row.cities, row.kind].append(row)
    return dict(cells)


def _regime_sections(regime: Regime, setup: str, cells: Cells, name: str) -> Iterator[Section]:
    title = f"Model or policy: {TITLES[regime]}"
    sizes = list(dict.fromkeys(cities for cities, _ in cells))
    legend = (
        f"Setup: {setup}. {CAPTIONS[regime]} {JUDGED} Right routes in %, and those that are right and shortest, "
        "± standard error over seeds; the gap is the model's share minus the policy's."
    )
    accuracy = Grid(
        ("cities", "flights", "policy", "model", "gap", "policy, shortest", "model, shortest"),
        tuple(_shares(cities, cells) for cities in sizes),
    )
    commands = dict.fromkeys(row.command for found in cells.values() for row in found)
    parts = (legend, accuracy, _chart(sizes, cells, name), Commands(tuple(("", command) for command in commands)))
    yield Section(title, parts)
    yield _distances(sizes, cells)
    yield _lessons(cells)


def _shares(cities: int, cells: Cells) -> tuple[str, ...]:
    policy, model = (cells.get((cities, kind), ()) for kind in Kind)
    of_policy = {row.seed: _accuracy(row) for row in policy}
    gaps = [_accuracy(row) - of_policy[row.seed] for row in model if row.seed in of_policy]
    return (
        str(cities),
        _count([row.flights for row in (*policy, *model)]),
        *(_percent([_accuracy(row) for row in found]) for found in (policy, model)),
        _percent(gaps),
        *(_percent([row.shortest / row.trials for row in found]) for found in (policy, model)),
    )


def _accuracy(row: LearnerRow) -> float:
    return row.successes / row.trials


def _percent(shares: Sequence[float]) -> str:
    return with_error(_in_percent(shares), 1) if shares else NOTHING


def _in_percent(shares: Sequence[float]) -> Mean:
    return mean([100 * share for share in shares])


def _count(numbers: Sequence[int]) -> str:
    return _number(mean(numbers).value) if numbers else NOTHING


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _chart(sizes: Sequence[int], cells: Cells, name: str) -> Lines:
    series = tuple(_line(kind, sizes, cells) for kind in Kind)
    title = "Right routes in %, with standard errors over seeds"
    return Lines(name, title, "cities", "right routes, %", True, False, series)


def _line(kind: Kind, sizes: Sequence[int], cells: Cells) -> LineSeries:
    run = [cities for cities in sizes if (cities, kind) in cells]
    means = [_in_percent([_accuracy(row) for row in cells[cities, kind]]) for cities in run]
    errors = [found.error or 0.0 for found in means]
    return LineSeries(
        str(kind),
        COLOURS[kind],
        tuple(map(float, run)),
        tuple(found.value for found in means),
        tuple(found.value - error for found, error in zip(means, errors, strict=True)),
        tuple(found.value + error for found, error in zip(means, errors, strict=True)),
    )


def _distances(sizes: Sequence[int], cells: Cells) -> Section:
    """Right routes by the fewest flights that a pair needs, of all seeds together."""
    found = {key: _by_distance(rows) for key, rows in cells.items()}
    distances = sorted({distance for counts in found.values() for distance in counts})
    lines = []
    for cities in sizes:
        policy, model = (found.get((cities, kind), {}) for kind in Kind)
        lines.append((str(cities), *(_at_distance(distance, policy, model) for distance in distances)))
    heads = (f"{distance} flight{'s' if distance > 1 else ''}" for distance in distances)
    legend = (
        "Right routes in %, by how many flights a pair needs at least: policy / model, all seeds together; in brackets "
        "the share of the tested pairs."
    )
    return Section("By number of flights", (legend, Grid(("cities", *heads), tuple(lines))), 3)


def _by_distance(rows: Sequence[LearnerRow]) -> Counts:
    counts: defaultdict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for row in rows:
        for distance, (trials, right) in row.by_distance.items():
            before = counts[int(distance)]
            counts[int(distance)] = before[0] + trials, before[1] + right
    return counts


def _at_distance(distance: int, policy: Counts, model: Counts) -> str:
    """Both rates, and below them the share of the pairs."""
    shown = next((counts for counts in (policy, model) if distance in counts), None)
    if shown is None:
        return NOTHING
    share = 100 * shown[distance][0] / sum(trials for trials, _ in shown.values())
    rates = (_rate(counts[distance]) if distance in counts else NOTHING for counts in (policy, model))
    return f"{' / '.join(rates)}\n[{share:.{0 if share >= 1 else 1}f} %]"


def _rate(counts: tuple[int, int]) -> str:
    trials, right = counts
    return f"{100 * right / trials:.1f}"


def _lessons(cells: Cells) -> Section:
    """What the networks learned from, how well, and how long it took."""
    lines = tuple(
        (
            f"{cities}, {kind}",
            *(column.cell(rows) for column in LEARNED),
        )
        for (cities, kind), rows in cells.items()
    )
    legend = (
        "Weights of the network; flights that it is shown; different examples, and how many were drawn from them in "
        "all; the binary cross-entropy of an example in the last steps, in nats, summed over the cities; seconds with "
        "testing. Means over seeds."
    )
    head = ("network", *(column.head for column in LEARNED))
    return Section("What was learned from", (legend, Grid(head, lines)), 3)


STUDY = Study(lambda line: line.row(LearnerRow), _sections)
