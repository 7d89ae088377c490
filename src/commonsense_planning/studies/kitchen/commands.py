"""``cplan bench kitchen``: search in kitchens after Tru-POMDP's description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.bench import Asking, again_as, experiment_options, run_experiment, take_running
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import actions_option, names
from commonsense_planning.cli.task_arguments import pack_option
from commonsense_planning.config import Actions
from commonsense_planning.errors import UsageError

EPILOG = """\b
Examples:
  cplan bench kitchen -o results
  cplan bench kitchen --levels hard --tasks 5 --model openai:gpt-4o-mini --max-usd 1 -o results

\b
Tasks of the kind of "Tru-POMDP" (Tang et al. 2025), drawn anew from its description: five kitchens with up to
40 places, up to 29 of them with doors, and 20 things; 2 (easy), 3 (medium), 4 to 8 (hard) of these are wanted
elsewhere within 25, 30, 35 steps. Walking is no step. docs/search.md says what the paper does not print.
"""


@click.command(
    name="kitchen",
    cls=AskingCommand,
    short_help="Things behind up to 29 doors, after Tru-POMDP's description.",
    epilog=EPILOG,
)
@click.option("--tasks", type=click.IntRange(min=1), default=10, show_default=True, help="Of each level.")
@click.option("--levels", default="easy,medium,hard", show_default=True, metavar="A,B", help="Only these.")
@click.option("--methods", default="llm-mcts,llm-replan", show_default=True, metavar="A,B", help="Which methods.")
@click.option(
    "--simulations", type=click.IntRange(min=1), default=100, show_default=True, help="Simulations per decision."
)
@actions_option
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the tasks and agents.")
@pack_option("kitchen")
@experiment_options
@model_options
@click.pass_context
def bench(
    context: click.Context,
    /,
    tasks: int,
    levels: str,
    methods: str,
    simulations: int,
    actions: Actions,
    seed: int,
    pack: Path,
    **values: Any,
) -> int:
    """Look for things in kitchens and put them where they are wanted; write the report to the folder of the results."""
    from commonsense_planning.studies.kitchen.experiment import Setup, kitchen_episodes
    from commonsense_planning.studies.kitchen.kitchens import Level

    running = take_running(values)
    model, limits = take_model(values)
    wanted = names(levels)
    for name in wanted:
        if name not in list(Level):
            raise UsageError(f"there is no level {name}; there are {', '.join(Level)}")
    setup = Setup(model, limits, simulations, actions, pack.resolve(), again_as(context))
    episodes = kitchen_episodes(setup, tasks, seed, names(methods), [Level(name) for name in wanted])
    return run_experiment([episodes], running, Asking(model, limits, (pack,)))
