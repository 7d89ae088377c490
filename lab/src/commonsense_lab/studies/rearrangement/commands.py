"""The commands of the rearrangement experiment: ``cplan bench rearrangement``, ``cplan data tasks`` and ``cplan data
expert``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import names_option, pack_option, policy_options, prior_samples_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import FILE, OUT, Whole, count_option, json_option, names, seed_option
from commonsense_planning.config import POLICY_SAMPLES
from commonsense_planning.errors import EXIT_SOLVED, UsageError

BENCH_EPILOG = """\b
Examples:
  cplan bench rearrangement -o results
  cplan bench rearrangement --methods llm-mcts,llm-replan,expert --tasks 1000 --seeds 3 -o results
  cplan bench rearrangement --methods my-method,gbfs,expert --tasks 100 -o results
  cplan bench rearrangement --tables ours --tasks 200 -o results
  cplan bench rearrangement --methods learned --weights policy -o results
  cplan bench rearrangement --methods llm-mcts --model openai:gpt-4o-mini --max-usd 5 --tasks 20 -o results
  cplan bench rearrangement --scene TestScene4_graph.json --unseen-scene TestScene2_graph.json -o results

\b
Tables 1 and 2 are those of "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning",
table 2 with llm-mcts-paper in all rows; "2-ours" is table 2 with llm-mcts in all rows, and "ours" has
what goes beyond the paper. A variant is named as in the tables' files (expert, no-policy, ...) or
by its method, and any other method that can take the tasks, a plug-in's too, gets a separate row: in the
--tables that are named, else in table 1. It gets the task's own goal, and its settings are its defaults.
There are ten cells: five kinds of tasks in two homes. Table 3 (seconds per decision) comes with every
report. Limits (--max-usd and so on) are for all episodes together.
"""


@bench_command(
    "rearrangement",
    "Things to their places, in homes seen in part.",
    BENCH_EPILOG,
    click.option(
        "--tasks", type=int, default=800, show_default=True, help="In all, spread evenly over cells and seeds."
    ),
    count_option("--seeds", 3, "Each draws its own tasks."),
    names_option("--methods", "Only these, of any methods [default: those of the tables]."),
    names_option("--tables", "What these need: 1, 2, 2-ours, ours [default: 1,2]."),
    names_option("--settings", "Only these kinds of tasks, such as novel-comp-3."),
    click.option("--simulations", type=int, default=100, show_default=True, help="Simulations per decision."),
    click.option("--depth", type=int, default=20, show_default=True, help="Actions that a simulation looks ahead."),
    click.option("--max-steps", type=int, default=30, show_default=True, help="Actions of an episode."),
    click.option("--samples", type=Whole(min=1), help="Answers per question of either kind below."),
    click.option(
        "--policy-samples", type=Whole(min=1), help=f"Answers per action question [default: {POLICY_SAMPLES}]."
    ),
    prior_samples_option,
    policy_options,
    click.option("--scene", type=FILE, help="An environment graph of VirtualHome, in place of our seen home."),
    click.option("--unseen-scene", type=FILE, help="Another one, in place of our unseen home."),
    click.option("--weights", type=FILE, help="The learned policy, a folder that cplan train-policy wrote."),
    pack_option("household"),
    unsaid=("methods", "tables"),
)
def bench(given: Bench, /, tasks: int, seeds: int, weights: Path | None, pack: Path, **values: Any) -> int:
    """Run the rearrangement experiment and write its report to the folder of the results."""
    from commonsense_lab.studies.rearrangement.experiment import RearrangementSetup, Search, rearrangement_episodes
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.llm.adapters import adapter_of

    methods, tables, settings = (names(values.pop(name)) for name in ("methods", "tables", "settings"))
    scenes = _both(*(values.pop(name) for name in ("scene", "unseen_scene")))
    asked = {"policy_samples": POLICY_SAMPLES, "prior_samples": adapter_of(given.model)[0].prior_samples}
    samples = values.pop("samples")
    values |= {name: values[name] or samples or default for name, default in asked.items()}
    setup = RearrangementSetup(
        **given.shared,
        pack=pack.resolve(),
        search=Search(**values),
        scenes=scenes and (scenes[0].resolve(), scenes[1].resolve()),
        weights=weights and weights.resolve(),
    )
    note = Printer(given.running.as_json).line
    return given.run([rearrangement_episodes(setup, tasks, seeds, methods, tables, settings, note)], pack)


def _both(scene: Path | None, unseen_scene: Path | None) -> tuple[Path, Path] | None:
    """Returns the graphs of both homes. Raises UsageError if there is one alone."""
    if (scene is None) != (unseen_scene is None):
        raise UsageError("--scene and --unseen-scene go together: one home is the seen one, the other the unseen one")
    return None if scene is None or unseen_scene is None else (scene, unseen_scene)


TASKS_EPILOG = """\b
Examples:
  cplan data tasks -o tasks
  cplan solve household tasks/seen-simple-0000.pddl
  cplan data tasks -o tasks --tasks 100 --training 0 --seed 1
  cplan data tasks -o tasks --scene TestScene4_graph.json --unseen-scene TestScene2_graph.json

\b
DIR gets HOME-SETTING-NNNN.pddl for evaluation, training/training-NNNNN.pddl, and tasks.jsonl with a line for
each task: name, home, setting, instruction, goal, file. The settings: simple, comp, novel-simple,
novel-comp-2, novel-comp-3. The problems are of the domain of the pack household.
"""


@click.command(name="tasks", short_help="Tasks of rearranging, in a seen and an unseen home.", epilog=TASKS_EPILOG)
@click.option("-o", "--out", type=OUT, required=True, metavar="DIR", help="The folder of the tasks; it is made.")
@count_option("--tasks", 800, "For evaluation, in all.", 0)
@count_option("--training", 2000, "For training.", 0)
@seed_option()
@click.option("--scene", type=FILE, help="VirtualHome's graph of the seen home [default: an apartment of our own].")
@click.option("--unseen-scene", type=FILE, help="VirtualHome's graph of the unseen home.")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def write(out: Path, tasks: int, training: int, seed: int, quiet: bool, as_json: bool, **scenes: Path | None) -> int:
    """Write the tasks of the rearrangement experiment: one to three things are wanted at other places.

    No training task asks for what the novel settings ask for."""
    from commonsense_lab.studies.homes.home_task import homes_of
    from commonsense_lab.studies.rearrangement.tasks import LIST, write_tasks
    from commonsense_planning.cli.output import Printer, counting_bar, print_json

    homes = homes_of(_both(**scenes))
    printer = Printer(as_json)
    with counting_bar(printer, quiet, "tasks") as report:
        counts = write_tasks(homes, tasks, training, seed, out, report)
    printer.rows([(cell, str(count)) for cell, count in counts.items()])
    printer.line(f"the tasks are listed in {out / LIST}")
    if as_json:
        print_json({"tasks": counts, "seed": seed, "list": str(out / LIST)})
    return EXIT_SOLVED


EXPERT_EPILOG = """\b
Examples:
  cplan data expert -o D.jsonl
  cplan data expert -o D.jsonl --trajectories 2000 --pool pool.jsonl --pool-size 200
  cplan data expert -o D.jsonl --scene TestScene4_graph.json

\b
The tasks are the training tasks of cplan data tasks. A line is a trajectory: instruction, goal (formal),
home, task, observations (before each action what is new, at first all that is known), actions (in English) and
plan (in PDDL). In the pool, observations are what is in sight, as a prompt says it; --examples takes it.
"""


@click.command(name="expert", short_help="Trajectories of an expert that knows everything.", epilog=EXPERT_EPILOG)
@click.option("-o", "--out", type=OUT, required=True, metavar="FILE", help="The file of all trajectories.")
@count_option("--trajectories", 10_000, "How many.")
@click.option("--pool", type=OUT, metavar="FILE", help="The file of some, drawn uniformly, for prompts.")
@count_option("--pool-size", 200, "How many of them.")
@seed_option("Of the training tasks.")
@click.option("--scene", type=FILE, help="VirtualHome's graph of the seen home [default: an apartment of our own].")
@pack_option("household")
@click.option("--workers", type=Whole(min=1), help="Processes [default: one for each core].")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def expert(
    out: Path, trajectories: int, pool: Path | None, pool_size: int, workers: int | None, as_json: bool, **values: Any
) -> int:
    """Have an expert, which knows where everything is, do the training tasks of the rearrangement experiment, and write
    down what an agent in its place would see, and what it does."""
    import os

    from commonsense_lab.studies.rearrangement.expert import TrajectorySource, write_trajectories
    from commonsense_planning.cli.output import Printer, counting_bar, print_json

    printer = Printer(as_json)
    pooled = (pool, pool_size) if pool else None
    quiet = values.pop("quiet")
    source = TrajectorySource(**values)
    with counting_bar(printer, quiet, "trajectories") as report:
        lengths = write_trajectories(source, trajectories, out, pooled, workers or os.cpu_count() or 1, report)
    counts = {"trajectories": len(lengths), "actions": sum(lengths), "longest": max(lengths)}
    mean = sum(lengths) / len(lengths)
    printer.line(f"{out}: {len(lengths)} trajectories, {mean:.2f} actions on average, at most {max(lengths)}")
    if pool:
        printer.line(f"{pool}: {pool_size} of them")
    if as_json:
        print_json({**counts, "seed": source.seed, "file": str(out), **({"pool": str(pool)} if pool else {})})
    return EXIT_SOLVED
