"""What the experiments' commands have in common: a bar, the run, the tables."""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from commonsense_planning.cli.bar import counting_bar
from commonsense_planning.cli.grids import WIDTH, terminal_rows
from commonsense_planning.cli.output import Printer
from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.experiments.cluster import Cluster
from commonsense_planning.experiments.document import Commands, Grid, Part
from commonsense_planning.experiments.local import Local
from commonsense_planning.experiments.pages import script, write_pages
from commonsense_planning.experiments.rows import read_rows
from commonsense_planning.experiments.runner import Engine, Episode, run
from commonsense_planning.experiments.spending import Spending
from commonsense_planning.experiments.tables import build

REPORT = "report.md"
INDENT = "  "

_USER = re.compile(r"(?<=://)[^/@]*@")  # https://user:password@host


def run_experiment(
    episodes: Sequence[Episode],
    out: Path,
    workers: int | None,
    limits: BudgetConfig,
    again: bool,
    printer: Printer,
    quiet: bool,
    ray: str | None = None,
) -> dict[str, Any]:
    """Run what is missing, write the tables and print them; the numbers of the run. What is raised on the way leaves
    the rows in place. ``ray``: the address of the cluster that is to run it."""
    engine = _engine(workers, ray)
    with counting_bar(printer, quiet, "episodes") as report:
        summary = run(episodes, out, engine, report, Spending(limits).check, again)
    printer.line(
        f"{summary.total} episodes: {summary.found} were there, {summary.done} run in {summary.seconds:.0f} s, "
        f"{summary.failed} failed"
    )
    page = show(out, out / REPORT, printer, quiet)
    return {**asdict(summary), "results": str(out), "report": str(out / REPORT), "page": str(page)}


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


def again_as(context: click.Context, unsaid: Collection[str]) -> str:
    """The command line that gives this run again: the arguments and options that were given, without those named in
    ``unsaid``, and without a password in a URL."""
    words = context.command_path.split()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if not given or parameter.name in unsaid:
            continue
        value = context.params[parameter.name or ""]
        if isinstance(parameter, click.Option):
            words.append(max(parameter.opts, key=len))
        if value is not True:
            words.append(_USER.sub("", str(value)))
    return f"{shlex.join(words)} -o results"
