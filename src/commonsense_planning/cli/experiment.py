"""What the experiments' commands have in common: a bar, the run, the tables."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from commonsense_planning.cli.output import Printer
from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import InputError
from commonsense_planning.experiments.rows import read_rows
from commonsense_planning.experiments.runner import Episode, Report, run
from commonsense_planning.experiments.spending import Spending
from commonsense_planning.experiments.tables import Grid, build, markdown

REPORT = "report.md"

_USER = re.compile(r"(?<=://)[^/@]*@")  # https://user:password@host


def run_experiment(
    episodes: Sequence[Episode],
    out: Path,
    workers: int | None,
    limits: BudgetConfig,
    again: bool,
    printer: Printer,
    quiet: bool,
) -> dict[str, Any]:
    """Run what is missing, write the tables and print them; the numbers of the run. What is raised on the way leaves
    the rows in place."""
    with _bar(printer, quiet) as report:
        summary = run(episodes, out, workers or os.cpu_count() or 1, report, Spending(limits).check, again)
    printer.line(
        f"{summary.total} episodes: {summary.found} were there, {summary.done} run in {summary.seconds:.0f} s, "
        f"{summary.failed} failed"
    )
    show(out, out / REPORT, printer, quiet)
    return {**asdict(summary), "results": str(out), "report": str(out / REPORT)}


def show(out: Path, page: Path, printer: Printer, quiet: bool) -> None:
    """Write the tables of a folder's results to ``page``, as Markdown, and print them."""
    report = build(read_rows(out))
    try:
        page.write_text(markdown(report), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{page}: cannot write the report: {error.strerror}") from error
    if report.errors:
        printer.line(f"unexplained errors: {len(report.errors)} episodes, counted in no table", "red")
        for key, reason in report.errors:
            printer.line(f"  {key}: {reason}", "red")
    for section in () if quiet else report.sections:
        printer.line()
        printer.line(section.title, "bold")
        printer.line(f"{section.setup}. {section.legend}", "dim")
        for grid in (section.rates, section.costs):
            printer.rows(_cells(grid), indent="  ")
        for command in section.commands:
            printer.line(f"  {command}", "dim")
    printer.line(f"the tables are in {page}")


def names(text: str) -> list[str]:
    """The words of an option that takes several, with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def again_as(context: click.Context, unsaid: Collection[str]) -> str:
    """The command line that gives this run again: the options that were given, without those named in ``unsaid``, and
    without a password in a URL."""
    words = context.command_path.split()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if not given or parameter.name in unsaid:
            continue
        value = context.params[parameter.name or ""]
        words.append(max(parameter.opts, key=len))
        if value is not True:
            words.append(_USER.sub("", str(value)))
    return f"{shlex.join(words)} -o results"


def _cells(grid: Grid) -> list[tuple[str, ...]]:
    return [grid.head, *grid.rows]


@contextmanager
def _bar(printer: Printer, quiet: bool) -> Iterator[Report]:
    """Gives a function that moves a bar on the terminal; without a terminal, it does nothing."""
    console = printer.console if printer.console.is_terminal else Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total, failed: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        row = bar.add_task("episodes", total=None)

        def report(done: int, total: int, failed: int) -> None:
            bar.update(
                row, description=f"episodes, {failed} failed" if failed else "episodes", completed=done, total=total
            )

        yield report
