"""``cplan bench``: the experiments."""

from __future__ import annotations

import click

from commonsense_planning.cli.lazy import LazyGroup

EPILOG = """\b
Examples:
  cplan bench rearrangement -o results
  cplan bench household --repeats 3 -o results
  cplan bench flights airports.dat routes.dat -o results
  cplan bench multiplication -o results
  cplan bench learner airports.dat routes.dat -o results
  cplan report results

\b
An experiment may be interrupted or killed at any moment: the same command goes on where it was.
"""


@click.group(
    name="bench",
    cls=LazyGroup,
    modules={
        "rearrangement": "bench_rearrangement",
        "household": "bench_household",
        "flights": "bench_flights",
        "multiplication": "bench_multiplication",
        "learner": "bench_learner",
    },
    short_help="Run an experiment: methods on many tasks, many times.",
    epilog=EPILOG,
)
def command() -> None:
    """Run an experiment, on all cores. Every episode is a line in episodes.jsonl, in the folder of the results."""
