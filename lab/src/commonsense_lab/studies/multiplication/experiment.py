"""The multiplication experiment of "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning"
(section 1).

The policy asks the model for the product of two numbers. The model variant asks for the products of digits, once in a
run, and works out products from this table by long multiplication. ``layout.toml`` has what the variants are called,
and what was published."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from commonsense_lab.runner.runner import spent
from commonsense_lab.studies.multiplication.study import (
    DIGIT_PAIRS,
    MODEL,
    POLICY,
    SUITE,
    DigitTable,
    MultiplicationLabels,
    ProductsOutcome,
    ProductsRow,
    TableOutcome,
    TableRow,
    Wrong,
    drawn_pair,
    last_number,
    long_multiplication,
)
from commonsense_lab.studies.solve_study import Setup, labels_of
from commonsense_planning.embedded.answers import answer
from commonsense_planning.llm.model import Usage
from commonsense_planning.llm.models import own_models
from commonsense_planning.wording.questions import Question, Scene

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


VARIANTS = (POLICY, MODEL)
BLOCK = 25  # pairs of an episode, whose questions go out together
table_labels = labels_of(TableRow, MultiplicationLabels)
products_labels = labels_of(ProductsRow, MultiplicationLabels)


@dataclass(frozen=True, kw_only=True)
class MultiplicationSetup(Setup):
    """What all episodes of a run share."""

    def labels(self, key: str, variant: str, seed: int) -> dict[str, Any]:
        """Returns what the rows of a variant have in common."""
        return self.shared_labels(SUITE, key) | {
            "seed": seed,
            "variant": variant,
            "model": self.model.name,
            "command": self.command.replace(SUITE, f"{SUITE} --methods {variant}", 1),
        }


@dataclass(frozen=True)
class TableEpisode:
    """Asks for the products of all pairs of digits; its row keeps the answers, in the order of ``DIGIT_PAIRS``."""

    setup: MultiplicationSetup

    @property
    def key(self) -> str:
        return f"{SUITE}: table of digits, {self.setup.text}"

    @property
    def labels(self) -> MultiplicationLabels:
        return table_labels(**self.setup.labels(self.key, MODEL, 0))

    def run(self) -> TableOutcome:
        """Asks. Raises MissingError or BudgetError where that is impossible."""
        return _ask(self.setup, self.key, 0, DIGIT_PAIRS)


@dataclass(frozen=True)
class BlockEpisode:
    """``trials`` pairs of numbers of ``digits`` digits, from pair number ``start`` on. With a ``table`` they are
    multiplied by it, without one the model is asked for each product."""

    digits: int
    seed: int
    start: int
    trials: int
    setup: MultiplicationSetup
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
    def labels(self) -> MultiplicationLabels:
        shared = self.setup.labels(self.key, self.variant, self.seed)
        return products_labels(**shared, digits=self.digits, start=self.start)

    def run(self) -> ProductsOutcome:
        """Multiplies."""
        pairs = [drawn_pair(self.digits, self.seed, self.start + index) for index in range(self.trials)]
        if self.table is None:
            asked = asdict(_ask(self.setup, self.key, self.seed, pairs))
            wrong = _wrong(pairs, asked.pop("answers"))
        else:
            started = time.perf_counter()
            wrong = _wrong(pairs, [_worked_out(first, second, self.table) for first, second in pairs])
            asked = {"seconds": round(time.perf_counter() - started, 4), **spent(Usage(), None)}
        return ProductsOutcome(trials=self.trials, successes=self.trials - len(wrong), wrong=wrong, **asked)


def block_episodes(
    setup: MultiplicationSetup,
    digits: Collection[int],
    tasks: int,
    seeds: int,
    variants: Collection[str],
    table: DigitTable | None,
) -> Iterator[BlockEpisode]:
    """Yields the episodes of ``tasks`` pairs for each number of digits and each seed; those of the model only with a
    ``table``."""
    for number in digits:
        for seed in range(seeds):
            for start in range(0, tasks, BLOCK):
                block = BlockEpisode(number, seed, start, min(BLOCK, tasks - start), setup)
                if POLICY in variants:
                    yield block
                if MODEL in variants and table is not None:
                    yield replace(block, table=table)


def _wrong(pairs: Sequence[tuple[int, int]], answers: Sequence[str | None]) -> list[Wrong]:
    return [
        Wrong(str(first), str(second), answer)
        for (first, second), answer in zip(pairs, answers, strict=True)
        if answer is None or last_number(answer) != first * second
    ]


def _worked_out(first: int, second: int, table: DigitTable) -> str | None:
    """Multiplies by long multiplication; the product as an answer."""
    try:
        return str(long_multiplication(first, second, table))
    except KeyError:
        return None


def _ask(setup: Setup, key: str, seed: int, pairs: Sequence[tuple[int, int]]) -> TableOutcome:
    """Asks a model for each product; None where there is no answer."""
    with own_models(setup.model, setup.limits, key, seed) as models:
        model = models.open_by_seed(Scene(), seed=seed)
        started = time.perf_counter()
        answers = model.ask([Product(first, second) for first, second in pairs], 1)
        seconds = round(time.perf_counter() - started, 4)
    return TableOutcome(
        answers=[texts[0] if texts else None for texts in answers],
        notes=model.take_notes(),
        model_note=model.note,
        seconds=seconds,
        **spent(model.usage, models.cost),
    )
