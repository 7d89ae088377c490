"""``cplan view``: a trace as an HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from commonsense_planning.cli.options import FILE, OUT, STANDARD
from commonsense_planning.cli.task_arguments import standard_input
from commonsense_planning.errors import EXIT_SOLVED, UsageError
from commonsense_planning.support.english import counted

EPILOG = """\b
Examples:
  cplan solve domain.pddl problem.pddl --trace trace.jsonl
  cplan view trace.jsonl
  cplan view trace.jsonl -o page.html
  cplan solve household:demo --trace - --trace-search | cplan view - -o page.html

\b
The page is a single file. It opens in any current browser, offline, and fetches nothing. It has a map if the domain's
lexicon.toml has a table [map], and it has search trees and the model's questions if the trace was written with
--trace-search.
"""


@click.command(name="view", short_help="Make a page from a trace: map, belief, search tree.", epilog=EPILOG)
@click.argument("trace", type=FILE)
@click.option("-o", "--output", type=OUT, metavar="FILE", help="The page [default: the trace's name with .html].")
@click.pass_context
def command(context: click.Context, /, trace: Path, output: Path | None) -> int:
    """Make a page from a trace of cplan solve: actions, knowledge, belief, search and questions, step by step.

    The arrow keys move from step to step.
    """
    from commonsense_planning.cli.output import Printer
    from commonsense_planning.support.writing import write_text
    from commonsense_planning.view.page import page, read_view

    if trace == STANDARD:
        if output is None:
            raise UsageError("a trace from standard input has no file name: -o FILE names the page")
        trace = standard_input(context)
    view = read_view(trace)
    path = output or trace.with_suffix(".html")
    text = page(view)
    write_text(path, text, "the page")
    printer = Printer(False)
    size = len(text.encode())
    printer.line(f"page written to {path}: {counted(len(view.stops), 'stop')}, {max(1, round(size / 1000)):,} kB")
    return EXIT_SOLVED
