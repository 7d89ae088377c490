"""Multiplication of large numbers: long multiplication with a table of digit products, and the pairs of an experiment.

"Large Language Models as Commonsense Knowledge for Large-Scale Task Planning", section 1: the table is what a model
knows, long multiplication is the algorithm that plays the part of the search.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

DigitTable = Mapping[tuple[int, int], int]
"""Pair of digits → their product, as somebody knows it."""

DIGIT_PAIRS = tuple((first, second) for first in range(10) for second in range(10))
"""The 100 pairs of digits, (0, 0) first."""


def long_multiplication(first: int, second: int, table: DigitTable) -> int:
    """The product of two numbers of at least 0, digit by digit with carries; all that it multiplies it looks up in
    ``table``, with the digit of ``first`` before that of ``second``.

    With an entry (a, b) that is wrong by e, the product is wrong by e times the sum of 10^(i + j) over all places i of
    a in ``first`` and j of b in ``second``. Raises KeyError for an entry that is needed and that the table lacks.
    """
    low_to_high = [[int(digit) for digit in reversed(str(number))] for number in (first, second)]
    columns = [0] * (len(low_to_high[0]) + len(low_to_high[1]) - 1)
    for i, a in enumerate(low_to_high[0]):
        for j, b in enumerate(low_to_high[1]):
            columns[i + j] += table[a, b]
    written, carry = "", 0
    for column in columns:
        carry, digit = divmod(column + carry, 10)
        written = f"{digit}{written}"
    return int(written) + carry * int(f"1{'0' * len(written)}")


def wrong_entries(table: DigitTable) -> dict[tuple[int, int], int | None]:
    """What is wrong in a table: pair of digits → what stands there, None where nothing does."""
    return {(a, b): table.get((a, b)) for a, b in DIGIT_PAIRS if table.get((a, b)) != a * b}


def drawn_pair(digits: int, seed: int, index: int) -> tuple[int, int]:
    """Pair number ``index`` of two numbers of exactly so many ``digits``, drawn uniformly; of one digit, 0 is one too.

    Each pair has a generator of its own, so that it is the same however many are drawn.
    """
    rng = np.random.default_rng((seed, digits, index))
    first, second = ("".join(map(str, _drawn_digits(digits, rng))) for _ in range(2))
    return int(first), int(second)


def _drawn_digits(digits: int, rng: np.random.Generator) -> list[int]:
    leading = rng.integers(0 if digits == 1 else 1, 10)
    return [int(leading), *map(int, rng.integers(0, 10, size=digits - 1))]
