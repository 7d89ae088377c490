"""Rates and means against numbers worked out by hand."""

import math

import pytest

from commonsense_planning.support.statistics import Z, mean, paired, rate


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


def test_a_paired_difference_has_an_interval_also_where_both_always_agree() -> None:
    same = paired([(True, True)] * 98)
    assert (same.value, same.first, same.second, same.trials) == (0.0, 0, 0, 98)
    assert same.high == pytest.approx(Z * 0.1 / 10, abs=1e-9) == -same.low
    differ = paired([(True, False)] * 8 + [(False, True)] * 2 + [(True, True)] * 90)
    assert differ.value == 0.06
    middle = 6 / 102  # of the interval, with half a task more in each of the four cells
    assert (differ.low + differ.high) / 2 == pytest.approx(middle)
    assert differ.high - middle == pytest.approx(Z * ((11 / 102 - middle**2) / 102) ** 0.5)


def test_a_paired_difference_is_the_others_turned_round() -> None:
    pairs = [(True, False), (False, False), (True, True), (True, False), (False, True)]
    one, other = paired(pairs), paired([(second, first) for first, second in pairs])
    assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
