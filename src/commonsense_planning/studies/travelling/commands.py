"""``cplan bench flights`` and ``cplan bench learner``: the experiments with direct flights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.bench import again_as, experiment_options, run_experiment, take_running
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import FILE, names, numbers

FLIGHTS_EPILOG = """\b
Examples:
  cplan bench flights airports.dat routes.dat -o results
  cplan bench flights airports.dat routes.dat --sizes mid-size --pairs 100 --seeds 3 -o results
  cplan bench flights airports.dat routes.dat --model openai:gpt-4o-mini --parallel 16 --max-usd 5 -o results

\b
AIRPORTS and ROUTES are the files of OpenFlights; they say which flights there are, and no model sees them.
The experiment is that of section 4.1 of "Large Language Models as Commonsense Knowledge for Large-Scale Task
Planning": pairs of 68 large and of 62 mid-size cities. A route is right if every flight in it exists.
The methods are policy (llm-route), model (llm-model) and both-ends (llm-model --both-ends). What a model
behind an endpoint says of a city is asked once in a run and kept in answers.SEED.jsonl, in the folder of
the results, unless --cache names another file. Limits are for all episodes together.
"""


@click.command(
    name="flights",
    cls=AskingCommand,
    short_help="Trips: a model's routes, and search by its flights.",
    epilog=FLIGHTS_EPILOG,
)
@click.argument("airports", type=FILE)
@click.argument("routes", type=FILE)
@click.option(
    "--pairs", type=click.IntRange(min=1), default=400, show_default=True, help="Pairs of cities of each size and seed."
)
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="Each draws its own pairs.")
@click.option("--methods", default="", metavar="A,B", help="Only these: policy, model, both-ends [default: all].")
@click.option("--sizes", default="", metavar="A,B", help="Only these cities: large, mid-size [default: both].")
@click.option("--breadth", type=int, default=50, show_default=True, help="Flights from a city that are taken.")
@click.option("--max-steps", type=int, default=6, show_default=True, help="Flights of a predicted route at most.")
@click.option(
    "--pack", type=FILE, default=Path("pddl/flights"), show_default=True, help="The folder of the flights domain."
)
@experiment_options
@model_options
@click.pass_context
def flights(
    context: click.Context,
    /,
    airports: Path,
    routes: Path,
    pairs: int,
    seeds: int,
    methods: str,
    sizes: str,
    breadth: int,
    max_steps: int,
    pack: Path,
    **values: Any,
) -> int:
    """Plan trips between pairs of cities and write how many routes are right to the folder of the results."""
    from commonsense_planning.studies.travelling.experiment import Setup, flights_episodes
    from commonsense_planning.studies.travelling.travelling import WaysOptions

    running = take_running(values)
    model, limits = take_model(values)
    if not model.embedded and model.replay is None and model.cache is None:
        model = replace(model, cache=running.out.resolve() / "answers.jsonl")
    setup = Setup(
        airports.resolve(),
        routes.resolve(),
        model,
        limits,
        WaysOptions(max_steps, breadth),
        pack.resolve(),
        again_as(context, "methods"),
    )
    episodes = flights_episodes(setup, pairs, seeds, names(methods), names(sizes))
    return run_experiment([episodes], running, limits)


MOST_CITIES = 10_000
LEARNER_EPILOG = """\b
Examples:
  cplan bench learner airports.dat routes.dat -o results
  cplan bench learner airports.dat routes.dat --cities 25,50 --seeds 1 --steps 300 -o quick

\b
AIRPORTS and ROUTES are the files of OpenFlights. The same small transformer is trained twice with the same
number of weights and steps: as a policy (city, destination: next city) and as a model (city: direct flights),
whose routes breadth-first search finds. Once every pair of cities is taught; once half of the pairs are
demonstrated and others tested. The numbers of cities are those of the busiest cities. See section 4.1 of
"Large Language Models as Commonsense Knowledge for Large-Scale Task Planning".
No language model is asked. Needs the extra train: pip install 'commonsense-planning[train]'
"""


@click.command(
    name="learner", short_help="Model or policy of flights: which a network learns better.", epilog=LEARNER_EPILOG
)
@click.argument("airports", type=FILE)
@click.argument("routes", type=FILE)
@click.option("--cities", default="25,50,100,200,400,800", show_default=True, metavar="A,B", help="Numbers of cities.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Networks of every kind.")
@click.option("--steps", type=click.IntRange(min=1), default=1000, show_default=True, help="Steps of each training.")
@experiment_options
@click.pass_context
def learner(
    context: click.Context,
    /,
    airports: Path,
    routes: Path,
    cities: str,
    seeds: int,
    steps: int,
    **values: Any,
) -> int:
    """Train networks on the flights in AIRPORTS and ROUTES, as policy and as model, and write how often their routes
    are right to report.md, in the folder of the results."""
    from commonsense_planning.learning.library import torch_library
    from commonsense_planning.studies.travelling.learner import Setup, learner_episodes

    running = take_running(values)
    sizes = numbers("--cities", cities, 1, MOST_CITIES)
    torch_library()
    setup = Setup(airports.resolve(), routes.resolve(), steps, again_as(context))
    return run_experiment([learner_episodes(setup, sizes, seeds)], running)
