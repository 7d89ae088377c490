"""Rates compared: of two methods on the same tasks, and over seeds."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from commonsense_planning.support.statistics import Mean, Z, mean


@dataclass(frozen=True)
class Paired:
    """The difference between the success rates of two methods on the same ``trials`` tasks. ``first`` and ``second``:
    the numbers of tasks that only the first or the second method solved; ``value``: the difference of the rates, with
    its 95 % interval from ``low`` to ``high``."""

    first: int
    second: int
    trials: int
    value: float
    low: float
    high: float


def paired(pairs: Sequence[tuple[bool, bool]]) -> Paired:
    """The difference of paired proportions on at least one task; each pair is whether the first and the second method
    solved it. The interval is Wald's with half a task added to each of the four cells (Agresti and Min 2005), so that
    it has a positive width even if both always agree."""
    first = sum(one and not other for one, other in pairs)
    second = sum(other and not one for one, other in pairs)
    trials = len(pairs)
    wide, middle = trials + 2, (first - second) / (trials + 2)
    reach = Z * math.sqrt(max(0.0, (first + second + 1) / wide - middle**2) / wide)
    return Paired(first, second, trials, (first - second) / trials, max(-1.0, middle - reach), min(1.0, middle + reach))


def rate_over_seeds(seeds: Collection[Sequence[bool]]) -> Mean:
    """The mean of the seeds' success rates, with its standard error over seeds; for a single seed, with the binomial
    standard error over its trials. ``seeds``: at least one, each with the successes of its trials, at least one."""
    shares = [sum(trials) / len(trials) for trials in seeds]
    if len(shares) > 1:
        return mean(shares)
    ((share, trials),) = zip(shares, seeds, strict=True)
    return Mean(share, math.sqrt(share * (1 - share) / len(trials)))
