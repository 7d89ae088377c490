"""``cplan export-virtualhome``: a plan of the virtualhome domain as a script of VirtualHome."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, domain_argument, json_option, problem_argument
from commonsense_planning.errors import EXIT_SOLVED, InputError

EPILOG = """\b
Example:
  cplan export-virtualhome domain.pddl problem.pddl plan.txt -o script.txt

\b
A line is [GRAB] <salmon> (311), with class and id from the object's name. (watch …) becomes
[TURNTO] and [WATCH]; (use …), which VirtualHome does not have, becomes a comment.
"""


@click.command(name="export-virtualhome", short_help="Write a plan as a script of VirtualHome.", epilog=EPILOG)
@domain_argument
@problem_argument
@click.argument("plan", type=FILE)
@click.option("-o", "--output", type=FILE, help="The script file to write [default: print it].")
@json_option
def command(domain: Path, problem: Path, plan: Path, output: Path | None, as_json: bool) -> int:
    """Write a plan of the virtualhome domain as a script that VirtualHome's executor and simulator read."""
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.pddl.plan import read_plan
    from commonsense_planning.pddl.reader import read_problem
    from commonsense_planning.studies.virtualhome.script import to_script

    steps = read_plan(plan)
    script = to_script(read_problem(domain, problem), steps)
    printer = Printer(as_json=True)  # stdout is the script's or the object's
    if output is not None:
        try:
            output.write_text(script.render(), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{output}: cannot write the script: {error.strerror}") from error
        printer.line(f"{output}: {len(script.lines)} lines for {len(steps)} steps")
    elif not as_json:
        click.echo(script.render(), nl=False)
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
