"""``cplan data import-po-pddl``: a task in PO-PDDL becomes one with a sensors file."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import OUT, json_option
from commonsense_planning.cli.task_arguments import task_arguments
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.support.writing import filling

IMPORT_EPILOG = """\b
Example:
  cplan data import-po-pddl domain.pddl problem.pddl -o imported
  cplan solve imported/domain.pddl imported/problem.pddl

\b
:observation rules become the :sense lines of sensors.pddl, :init-belief its :hidden and :exactly-one, with the
probability of each fact behind it. What has no counterpart is refused at its place.
"""


@click.command(
    name="import-po-pddl", short_help="Make a task in PO-PDDL one with a sensors file.", epilog=IMPORT_EPILOG
)
@task_arguments()
@click.option("-o", "--out", type=OUT, required=True, help="The folder of the files to write; it is made.")
@json_option
def import_po_pddl(domain: Path, problem: Path, strict: bool, out: Path, as_json: bool) -> int:
    """Turn a task in PO-PDDL into domain.pddl, problem.pddl and, where something is hidden, sensors.pddl."""
    from commonsense_lab.studies.po_pddl.importing import import_task
    from commonsense_planning.cli.output import Printer, print_json, tell_warnings
    from commonsense_planning.pddl.syntax import read_source

    task = import_task(read_source(domain, strict, "domain"), read_source(problem, strict))
    tell_warnings(task.warnings)
    texts = {"domain.pddl": task.domain, "problem.pddl": task.problem, "sensors.pddl": task.sensors}
    files = {out / name: text for name, text in texts.items()}
    for file, text in files.items():
        if file.exists() and (text is None or file.samefile(domain) or file.samefile(problem)):
            reason = "is read" if text is not None else "is there, and this task hides nothing"
            raise UsageError(f"{file} {reason}; choose another --out")
    written = {file: text for file, text in files.items() if text is not None}
    with filling(out, "the task", "choose another --out") as unfinished:
        for file, text in written.items():
            (unfinished / file.name).write_text(text, encoding="utf-8")
    Printer(as_json).line(f"{out}: {', '.join(file.name for file in written)}")
    if as_json:
        warnings = {"warnings": [warning.as_json() for warning in task.warnings]} if task.warnings else {}
        print_json({"files": [str(file) for file in written], **warnings})
    return EXIT_SOLVED
