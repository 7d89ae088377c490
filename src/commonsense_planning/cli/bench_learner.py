"""``cplan bench learner``: whether a network learns a model of flights better than a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.experiment_options import experiment_options, take_running
from commonsense_planning.cli.options import FILE

MOST_CITIES = 10_000

EPILOG = """\b
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


@click.command(name="learner", short_help="Model or policy of flights: which a network learns better.", epilog=EPILOG)
@click.argument("airports", type=FILE)
@click.argument("routes", type=FILE)
@click.option("--cities", default="25,50,100,200,400,800", show_default=True, metavar="A,B", help="Numbers of cities.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Networks of every kind.")
@click.option("--steps", type=click.IntRange(min=1), default=1000, show_default=True, help="Steps of each training.")
@experiment_options
@click.pass_context
def command(
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
    from commonsense_planning.cli.experiment import again_as, run_experiment
    from commonsense_planning.cli.number_list import numbers
    from commonsense_planning.learning.library import torch_library
    from commonsense_planning.studies.travelling.learner import Setup, learner_episodes

    running = take_running(values)
    sizes = numbers("--cities", cities, 1, MOST_CITIES)
    torch_library()
    setup = Setup(airports.resolve(), routes.resolve(), steps, again_as(context))
    return run_experiment([learner_episodes(setup, sizes, seeds)], running)
