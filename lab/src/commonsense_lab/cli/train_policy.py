"""``cplan train-policy``: trains a GPT-2 to act, on an expert's trajectories."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.learning.settings import TrainConfig
from commonsense_planning.cli.options import FILE, OUT, json_option, options_from, seconds_option
from commonsense_planning.errors import EXIT_BUDGET, EXIT_SOLVED, UsageError
from commonsense_planning.support.english import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonsense_lab.learning.training import TrainingPlan
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
The folder gets the weights in transformers' format, the tokenizer, training.jsonl with a line for each epoch,
and checkpoint.pt. After an interrupt, a stop or a kill, the same command resumes. A GPU is used if there is one.
Needs the extra train: pip install 'commonsense-planning[train]'
"""

_SHAPE = ("layers", "width", "heads", "positions")


@click.command(name="train-policy", short_help="Train a policy on an expert's trajectories.", epilog=EPILOG)
@click.argument("data", type=FILE)
@click.option("-o", "--out", type=OUT, required=True, help="Folder for the weights; made if missing.")
@click.option("--from", "pretrained", type=FILE, help="Folder of a GPT-2 to start from [default: random weights].")
@options_from(TrainConfig)
@seconds_option("--max-minutes", help="Stop after this time, with the weights so far.")
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
    """Train a GPT-2 on the trajectories in DATA: from the instruction and what was seen and done so far, it learns to
    predict the next action. One trajectory in twenty is held out."""
    from commonsense_lab.learning.weights import libraries
    from commonsense_planning.cli.output import Printer, counting_bar, print_json

    for name in _SHAPE if pretrained else ():
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} is for a model with random weights; the size of --from's model is fixed")
    settings = TrainConfig(**values)
    libraries()
    from commonsense_lab.learning.training import train

    printer = Printer(as_json)
    with counting_bar(printer, quiet, "batches") as move:
        watcher = None if quiet else _Shown(printer, move, settings.epochs)
        trained = train(data, out, settings, pretrained, 60 * max_minutes if max_minutes else float("inf"), watcher)
    speed = f", {trained.tokens / trained.seconds:.0f} tokens a second" if trained.tokens else ""
    numbers = f"{counted(len(trained.rows), 'epoch')} done, {trained.seconds:.0f} s in this run{speed}"
    if trained.complete:
        printer.line(f"trained: {numbers}", "green")
    else:
        printer.line(f"stopped: {numbers}; the same command resumes", "yellow")
    printer.line(f"the weights are in {out}")
    if as_json:
        summary = {
            **asdict(trained.setting),
            "epochs": trained.rows,
            "complete": trained.complete,
            "tokens_this_run": trained.tokens,
            "seconds": round(trained.seconds, 3),
            "weights": str(out),
        }
        print_json(summary)
    return EXIT_SOLVED if trained.complete else EXIT_BUDGET


@dataclass
class _Shown:
    """A watcher that prints the plan and a line for each epoch, and moves a bar."""

    printer: Printer
    move: Callable[[int, int], None]
    epochs: int
    total: int = 0

    def begin(self, setting: TrainingPlan) -> None:
        self.printer.line(
            f"{setting.trajectories} trajectories, {setting.held_out} held out; {setting.tokens} tokens an epoch in "
            f"{setting.batches} batches"
        )
        self.printer.line(
            f"a GPT-2 of {setting.parameters} parameters, {setting.vocabulary} tokens in its vocabulary, on "
            f"{setting.device}"
        )
        if setting.done:
            self.printer.line(f"resuming after batch {setting.done}")
        self.total = self.epochs * setting.batches

    def batch(self, done: int) -> None:
        self.move(done, self.total)

    def epoch(self, row: dict[str, Any]) -> None:
        self.printer.line(
            f"epoch {row['epoch']} of {self.epochs}: loss {row['loss']:.4f}, held out {row['held_out_loss']:.4f}, "
            f"{100 * row['held_out_accuracy']:.1f} % of the held-out actions right, {row['seconds']:.0f} s"
        )
