"""Batches of lessons."""

from __future__ import annotations

import numpy as np

from commonsense_planning.learning.batches import padded, shuffled
from commonsense_planning.learning.lessons import IGNORED, Lesson


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
