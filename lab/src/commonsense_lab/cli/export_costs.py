"""``cplan export-costs``: a belief as action costs of a plain PDDL task, and its plans back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import prior_samples_option
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.cli.options import FILE, OUT, Number, seed_option, sensing_options, strict_option
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.pddl.packs import task_files
from commonsense_planning.support.english import counted

WAY_BACK = "assumptions.json"
STEP_COST = 0.1

EPILOG = """\b
Examples:
  cplan export-costs household:demo -o costs
  cplan export-costs domain.pddl problem.pddl -o costs --step-cost 0.05 --model local
  fast-downward.py costs/domain.pddl costs/problem.pddl --search "astar(lmcut())"
  cplan export-costs --back costs/assumptions.json sas_plan

\b
Writes domain.pddl, problem.pddl and assumptions.json. In the exported task, an action may assume a
hidden fact where the sensors would show it, at a cost of 1000 times -ln p. A cheapest plan looks
first where a thing is likely. Of the true world, only what is in sight at first is used. Outcomes by
chance become choices: a determinisation. lab/docs/classical.md has more.
"""


@click.command(
    name="export-costs",
    cls=AskingCommand,
    short_help="Write a belief as action costs, for classical planners.",
    epilog=EPILOG,
)
@click.argument("words", metavar="DOMAIN PROBLEM | PACK:PROBLEM | PLAN", nargs=-1, required=True)
@click.option("-o", "--output", "folder", type=OUT, help="Folder for the files; made if missing.")
@click.option(
    "--back", "way_back", metavar="FILE", type=FILE, help="Print a plan of the exported task as one of yours."
)
@click.option(
    "--step-cost",
    type=Number(min=0),
    default=STEP_COST,
    show_default=True,
    help="Cost of an action, in units of -ln p: at 0.1, a place 2.7 times as likely is worth ten steps.",
)
@click.option(
    "--outcomes",
    type=click.Choice(("all", "likely")),
    default="all",
    show_default=True,
    help="Of an action with outcomes by chance: an action for each outcome, or for the likeliest alone.",
)
@seed_option()
@prior_samples_option
@model_options
@strict_option
@sensing_options
def command(
    words: tuple[str, ...],
    strict: bool,
    folder: Path | None,
    way_back: Path | None,
    step_cost: float,
    outcomes: str,
    seed: int,
    prior_samples: int | None,
    sensors: Path | None,
    hide_rooms: bool,
    lexicon: Path | None,
    **values: Any,
) -> int:
    """Compile a model's belief about hidden things into action costs, for any planner that minimises costs.

    The model is asked once, about what is relevant for the goal, as cplan solve does at first.
    """
    from commonsense_lab.planners.assumptions import read_way_back, render_way_back
    from commonsense_lab.planners.cost_task import cost_task
    from commonsense_planning.cli.output import Printer, print_text, progress, tell_warnings
    from commonsense_planning.llm.models import ModelSession
    from commonsense_planning.methods.method import Request
    from commonsense_planning.methods.replan import REPLAN, ReplanOptions
    from commonsense_planning.methods.simulated import SimulatedEpisode
    from commonsense_planning.pddl.plan import read_plan
    from commonsense_planning.support.writing import filling
    from commonsense_planning.task import hidden_rooms, read_task

    config, limits = take_model(values)
    if way_back is not None:
        if len(words) != 1 or folder is not None:
            raise UsageError("--back takes a file of assumptions and one plan, and prints the plan")
        print_text(render_way_back(read_way_back(way_back).split(read_plan(Path(words[0])))))
        return EXIT_SOLVED
    domain, problems = task_files(words[0], words[1:])
    if len(problems) != 1:
        raise UsageError("a domain and one problem are needed")
    if folder is None:
        raise UsageError("-o FOLDER is needed for the exported files")
    sensors = hidden_rooms(domain, sensors) if hide_rooms else sensors
    task = read_task(domain, problems[0], sensors, lexicon, seed=seed, strict=strict)
    tell_warnings(task.problem.warnings)
    options, models, printer = ReplanOptions(prior_samples=prior_samples), ModelSession(config, limits), Printer()
    with models, progress(printer, False) as report:
        report("grounding", 0, None)
        acting = SimulatedEpisode(Request(task, REPLAN, options, models, seed))
        report("asking the model", 0, None)
        belief = acting.believe(options.placement_answers(models), most=config.most_there())
        made = cost_task(acting.task, acting.compiled, belief, step_cost, outcomes == "likely")
    way_back_text = json.dumps(made.way_back.as_json(), indent=1)
    files = {"domain.pddl": made.domain, "problem.pddl": made.problem, WAY_BACK: way_back_text}
    with filling(folder, "the exported task") as unfinished:
        for name, text in files.items():
            (unfinished / name).write_text(f"{text.rstrip()}\n", encoding="utf-8")
    for note in acting.run.notes.take():
        printer.line(f"note: {note}", "yellow")
    count = len(made.way_back.assumptions)
    if acting.compiled.sensors.partial:
        printer.line(f"{folder}: {counted(count, 'assumption')} may be made; the way back is {folder / WAY_BACK}")
    else:
        printer.line(f"{folder}: nothing is hidden, so there is nothing to assume")
    return EXIT_SOLVED
