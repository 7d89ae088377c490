"""Commands below ``cplan bench``: a study has its options and its episodes; the rest is the same for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonsense_lab.cli.bench import (
    ExperimentModel,
    RunOptions,
    again_as,
    experiment_options,
    run_experiment,
    take_running,
)
from commonsense_planning.cli.model_options import AskingCommand, model_options, take_model
from commonsense_planning.config import BudgetConfig, ModelConfig

if TYPE_CHECKING:
    from commonsense_lab.runner.runner import Episode


@dataclass(frozen=True)
class Bench:
    """What the command of an experiment gets besides its own options: how it runs, the ``model``, its ``limits`` for
    all episodes together, and the ``command`` that repeats the run."""

    running: RunOptions
    model: ModelConfig
    limits: BudgetConfig
    command: str

    @property
    def shared(self) -> dict[str, Any]:
        """The part in the setup of an experiment."""
        return {"model": self.model, "limits": self.limits, "command": self.command}

    def run(self, stages: Iterable[Sequence[Episode]], *packs: Path, templates: Path | None = None) -> int:
        """Runs the episodes, see ``run_experiment``; ``packs`` and ``templates`` as for ``ExperimentModel``."""
        return run_experiment(stages, self.running, ExperimentModel(self.model, self.limits, packs, templates))


Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def bench_command(
    name: str, summary: str, epilog: str, *options: Option, unsaid: Sequence[str] = ()
) -> Callable[[Callable[..., int]], click.Command]:
    """Makes a command of a function, which gets ``Bench`` and the values of the ``options`` and returns the exit code.

    ``unsaid``: options that the command of each row contains by itself."""

    def make(function: Callable[..., int]) -> click.Command:
        def command(context: click.Context, /, **values: Any) -> int:
            running = take_running(values)
            model, limits = take_model(values)
            return function(Bench(running, model, limits, again_as(context, *unsaid)), **values)

        decorated: Any = click.pass_context(command)
        for option in reversed((*options, experiment_options, model_options)):
            decorated = option(decorated)
        return click.command(name=name, cls=AskingCommand, short_help=summary, epilog=epilog, help=function.__doc__)(
            decorated
        )

    return make
