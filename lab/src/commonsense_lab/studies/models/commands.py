"""``cplan bench models``: which model is worth its money."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.model_options import several_models_options
from commonsense_planning.cli.options import FILE, count_option, names, names_option, seed_option
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


@bench_command(
    "models",
    "Which model is worth its money, by tasks of a robot.",
    EPILOG,
    names_option("--skills", "finding, climbing, translation, belief [default: all]."),
    count_option("--tasks", 10, "Of each skill."),
    seed_option("Of the tasks and agents."),
    click.option("--scenes", type=FILE, help="A folder with VirtualHome's graphs, TestScene1_graph.json and so on."),
    click.option("--packs", type=FILE, help="A folder with other packs household and virtualhome than our own."),
    several=several_models_options("local,embedded"),
)
def bench(given: Bench, /, skills: str, tasks: int, seed: int, scenes: Path | None, packs: Path | None) -> int:
    """Try models on tasks of a household robot and write what each is worth to the folder of the results."""
    from commonsense_lab.studies.models.experiment import ModelsSetup, model_episodes
    from commonsense_lab.studies.models.skills import Place
    from commonsense_planning.pddl.packs import packs_folder

    place = Place((packs or packs_folder()).resolve(), None if scenes is None else scenes.resolve())
    if not place.homes:
        raise UsageError(f"--scenes: there are no graphs in {scenes}")
    setup = ModelsSetup(given.limits, place, given.command)
    episodes = model_episodes(setup, given.models, tasks, seed, names(skills))
    # what they have in common is the recording and the prompts, which one that reads none has not
    asked = [model for model in given.models if model.recorded or model.replay] or given.models
    return replace(given, models=asked).run([episodes], place.household, place.virtualhome)
