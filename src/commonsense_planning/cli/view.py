"""``cplan view``: a trace as a page to look at."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, OUT, STANDARD
from commonsense_planning.cli.task_arguments import standard_input
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.pddl.syntax import counted

EPILOG = """\b
Examples:
  cplan solve domain.pddl problem.pddl --trace trace.jsonl
  cplan view trace.jsonl
  cplan view trace.jsonl -o page.html
  cplan solve household:demo --trace - --trace-search | cplan view - -o page.html

\b
The page is one file. It opens in any browser of today, offline, and fetches nothing. It has a map where the domain's
lexicon.toml has a table [map], and search trees and what the model was asked where the trace was written with
--trace-search.
"""


@click.command(name="view", short_help="Make a page of a trace: map, belief, search tree.", epilog=EPILOG)
@click.argument("trace", type=FILE)
@click.option("-o", "--output", type=OUT, metavar="FILE", help="The page [default: the trace's name with .html].")
@click.pass_context
def command(context: click.Context, /, trace: Path, output: Path | None) -> int:
    """Make a page of a trace of cplan solve: what was done, known, believed, searched and asked, step by step.

    The arrow keys go from step to step.
    """
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.support.writing import write_text
    from commonsense_planning.view.page import page, read_view

    if trace == STANDARD:
        if output is None:
            raise UsageError("a trace from standard input has no name: -o FILE says where the page goes")
        trace = standard_input(context)
    view = read_view(trace)
    path = output or trace.with_suffix(".html")
    text = page(view)
    write_text(path, text, "the page")
    printer = Printer(False)
    size = len(text.encode())
    printer.line(f"the page is in {path}: {counted(len(view.stops), 'stop')}, {max(1, round(size / 1000)):,} kB")
    return EXIT_SOLVED
