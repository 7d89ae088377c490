"""Batches of lessons."""

from __future__ import annotations

import numpy as np
import pytest

from commonsense_planning.learning.lessons import IGNORED, Lesson, padded, schedule, shuffled


def test_every_lesson_is_learned_once_beside_others_of_its_length() -> None:
    lengths = np.random.default_rng(0).integers(10, 300, 1000).tolist()
    batches = shuffled(lengths, 16, np.random.default_rng(1))
    assert sorted(i for batch in batches for i in batch) == list(range(1000))
    assert len(batches) == 63
    filled = sum(max(lengths[i] for i in batch) * len(batch) for batch in batches)
    assert filled < 1.1 * sum(lengths)
    assert batches == shuffled(lengths, 16, np.random.default_rng(1))
    assert batches != shuffled(lengths, 16, np.random.default_rng(2))


def test_what_is_filled_up_is_not_learned() -> None:
    short = Lesson(np.array([5, 6], np.int32), np.array([IGNORED, 6]))
    long = Lesson(np.array([7, 8, 9], np.int32), np.array([IGNORED, 8, 9]))
    tokens, targets = padded([short, long])
    assert tokens.tolist() == [[5, 6, 0], [7, 8, 9]]
    assert targets.tolist() == [[IGNORED, 6, IGNORED], [IGNORED, 8, 9]]


@pytest.mark.parametrize("steps", [1, 2, 40, 1000])
def test_it_rises_to_one_and_falls_towards_zero(steps: int) -> None:
    rates = [schedule(step, steps) for step in range(steps)]
    top = rates.index(1.0)
    assert top < max(1, 0.05 * steps)
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert all(0 < rate <= 1 for rate in rates)
    assert rates[-1] < 0.05 or steps < 40
