"""The question for a product (LLM-MCTS paper, section 1), and what the embedded model answers to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from commonsense_planning.llm.embedded import answer
from commonsense_planning.wording.questions import Question

LEARNT_BY_HEART = 12  # the largest factor of the multiplication tables that are taught at school


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
