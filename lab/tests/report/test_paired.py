"""Paired differences, and rates over seeds, against numbers worked out by hand."""

import math

import pytest

from commonsense_lab.report.paired import paired, rate_over_seeds
from commonsense_planning.support.statistics import Z


def test_standard_error_over_seeds() -> None:
    found = rate_over_seeds([[True, True, False, False], [True], [False, True, True, True]])
    assert found.value == pytest.approx(0.75)  # of 1/2, 1 and 3/4, each seed counting once
    assert found.error == pytest.approx(0.25 / math.sqrt(3))
    found = rate_over_seeds([[True, True, True, False]])  # of one seed it is binomial
    assert (found.value, found.error) == (0.75, pytest.approx(math.sqrt(0.75 * 0.25 / 4)))


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
