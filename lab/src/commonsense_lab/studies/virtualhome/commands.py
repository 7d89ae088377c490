"""``cplan bench household``, ``cplan data import-virtualhome`` and ``cplan data export-virtualhome``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_lab.cli.options import names_option, pack_option
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import FILE, OUT, count_option, json_option, names
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.support.english import counted
from commonsense_planning.support.writing import write_text

BENCH_EPILOG = """\b
Examples:
  cplan bench household --repeats 3 -o results
  cplan bench household --tables 2,3,4 --model openai:gpt-4o-mini --max-usd 5 -o results
  cplan bench household --tables 2 --tasks watch-tv,make-toast --repeats 5 -o results
  cplan bench household --tables 2 --methods low,gbfs,my-method --repeats 3 -o results
  cplan bench household --scene TestScene1_graph.json -o results

\b
Tables 2, 3 and 4 are those of "Large Language Models as Common-Sense Heuristics"; "programs" has the model
write programs of actions, as ProgPrompt does; "additions" has what goes beyond the paper, each on and off.
A variant is named as in layout.toml (none, low, high, ...) or by its method, and any other method that can take
the tasks, a plug-in's too, gets a separate column: in the --tables that are named, else in table 2.
Repeat r has the seed r. With --cache each repeat has a separate file: answers.jsonl becomes
answers.SEED.jsonl. Limits (--max-usd and so on) are for all episodes together.
"""


@bench_command(
    "household",
    "Ten household tasks, with and without guides.",
    BENCH_EPILOG,
    count_option("--repeats", 50, "Episodes of every cell."),
    names_option("--tables", "Only these: 2, 3, 4, programs, additions [default: all]."),
    names_option("--tasks", "Only these tasks [default: all]."),
    names_option("--methods", "Only these, of any methods [default: those of the tables]."),
    click.option("--scene", type=FILE, help="An environment graph of VirtualHome, in place of our apartment."),
    count_option("--max-steps", 20, "Actions of an episode."),
    pack_option("virtualhome"),
)
def bench(given: Bench, /, repeats: int, scene: Path | None, max_steps: int, pack: Path, **only: str) -> int:
    """Run the household experiment and write its tables to report.md, in the folder of the results."""
    from commonsense_lab.studies.virtualhome.experiment import HouseholdSetup, household_episodes

    setup = HouseholdSetup(**given.shared, pack=pack, max_steps=max_steps)
    tables, tasks, variants = (names(only[name]) for name in ("tables", "tasks", "methods"))
    episodes = household_episodes(setup, repeats, tables, tasks, scene, given.running.out, variants)
    return given.run([episodes], pack)


IMPORT_EPILOG = """\b
Example:
  cplan data import-virtualhome graph.json --goal "(inside salmon fridge)" -o problem.pddl
  cplan data import-virtualhome graph.json --goal "(and (on apple kitchentable 2) (on mug_12 desk))" \\
      --add cupcake=GRABBABLE --room kitchen
  cplan data import-virtualhome graph.json --domain virtualhome --task microwave-salmon -o problem.pddl

\b
A goal is (inside THING PLACE [COUNT]), (on THING PLACE [COUNT]) or (and …); THING and PLACE are
classes of the scene (any instance) or single nodes (salmon_311).
The tasks are those of the pack virtualhome; a name that is none prints them all.
"""


@click.command(name="import-virtualhome", short_help="Make a problem of a VirtualHome scene.", epilog=IMPORT_EPILOG)
@click.argument("graph", type=FILE)
@click.option(
    "--domain",
    type=click.Choice(["household", "virtualhome"]),
    default="household",
    show_default=True,
    help="household: one hand, seen in part, furniture and things. virtualhome: two hands, all objects, all known.",
)
@click.option("--goal", help="household: what shall be true in the end, in the words of the scene.")
@click.option("--task", help="virtualhome: one of the ten household tasks, or a variant.")
@click.option("--adversarial", is_flag=True, help="virtualhome: tv on; garbage can, fridge and microwave open.")
@click.option("--toothpaste-open", is_flag=True, help="virtualhome: the toothpaste is open.")
@click.option("-o", "--output", type=OUT, help="The problem file to write [default: print it].")
@click.option("--name", help="The problem's name [default: scene, or the task's name].")
@click.option("--room", help="Where the robot starts [default: where the character is].")
@click.option("--add", "added", multiple=True, metavar="CLASS=PROPERTY", help="A missing property.")
@json_option
def import_virtualhome(
    graph: Path, domain: str, goal: str | None, task: str | None, output: Path | None, as_json: bool, **values: Any
) -> int:
    """Turn an environment graph that VirtualHome's simulator wrote into a household or virtualhome problem."""
    from commonsense_lab.studies.homes.scene_graph import load_graph
    from commonsense_lab.studies.homes.scene_import import ImportOptions, import_scene
    from commonsense_lab.studies.homes.scene_places import word
    from commonsense_lab.studies.virtualhome.home import import_problem
    from commonsense_lab.studies.virtualhome.tasks import ADVERSARIAL, TOOTHPASTE_OPEN, task_named
    from commonsense_planning.cli.output import Printer, print_json, print_text

    options, name = ImportOptions(values["room"], _properties(values["added"])), values["name"]
    adversarial, toothpaste_open = values["adversarial"], values["toothpaste_open"]
    if domain == "household":
        if goal is None or task or adversarial or toothpaste_open:
            raise UsageError("a household problem takes --goal; --task and its variants are for --domain virtualhome")
        scene = import_scene(load_graph(graph), goal, options, word(name or "scene"))
    else:
        if task is None or goal is not None:
            raise UsageError("a virtualhome problem takes --task, such as microwave-salmon, and no --goal")
        states = {**(ADVERSARIAL if adversarial else {}), **(TOOTHPASTE_OPEN if toothpaste_open else {})}
        scene = import_problem(load_graph(graph), task_named(task), name and word(name), options, states)
    printer = Printer(as_json or output is None)
    if output is not None:
        write_text(output, scene.text, "the problem")
        printer.line(f"{output}: {', '.join(f'{number} {what}' for what, number in scene.counts.items())}")
    elif not as_json:
        print_text(scene.text)
    for warning in scene.warnings:
        printer.line(f"guessed: {warning}", "yellow")
    if as_json:
        text = {} if output else {"problem": scene.text}
        print_json({"counts": dict(scene.counts), "warnings": scene.warnings, **text})
    return EXIT_SOLVED


def _properties(added: tuple[str, ...]) -> dict[str, set[str]]:
    properties: dict[str, set[str]] = {}
    for entry in added:
        name, _, value = entry.partition("=")
        if not name or not value:
            raise UsageError(f"--add {entry}: expected CLASS=PROPERTY, such as cupcake=GRABBABLE")
        properties.setdefault(name, set()).add(value)
    return properties


EXPORT_EPILOG = """\b
Example:
  cplan data export-virtualhome domain.pddl problem.pddl plan.txt -o script.txt

\b
A line is [GRAB] <salmon> (311), with class and id from the object's name. (watch …) becomes
[TURNTO] and [WATCH]; (use …), which VirtualHome does not have, becomes a comment.
"""


@click.command(name="export-virtualhome", short_help="Write a plan as a script of VirtualHome.", epilog=EXPORT_EPILOG)
@task_arguments("plan")
@click.option("-o", "--output", type=OUT, help="The script file to write [default: print it].")
@json_option
def export_virtualhome(
    domain: Path, problem: Path, plan: Path, strict: bool, output: Path | None, as_json: bool
) -> int:
    """Write a plan of the virtualhome domain as a script that VirtualHome's executor and simulator read."""
    from commonsense_lab.studies.virtualhome.script import to_script
    from commonsense_planning.cli.output import Printer, print_json, print_text, tell_warnings
    from commonsense_planning.pddl.plan import read_plan
    from commonsense_planning.pddl.reader import read_problem

    steps = read_plan(plan)
    task = read_problem(domain, problem, strict=strict)
    tell_warnings(task.warnings)
    script = to_script(task, steps)
    printer = Printer(as_json=True)  # stdout is the script's or the object's
    if output is not None:
        write_text(output, script.render(), "the script")
        printer.line(f"{output}: {counted(len(script.lines), 'line')} for {counted(len(steps), 'step')}")
    elif not as_json:
        print_text(script.render())
    if script.left_out:
        told = ", ".join(str(step) for _, step in script.left_out)
        printer.line(f"{len(script.left_out)} left out, as VirtualHome has no such action: {told}", "yellow")
    if as_json:
        print_json(
            {
                "script": [line.text for line in script.lines],
                "steps": [line.step for line in script.lines],
                "left_out": [{"step": number, "action": str(step)} for number, step in script.left_out],
            }
        )
    return EXIT_SOLVED
