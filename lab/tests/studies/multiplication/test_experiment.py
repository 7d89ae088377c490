"""The multiplication experiment: its episodes, and what its report says of made-up rows."""

from typing import Any

import numpy as np
import pytest

from commonsense_lab.report.document import Commands, Grid
from commonsense_lab.report.plots import draw
from commonsense_lab.report.study import build
from commonsense_lab.runner.rows import as_json
from commonsense_lab.studies.multiplication.experiment import (
    VARIANTS,
    BlockEpisode,
    MultiplicationSetup,
    Product,
    TableEpisode,
    block_episodes,
)
from commonsense_lab.studies.multiplication.study import DIGIT_PAIRS, DigitTable, digit_table, drawn_pair
from commonsense_planning.llm.embedded import EmbeddedModel
from lab.tests.report.lines import Row, grids, lines

SETUP = MultiplicationSetup(command="cplan bench multiplication --tasks 9 -o results")
PERFECT: DigitTable = {(a, b): a * b for a, b in DIGIT_PAIRS}


def blocks(tasks: int = 60, table: DigitTable | None = PERFECT, **others: Any) -> list[BlockEpisode]:
    arguments = {"digits": (1, 3), "seeds": 2, "variants": VARIANTS, **others}
    return list(block_episodes(SETUP, tasks=tasks, table=table, **arguments))


def row(episode: BlockEpisode | TableEpisode) -> Row:
    return {**as_json(episode.labels), **as_json(episode.run())}


def test_blocks_cover_all_pairs_for_both_variants() -> None:
    wanted = blocks()
    assert len({episode.key for episode in wanted}) == len(wanted) == 2 * 2 * 2 * 3
    for variant in VARIANTS:
        shares = [(e.start, e.trials) for e in wanted if (e.variant, e.digits, e.seed) == (variant, 3, 1)]
        assert shares == [(0, 25), (25, 25), (50, 10)]


def test_a_product_that_needs_a_missing_entry_is_wrong() -> None:
    table = {pair: entry for pair, entry in PERFECT.items() if 7 not in pair}
    for episode in blocks(50, table, variants=["model"]):
        drawn = (drawn_pair(episode.digits, episode.seed, episode.start + i) for i in range(episode.trials))
        sevens = [pair for pair in drawn if "7" in str(pair)]
        found = episode.run()
        assert [(int(entry.first), int(entry.second)) for entry in found.wrong] == sevens
        assert {entry.answer for entry in found.wrong} <= {None}


def test_answers_that_are_no_numbers_leave_the_table_without_an_entry() -> None:
    answers: list[str | None] = [f"{a} × {b} = {a * b}" for a, b in DIGIT_PAIRS]
    answers[78], answers[99] = "no idea", None
    assert digit_table(answers) == {pair: entry for pair, entry in PERFECT.items() if pair not in ((7, 8), (9, 9))}


def cell(grid: Grid, method: str, column: str) -> list[str]:
    line = next(cells for cells in grid.rows if cells[0].startswith(method))
    return line[grid.head.index(column)].split("\n")


def test_the_report_has_rates_with_intervals_and_the_published_ones_apart() -> None:
    report = build(lines([row(TableEpisode(SETUP)), *map(row, blocks(50))]))
    rates, costs = grids(*report.sections)
    assert rates.head == ("method", "1 digit", "3 digits")
    assert cell(rates, "embedded policy", "1 digit") == ["100.0", "[96.3, 100.0]"]
    assert cell(rates, "GPT4, published", "1 digit") == ["100"] and cell(rates, "GPT4", "3 digits") == ["–"]
    assert cell(rates, "embedded policy", "3 digits") == ["0.0", "[0.0, 3.7]"]
    assert cell(rates, "embedded model", "3 digits") == ["100.0", "[96.3, 100.0]"]
    assert cell(costs, "embedded policy", "products") == ["200"]
    assert cell(costs, "embedded policy", "wrong") == ["100"]
    assert cell(costs, "embedded policy", "questions") == ["200"]
    assert cell(costs, "embedded model", "questions") == ["100"]
    assert cell(costs, "embedded policy", "US $") == ["–"]
    (chart,) = report.charts
    drawn = (line[0].get_xydata().tolist() for line in draw(chart).axes[0].containers)
    assert [*drawn] == [[[1, 100], [3, 0]], [[1, 100]], [[1, 100], [3, 100]]]
    (commands,) = (part for part in report.sections[0].parts if isinstance(part, Commands))
    assert commands.lines[0] == ("embedded policy", "cplan bench multiplication --methods policy --tasks 9 -o results")


def test_of_two_runs_with_more_and_fewer_pairs_no_pair_counts_twice() -> None:
    rows = [row(episode) for tasks in (30, 50, 40) for episode in blocks(tasks, None)]
    rates, costs = grids(*build(lines(rows)).sections)
    assert cell(costs, "embedded policy", "products") == ["200"]
    assert cell(rates, "embedded policy", "1 digit")[1] == "[96.3, 100.0]"
    assert cell(rates, "embedded model", "1 digit") == ["–"]


def test_wrong_entries_of_the_table_are_named() -> None:
    asked, others = row(TableEpisode(SETUP)), [*map(row, blocks())]
    assert "all 100 entries are right" in str(build(lines([asked, *others])).sections)
    asked["answers"][78], asked["answers"][99] = "7 × 8 = 54", None
    told = "2 of 100 entries are wrong: 7 × 8 = 54, 9 × 9 = no number."
    assert told in str(build(lines([asked, *others])).sections)
    asked["answers"] = ["none"] * 100
    text = str(build(lines([asked, *others])).sections)
    assert "100 of 100 entries are wrong: 0 × 0 = no number" in text and "and 90 more" in text


@pytest.mark.parametrize(
    ("first", "second", "answer"), [(7, 8, "56"), (12, 12, "144"), (0, 9, "0"), (13, 3, "30"), (48, 53, "2500")]
)
def test_products_are_known_by_heart_or_guessed(first: int, second: int, answer: str) -> None:
    model = EmbeddedModel(np.random.default_rng(0))
    assert model.answers(Product)
    assert model.ask([Product(first, second)], 2) == [[answer, answer]]
