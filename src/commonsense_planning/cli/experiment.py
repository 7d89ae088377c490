"""What the experiments' commands have in common: a bar, the run, the tables."""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from commonsense_planning.cli.bar import counting_bar
from commonsense_planning.cli.experiment_options import Running
from commonsense_planning.cli.grids import WIDTH, terminal_rows
from commonsense_planning.cli.output import Printer, print_json
from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import EXIT_SOLVED, EXIT_UNSOLVED, UsageError
from commonsense_planning.report.document import Commands, Grid, Part
from commonsense_planning.report.pages import script, write_pages
from commonsense_planning.report.tables import build
from commonsense_planning.runner.cluster import Cluster
from commonsense_planning.runner.local import Local
from commonsense_planning.runner.rows import read_rows
from commonsense_planning.runner.runner import Engine, Episode, Spending, Summary, run

REPORT = "report.md"
INDENT = "  "
UNSAID = (*Running.__dataclass_fields__, "record", "replay", "cache")

_USER = re.compile(r"(?<=://)[^/@]*@")  # https://user:password@host


def run_experiment(
    stages: Iterable[Sequence[Episode]], running: Running, limits: BudgetConfig | None = None
) -> int:
    """Run what is missing, write the tables and print them; the exit code. What is raised on the way leaves the rows in
    place.

    The episodes of one of the ``stages`` are run before the next is made, so that it may depend on their rows.
    ``limits`` are for all stages together.
    """
    engine, printer = _engine(running.workers, running.ray), Printer(running.as_json)
    spending = Spending(limits or BudgetConfig())
    done = Summary(0, 0, 0, 0, 0.0)
    for episodes in stages:
        with counting_bar(printer, running.quiet, "episodes") as report:
            done += run(episodes, running.out, engine, report, spending.check, running.again)
    printer.line(
        f"{done.total} episodes: {done.found} were there, {done.done} run in {done.seconds:.0f} s, "
        f"{done.failed} failed"
    )
    report_page = running.out / REPORT
    page = show(running.out, report_page, printer, running.quiet)
    if running.as_json:
        print_json({**asdict(done), "results": str(running.out), "report": str(report_page), "page": str(page)})
    return EXIT_UNSOLVED if done.failed else EXIT_SOLVED


def _engine(workers: int | None, ray: str | None) -> Engine:
    if ray is None:
        return Local(workers or os.cpu_count() or 1)
    if workers is not None:
        raise UsageError("--workers is for this machine; on a Ray cluster (--ray) there is one for each of its CPUs")
    return Cluster(ray)


def show(out: Path, page: Path, printer: Printer, quiet: bool) -> Path:
    """Write the report of a folder's results to ``page`` as Markdown, and beside it as HTML with its plots; print its
    tables. The path of the HTML page."""
    report = build(read_rows(out))
    markdown_page, html_page = write_pages(report, page)
    if report.errors:
        printer.line(f"unexplained errors: {len(report.errors)} episodes, counted in no table", "red")
        for key, reason in report.errors:
            printer.line(f"  {key}: {reason}", "red")
    for section in () if quiet else report.sections:
        printer.line()
        printer.line(section.title, "bold")
        for part in section.parts:
            _print(part, printer)
    printer.line(f"the tables are in {markdown_page} and {html_page}")
    return html_page


def _print(part: Part, printer: Printer) -> None:
    match part:
        case str():
            for line in textwrap.wrap(part, WIDTH):
                printer.line(line, "dim")
        case Grid():
            for rows in terminal_rows(part, WIDTH - len(INDENT)):
                printer.rows(rows, INDENT)
        case Commands():
            for line in script(part).splitlines():
                printer.line(INDENT + line, "dim")


def names(text: str) -> list[str]:
    """The words of an option that takes several, with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def again_as(context: click.Context, *unsaid: str) -> str:
    """The command line that gives this run again: the arguments and options that were given, without those on which
    results do not depend, those named in ``unsaid``, and a password in a URL."""
    words = context.command_path.split()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if not given or parameter.name in (*UNSAID, *unsaid):
            continue
        value = context.params[parameter.name or ""]
        if isinstance(parameter, click.Option):
            words.append(max(parameter.opts, key=len))
        if value is not True:
            words.append(_USER.sub("", str(value)))
    return f"{shlex.join(words)} -o results"
