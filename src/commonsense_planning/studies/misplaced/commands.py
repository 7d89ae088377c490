"""``cplan bench misplaced``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.bench import Asking, again_as, experiment_options, run_experiment, take_running
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import FILE, actions_option, names, prior_samples_option
from commonsense_planning.cli.task_arguments import pack_option
from commonsense_planning.config import POLICY_SAMPLES, Actions

EPILOG = """\b
Examples:
  cplan bench misplaced -o results
  cplan bench misplaced --scenes virtualhome --tasks 20 --seeds 2 -o results
  cplan bench misplaced --homes unseen --shares 1,least --methods llm-mcts,look-nearest -o results

\b
With share s each wanted thing lies with probability s at a place drawn uniformly, instead of where the home
has it; with "least" all lie where the model puts them least. All methods get the same worlds. Homes are
seen and unseen, which are ours, and TestScene1 and so on, VirtualHome's apartments in the folder --scenes;
without it they are left out. The number of episodes is tasks x seeds x homes x shares x methods.
"""


@click.command(
    name="misplaced", cls=AskingCommand, short_help="Wanted things where the model does not expect them.", epilog=EPILOG
)
@click.option("--homes", default="", metavar="A,B", help="Only these [default: all that there are].")
@click.option("--tasks", type=click.IntRange(min=1), default=20, show_default=True, help="In each home, of each seed.")
@click.option(
    "--shares", default="0,0.25,0.5,1,least", show_default=True, metavar="A,B", help="Of wanted things that are moved."
)
@click.option("--methods", default="", metavar="A,B", help="Only these [default: all that the tables need].")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="Each draws its own tasks.")
@click.option("--simulations", type=click.IntRange(min=1), default=100, show_default=True, help="Per decision.")
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    help="Actions of an episode [default: 120, or what it takes to look at everything, where that is more].",
)
@click.option(
    "--policy-samples",
    type=click.IntRange(min=1),
    default=POLICY_SAMPLES,
    show_default=True,
    help="Answers per action question.",
)
@prior_samples_option
@actions_option
@click.option("--no-ask-again", is_flag=True, help="Do not ask the model again about what was looked for in vain.")
@click.option("--hide-rooms", is_flag=True, help="Do not say which rooms furniture is in: sensors-hidden-rooms.pddl.")
@click.option("--scenes", type=FILE, help="A folder with VirtualHome's graphs, TestScene1_graph.json and so on.")
@pack_option("household")
@experiment_options
@model_options
@click.pass_context
def bench(
    context: click.Context,
    /,
    homes: str,
    tasks: int,
    shares: str,
    methods: str,
    seeds: int,
    simulations: int,
    max_steps: int | None,
    policy_samples: int,
    prior_samples: int | None,
    actions: Actions,
    no_ask_again: bool,
    hide_rooms: bool,
    scenes: Path | None,
    pack: Path,
    **values: Any,
) -> int:
    """Run the experiment with misplaced things and write its report to the folder of the results."""
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.studies.homes.scene_graph import scene_files
    from commonsense_planning.studies.misplaced.experiment import Setup, misplaced_episodes

    running = take_running(values)
    model, limits = take_model(values)
    if not homes and not scene_files(scenes):
        where = "--scenes names the folder of its graphs" if scenes is None else f"there are no graphs in {scenes}"
        Printer(running.as_json).line(f"VirtualHome's apartments are left out: {where}")
    setup = Setup(
        model,
        limits,
        simulations,
        max_steps,
        prior_samples,
        policy_samples,
        actions,
        not no_ask_again,
        hide_rooms,
        pack.resolve(),
        None if scenes is None else scenes.resolve(),
        again_as(context),
    )
    episodes = misplaced_episodes(setup, names(homes), tasks, names(shares), names(methods), seeds)
    return run_experiment([episodes], running, Asking(model, limits, (pack,)))
