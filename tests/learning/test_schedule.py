"""The learning rate over a training."""

from __future__ import annotations

import pytest

from commonsense_planning.learning.schedule import schedule


@pytest.mark.parametrize("steps", [1, 2, 40, 1000])
def test_it_rises_to_one_and_falls_towards_zero(steps: int) -> None:
    rates = [schedule(step, steps) for step in range(steps)]
    top = rates.index(1.0)
    assert top < max(1, 0.05 * steps)
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert all(0 < rate <= 1 for rate in rates)
    assert rates[-1] < 0.05 or steps < 40
