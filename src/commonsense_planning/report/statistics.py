"""Means and rates with how sure one can be of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Rate:
    """``successes`` of ``trials``, with the Wilson score interval at 95 %: from ``low`` to ``high``."""

    successes: int
    trials: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share of successes."""
        return self.successes / self.trials


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error, which is None for less than two values."""

    value: float
    error: float | None


def rate(successes: int, trials: int) -> Rate:
    """The rate of a number of independent trials, at least one."""
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Rate(successes, trials, float(interval.low), float(interval.high))


def mean(values: Sequence[float]) -> Mean:
    """The mean of at least one value."""
    from scipy.stats import sem

    return Mean(sum(values) / len(values), float(sem(values)) if len(values) > 1 else None)


def rate_over_seeds(seeds: Collection[Sequence[bool]]) -> Mean:
    """The mean of the seeds' success rates, with its standard error over seeds; with one seed, the binomial standard
    error over its trials. ``seeds``: at least one, each with whether its trials, at least one, were successes."""
    shares = [sum(trials) / len(trials) for trials in seeds]
    if len(shares) > 1:
        return mean(shares)
    ((share, trials),) = zip(shares, seeds, strict=True)
    return Mean(share, math.sqrt(share * (1 - share) / len(trials)))
