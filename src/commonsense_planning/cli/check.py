"""``cplan check``: are these files right, and what do they use?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.options import FILE, domain_argument, json_option, sensors_option
from commonsense_planning.errors import EXIT_INPUT, EXIT_SOLVED, InputError, PddlError

EPILOG = """\b
Examples:
  cplan check domain.pddl
  cplan check domain.pddl problems/*.pddl

\b
Every error says file:line:column, what is wrong and what was expected. sensors.pddl and
lexicon.toml beside the domain are read too.
"""


@click.command(name="check", short_help="Diagnose domain and problem files.", epilog=EPILOG)
@domain_argument
@click.argument("problems", nargs=-1, type=FILE)
@sensors_option
@json_option
def command(domain: Path, problems: tuple[Path, ...], sensors: Path | None, as_json: bool) -> int:
    """Diagnose a domain file, and problem files with it."""
    from commonsense_planning.cli.output import Printer, print_json

    printer = Printer(as_json)
    errors: list[InputError] = []
    files = []
    for path in problems or (None,):
        try:
            found = _problem(domain, path, sensors) if path else _domain(domain)
        except InputError as error:
            if str(error) not in map(str, errors):  # a broken domain is one error, not one a problem
                errors.append(error)
            continue
        files.append(found)
        words = [f"{value} {key}" for key, value in found.items() if isinstance(value, int)]
        uses = f"; uses {', '.join(found['features'])}" if found.get("features") else ""
        printer.line(f"{found['file']}: fine: {', '.join(words)}{uses}")
    for wrong in errors:
        click.echo(str(wrong), err=True)
    if as_json:
        print_json({"ok": not errors, "files": files, "errors": [_as_json(wrong) for wrong in errors]})
    return EXIT_INPUT if errors else EXIT_SOLVED


def _domain(path: Path) -> dict[str, Any]:
    from commonsense_planning.pddl.check import check_domain
    from commonsense_planning.pddl.syntax import read_source

    domain = check_domain(read_source(path))
    return {"file": str(path), "name": domain.symbol.text, "actions": len(domain.actions)}


def _problem(domain: Path, path: Path, sensors: Path | None) -> dict[str, Any]:
    from commonsense_planning.methods.task import read_task

    task = read_task(domain, path, sensors)
    tarski = task.problem.tarski
    found = {
        "file": str(path),
        "name": task.problem.problem_name,
        "actions": len(tarski.actions),
        "objects": len(tarski.language.constants()),
        "features": sorted(str(feature) for feature in task.problem.features),
    }
    if task.sensors is not None:
        found["hidden patterns"] = len(task.sensors.hidden)
        found["sensing rules"] = len(task.sensors.rules)
    return found


def _as_json(error: InputError) -> dict[str, Any]:
    if not isinstance(error, PddlError):
        return {"message": str(error)}
    place = error.place
    return {
        "file": str(place.path),
        "line": place.line,
        "column": place.column,
        "message": error.problem,
        "expected": error.expected,
        "hint": error.hint,
    }
