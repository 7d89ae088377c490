"""``cplan bench models``: which model is worth its money."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.bench import Asking, again_as, experiment_options, run_experiment, take_running
from commonsense_planning.cli.model_options import AskingCommand, several_models_options, take_models
from commonsense_planning.cli.options import FILE, names
from commonsense_planning.errors import UsageError

EPILOG = """\b
Examples:
  cplan bench models --models local,embedded -o results
  cplan bench models --models openai:gpt-4o-mini --max-usd 1 --record answers.jsonl -o results
  cplan bench models --models embedded --skills translation,belief --tasks 40 -o results

\b
Every model gets the same tasks of four skills: finding things, hill climbing, translating an instruction, and
guessing where things are. Models of several runs stand beside each other if these write to the same folder:
so endpoints at different --base-url are compared. With --scenes, things are where VirtualHome's designers put
them, and not where ours did, who also wrote what the embedded model knows. A local model wants --workers 1.
"""


@click.command(
    name="models", cls=AskingCommand, short_help="Which model is worth its money, by tasks of a robot.", epilog=EPILOG
)
@click.option("--skills", default="", metavar="A,B", help="finding, climbing, translation, belief [default: all].")
@click.option("--tasks", type=click.IntRange(min=1), default=10, show_default=True, help="Of each skill.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the tasks and agents.")
@click.option("--scenes", type=FILE, help="A folder with VirtualHome's graphs, TestScene1_graph.json and so on.")
@click.option("--packs", type=FILE, help="A folder with other packs household and virtualhome than our own.")
@experiment_options
@several_models_options("local,embedded")
@click.pass_context
def bench(
    context: click.Context,
    /,
    skills: str,
    tasks: int,
    seed: int,
    scenes: Path | None,
    packs: Path | None,
    **values: Any,
) -> int:
    """Try models on tasks of a household robot and write what each is worth to the folder of the results."""
    from commonsense_planning.pddl.packs import packs_folder
    from commonsense_planning.studies.models.experiment import Setup, model_episodes
    from commonsense_planning.studies.models.skills import Place

    running = take_running(values)
    models, limits = take_models(values)
    place = Place((packs or packs_folder()).resolve(), None if scenes is None else scenes.resolve())
    if not place.homes:
        raise UsageError(f"--scenes: there are no graphs in {scenes}")
    episodes = model_episodes(Setup(limits, place, again_as(context)), models, tasks, seed, names(skills))
    # what they have in common is the recording and the prompts, which one that reads none has not
    asked = next((model for model in models if model.record or model.replay), models[0])
    return run_experiment([episodes], running, Asking(asked, limits, (place.household, place.virtualhome)))
