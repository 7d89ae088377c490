"""``cplan bench learner``: whether a network learns a model of flights better than a policy."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.errors import EXIT_SOLVED, EXIT_UNSOLVED, UsageError

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
@click.option("-o", "--out", type=FILE, required=True, help="The folder of the results; it is made.")
@click.option("--cities", default="25,50,100,200,400,800", show_default=True, metavar="A,B", help="Numbers of cities.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Networks of every kind.")
@click.option("--steps", type=click.IntRange(min=1), default=1000, show_default=True, help="Steps of each training.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes [default: one for each core].")
@click.option("--again", is_flag=True, help="Run episodes that ended in an error once more.")
@click.option("--quiet", is_flag=True, help="No progress, no tables.")
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    airports: Path,
    routes: Path,
    out: Path,
    cities: str,
    seeds: int,
    steps: int,
    workers: int | None,
    again: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Train networks on the flights in AIRPORTS and ROUTES, as policy and as model, and write how often their routes
    are right to report.md, in the folder of the results."""
    from commonsense_planning.cli.experiment import again_as, run_experiment
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.config import BudgetConfig
    from commonsense_planning.experiments.learner import Setup, learner_episodes
    from commonsense_planning.learning.library import torch_library

    sizes = _numbers(cities)
    torch_library()
    unsaid = {"out", "workers", "again", "quiet", "as_json"}
    setup = Setup(airports.resolve(), routes.resolve(), steps, again_as(context, unsaid))
    episodes = learner_episodes(setup, sizes, seeds)
    summary = run_experiment(episodes, out, workers, BudgetConfig(), again, Printer(as_json), quiet)
    if as_json:
        print_json(summary)
    return EXIT_UNSOLVED if summary["failed"] else EXIT_SOLVED


def _numbers(text: str) -> list[int]:
    from commonsense_planning.cli.experiment import names

    found = names(text)
    wrong = next((word for word in found if not word.isdecimal()), "" if found else text)
    if wrong or not found:
        raise UsageError(f"--cities takes numbers with commas between them, such as 25,50,100, not {text!r}")
    return list(map(int, found))
