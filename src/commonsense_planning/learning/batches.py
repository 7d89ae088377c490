"""In which order lessons are learned, and how they are laid side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from commonsense_planning.learning.lessons import IGNORED, Lesson

_POOL = 32  # batches whose lessons are sorted by length among themselves


def shuffled(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Batches of at most ``size`` lessons of similar length, as indices: each lesson once, in an order drawn anew."""
    order = rng.permutation(len(lengths)).tolist()
    batches = []
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lambda i: lengths[i])
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    return [batches[i] for i in rng.permutation(len(batches)).tolist()]


def padded(lessons: Sequence[Lesson]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Tokens and targets, int64 (lessons, longest), filled up at the end: what comes later is never attended to."""
    shape = (len(lessons), max(map(len, lessons)))
    tokens, targets = np.zeros(shape, np.int64), np.full(shape, IGNORED, np.int64)
    for row, lesson in enumerate(lessons):
        tokens[row, : len(lesson)] = lesson.tokens
        targets[row, : len(lesson)] = lesson.targets
    return tokens, targets
