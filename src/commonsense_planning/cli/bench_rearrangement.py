"""``cplan bench rearrangement``: bringing things to their places in homes seen in part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.experiment_options import experiment_options, take_running
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import FILE, prior_samples_option
from commonsense_planning.config import POLICY_SAMPLES
from commonsense_planning.errors import UsageError

EPILOG = """\b
Examples:
  cplan bench rearrangement -o results
  cplan bench rearrangement --methods llm-mcts,llm-replan,expert --tasks 1000 --seeds 3 -o results
  cplan bench rearrangement --tables ours --tasks 200 -o results
  cplan bench rearrangement --methods learned --weights policy -o results
  cplan bench rearrangement --methods llm-mcts --model openai:gpt-4o-mini --max-usd 5 --tasks 20 -o results
  cplan bench rearrangement --scene TestScene4_graph.json --unseen-scene TestScene2_graph.json -o results

\b
Tables 1 and 2 are those of "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning";
"ours" has what goes beyond the paper. A variant is named as in the tables' files (expert, no-policy, ...) or
by its method. There are ten cells: five kinds of tasks in two homes. Table 3 (seconds per decision) comes
with every report. Limits (--max-usd and so on) are for all episodes together.
"""


@click.command(
    name="rearrangement", cls=AskingCommand, short_help="Things to their places, in homes seen in part.", epilog=EPILOG
)
@click.option("--tasks", type=int, default=800, show_default=True, help="In all, spread evenly over cells and seeds.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Each draws its own tasks.")
@click.option("--methods", default="", metavar="A,B", help="Only these [default: all that the tables need].")
@click.option("--tables", default="", metavar="A,B", help="What these need: 1, 2, ours [default: 1,2].")
@click.option("--settings", default="", metavar="A,B", help="Only these kinds of tasks, such as novel-comp-3.")
@click.option("--simulations", type=int, default=100, show_default=True, help="Simulations per decision.")
@click.option("--depth", type=int, default=20, show_default=True, help="Actions that a simulation looks ahead.")
@click.option("--max-steps", type=int, default=30, show_default=True, help="Actions of an episode.")
@click.option("--samples", type=click.IntRange(min=1), help="Answers per question of either kind below.")
@click.option(
    "--policy-samples", type=click.IntRange(min=1), help=f"Answers per action question [default: {POLICY_SAMPLES}]."
)
@prior_samples_option
@click.option("--scene", type=FILE, help="An environment graph of VirtualHome, in place of our seen home.")
@click.option("--unseen-scene", type=FILE, help="Another one, in place of our unseen home.")
@click.option("--weights", type=FILE, help="The learned policy, a folder that cplan train-policy wrote.")
@click.option(
    "--pack",
    type=FILE,
    default=Path("pddl/household"),
    show_default=True,
    help="The folder of the household domain.",
)
@experiment_options
@model_options
@click.pass_context
def command(
    context: click.Context,
    /,
    tasks: int,
    seeds: int,
    methods: str,
    tables: str,
    settings: str,
    simulations: int,
    depth: int,
    max_steps: int,
    samples: int | None,
    policy_samples: int | None,
    prior_samples: int | None,
    scene: Path | None,
    unseen_scene: Path | None,
    weights: Path | None,
    pack: Path,
    **values: Any,
) -> int:
    """Run the rearrangement experiment and write its report to the folder of the results."""
    from commonsense_planning.cli.experiment import again_as, names, run_experiment
    from commonsense_planning.studies.rearrangement.experiment import Search, Setup, rearrangement_episodes

    if (scene is None) != (unseen_scene is None):
        raise UsageError("--scene and --unseen-scene go together: one home is the seen one, the other the unseen one")
    scenes = None if scene is None or unseen_scene is None else (scene.resolve(), unseen_scene.resolve())
    running = take_running(values)
    model, limits = take_model(values)
    search = Search(
        simulations,
        depth,
        max_steps,
        policy_samples or samples or POLICY_SAMPLES,
        prior_samples or samples or model.prior_samples,
    )
    setup = Setup(
        model,
        limits,
        search,
        scenes,
        None if weights is None else weights.resolve(),
        pack.resolve(),
        again_as(context, "methods", "tables"),
    )
    episodes = rearrangement_episodes(setup, tasks, seeds, names(methods), names(tables), names(settings))
    return run_experiment([episodes], running, limits)
