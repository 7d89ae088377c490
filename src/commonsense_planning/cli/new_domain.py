"""``cplan new-domain``: a folder with which to start a domain of your own."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote

import click

from commonsense_planning.cli.options import json_option
from commonsense_planning.errors import EXIT_SOLVED, InputError, UsageError

EPILOG = """\b
Examples:
  cplan new-domain garden
  cplan solve garden:first
"""

TEMPLATES = Path(__file__).parent / "templates"
FILES = {
    "domain.pddl": "domain.pddl",
    "sensors.pddl": "sensors.pddl",
    "lexicon.toml": "lexicon.toml",
    "problems/first.pddl": "first.pddl",
    "README.md": "README.md",
}
"""File of the new folder → its template."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@click.command(name="new-domain", short_help="Start a domain of your own.", epilog=EPILOG)
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path, file_okay=False))
@json_option
def command(folder: Path, as_json: bool) -> int:
    """Make a folder with a small domain that can be solved immediately: actions, hidden facts and when they are seen,
    English names, a problem, and a README.

    NAME is the domain's name, or a path that ends with it. No existing file is overwritten.
    """
    from commonsense_planning.cli.output import Printer, print_json
    from commonsense_planning.pddl.packs import packs

    name = folder.name
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a name for a domain: use letters, digits, - and _, and begin with a letter")
    if str(folder) in packs():
        raise UsageError(f"{name}: a pack that ships with cplan has this name; {name}:first would be its problem")
    if folder.exists():
        raise InputError(f"{folder}: already exists; nothing was written")
    write_domain(folder)
    printer = Printer(as_json)
    printer.rows((str(folder / file), "") for file in FILES)
    printer.line(f"next: cplan solve {quote(f'{folder}:first')}", "bold")
    if as_json:
        print_json({"folder": str(folder), "files": [str(folder / file) for file in FILES]})
    return EXIT_SOLVED


def write_domain(folder: Path) -> None:
    """Writes the small domain, named after the new ``folder``. Raises InputError if that fails."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from commonsense_planning.support.writing import filling

    templates = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True)
    with filling(folder, "the domain") as unfinished:
        (unfinished / "problems").mkdir()
        for file, template in FILES.items():
            text = templates.get_template(f"{template}.jinja").render(name=folder.name, path=folder)
            (unfinished / file).write_text(text, encoding="utf-8")
