"""``cplan data expert``: trajectories of an expert that knows everything."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.errors import EXIT_SOLVED

EPILOG = """\b
Examples:
  cplan data expert -o D.jsonl
  cplan data expert -o D.jsonl --trajectories 2000 --pool pool.jsonl --pool-size 200
  cplan data expert -o D.jsonl --scene TestScene4_graph.json

\b
The tasks are the training tasks of cplan tasks rearrangement. A line is a trajectory: instruction, goal (formal),
home, task, observations (before each action what is new, at first all that is known), actions (in English) and
plan (in PDDL). In the pool, observations are what is in sight, as a prompt says it; --examples takes it.
"""


@click.command(name="expert", short_help="Trajectories of an expert that knows everything.", epilog=EPILOG)
@click.option("-o", "--out", type=FILE, required=True, metavar="FILE", help="The file of all trajectories.")
@click.option("--trajectories", type=click.IntRange(min=1), default=10_000, show_default=True, help="How many.")
@click.option("--pool", type=FILE, metavar="FILE", help="The file of some, drawn uniformly, for prompts.")
@click.option("--pool-size", type=click.IntRange(min=1), default=200, show_default=True, help="How many of them.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the training tasks.")
@click.option("--scene", type=FILE, help="VirtualHome's graph of the seen home [default: an apartment of our own].")
@click.option(
    "--pack", type=FILE, default=Path("pddl/household"), show_default=True, help="The folder of the household domain."
)
@click.option("--workers", type=click.IntRange(min=1), help="Processes [default: one for each core].")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def command(
    out: Path,
    trajectories: int,
    pool: Path | None,
    pool_size: int,
    seed: int,
    scene: Path | None,
    pack: Path,
    workers: int | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Have an expert, which knows where everything is, do the training tasks of the rearrangement experiment, and write
    down what an agent in its place would see, and what it does."""
    import os
    from dataclasses import asdict

    from commonsense_planning.cli.bar import counting_bar
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.studies.rearrangement.expert import Pooled, Source, write_trajectories

    printer = Printer(as_json)
    pooled = Pooled(pool, pool_size) if pool else None
    source = Source(seed, scene, pack)
    with counting_bar(printer, quiet, "trajectories") as report:
        counts = write_trajectories(source, trajectories, out, pooled, workers or os.cpu_count() or 1, report)
    mean = counts.actions / counts.trajectories
    printer.line(f"{out}: {counts.trajectories} trajectories, {mean:.2f} actions on average, at most {counts.longest}")
    if pooled:
        printer.line(f"{pooled.file}: {pooled.number} of them")
    if as_json:
        print_json({**asdict(counts), "seed": seed, "file": str(out), **({"pool": str(pool)} if pool else {})})
    return EXIT_SOLVED
