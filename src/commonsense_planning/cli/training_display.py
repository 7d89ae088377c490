"""How a training is shown: what is trained, a line for each epoch, and a bar on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from commonsense_planning.cli.output import Printer
from commonsense_planning.learning.training import Setting, Watcher


@contextmanager
def shown(printer: Printer, quiet: bool, epochs: int) -> Iterator[Watcher]:
    """Gives what is to be told how the training goes."""
    console = printer.console if printer.console.is_terminal else Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    visible = console.is_terminal and not quiet
    with Progress(*columns, console=console, transient=True, disable=not visible, speed_estimate_period=300) as bar:
        yield Watcher() if quiet else _Shown(printer, bar, epochs)


class _Shown(Watcher):
    def __init__(self, printer: Printer, bar: Progress, epochs: int) -> None:
        self._printer = printer
        self._bar = bar
        self._epochs = epochs

    def begin(self, setting: Setting) -> None:
        self._printer.line(
            f"{setting.trajectories} trajectories, {setting.held_out} held out; {setting.tokens} tokens an epoch in "
            f"{setting.batches} batches"
        )
        self._printer.line(
            f"a GPT-2 of {setting.parameters} parameters, {setting.vocabulary} tokens in its vocabulary, on "
            f"{setting.device}"
        )
        if setting.done:
            self._printer.line(f"going on after {setting.done} batches")
        self._row = self._bar.add_task("batches", total=self._epochs * setting.batches, completed=setting.done)

    def batch(self, done: int, loss: float) -> None:
        self._bar.update(self._row, description=f"batches, loss {loss:.3f}", completed=done)

    def epoch(self, row: dict[str, Any]) -> None:
        self._printer.line(
            f"epoch {row['epoch']} of {self._epochs}: loss {row['loss']:.4f}, held out {row['held_out_loss']:.4f}, "
            f"{100 * row['held_out_accuracy']:.1f} % of the held-out actions right, {row['seconds']:.0f} s"
        )
