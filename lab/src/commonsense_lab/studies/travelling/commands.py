"""``cplan bench flights`` and ``cplan data import-flights``: direct flights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.cli.options import names_option, pack_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import FILE, OUT, Whole, count_option, json_option, names
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.support.writing import make_folder, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonsense_lab.studies.travelling.network import FlightNetwork
    from commonsense_lab.studies.travelling.openflights import By, LineCount, OpenFlights
    from commonsense_planning.cli.output import Printer


FLIGHTS_EPILOG = """\b
Examples:
  cplan bench flights airports.dat routes.dat -o results
  cplan bench flights airports.dat routes.dat --sizes mid-size --pairs 100 --seeds 3 -o results
  cplan bench flights airports.dat routes.dat --model openai:gpt-4o-mini --parallel 16 --max-usd 5 -o results

\b
AIRPORTS and ROUTES are the files of OpenFlights; they say which flights there are, and no model sees them.
The experiment is that of section 4.1 of "Large Language Models as Commonsense Knowledge for Large-Scale Task
Planning": pairs of 68 large and of 62 mid-size cities. A route is right if every flight in it exists.
The methods are policy (llm-route), fewest (llm-model --route fewest, the paper's), probable (llm-model
--recheck 0) and rechecked (llm-model). What a model behind an endpoint says of a city is asked once in a run
and kept in answers.SEED.jsonl, in the folder of the results, unless --cache names another file. Limits are
for all episodes together.
"""


@bench_command(
    "flights",
    "Trips: a model's routes, and search by its flights.",
    FLIGHTS_EPILOG,
    click.argument("airports", type=FILE),
    click.argument("routes", type=FILE),
    count_option("--pairs", 400, "Pairs of cities of each size and seed."),
    count_option("--seeds", 1, "Each draws its own pairs."),
    names_option("--methods", "Only these, of any methods [default: the four below]."),
    names_option("--sizes", "Only these cities: large, mid-size [default: both]."),
    click.option("--breadth", type=int, default=50, show_default=True, help="Flights from a city that are taken."),
    click.option("--max-steps", type=int, default=6, show_default=True, help="Flights of a predicted route at most."),
    pack_option("flights"),
    unsaid=("methods",),
)
def flights(given: Bench, /, airports: Path, routes: Path, pack: Path, **values: Any) -> int:
    """Plan trips between pairs of cities and write how many routes are right to the folder of the results."""
    from commonsense_lab.studies.travelling.experiment import FlightsSetup, flights_episodes
    from commonsense_lab.studies.travelling.methods import WaysOptions
    from commonsense_lab.studies.travelling.trip import TEMPLATES
    from commonsense_planning.llm.adapters import adapter_of

    model = given.model
    if adapter_of(model)[0].reads_prompts and model.replay is None and model.cache is None:
        given = replace(given, model=replace(model, cache=given.running.out.resolve() / "answers.jsonl"))
    setup = FlightsSetup(
        **given.shared,
        pack=pack.resolve(),
        airports=airports.resolve(),
        routes=routes.resolve(),
        ways=WaysOptions(values["max_steps"], values["breadth"]),
    )
    wanted = names(values["methods"]), names(values["sizes"])
    episodes = flights_episodes(setup, values["pairs"], values["seeds"], *wanted)
    return given.run([episodes], pack, templates=TEMPLATES)


COUNT = 10  # pairs
SHOWN = 5  # lines of a file that are named for a reason
SOURCE = "Direct flights from OpenFlights' files {airports} and {routes} (Open Database Licence)."

IMPORT_EPILOG = """\b
Examples:
  cplan data import-flights airports.dat routes.dat
  cplan data import-flights airports.dat routes.dat --from Reykjavik --to "La Paz" -o problem.pddl
  cplan data import-flights airports.dat routes.dat --from "London LHR" --to "Sydney SYD" --by airport
  cplan data import-flights airports.dat routes.dat --cities 300 --pairs large --count 20 -o problems

\b
A city goes by its English name or by its name in the problem: Paris and paris, "Paris, United States" and
paris-united-states. The files are OpenFlights' own, as published; lab/docs/flights.md says what is read.
"""


@dataclass(frozen=True)
class Trip:
    """A problem to write: two cities of the network, by number, and the file, None to print it."""

    source: int
    destination: int
    file: Path | None


@click.command(name="import-flights", short_help="Make problems of OpenFlights' direct flights.", epilog=IMPORT_EPILOG)
@click.argument("airports", type=FILE)
@click.argument("routes", type=FILE)
@click.option("--from", "source", metavar="CITY", help="Where the traveller is.")
@click.option("--to", "destination", metavar="CITY", help="Where the traveller wants to be.")
@click.option("--pairs", type=click.Choice(["large", "mid-size"]), help="Draw pairs of these cities instead.")
@click.option("--count", type=Whole(min=1), help=f"--pairs: how many [default: {COUNT}].")
@click.option("--seed", type=Whole(min=0), help="--pairs: of the random choice [default: 0].")
@click.option("-o", "--out", type=OUT, help="The problem file [default: print it]; --pairs: the folder, it is made.")
@click.option(
    "--by",
    type=click.Choice(["city", "airport"]),
    default="city",
    show_default=True,
    help="city: the airports of a city are one place. airport: each is a place.",
)
@click.option("--cities", "most", type=Whole(min=2), metavar="N", help="Only the N busiest of them.")
@json_option
def import_flights(
    airports: Path,
    routes: Path,
    source: str | None,
    destination: str | None,
    pairs: str | None,
    count: int | None,
    seed: int | None,
    out: Path | None,
    by: By,
    most: int | None,
    as_json: bool,
) -> int:
    """Read OpenFlights' airports.dat and routes.dat and write problems of the flights domain.

    Every line of the files is used or counted under the reason why it is not. Without --from and --to, and without
    --pairs, only that is printed."""
    from commonsense_lab.studies.travelling.openflights import read_openflights
    from commonsense_planning.cli.output import Printer, print_json, print_text

    if (source is None) != (destination is None):
        raise UsageError("--from and --to go together: a trip has both ends")
    if pairs is None and (count is not None or seed is not None):
        raise UsageError("--count and --seed are for --pairs: large or mid-size")
    if pairs is not None and source is not None:
        raise UsageError("--pairs draws both ends; give it, or --from and --to")
    if pairs is not None and by == "airport":
        raise UsageError("--pairs draws cities; it does not go with --by airport")
    if pairs is not None and out is None:
        raise UsageError("--pairs writes several problems: give their folder with --out")
    if pairs is None and source is None and out is not None:
        raise UsageError("--out is for a problem: give --from and --to, or --pairs")
    found = read_openflights(airports, routes, by)
    network = found.network if most is None else found.network.busiest(most)
    if pairs is not None:
        assert out is not None
        trips = _drawn(found, network, pairs, COUNT if count is None else count, seed or 0, out)
    elif source is not None and destination is not None:
        trips = [Trip(_city(source, found.network, network), _city(destination, found.network, network), out)]
    else:
        trips = []
    texts = _write(network, trips, SOURCE.format(airports=airports.name, routes=routes.name))
    printer = Printer(as_json or bool(texts))
    _tell(printer, found, network, by, trips)
    if as_json:
        print_json(_data(found, network, trips, texts))
    elif texts:
        print_text(texts[0])
    return EXIT_SOLVED


def _city(said: str, whole: FlightNetwork, network: FlightNetwork) -> int:
    """The number of the city that is meant, in ``network``, a part of the ``whole``."""
    import difflib

    from commonsense_lab.studies.travelling.network import bare

    ids = {bare(name): city for names in (whole.names, whole.ids) for name, city in zip(names, whole.ids, strict=True)}
    city = ids.get(bare(said))
    if city is None:
        # "Paris, France" is "Paris" here: only the lesser ones have the country behind the name.
        short = bare(said.partition(",")[0])
        close = [short] if short in ids else difflib.get_close_matches(bare(said), ids, n=1)
        hint = f" (did you mean {whole.names[whole.ids.index(ids[close[0]])]}?)" if close else ""
        raise UsageError(f"there are no flights of a city called {said}{hint}; names are those of OpenFlights")
    if city not in network.ids:
        raise UsageError(f"{said} is not among the {len(network)} busiest cities; raise --cities or leave it out")
    return network.ids.index(city)


def _drawn(found: OpenFlights, network: FlightNetwork, size: str, count: int, seed: int, folder: Path) -> list[Trip]:
    import numpy as np

    from commonsense_lab.studies.travelling.network import draw_pairs, read_cities

    number = {city: i for i, city in enumerate(network.ids)}
    ids = [found.ids[city] for city in read_cities()[size] if city in found.ids]
    among = [number[city] for city in ids if city in number]
    drawn = draw_pairs(network, among, count, np.random.default_rng(seed))
    make_folder(folder, "the problems", "choose another --out")
    return [Trip(a, b, folder / f"{network.ids[a]}-{network.ids[b]}.pddl") for a, b in drawn]


def _write(network: FlightNetwork, trips: Sequence[Trip], comment: str) -> list[str]:
    """Write the problems; the texts of those that have no file."""
    from commonsense_lab.studies.travelling.network import render_flights, render_lexicon
    from commonsense_planning.task import beside_problem

    texts = []
    for trip in trips:
        ends = (trip.source, trip.destination)
        name = "-".join(network.ids[city] for city in ends)
        way = "From {} to {}.".format(*(network.names[city] for city in ends))
        text = render_flights(network, *ends, name, f"{way}\n{comment}")
        if trip.file is None:
            texts.append(text)
            continue
        write_text(trip.file, text, "it", hint="choose another --out")
        write_text(beside_problem(trip.file), render_lexicon(network), "it", hint="choose another --out")
    return texts


def _tell(printer: Printer, found: OpenFlights, network: FlightNetwork, by: By, trips: Sequence[Trip]) -> None:
    places = "cities" if by == "city" else "airports"
    printer.line(f"{len(network)} {places}, {network.flight_count} direct flights between them")
    for reading in (found.airports, found.routes):
        printer.line(f"{reading.path}: {reading.used} of {reading.lines} lines used")
        rows = []
        for reason, lines in reading.reasons.items():
            more = " …" if len(lines) > SHOWN else ""
            rows.append((reason, str(len(lines)), f"line {', '.join(map(str, lines[:SHOWN]))}{more}"))
        printer.rows(rows, indent="  ")
    written = [trip.file for trip in trips if trip.file is not None]
    if len(written) > 1:
        printer.line(f"{len(written)} problems are in {written[0].parent}")
    if written:
        printer.line(f"next: cplan solve flights {quote(str(written[0]))} --method gbfs")


def _data(found: OpenFlights, network: FlightNetwork, trips: Sequence[Trip], texts: Sequence[str]) -> dict[str, Any]:
    return {
        "cities": len(network),
        "flights": network.flight_count,
        "airports_file": _account(found.airports),
        "routes_file": _account(found.routes),
        "problems": [
            {"from": network.names[t.source], "to": network.names[t.destination], "file": t.file and str(t.file)}
            for t in trips
        ],
        **({"problem": texts[0]} if texts else {}),
    }


def _account(reading: LineCount) -> dict[str, Any]:
    reasons = {reason: {"lines": len(lines), "first": lines[:SHOWN]} for reason, lines in reading.reasons.items()}
    return {"file": str(reading.path), "lines": reading.lines, "used": reading.used, "not_used": reasons}
