"""The question for a product (LLM-MCTS paper, section 1), what the embedded model answers to it, and the whole number
that an answer ends with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.llm.embedded import answer
from commonsense_planning.matching.answers import LONGEST, text_of
from commonsense_planning.wording.questions import Question

LEARNT_BY_HEART = 12  # the largest factor of the multiplication tables that are taught at school

_SPACES = " \u00a0\u2009\u202f"
# groups of three digits behind a separator, always the same one; between commas, groups of two as in India
_GROUPED = rf"\d{{1,3}}(?:(?P<mark>[{_SPACES}.'’_])\d{{3}}(?:(?P=mark)\d{{3}})*|(?:,\d{{2,3}})*,\d{{3}})"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-−])?(?P<whole>(?:{_GROUPED})(?!\d)|\d+)(?P<fraction>[.,]\d+)?(?!\w)", re.ASCII
)
_LATEX = re.compile(r"\{,\}|\\[,;!]")  # separators in formulas: 1{,}234 and 1\,234


@dataclass(frozen=True)
class Product(Question):
    """What is the product of two numbers? (Section 1.) Both are at least 0."""

    template = Path(__file__).with_name("templates") / "product.jinja"
    temperature = 0.0  # the paper does not say
    tokens = 64
    first: int
    second: int

    @property
    def about(self) -> str:
        return f"what {self.first} times {self.second} is"


@answer.register
def _(question: Product, n: int, rng: np.random.Generator) -> list[str]:
    """As people know it: by heart up to 12 times 12, beyond that guessed from the leading digits."""
    first, second = question.first, question.second
    if max(first, second) > LEARNT_BY_HEART:
        first, second = _leading(first), _leading(second)
    return [str(first * second)] * n


def _leading(number: int) -> int:
    """The number rounded to its first digit: 47 to 50."""
    return round(number, 1 - len(str(number)))


def last_number(text: str) -> int | None:
    """The last number of an answer, whatever separates its thousands; None if there is none, or if it is no whole
    number. What a reasoning model thinks first does not count."""
    shown = _LATEX.sub("", text_of(text, 50 * LONGEST)[-LONGEST:])
    found = list(_NUMBER.finditer(shown))
    if not found:
        return None
    sign, whole, fraction = found[-1].group("sign", "whole", "fraction")
    if fraction is not None and fraction[1:].strip("0"):
        return None
    number = int(re.sub(r"\D", "", whole))
    return -number if sign else number
