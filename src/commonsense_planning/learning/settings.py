"""The settings of training, frozen and checked."""

from __future__ import annotations

from dataclasses import dataclass

from commonsense_planning.errors import UsageError

FRESH_RATE, TUNING_RATE = 1e-3, 5e-5  # learning rates from random weights, and from a checkpoint


@dataclass(frozen=True)
class Training:
    """How a policy is trained.

    ``epochs``: passes over the data. ``batch``: sequences in a step. ``layers``, ``width``, ``heads``: of a GPT-2 from
    random weights, ``positions`` its context in tokens; a checkpoint has its own. ``learning_rate``: the highest of the
    schedule, None for ``FRESH_RATE`` or ``TUNING_RATE``. ``seed``: of the split, the order, the weights and dropout.
    Raises UsageError for a number out of its range.
    """

    epochs: int = 6
    batch: int = 32
    layers: int = 3
    width: int = 192
    heads: int = 4
    positions: int = 512
    learning_rate: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch", 1), ("layers", 1), ("width", 8), ("heads", 1), ("positions", 128)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.width % self.heads:
            raise UsageError(f"width must be a multiple of heads: {self.width} is none of {self.heads}")
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise UsageError(f"learning-rate must be in (0, 1), not {self.learning_rate}")
        if self.seed < 0:
            raise UsageError(f"seed must not be negative, not {self.seed}")
