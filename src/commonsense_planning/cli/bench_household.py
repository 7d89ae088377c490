"""``cplan bench household``: ten household tasks with and without guides, beside the published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.experiment_options import experiment_options, take_running
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import FILE

EPILOG = """\b
Examples:
  cplan bench household --repeats 3 -o results
  cplan bench household --tables 2,3,4 --model openai:gpt-4o-mini --max-usd 5 -o results
  cplan bench household --tables 2 --tasks watch-tv,make-toast --repeats 5 -o results
  cplan bench household --scene TestScene1_graph.json -o results

\b
Tables 2, 3 and 4 are those of "Large Language Models as Common-Sense Heuristics"; "programs" has the model
write programs of actions, as ProgPrompt does; "additions" has what goes beyond the paper, each on and off.
Repeat r has the seed r. With --record and --replay each episode has a file of its own, with --cache each
repeat: answers.jsonl becomes answers.SEED.jsonl. Limits (--max-usd and so on) are for all episodes together.
"""


@click.command(
    name="household", cls=AskingCommand, short_help="Ten household tasks, with and without guides.", epilog=EPILOG
)
@click.option("--repeats", type=click.IntRange(min=1), default=50, show_default=True, help="Episodes of every cell.")
@click.option("--tables", default="", metavar="A,B", help="Only these: 2, 3, 4, programs, additions [default: all].")
@click.option("--tasks", default="", metavar="A,B", help="Only these tasks [default: all].")
@click.option("--scene", type=FILE, help="An environment graph of VirtualHome, in place of our apartment.")
@click.option("--max-steps", type=click.IntRange(min=1), default=20, show_default=True, help="Actions of an episode.")
@click.option(
    "--pack",
    type=FILE,
    default=Path("pddl/virtualhome"),
    show_default=True,
    help="The folder of the virtualhome domain and its problems.",
)
@experiment_options
@model_options
@click.pass_context
def command(
    context: click.Context,
    /,
    repeats: int,
    tables: str,
    tasks: str,
    scene: Path | None,
    max_steps: int,
    pack: Path,
    **values: Any,
) -> int:
    """Run the household experiment and write its tables to report.md, in the folder of the results."""
    from commonsense_planning.cli.experiment import again_as, names, run_experiment
    from commonsense_planning.studies.virtualhome.experiment import Setup, household_episodes

    running = take_running(values)
    model, limits = take_model(values)
    setup = Setup(model, limits, max_steps, command=again_as(context))
    episodes = household_episodes(pack, setup, repeats, names(tables), names(tasks), scene, running.out)
    return run_experiment([episodes], running, limits)
