"""``cplan import-virtualhome``: a scene of VirtualHome's simulator as a problem of the household domain."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.errors import EXIT_SOLVED, InputError, UsageError

EPILOG = """\b
Example:
  cplan import-virtualhome graph.json --goal "(inside salmon fridge)" -o problem.pddl
  cplan import-virtualhome graph.json --goal "(and (on apple kitchentable 2) (on mug_12 desk))" \\
      --add cupcake=GRABBABLE --room kitchen

\b
A goal is (inside THING PLACE [COUNT]), (on THING PLACE [COUNT]) or (and …); THING and PLACE are
classes of the scene (any instance) or single nodes (salmon_311).
"""


@click.command(name="import-virtualhome", short_help="Make a problem of a VirtualHome scene.", epilog=EPILOG)
@click.argument("graph", type=FILE)
@click.option("--goal", required=True, help="What shall be true in the end, in the words of the scene.")
@click.option("-o", "--output", type=FILE, help="The problem file to write [default: print it].")
@click.option("--name", default="scene", show_default=True, help="The problem's name.")
@click.option("--room", help="Where the robot starts [default: where the character is].")
@click.option("--add", "added", multiple=True, metavar="CLASS=PROPERTY", help="A missing property.")
@json_option
def command(
    graph: Path,
    goal: str,
    output: Path | None,
    name: str,
    room: str | None,
    added: tuple[str, ...],
    as_json: bool,
) -> int:
    """Turn an environment graph that VirtualHome's simulator wrote into a household problem."""
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.domains.scene_graph import load_graph
    from commonsense_planning.domains.scene_places import word
    from commonsense_planning.domains.virtualhome import ImportOptions, import_scene

    scene = import_scene(load_graph(graph), goal, ImportOptions(word(name), room, _properties(added)))
    printer = Printer(as_json or output is None)
    if output is not None:
        try:
            output.write_text(scene.problem_text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{output}: cannot write the problem: {error.strerror}") from error
        printer.line(f"{output}: {', '.join(f'{number} {what}' for what, number in scene.counts.items())}")
    elif not as_json:
        click.echo(scene.problem_text, nl=False)
    for warning in scene.warnings:
        printer.line(f"guessed: {warning}", "yellow")
    if as_json:
        text = {} if output else {"problem": scene.problem_text}
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
