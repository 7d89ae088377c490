"""Multiplication of large numbers: long multiplication with a table of digit products, the pairs of an experiment, the
last number of an answer; the rows of the experiment, and its sections of a report.

"Large Language Models as Commonsense Knowledge for Large-Scale Task Planning", section 1: the table is what a model
knows, long multiplication takes the place of the search."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from commonsense_lab.report.document import NOTHING, Chart, Commands, Grid, Section
from commonsense_lab.report.method_layout import spoken_by
from commonsense_lab.report.plots import Points, line_chart
from commonsense_lab.report.study import Study
from commonsense_lab.runner.rows import Asked, Labels
from commonsense_planning.matching.answers import LONGEST, text_of
from commonsense_planning.support.statistics import Difference, Rate, rate

DigitTable = Mapping[tuple[int, int], int]
"""Pair of digits → their product, right or wrong."""

DIGIT_PAIRS = tuple((first, second) for first in range(10) for second in range(10))
"""The 100 pairs of digits, (0, 0) first."""


def long_multiplication(first: int, second: int, table: DigitTable) -> int:
    """Multiplies two numbers of at least 0, digit by digit with carries; it looks up every product of digits in
    ``table``, with the digit of ``first`` before that of ``second``.

    With an entry (a, b) that is wrong by e, the product is wrong by e times the sum of 10^(i + j) over all places i of
    a in ``first`` and j of b in ``second``. Raises KeyError for an entry that is needed and that the table lacks."""
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
    """Returns the table of answers in the order of ``DIGIT_PAIRS``, without entries where they have no number."""
    found = zip(DIGIT_PAIRS, answers, strict=True)
    numbers = {pair: last_number(answer) for pair, answer in found if answer is not None}
    return {pair: number for pair, number in numbers.items() if number is not None}


def wrong_entries(table: DigitTable) -> dict[tuple[int, int], int | None]:
    """Returns the wrong entries of a table: pair of digits → entry, None for a missing one."""
    return {(a, b): table.get((a, b)) for a, b in DIGIT_PAIRS if table.get((a, b)) != a * b}


def drawn_pair(digits: int, seed: int, index: int) -> tuple[int, int]:
    """Draws pair number ``index`` of two numbers of exactly ``digits`` digits uniformly; 0 has one digit. Each pair has
    a separate generator, so that it does not depend on how many are drawn."""
    rng = np.random.default_rng((seed, digits, index))
    least = 0 if digits == 1 else 1
    drawn = ([rng.integers(least, 10), *rng.integers(0, 10, size=digits - 1)] for _ in range(2))
    first, second = (int("".join(map(str, number))) for number in drawn)
    return first, second


_SPACES = " \u00a0\u2009\u202f"
# groups of three digits behind a separator, always the same one; between commas, groups of two as in India
_GROUPED = rf"\d{{1,3}}(?:(?P<mark>[{_SPACES}.'’_])\d{{3}}(?:(?P=mark)\d{{3}})*|(?:,\d{{2,3}})*,\d{{3}})"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-−])?(?P<whole>(?:{_GROUPED})(?!\d)|\d+)(?P<fraction>[.,]\d+)?(?!\w)", re.ASCII
)
_LATEX = re.compile(r"\{,\}|\\[,;!]")  # separators in formulas: 1{,}234 and 1\,234


def last_number(answer: str) -> int | None:
    """Returns the last number of an answer, whatever separates its thousands; None if there is none, or if it is not a
    whole number. What a reasoning model thinks first is ignored."""
    text = _LATEX.sub("", text_of(answer, 50 * LONGEST)[-LONGEST:])
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    sign, whole, fraction = found[-1].group("sign", "whole", "fraction")
    if fraction is not None and fraction[1:].strip("0"):
        return None
    number = int(re.sub(r"\D", "", whole))
    return -number if sign else number


SUITE = "multiplication"
POLICY, MODEL = "policy", "model"
SHOWN = 10  # wrong entries of a table that are named
PUBLISHED, PUBLISHED_COLOUR = "GPT4, published", 5


@dataclass(frozen=True, kw_only=True)
class MultiplicationLabels(Labels):
    """``variant`` is ``POLICY`` or ``MODEL``."""

    variant: str
    model: str


@dataclass(frozen=True, kw_only=True)
class TableOutcome(Asked):
    """``answers``: in the order of ``DIGIT_PAIRS``, None where none came."""

    answers: list[str | None]
    notes: list[str]
    model_note: str


@dataclass(frozen=True, kw_only=True)
class TableRow(MultiplicationLabels, TableOutcome):
    """The answers to the products of digits."""

    part: Literal["table"] = "table"


@dataclass(frozen=True)
class Wrong:
    """A wrong product: both numbers, as texts, since 24 digits are many for JSON, and the answer, None for none."""

    first: str
    second: str
    answer: str | None


@dataclass(frozen=True, kw_only=True)
class ProductsOutcome(Asked):
    """``successes`` of ``trials`` pairs are right, which are ``wrong``; ``notes`` and ``model_note`` of a model, if one
    was asked."""

    trials: int
    successes: int
    wrong: list[Wrong]
    notes: list[str] | None = None
    model_note: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProductsRow(MultiplicationLabels, ProductsOutcome):
    """Pairs of numbers of ``digits`` digits, the first of which is pair number ``start``."""

    part: Literal["products"] = "products"
    digits: int
    seed: int
    start: int


MultiplicationRow = TableRow | ProductsRow


@dataclass(frozen=True)
class Variant:
    """A row: its label, the number of its colour, and number of digits → right products in % as published."""

    name: str
    label: str
    colour: int
    published: Mapping[int, float]


def _sections(setup: str, rows: Sequence[MultiplicationRow], name: str) -> Iterator[Section]:
    """Makes the sections of rows of one setup; ``name`` starts the names of the charts."""
    layout = tomllib.loads(Path(__file__).with_name("layout.toml").read_text(encoding="utf-8"))
    variants = []
    for key, entry in layout["variants"].items():
        published = {int(digits): float(share) for digits, share in entry.get("published", {}).items()}
        variants.append(Variant(key, spoken_by(entry["label"], rows[0].model), entry["colour"], published))
    tables = [row for row in rows if isinstance(row, TableRow)]
    blocks = _blocks([row for row in rows if isinstance(row, ProductsRow)])
    legend = (
        f"Setup: {setup}. Right products in % of all pairs, whose two numbers have that many digits each; in brackets "
        f"the 95 % Wilson interval. The prompts are ours; the published numbers ({layout['source']}) are of others. "
        f"{NOTHING}: not run, or not published. {layout['in_words']}"
    )
    sizes = sorted({digits for _, digits in blocks})
    grid, lines = _accuracies(variants, blocks, sizes), _lines(variants, blocks, sizes, f"{name}-accuracy")
    of_variants = [(variant, [row.command for row in rows if row.variant == variant.name]) for variant in variants]
    commands = [(variant.label, command) for variant, its in of_variants for command in dict.fromkeys(its)]
    yield Section(layout["title"], (legend, grid, lines, *map(_table_in_words, tables), Commands(tuple(commands))))
    told = "Sums over all pairs; those of the model have the questions for the table of digits in them:"
    yield Section("Multiplication: costs", (told, _costs(variants, tables, blocks)), 3)


Blocks = Mapping[tuple[str, int], Sequence[ProductsRow]]
"""Variant and number of digits → the rows of its pairs."""


def _blocks(rows: Sequence[ProductsRow]) -> Blocks:
    """Groups the rows; of two rows with the same first pair, which a run with more pairs leaves, it takes the
    longer."""
    longest: dict[tuple[str, int, int, int], ProductsRow] = {}
    for row in rows:
        place = row.variant, row.digits, row.seed, row.start
        if place not in longest or row.trials > longest[place].trials:
            longest[place] = row
    blocks: defaultdict[tuple[str, int], list[ProductsRow]] = defaultdict(list)
    for (variant, digits, *_), row in sorted(longest.items(), key=lambda item: item[0]):
        blocks[variant, digits].append(row)
    return blocks


def _rate(blocks: Blocks, variant: str, digits: int) -> Rate | None:
    rows = blocks.get((variant, digits))
    return rate(sum(row.successes for row in rows), sum(row.trials for row in rows)) if rows else None


def _accuracies(variants: Sequence[Variant], blocks: Blocks, sizes: Sequence[int]) -> Grid:
    heads = (f"{digits} digit{'s' * (digits > 1)}" for digits in sizes)
    ours = ((variant.label, *(_cell(_rate(blocks, variant.name, n)) for n in sizes)) for variant in variants)
    shares = [variant.published for variant in variants if variant.published]
    theirs = ((PUBLISHED, *(f"{of[n]:.0f}" if n in of else NOTHING for n in sizes)) for of in shares)
    return Grid(("method", *heads), (*ours, *theirs))


def _cell(found: Rate | None) -> str:
    return NOTHING if found is None else f"{100 * found.value:.1f}\n[{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _lines(variants: Sequence[Variant], blocks: Blocks, sizes: Sequence[int], name: str) -> Chart:
    series = []
    for variant in variants:
        rates = [(digits, found) for digits in sizes if (found := _rate(blocks, variant.name, digits))]
        if rates:
            percent = [(digits, Difference(100 * r.value, 100 * r.low, 100 * r.high)) for digits, r in rates]
            series.append(Points(variant.label, variant.colour, percent))
        published = [(digits, share) for digits, share in variant.published.items() if digits in dict(rates)]
        if published:
            series.append(Points(PUBLISHED, PUBLISHED_COLOUR, published))
    title = "Right products in %, with 95 % Wilson intervals, and the published ones"
    return line_chart(name, title, "digits of each number", "right products, %", series)


def _table_in_words(row: TableRow) -> str:
    """Says how good the model's table of digits is."""
    wrong = wrong_entries(digit_table(row.answers))
    if not wrong:
        return f"The model's table of digits: all {len(DIGIT_PAIRS)} entries are right."
    named = [f"{a} × {b} = {'no number' if entry is None else entry}" for (a, b), entry in wrong.items()]
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    return (
        f"The model's table of digits: {len(wrong)} of {len(DIGIT_PAIRS)} entries are wrong: "
        f"{', '.join(named[:SHOWN])}{more}. A product that needs one of them is wrong, unless errors cancel "
        "out, and no other is."
    )


def _costs(variants: Sequence[Variant], tables: Sequence[TableRow], blocks: Blocks) -> Grid:
    lines = []
    for variant in variants:
        products = [row for (name, _), found in blocks.items() if name == variant.name for row in found]
        paid: list[MultiplicationRow] = [*(tables if variant.name == MODEL else ()), *products]
        wrong = [entry for row in products for entry in row.wrong]
        usd = [row.usd for row in paid if row.usd is not None]
        sums = [sum(row.trials for row in products), len(wrong), sum(entry.answer is None for entry in wrong)]
        sums += [sum(getattr(row, name) for row in paid) for name in ("questions", "calls", "tokens")]
        money, seconds = f"{sum(usd):.4f}" if usd else NOTHING, f"{sum(row.seconds for row in paid):.2f}"
        lines.append((variant.label, *map(str, sums), money, seconds))
    head = ("method", "products", "wrong", "of these unanswered", "questions", "calls", "tokens", "US $", "seconds")
    return Grid(head, tuple(lines))


STUDY: Study[Any] = Study(
    lambda line: line.row(TableRow) if line.data.get("part") == "table" else line.row(ProductsRow), _sections
)
