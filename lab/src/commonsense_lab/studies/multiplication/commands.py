"""``cplan bench multiplication``: products from a model, and from its table of digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from commonsense_lab.cli.options import names_option, numbers
from commonsense_lab.studies.bench_command import Bench, bench_command
from commonsense_planning.cli.options import count_option, names
from commonsense_planning.errors import check_known

if TYPE_CHECKING:
    from commonsense_lab.runner.runner import Episode


MOST_DIGITS = 100
EPILOG = """\b
Examples:
  cplan bench multiplication -o results
  cplan bench multiplication --digits 1,2,4,5 --tasks 50 --model openai:gpt-4o-mini --max-usd 1 -o results
  cplan bench multiplication --methods policy --model openai:m --record answers.jsonl -o results

\b
The example with which "Large Language Models as Commonsense Knowledge for Large-Scale Task Planning" begins
(section 1). The method "policy" asks the model for each product. The method "model" asks it for the 100
products of two digits, once, and multiplies by long multiplication with that table, right or wrong.
The embedded model knows products up to 12 × 12 by heart and guesses the others. With --cache each seed has
a separate file: answers.jsonl becomes answers.SEED.jsonl.
"""


@bench_command(
    "multiplication",
    "Products from a model, and by long multiplication.",
    EPILOG,
    click.option(
        "--digits", default="1-12", show_default=True, metavar="A-B,C", help="How many digits both numbers have."
    ),
    count_option("--tasks", 100, "Pairs per number of digits and seed."),
    count_option("--seeds", 3, "Each draws its own pairs."),
    names_option("--methods", "Which of the two.", "policy,model"),
    unsaid=("methods",),
)
def bench(given: Bench, /, digits: str, tasks: int, seeds: int, methods: str) -> int:
    """Have a model multiply, and multiply by what it knows of digits; write the report to the folder of the results."""
    from commonsense_lab.runner.rows import read_lines
    from commonsense_lab.studies.multiplication.experiment import (
        VARIANTS,
        MultiplicationSetup,
        Product,
        TableEpisode,
        block_episodes,
    )
    from commonsense_lab.studies.multiplication.study import MODEL, TableRow, digit_table

    setup = MultiplicationSetup(**given.shared)
    wanted = numbers("--digits", digits, 1, MOST_DIGITS)
    variants = names(methods)
    check_known("method", variants, VARIANTS)

    def stages() -> Iterator[Sequence[Episode]]:
        table = None
        if MODEL in variants:
            asking = TableEpisode(setup)
            yield [asking]
            found = [line for line in read_lines(given.running.out) if line.key == asking.key and not line.error]
            table = digit_table(found[0].row(TableRow).answers) if found else None
        yield list(block_episodes(setup, wanted, tasks, seeds, variants, table))

    return given.run(stages(), templates=Product.template.parent)
