"""``cplan report``: the tables and plots of an experiment's results."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE
from commonsense_planning.errors import EXIT_SOLVED

EPILOG = """\b
Examples:
  cplan report results
  cplan report results -o pages/household.md

\b
The report is written as Markdown (PAGE.md) and as one self-contained HTML file (PAGE.html); its plots, where it
has any, go to the folder "plots" beside them, as PNG and SVG.
"""


@click.command(name="report", short_help="Make tables of an experiment's results.", epilog=EPILOG)
@click.argument("results", type=FILE)
@click.option("-o", "--output", metavar="PAGE", type=FILE, help="The pages [default: report.md in the folder].")
def command(results: Path, output: Path | None) -> int:
    """Print the tables of a folder that an experiment wrote to, also while it runs, and write its report."""
    from commonsense_planning.cli.experiment import REPORT, show
    from commonsense_planning.cli.output import Printer

    show(results, output or results / REPORT, Printer(), quiet=False)
    return EXIT_SOLVED
