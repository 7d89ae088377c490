"""``cplan tasks rearrangement``: the tasks of the LLM-MCTS paper's experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.errors import EXIT_SOLVED, UsageError

if TYPE_CHECKING:
    from commonsense_planning.studies.rearrangement.tasks import Homes

EPILOG = """\b
Examples:
  cplan tasks rearrangement -o tasks
  cplan tasks rearrangement -o tasks --tasks 100 --training 0 --seed 1
  cplan tasks rearrangement -o tasks --scene TestScene4_graph.json --unseen-scene TestScene2_graph.json

\b
DIR gets HOME-SETTING-NNNN.pddl for evaluation, training/training-NNNNN.pddl, and tasks.jsonl with a line for
each task: name, home, setting, instruction, goal, file. The settings: simple, comp, novel-simple,
novel-comp-2, novel-comp-3. The problems are of the domain in pddl/household.
"""


@click.command(
    name="rearrangement", short_help="Things to put elsewhere, in a seen and an unseen home.", epilog=EPILOG
)
@click.option("-o", "--out", type=FILE, required=True, metavar="DIR", help="The folder of the tasks; it is made.")
@click.option("--tasks", type=click.IntRange(min=0), default=800, show_default=True, help="For evaluation, in all.")
@click.option("--training", type=click.IntRange(min=0), default=2000, show_default=True, help="For training.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of random choices.")
@click.option("--scene", type=FILE, help="VirtualHome's graph of the seen home [default: an apartment of our own].")
@click.option("--unseen-scene", type=FILE, help="VirtualHome's graph of the unseen home.")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def command(
    out: Path,
    tasks: int,
    training: int,
    seed: int,
    scene: Path | None,
    unseen_scene: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Write the tasks of the rearrangement experiment: one to three things are wanted at other places.

    No training task asks for what the novel settings ask for.
    """
    from commonsense_planning.cli.bar import counting_bar
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.studies.rearrangement.tasks import LIST, Numbers, write_tasks

    homes = _homes(scene, unseen_scene)
    printer = Printer(as_json)
    with counting_bar(printer, quiet, "tasks") as report:
        counts = write_tasks(homes, Numbers(tasks, training), seed, out, report)
    printer.rows([(cell, str(count)) for cell, count in counts.items()])
    printer.line(f"the tasks are listed in {out / LIST}")
    if as_json:
        print_json({"tasks": counts, "seed": seed, "list": str(out / LIST)})
    return EXIT_SOLVED


def _homes(scene: Path | None, unseen: Path | None) -> Homes:
    from commonsense_planning.studies.homes.scene_graph import load_graph
    from commonsense_planning.studies.rearrangement.tasks import own_homes, scene_homes

    if scene is None and unseen is None:
        return own_homes()
    if scene is None or unseen is None:
        raise UsageError("--scene and --unseen-scene go together: one graph for the seen home, one for the unseen")
    return scene_homes(load_graph(scene), load_graph(unseen))
