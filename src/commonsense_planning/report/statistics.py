"""Means and rates with how sure one can be of them, and what an episode costs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from commonsense_planning.runner.rows import Row

CONFIDENCE = 0.95
NOTHING = "–"
"""Stands in a cell that has no number."""


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


COSTS = (
    ("steps", "steps"),
    ("questions", "questions"),
    ("calls", "calls"),
    ("tokens", "tokens"),
    ("US $", "usd"),
    ("seconds", "seconds"),
)
"""Heading → field of a row whose mean per episode is shown."""

CAPTION = "Means per episode, with their standard errors:"


def costs(rows: Sequence[Row], seconds_digits: int = 1) -> Iterator[str]:
    """A cell for each of ``COSTS``, over the episodes where the cost is known."""
    digits = {"usd": 4, "seconds": seconds_digits}
    for _, field in COSTS:
        values = [row[field] for row in rows if row[field] is not None]
        yield with_error(mean(values), digits.get(field, 1)) if values else NOTHING


def with_error(found: Mean, digits: int) -> str:
    """A mean and, where there is one, its standard error, with that many digits after the point."""
    return f"{found.value:.{digits}f}" + ("" if found.error is None else f" ± {found.error:.{digits}f}")
