"""``cplan train-policy``: a GPT-2 that learns to act from an expert's trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_planning.cli.options import FILE, OUT, json_option, options_from, seconds_option
from commonsense_planning.config import TrainConfig
from commonsense_planning.errors import EXIT_BUDGET, EXIT_SOLVED, UsageError
from commonsense_planning.pddl.syntax import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonsense_lab.learning.training import TrainingPlan, TrainingResult
    from commonsense_planning.cli.output import Printer

EPILOG = """\b
Examples:
  cplan train-policy D.jsonl -o policy
  cplan train-policy D.jsonl -o policy --max-minutes 8
  cplan train-policy D.jsonl -o policy --from ~/models/gpt2 --epochs 3 --batch 8
  cplan solve domain.pddl problem.pddl --method learned-policy --weights policy

\b
DATA are JSON lines, one trajectory each, as cplan data expert writes them:
  {"instruction": "...", "observations": [["...", ...], ...], "actions": ["...", ...]}
The folder gets the weights as transformers writes them, the tokenizer, training.jsonl with a line for each
epoch, and checkpoint.pt. Interrupted, stopped or killed, the same command goes on where it was. A GPU is used
where there is one. Needs the extra train: pip install 'commonsense-planning[train]'
"""

_SHAPE = ("layers", "width", "heads", "positions")


@click.command(name="train-policy", short_help="Train a policy on an expert's trajectories.", epilog=EPILOG)
@click.argument("data", type=FILE)
@click.option("-o", "--out", type=OUT, required=True, help="The folder of the weights; it is made.")
@click.option("--from", "pretrained", type=FILE, help="A GPT-2's folder to start from [default: random weights].")
@options_from(TrainConfig)
@seconds_option("--max-minutes", help="Stop then, with the weights so far.")
@click.option("--quiet", is_flag=True, help="Print the outcome only.")
@json_option
@click.pass_context
def train_policy(
    context: click.Context,
    /,
    data: Path,
    out: Path,
    pretrained: Path | None,
    max_minutes: float | None,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Train a GPT-2 on the trajectories in DATA: given the instruction and what was seen and done so far, say the next
    action. One trajectory in twenty is held out."""
    from commonsense_lab.learning.weights import libraries
    from commonsense_planning.cli.output import Printer, counting_bar, print_json

    for name in _SHAPE if pretrained else ():
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} is of a model from random weights; the one of --from has its own")
    settings = TrainConfig(**values)
    libraries()
    from commonsense_lab.learning.training import train

    printer = Printer(as_json)
    with counting_bar(printer, quiet, "batches") as move:
        watcher = None if quiet else _Shown(printer, move, settings.epochs)
        trained = train(data, out, settings, pretrained, 60 * max_minutes if max_minutes else float("inf"), watcher)
    _tell(printer, trained, out)
    if as_json:
        print_json(_summary(trained, out))
    return EXIT_SOLVED if trained.complete else EXIT_BUDGET


def _tell(printer: Printer, trained: TrainingResult, out: Path) -> None:
    speed = f", {trained.tokens / trained.seconds:.0f} tokens a second" if trained.tokens else ""
    epochs = f"{counted(len(trained.rows), 'epoch')} done"
    numbers = f"{epochs}, {trained.seconds:.0f} s in this run{speed}"
    if trained.complete:
        printer.line(f"trained: {numbers}", "green")
    else:
        printer.line(f"stopped: {numbers}; the same command goes on", "yellow")
    printer.line(f"the weights are in {out}")


def _summary(trained: TrainingResult, out: Path) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        **asdict(trained.setting),
        "epochs": trained.rows,
        "complete": trained.complete,
        "tokens_this_run": trained.tokens,
        "seconds": round(trained.seconds, 3),
        "weights": str(out),
    }


class _Shown:
    """A watcher that prints what is trained, a line for each epoch, and moves a bar."""

    def __init__(self, printer: Printer, move: Callable[[int, int], None], epochs: int) -> None:
        self._printer = printer
        self._move = move
        self._epochs = epochs
        self._total = 0

    def begin(self, setting: TrainingPlan) -> None:
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
