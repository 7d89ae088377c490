"""``cplan bench misplaced``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import names_option, numbers, pack_option, policy_options, prior_samples_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import FILE, Whole, count_option, names
from commonsense_planning.config import POLICY_SAMPLES

MOST_WANTED = 8
EPILOG = """\b
Examples:
  cplan bench misplaced -o results
  cplan bench misplaced --scenes virtualhome --tasks 20 --seeds 2 -o results
  cplan bench misplaced --scenes virtualhome --homes TestScene1 --wanted 3-5 --shares 0.5 -o results
  cplan bench misplaced --homes unseen --shares 1,least --methods llm-mcts,look-nearest -o results

\b
With share s each wanted thing lies with probability s at a place drawn uniformly, instead of its place in the
home; with "least" all lie where the model expects them least. All methods get the same worlds. Homes are
seen and unseen, which are cplan's, and TestScene1 and so on, VirtualHome's apartments in the folder --scenes;
without it they are left out. The number of episodes is tasks x seeds x homes x shares x methods.
"""


@bench_command(
    "misplaced",
    "Wanted things where the model does not expect them.",
    EPILOG,
    names_option("--homes", "Only these [default: all]."),
    count_option("--tasks", 20, "In each home, of each seed."),
    names_option("--shares", "Of wanted things that are moved.", "0,0.25,0.5,1,least"),
    names_option("--methods", "Only these [default: all that the tables need]."),
    click.option("--wanted", metavar="A-B", help="Things wanted, in turn [default: one or two, as in the paper]."),
    count_option("--seeds", 1, "Each draws its own tasks."),
    count_option("--simulations", 100, "Per decision."),
    click.option(
        "--max-steps",
        type=Whole(min=1),
        help="Actions of an episode [default: 120, or what it takes to look at everything, where that is more].",
    ),
    count_option("--policy-samples", POLICY_SAMPLES, "Answers per action question."),
    prior_samples_option,
    policy_options,
    click.option("--no-ask-again", is_flag=True, help="Do not ask the model again about what was not found."),
    click.option(
        "--hide-rooms", is_flag=True, help="Do not say which rooms furniture is in: sensors-hidden-rooms.pddl."
    ),
    click.option("--scenes", type=FILE, help="A folder with VirtualHome's graphs, TestScene1_graph.json and so on."),
    pack_option("household"),
)
def bench(given: Bench, /, tasks: int, seeds: int, no_ask_again: bool, scenes: Path | None, **settings: Any) -> int:
    """Run the experiment with misplaced things and write its report to the folder of the results."""
    from commonsense_lab.studies.homes.scene_graph import scene_files
    from commonsense_lab.studies.misplaced.experiment import MisplacedSetup, misplaced_episodes
    from commonsense_planning.cli.output import Printer

    pack, only = settings.pop("pack").resolve(), ("homes", "shares", "methods")
    homes, shares, methods = (names(settings.pop(name)) for name in only)
    if not homes and not scene_files(scenes):
        where = "--scenes names the folder of its graphs" if scenes is None else f"there are no graphs in {scenes}"
        Printer(given.running.as_json).line(f"VirtualHome's apartments are left out: {where}")
    wanted = settings.pop("wanted")
    settings["wanted"] = () if wanted is None else numbers("--wanted", wanted, 1, MOST_WANTED)
    settings |= {"ask_again": not no_ask_again, "scenes": None if scenes is None else scenes.resolve()}
    setup = MisplacedSetup(**given.shared, pack=pack, **settings)
    return given.run([misplaced_episodes(setup, homes, tasks, shares, methods, seeds)], pack)
