"""``cplan import-virtualhome``: a scene of VirtualHome's simulator as a problem of a domain of ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.errors import EXIT_SOLVED, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

EPILOG = """\b
Example:
  cplan import-virtualhome graph.json --goal "(inside salmon fridge)" -o problem.pddl
  cplan import-virtualhome graph.json --goal "(and (on apple kitchentable 2) (on mug_12 desk))" \\
      --add cupcake=GRABBABLE --room kitchen
  cplan import-virtualhome graph.json --domain virtualhome --task microwave-salmon -o problem.pddl

\b
A goal is (inside THING PLACE [COUNT]), (on THING PLACE [COUNT]) or (and …); THING and PLACE are
classes of the scene (any instance) or single nodes (salmon_311).
The tasks are those of pddl/virtualhome/problems; a name that is none prints them all.
"""


@dataclass(frozen=True)
class Imported:
    """A problem file's text, how many things of each sort it has, and what had to be guessed."""

    text: str
    counts: Mapping[str, int]
    warnings: list[str]


@click.command(name="import-virtualhome", short_help="Make a problem of a VirtualHome scene.", epilog=EPILOG)
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
@click.option("-o", "--output", type=FILE, help="The problem file to write [default: print it].")
@click.option("--name", help="The problem's name [default: scene, or the task's name].")
@click.option("--room", help="Where the robot starts [default: where the character is].")
@click.option("--add", "added", multiple=True, metavar="CLASS=PROPERTY", help="A missing property.")
@json_option
def command(
    graph: Path,
    domain: str,
    goal: str | None,
    task: str | None,
    adversarial: bool,
    toothpaste_open: bool,
    output: Path | None,
    name: str | None,
    room: str | None,
    added: tuple[str, ...],
    as_json: bool,
) -> int:
    """Turn an environment graph that VirtualHome's simulator wrote into a household or virtualhome problem."""
    from commonsense_planning.cli.output import Printer, print_json

    properties = _properties(added)
    if domain == "household":
        if goal is None or task or adversarial or toothpaste_open:
            raise UsageError("a household problem takes --goal; --task and its variants are for --domain virtualhome")
        scene = _household(graph, goal, name or "scene", room, properties)
    else:
        if task is None or goal is not None:
            raise UsageError("a virtualhome problem takes --task, such as microwave-salmon, and no --goal")
        scene = _virtualhome(graph, task, name, room, properties, _states(adversarial, toothpaste_open))
    printer = Printer(as_json or output is None)
    if output is not None:
        try:
            output.write_text(scene.text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{output}: cannot write the problem: {error.strerror}") from error
        printer.line(f"{output}: {', '.join(f'{number} {what}' for what, number in scene.counts.items())}")
    elif not as_json:
        click.echo(scene.text, nl=False)
    for warning in scene.warnings:
        printer.line(f"guessed: {warning}", "yellow")
    if as_json:
        text = {} if output else {"problem": scene.text}
        print_json({"counts": dict(scene.counts), "warnings": scene.warnings, **text})
    return EXIT_SOLVED


def _household(graph: Path, goal: str, name: str, room: str | None, properties: dict[str, set[str]]) -> Imported:
    from commonsense_planning.studies.homes.scene_graph import load_graph
    from commonsense_planning.studies.homes.scene_import import ImportOptions, import_scene
    from commonsense_planning.studies.homes.scene_places import word

    scene = import_scene(load_graph(graph), goal, ImportOptions(word(name), room, properties))
    return Imported(scene.problem_text, scene.counts, scene.warnings)


def _virtualhome(
    graph: Path,
    task_name: str,
    name: str | None,
    room: str | None,
    properties: dict[str, set[str]],
    states: Mapping[str, str],
) -> Imported:
    from dataclasses import replace

    from commonsense_planning.studies.homes.scene_graph import load_graph
    from commonsense_planning.studies.homes.scene_places import word
    from commonsense_planning.studies.virtualhome.home import HomeOptions, import_home, render_home
    from commonsense_planning.studies.virtualhome.tasks import task_named

    task = task_named(task_name)
    home, warnings = import_home(load_graph(graph), HomeOptions(room, properties))
    task = replace(task, states={**task.states, **states})
    problem = word(name) if name else task.name
    text = render_home(home, problem, task, "Imported from a VirtualHome environment graph.")
    movables = sum(item.movable for item in home.items)
    counts = {"rooms": len(home.rooms), "fixtures": len(home.items) - movables, "movables": movables}
    return Imported(text, counts, warnings)


def _states(adversarial: bool, toothpaste_open: bool) -> Mapping[str, str]:
    from commonsense_planning.studies.virtualhome.tasks import ADVERSARIAL, TOOTHPASTE_OPEN

    return {**(ADVERSARIAL if adversarial else {}), **(TOOTHPASTE_OPEN if toothpaste_open else {})}


def _properties(added: tuple[str, ...]) -> dict[str, set[str]]:
    properties: dict[str, set[str]] = {}
    for entry in added:
        name, _, value = entry.partition("=")
        if not name or not value:
            raise UsageError(f"--add {entry}: expected CLASS=PROPERTY, such as cupcake=GRABBABLE")
        properties.setdefault(name, set()).add(value)
    return properties
