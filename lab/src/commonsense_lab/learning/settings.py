"""Settings of what is learned: how a model writes heuristics, and how a policy is trained."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.config import Options, option
from commonsense_planning.errors import UsageError


@dataclass(frozen=True)
class WritingOptions(Options):
    """How a model writes heuristics (Corrêa, Pereira and Seipp 2025, section 3; 2026)."""

    candidates: int = option(5, "Number of heuristics that the model writes; the best one is kept.", least=1)
    repairs: int = option(3, "How often the best one is repaired with a counterexample, at most.", least=0)
    trial_seconds: float = option(10.0, "Limit in seconds for a search on a training problem.", above=0)


FRESH_RATE, TUNING_RATE = 1e-3, 5e-5  # learning rates from random parameters, and from a checkpoint


@dataclass(frozen=True)
class TrainConfig(Options):
    """How a policy is trained: a GPT-2 from random parameters, or a checkpoint, which has its own shape.

    ``learning_rate``: None for ``FRESH_RATE`` or ``TUNING_RATE``. Raises UsageError for a number out of its range.
    """

    epochs: int = option(6, "Passes over the data.", least=1)
    batch: int = option(16, "Trajectories per step.", least=1)
    layers: int = option(3, "Layers of a new model.", least=1)
    width: int = option(192, "Width of a new model.", least=8)
    heads: int = option(4, "Attention heads of a new model.", least=1)
    positions: int = option(512, "Context length of a new model, in tokens.", least=128)
    learning_rate: float | None = option(
        None, f"Peak learning rate [default: {FRESH_RATE}; with --from {TUNING_RATE}].", above=0, most=1
    )
    seed: int = option(0, "Seed of split, order, initial parameters and dropout.", least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.heads:
            raise UsageError(f"width must be a multiple of heads: {self.width} is not a multiple of {self.heads}")
