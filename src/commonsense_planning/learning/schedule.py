"""How the learning rate goes over a training."""

from __future__ import annotations

import math

WARM_UP = 0.05  # the share of all steps in which it rises


def schedule(step: int, steps: int) -> float:
    """The share of the learning rate at a step: it rises to one, then falls along a cosine to zero."""
    warm = max(1, round(WARM_UP * steps))
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))
