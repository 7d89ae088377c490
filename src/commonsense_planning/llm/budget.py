"""What a model costs, and the limits on it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonsense_planning.config import BudgetConfig
from commonsense_planning.errors import BudgetError, UsageError
from commonsense_planning.support.reading import number, read_toml, reading

PRICES = Path(__file__).with_name("prices.toml")
FORM = 'expected [models."NAME"] with input and output, in US dollars per million tokens'
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars for so many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


FREE = Price(0.0, 0.0)


class Prices:
    """Prices by model; a model takes the price of the longest listed name that its own name begins with."""

    def __init__(self, table: Mapping[str, Price]) -> None:
        self._table = dict(table)

    @staticmethod
    def read(*paths: Path) -> Prices:
        """Read price files; later ones win. Raises InputError if one is not a price table."""
        table: dict[str, Price] = {}
        for path in paths:
            with reading(path, "a price table", hint=FORM):
                models = read_toml(path, "a price table")["models"]
                table |= {name: Price(_dollars(p["input"]), _dollars(p["output"])) for name, p in models.items()}
        return Prices(table)

    def of(self, model: str) -> Price | None:
        """The price of a model, None if it is not known."""
        names = [name for name in self._table if model.startswith(name)]
        return self._table[max(names, key=len)] if names else None


def _dollars(value: Any) -> float:
    dollars = number(str(value))
    if dollars < 0:
        raise ValueError(f"{dollars} is no price")
    return dollars


class Budget:
    """Counts calls and tokens and says when a limit is reached.

    It is asked before each call: so a limit on calls is kept exactly, one on tokens or money is passed by no more than
    the calls that are in flight. Raises UsageError for a limit on money with a model of unknown price.
    """

    def __init__(self, limits: BudgetConfig, price: Price | None, model: str = "") -> None:
        if limits.max_usd is not None and price is None:
            raise UsageError(
                f"--max-usd: the price of {model} is not known; add it to a file and name that with --prices: "
                f'[models."{model}"] with input = …, output = … in US dollars per million tokens'
            )
        self.limits = limits
        self.price = price
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.deadline = math.inf  # of time.monotonic()

    @property
    def seconds_left(self) -> float:
        """Until the deadline, at least 0."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def usd(self) -> float | None:
        """US dollars so far, None if the price is not known."""
        return None if self.price is None else self.price.of(self.prompt_tokens, self.completion_tokens)

    def begin_call(self) -> None:
        """To be called before a call goes out. Raises BudgetError if a limit is reached."""
        if not self.seconds_left:
            raise BudgetError("the time is up")
        limits, tokens, usd = self.limits, self.prompt_tokens + self.completion_tokens, self.usd
        if limits.max_calls is not None and self.calls >= limits.max_calls:
            raise BudgetError(f"the limit of {limits.max_calls} calls is reached")
        if limits.max_tokens is not None and tokens >= limits.max_tokens:
            raise BudgetError(f"the limit of {limits.max_tokens} tokens is reached")
        if limits.max_usd is not None and usd is not None and usd >= limits.max_usd:
            raise BudgetError(f"the limit of {limits.max_usd:g} US dollars is reached")
        self.calls += 1

    def end_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """To be called with what a call cost."""
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
