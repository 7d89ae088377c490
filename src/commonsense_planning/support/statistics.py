"""Means and rates with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
Z = 1.959963984540054  # the normal distribution's quantile at 97.5 %


class WithInterval:
    """A number with its 95 % interval, from ``low`` to ``high``. A format applies to all three."""

    value: float
    low: float
    high: float

    def __format__(self, form: str) -> str:
        return f"{format(self.value, form)} [{format(self.low, form)}, {format(self.high, form)}]"


@dataclass(frozen=True)
class Rate(WithInterval):
    """``successes`` of ``trials``, with the 95 % Wilson score interval from ``low`` to ``high``."""

    successes: int
    trials: int
    low: float
    high: float

    @property
    def value(self) -> float:  # type: ignore[override]
        """The share of successes."""
        return self.successes / self.trials


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error; None for less than two values."""

    value: float
    error: float | None


def rate(successes: int, trials: int) -> Rate:
    """The success rate of independent trials, of which there is at least one."""
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Rate(successes, trials, float(interval.low), float(interval.high))


@dataclass(frozen=True)
class Difference(WithInterval):
    """A mean difference on the same tasks, with its 95 % interval from ``low`` to ``high``."""

    value: float
    low: float
    high: float


def difference(values: Sequence[float]) -> Difference:
    """The mean of at least two paired differences, with Student's interval."""
    from scipy.stats import t

    found = mean(values)
    reach = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * (found.error or 0.0)
    return Difference(found.value, found.value - reach, found.value + reach)


@dataclass(frozen=True)
class Paired(WithInterval):
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


def mean(values: Sequence[float]) -> Mean:
    """The mean of at least one value."""
    from scipy.stats import sem

    numbers = [float(value) for value in values]  # scipy does not accept integers beyond 64 bits
    return Mean(sum(numbers) / len(numbers), float(sem(numbers)) if len(numbers) > 1 else None)


def with_error(found: Mean, digits: int) -> str:
    """A mean and its standard error, if there is one, with ``digits`` decimals."""
    return f"{found.value:.{digits}f}" + ("" if found.error is None else f" ± {found.error:.{digits}f}")
