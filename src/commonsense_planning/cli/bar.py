"""A bar on the terminal for something of which there is a known number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from commonsense_planning.cli.output import Printer


class Move(Protocol):
    """Moves a bar: so many are done, of so many, of which some may have failed."""

    def __call__(self, done: int, total: int, failed: int = 0) -> None: ...


@contextmanager
def counting_bar(printer: Printer, quiet: bool, what: str) -> Iterator[Move]:
    """Gives a function that moves a bar with the time left; without a terminal, it does nothing."""
    console = printer.console if printer.console.is_terminal else Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total, failed=0: None
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

        def move(done: int, total: int, failed: int = 0) -> None:
            bar.update(
                row, description=f"{what}, {failed} failed" if failed else what, completed=done, total=total
            )

        yield move
