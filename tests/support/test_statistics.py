"""Rates and means against numbers worked out by hand."""

import math

import pytest

from commonsense_planning.support.statistics import mean, rate


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The interval by its formula: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    z, p = 1.959963984540054, successes / trials
    middle = p + z * z / (2 * trials)
    spread = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return (middle - spread) / (1 + z * z / trials), (middle + spread) / (1 + z * z / trials)


@pytest.mark.parametrize(("successes", "trials"), [(0, 3), (1, 3), (3, 3), (49, 50), (25, 50)])
def test_the_interval_is_wilsons(successes: int, trials: int) -> None:
    found = rate(successes, trials)
    assert (found.low, found.high) == pytest.approx(wilson(successes, trials), abs=1e-12)
    assert found.value == successes / trials


def test_standard_error() -> None:
    found = mean([2.0, 4.0, 4.0, 6.0])
    assert found.value == 4.0
    assert found.error == pytest.approx(math.sqrt(8 / 3) / 2)  # variance 8/3 with n - 1, over the root of n
    assert mean([3.0]).error is None
