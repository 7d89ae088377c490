"""Tables by task from rows: numbers worked out by hand, errors first, commands below."""

from dataclasses import replace
from typing import Any

import pytest

from commonsense_lab.report.document import ResultsReport, Section
from commonsense_lab.report.study import build
from commonsense_lab.report.task_tables import Column
from commonsense_lab.studies.virtualhome.experiment import layout
from commonsense_planning.errors import InputError
from lab.tests.report.lines import Row, cell, grids, lines
from lab.tests.studies.rearrangement.rows import row as any_row

COMMAND = "cplan bench household --repeats 3 -o results"


def row(task: str, variant: str, seed: int, status: str = "solved", **others: Any) -> Row:
    """A row of the household experiment."""
    spent = {"executability": 1.0, "steps": 4, "questions": 10, "seconds": 0.5}
    about = {"suite": "household", "tables": ["2"], "task": task, "variant": variant, "method": "llm-hill-climb"}
    asked = {"setup": "model embedded", "as_in_papers": True, "command": COMMAND}
    new = {"key": f"{task} {variant} {seed}", "status": status, **about, **asked, **spent}
    return {**any_row("mcts", "seen", "simple", 0, seed), **new, **others}


def rate(section: Section, line: str, column: str) -> str:
    """A cell of the table of rates."""
    return cell(grids(section)[0], line, column)


def only(report: ResultsReport) -> Section:
    (section,) = report.sections
    return section


def test_a_cell_has_rate_interval_and_published_rate() -> None:
    rows = [row("watch-tv", "none", seed, "solved" if seed else "unsolved") for seed in range(3)]
    section = only(build(lines(rows)))
    assert rate(section, "watch tv", "NG") == "0.67 [0.21, 0.94] / 1.00"
    assert rate(section, "watch tv", "LLG") == "– / 0.98"
    assert rate(section, "make toast", "G+S, dynamic") == "– / 0.86"


def test_published_rates_are_apart_from_rows_with_cplans_prompts() -> None:
    tasks = [line.task for line in layout().tables["2"].lines]
    section = only(build(lines([row(task, "none", 0, as_in_papers=False) for task in tasks])))
    assert rate(section, "watch tv, our prompts", "NG") == "1.00 [0.21, 1.00]"
    assert rate(section, "watch tv, published", "NG") == "1.00"
    assert rate(section, "make toast, published", "NG") == "0.02"
    assert rate(section, "task averages, our prompts", "NG") == "1.00 [0.72, 1.00]"
    assert rate(section, "task averages, published", "NG") == "0.41"
    (lots,) = (cells for cells in grids(section)[0].rows if cells[0].startswith("lots drawn"))
    assert lots[1:3] == ("0.43", "–")


def test_a_program_is_never_asked_for_as_published() -> None:
    section = only(build(lines([row("watch-tv", "program", 0, tables=["programs"])])))
    assert rate(section, "watch tv, our prompts", "program") == "1.00 [0.21, 1.00]"
    assert rate(section, "watch tv, published", "program") == "0.20"


def test_an_average_needs_all_tasks() -> None:
    tasks = [line.task for line in layout().tables["2"].lines]
    rows = [row(task, "none", 0, "solved" if task < "m" else "unsolved") for task in tasks]
    solved = sum(task < "m" for task in tasks)
    assert rate(only(build(lines(rows))), "task averages", "NG").startswith(f"{solved / 10:.2f} [")
    assert rate(only(build(lines(rows[1:]))), "task averages", "NG") == "– / 0.41"


def test_costs_are_means_with_standard_errors() -> None:
    rows = [row("watch-tv", "none", 0, steps=2, usd=0.01), row("watch-tv", "none", 1, steps=4, usd=0.03)]
    _, grid = grids(only(build(lines(rows))))
    assert grid.head[3:] == ("steps", "questions", "calls", "tokens", "US $", "seconds")
    (costs,) = grid.rows
    assert costs[:5] == ("NG (none)", "2", "100 %", "3.0 ± 1.0", "10.0 ± 0.0")
    assert costs[5:] == ("0.0 ± 0.0", "0.0 ± 0.0", "0.0200 ± 0.0100", "0.5 ± 0.0")


def test_two_setups_are_two_tables() -> None:
    other = row("watch-tv", "none", 0, key="other", setup="model openai:x", model="openai:x", status="unsolved")
    first, second, both = build(lines([row("watch-tv", "none", 0), other])).sections
    assert both.title == "Household: models on the same tasks"
    assert rate(first, "watch tv", "NG").startswith("1.00")
    assert rate(second, "watch tv", "NG").startswith("0.00")


def test_rows_of_an_unknown_experiment_are_refused() -> None:
    with pytest.raises(InputError, match="no experiment 'cooking'; there is .*household"):
        build(lines([row("watch-tv", "none", 0, suite="cooking")]))


def test_published_averages_are_those_of_the_published_numbers() -> None:
    for table in layout().tables.values():
        for average in table.averages:
            if average.original or not average.published:
                continue
            for number, column in enumerate(table.columns):
                mean = sum(line.published[number] for line in table.lines) / len(table.lines)
                assert average.published[number] == pytest.approx(mean, abs=0.0101), (table.name, column.head)


def test_every_line_has_a_number_for_every_column() -> None:
    suite = layout()
    for table in suite.tables.values():
        assert {column.variant for column in table.columns} <= set(suite.variants)
        for line in (*table.lines, *table.averages):
            assert len(line.published) in (0, len(table.columns)), line


def test_a_table_of_modifications_shows_the_originals_too() -> None:
    table = layout().tables["4"]
    assert table.lines[1].task_of(Column("", "none", original=True)) == "throw-away-apple"
    assert ("throw-away-apple", "none") in set(table.cells)
    assert ("throw-away-apple", "none") not in set(replace(table, columns=table.columns[3:]).cells)
