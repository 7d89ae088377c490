"""``cplan methods``: the ways to solve a task, and which of them a given task allows."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, json_option
from commonsense_planning.errors import EXIT_SOLVED, UsageError

EPILOG = """\b
Examples:
  cplan methods
  cplan methods domain.pddl problem.pddl
"""


@click.command(name="methods", short_help="List the methods, or those that can take a task.", epilog=EPILOG)
@click.argument("domain", type=FILE, required=False)
@click.argument("problem", type=FILE, required=False)
@json_option
def command(domain: Path | None, problem: Path | None, as_json: bool) -> int:
    """List the methods; with a task, say which can take it and why the others cannot."""
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.methods.method import World
    from commonsense_planning.methods.registry import METHODS, families, why_not
    from commonsense_planning.methods.task import read_task

    if domain is not None and problem is None:
        raise UsageError("a domain without a problem: give both, or neither for the list of methods")
    task = read_task(domain, problem) if domain and problem else None
    methods = dict(METHODS)
    reasons = {name: why_not(method, task) if task else None for name, method in methods.items()}
    printer = Printer(as_json)
    if task is None:
        printer.rows((name, method.summary) for name, method in methods.items())
    else:
        printer.rows((name, "no" if why else "yes", why or methods[name].summary) for name, why in reasons.items())
    for family in families().values():
        printer.line(f"and {family.members} for {family.summary}")
    if as_json:
        rows = [
            {
                "name": name,
                "summary": method.summary,
                "sees_all": method.world is World.KNOWN,
                **({} if task is None else {"possible": reasons[name] is None, "why_not": reasons[name]}),
            }
            for name, method in methods.items()
        ]
        print_json({"methods": rows})
    return EXIT_SOLVED
