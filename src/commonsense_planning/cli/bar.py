"""A bar on the terminal for something of which there is a known number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from commonsense_planning.cli.output import Printer


@contextmanager
def counting_bar(printer: Printer, quiet: bool, what: str) -> Iterator[Callable[[int, int], None]]:
    """Gives a function (done, total) that moves a bar with the time left; without a terminal, it does nothing."""
    console = printer.console if printer.console.is_terminal else Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total: None
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
        row = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(row, completed=done, total=total)
