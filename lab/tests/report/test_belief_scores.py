"""Scores of a belief, by hand and as proper scores must be."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_lab.report.belief_scores import Score, compare, fitted_temperature, judge, reliability
from commonsense_planning.pomdp.observation_model import Floats

shares = st.lists(st.floats(0.01, 1), min_size=2, max_size=6).map(lambda parts: np.array(parts) / sum(parts))


def expected(truth: Floats, told: Floats) -> Score:
    """The scores of ``told``, in expectation over the true member."""
    rows = np.array(judge([told] * len(told), range(len(told))).each)
    return Score(*(truth @ rows).tolist())


@pytest.mark.parametrize(("weights", "truth", "expected"), [
    ([0.5, 0.25, 0.25], 0, (math.log(2), 0.25 + 2 * 0.0625, 1, 1)),
    ([0.5, 0.25, 0.25], 2, (math.log(4), 0.25 + 0.0625 + 0.5625, 2.5, 0)),
    ([4, 4, 2], 1, (math.log(2.5), 0.16 + 0.36 + 0.04, 1.5, 0.5)),  # weights are normalised
    ([0.4, 0.4, 0.2], 2, (math.log(5), 0.16 + 0.16 + 0.64, 3, 0)),
    ([0, 1], 1, (0, 0, 1, 1)),
    ([0, 1], 0, (math.inf, 2, 2, 0)),
])  # fmt: skip
def test_by_hand(weights: list[float], truth: int, expected: tuple[float, ...]) -> None:
    found = judge([np.array(weights)], [truth]).each[0]
    assert found == pytest.approx(Score(*expected))
    assert math.copysign(1, found.log_loss) == 1


def test_means_weigh_groups_equally() -> None:
    scores = judge([np.array([0.5, 0.5]), np.array([0.7, 0.1, 0.1, 0.1])], [0, 1])
    assert scores.mean == pytest.approx(
        Score((math.log(2) + math.log(10)) / 2, (0.5 + 0.49 + 0.81 + 0.02) / 2, (1.5 + 3) / 2, 0.25)
    )


@given(shares, st.data())
def test_uniform(told: Floats, data: st.DataObject) -> None:
    n = len(told)
    uniform = compare([told], [data.draw(st.integers(0, n - 1))]).uniform.each[0]
    assert uniform == pytest.approx(Score(math.log(n), 1 - 1 / n, (n + 1) / 2, 1 / n))


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(*[st.lists(st.floats(0.01, 1), min_size=n, max_size=n)] * 2)))
def test_nothing_beats_the_true_distribution(pair: tuple[list[float], list[float]]) -> None:
    truth, other = (np.array(parts) / sum(parts) for parts in pair)
    honest, told = expected(truth, truth), expected(truth, other)
    assert honest.log_loss <= told.log_loss + 1e-9
    assert honest.brier <= told.brier + 1e-9
    if abs(truth - other).max() > 0.01:
        assert honest.log_loss < told.log_loss
        assert honest.brier < told.brier


@given(shares)
def test_ranks_are_shared_out(told: Floats) -> None:
    each = judge([told] * len(told), range(len(told))).each
    assert sum(s.rank for s in each) == len(told) * (len(told) + 1) / 2
    assert sum(s.first_guess for s in each) == pytest.approx(1)


def test_reliability_is_the_share_of_true_places_by_what_is_believed() -> None:
    prior = [np.array([0.9, 0.1]), np.array([0.9, 0.1]), np.array([0.6, 0.4])]
    low, middle, high = reliability(prior, [0, 1, 0])
    assert (low.members, low.believed, low.true) == (2, pytest.approx(0.1), 0.5)
    assert (middle.members, middle.true) == (1, 0)
    assert (high.members, high.believed, high.true) == (3, pytest.approx(0.8), pytest.approx(2 / 3))


def test_too_sure_a_belief_wants_a_temperature_above_one() -> None:
    sure = [np.array([0.99, 0.01])] * 4
    temperature, loss = fitted_temperature(sure, [0, 0, 0, 1])
    assert temperature > 2
    assert loss < judge(sure, [0, 0, 0, 1]).mean.log_loss
    assert fitted_temperature([np.array([0.6, 0.4])] * 4, [0, 0, 0, 0])[0] == 0.5
