"""How a training is shown: what is trained, a line for each epoch, and a bar on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from commonsense_planning.cli.bar import counting_bar
from commonsense_planning.cli.output import Printer
from commonsense_planning.learning.training import Setting, Watcher


@contextmanager
def shown(printer: Printer, quiet: bool, epochs: int) -> Iterator[Watcher]:
    """Gives what is to be told how the training goes."""
    with counting_bar(printer, quiet, "batches") as move:
        yield Watcher() if quiet else _Shown(printer, move, epochs)


class _Shown(Watcher):
    def __init__(self, printer: Printer, move: Callable[[int, int], None], epochs: int) -> None:
        self._printer = printer
        self._move = move
        self._epochs = epochs
        self._total = 0

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
        self._total = self._epochs * setting.batches

    def batch(self, done: int) -> None:
        self._move(done, self._total)

    def epoch(self, row: dict[str, Any]) -> None:
        self._printer.line(
            f"epoch {row['epoch']} of {self._epochs}: loss {row['loss']:.4f}, held out {row['held_out_loss']:.4f}, "
            f"{100 * row['held_out_accuracy']:.1f} % of the held-out actions right, {row['seconds']:.0f} s"
        )
