"""The multiplication experiment of "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning"
(section 1).

The policy asks the model for the product of two numbers. The model variant asks for the products of digits, once for
all of a run, and works out products from this table by long multiplication. ``multiplication.toml`` has what the
variants are called, and what was published.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from commonsense_planning import __version__
from commonsense_planning.config import BudgetConfig, ModelConfig
from commonsense_planning.errors import UsageError
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.opening import Models
from commonsense_planning.llm.questions import Product, Scene
from commonsense_planning.matching.matching import matcher_named
from commonsense_planning.runner.asking import model_in_words, with_own_files
from commonsense_planning.runner.rows import Row
from commonsense_planning.studies.multiplication.arithmetic import (
    DIGIT_PAIRS,
    DigitTable,
    drawn_pair,
    last_number,
    long_multiplication,
)

SUITE = "multiplication"
POLICY, MODEL = "policy", "model"
VARIANTS = (POLICY, MODEL)
BLOCK = 25  # pairs of an episode, whose questions go out together


@dataclass(frozen=True)
class Setup:
    """What all episodes of a run share; ``command`` gives the run again."""

    model: ModelConfig = ModelConfig()
    limits: BudgetConfig = BudgetConfig()
    command: str = ""

    @property
    def text(self) -> str:
        """All that the results depend on, in words."""
        return model_in_words(self.model)

    def labels(self, variant: str) -> Row:
        """What the rows of a variant have in common."""
        return {
            "suite": SUITE,
            "variant": variant,
            "model": self.model.name,
            "setup": self.text,
            "command": self.command.replace(SUITE, f"{SUITE} --methods {variant}", 1),
            "version": __version__,
        }


@dataclass(frozen=True)
class TableEpisode:
    """Asks for the products of all pairs of digits; its row keeps the answers, in the order of ``DIGIT_PAIRS``."""

    setup: Setup

    @property
    def key(self) -> str:
        return f"{SUITE}: table of digits, {self.setup.text}"

    @property
    def labels(self) -> Row:
        return {**self.setup.labels(MODEL), "part": "table"}

    def run(self) -> Row:
        """Ask. Raises what makes asking impossible: MissingError, BudgetError."""
        answers, spent = _answers(self.setup, "table", 0, DIGIT_PAIRS)
        return {"answers": answers, **spent}


@dataclass(frozen=True)
class BlockEpisode:
    """Some pairs of numbers of so many ``digits``: ``trials`` of them from pair number ``start`` on. With a ``table``
    they are multiplied by that, without one the model is asked for each product."""

    digits: int
    seed: int
    start: int
    trials: int
    setup: Setup
    table: DigitTable | None = field(default=None, repr=False)

    @property
    def variant(self) -> str:
        """Which of ``VARIANTS`` it is."""
        return POLICY if self.table is None else MODEL

    @property
    def key(self) -> str:
        pairs = f"{self.digits} digits, pairs {self.start} to {self.start + self.trials - 1}"
        return f"{SUITE}: {self.variant}, {pairs}, {self.setup.text}, seed {self.seed}"

    @property
    def labels(self) -> Row:
        cell = {"part": "products", "digits": self.digits, "seed": self.seed, "start": self.start}
        return {**self.setup.labels(self.variant), **cell}

    def run(self) -> Row:
        """Multiply; ``wrong`` lists what came out wrong, with the answer as text, None where there was none."""
        pairs = [drawn_pair(self.digits, self.seed, self.start + index) for index in range(self.trials)]
        if self.table is None:
            name = f"{POLICY}.{self.digits}-digits.{self.start}.{self.seed}"
            answers, spent = _answers(self.setup, name, self.seed, pairs)
        else:
            started = time.perf_counter()
            answers = [_worked_out(first, second, self.table) for first, second in pairs]
            spent = _spent(Usage(), None, time.perf_counter() - started)
        wrong = [
            {"first": str(first), "second": str(second), "answer": answer}  # as texts: 24 digits are many for JSON
            for (first, second), answer in zip(pairs, answers, strict=True)
            if answer is None or last_number(answer) != first * second
        ]
        return {"trials": self.trials, "successes": self.trials - len(wrong), "wrong": wrong, **spent}


def digit_table(row: Row) -> DigitTable:
    """The table that the answers in a ``TableEpisode``'s row give, without entries where they give no number."""
    found = zip(DIGIT_PAIRS, row["answers"], strict=True)
    numbers = {pair: last_number(answer) for pair, answer in found if answer is not None}
    return {pair: number for pair, number in numbers.items() if number is not None}


def block_episodes(
    setup: Setup, digits: Collection[int], tasks: int, seeds: int, variants: Collection[str], table: DigitTable | None
) -> Iterator[BlockEpisode]:
    """The episodes of ``tasks`` pairs for each number of digits and each seed; those of the model only where there is
    a ``table``."""
    for number in digits:
        for seed in range(seeds):
            for start in range(0, tasks, BLOCK):
                block = BlockEpisode(number, seed, start, min(BLOCK, tasks - start), setup)
                if POLICY in variants:
                    yield block
                if MODEL in variants and table is not None:
                    yield replace(block, table=table)


def check_variants(variants: Collection[str]) -> None:
    """Raises UsageError for a variant that there is not."""
    for variant in variants:
        if variant not in VARIANTS:
            raise UsageError(f"there is no method {variant}; there are {', '.join(VARIANTS)}")


def _worked_out(first: int, second: int, table: DigitTable) -> str | None:
    """The product by long multiplication, as an answer."""
    try:
        return str(long_multiplication(first, second, table))
    except KeyError:
        return None


def _answers(setup: Setup, name: str, seed: int, pairs: Sequence[tuple[int, int]]) -> tuple[list[str | None], Row]:
    """What the model answers to each product, None where nothing came, and what that cost."""
    models = Models(with_own_files(setup.model, name, seed), setup.limits)
    matcher = matcher_named(setup.model.matcher)
    model = models.open(Scene(), None, matcher, np.random.default_rng(seed))
    started = time.perf_counter()
    answers = model.ask([Product(first, second) for first, second in pairs], 1)
    seconds = time.perf_counter() - started
    found = [texts[0] if texts else None for texts in answers]
    return found, {**_spent(model.usage, models.usd, seconds), "notes": model.take_notes(), "model_note": model.note}


def _spent(usage: Usage, usd: float | None, seconds: float) -> Row:
    return {
        "questions": usage.questions,
        "calls": usage.calls,
        "failures": usage.failures,
        "tokens": usage.tokens,
        "usd": usd,
        "seconds": round(seconds, 4),
    }
