"""Multiplication of large numbers: long multiplication with a table of digit products, the pairs of an experiment, and
the number that an answer ends with.

"Large Language Models as Commonsense Knowledge for Large-Scale Task Planning", section 1: the table is what a model
knows, long multiplication is the algorithm that plays the part of the search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from commonsense_planning.matching.answers import LONGEST, text_of

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


def digit_table(answers: Sequence[str | None]) -> DigitTable:
    """The table that answers in the order of ``DIGIT_PAIRS`` give, without entries where they give no number."""
    found = zip(DIGIT_PAIRS, answers, strict=True)
    numbers = {pair: last_number(answer) for pair, answer in found if answer is not None}
    return {pair: number for pair, number in numbers.items() if number is not None}


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


_SPACES = " \u00a0\u2009\u202f"
# groups of three digits behind a separator, always the same one; between commas, groups of two as in India
_GROUPED = rf"\d{{1,3}}(?:(?P<mark>[{_SPACES}.'’_])\d{{3}}(?:(?P=mark)\d{{3}})*|(?:,\d{{2,3}})*,\d{{3}})"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-−])?(?P<whole>(?:{_GROUPED})(?!\d)|\d+)(?P<fraction>[.,]\d+)?(?!\w)", re.ASCII
)
_LATEX = re.compile(r"\{,\}|\\[,;!]")  # separators in formulas: 1{,}234 and 1\,234


def last_number(answer: str) -> int | None:
    """The last number of an answer, whatever separates its thousands; None if there is none, or if it is no whole
    number. What a reasoning model thinks first does not count."""
    text = _LATEX.sub("", text_of(answer, 50 * LONGEST)[-LONGEST:])
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    sign, whole, fraction = found[-1].group("sign", "whole", "fraction")
    if fraction is not None and fraction[1:].strip("0"):
        return None
    number = int(re.sub(r"\D", "", whole))
    return -number if sign else number
