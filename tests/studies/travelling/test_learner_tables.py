"""The learner's tables from rows: numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from commonsense_planning.report.document import Commands, Grid, Lines, Section
from commonsense_planning.report.study import build
from tests.report.lines import Row, lines

COMMAND = "cplan bench learner airports.dat routes.dat -o results"
ALL, HELD_OUT = "Model or policy: every pair is taught", "Model or policy: some pairs are held out"


def row(cities: int, kind: str, seed: int, right: int, regime: str = "all", **others: Any) -> Row:
    """A test of 100 pairs, 60 of them with direct flights, which come first."""
    return {
        "key": f"{cities} {kind} {regime} {seed}",
        "suite": "learner",
        "cities": cities,
        "kind": kind,
        "regime": regime,
        "seed": seed,
        "setup": "flights of a and b",
        "command": COMMAND,
        "version": "0.1",
        "training_steps": 1000,
        "size": cities,
        "flights": 10 * cities,
        "shown": 5 * cities,
        "trials": 100,
        "successes": right,
        "accuracy": right / 100,
        "shortest": right // 2,
        "by_distance": {"1": [60, min(60, right)], "2": [40, max(0, right - 60)]},
        "examples": 1234 if kind == "policy" else cities,
        "drawn": 256000,
        "parameters": 100000,
        "loss": 0.5 + seed,
        "seconds": 10.0,
        **others,
    }


ROWS = [
    row(50, "model", 0, 100),
    row(50, "model", 1, 90),
    row(50, "policy", 0, 80),
    row(50, "policy", 1, 60),
    row(25, "policy", 0, 100),
]


def section(rows: list[Row], title: str = ALL) -> Section:
    return next(section for section in build(lines(rows)).sections if section.title == title)


def grid(found: Section) -> Grid:
    return next(part for part in found.parts if isinstance(part, Grid))


def test_a_line_has_means_over_seeds_and_the_gap() -> None:
    table = grid(section(ROWS))
    assert table.head[:5] == ("cities", "flights", "policy", "model", "gap")
    small, large = table.rows
    assert small == ("25", "250", "100.0", "–", "–", "50.0", "–")
    # shares 80 and 60, 100 and 90, gaps 20 and 30: half their distance is the standard error of two
    assert large == ("50", "500", "70.0 ± 10.0", "95.0 ± 5.0", "25.0 ± 5.0", "35.0 ± 5.0", "47.5 ± 2.5")


def test_the_gap_is_between_networks_of_one_seed() -> None:
    (line,) = grid(section([row(50, "model", 0, 100), row(50, "policy", 1, 60)])).rows
    assert line[4] == "–"


def test_the_chart_has_a_line_with_errors_for_each_kind() -> None:
    (chart,) = (part for part in section(ROWS).parts if isinstance(part, Lines))
    assert (chart.name, chart.log_x, chart.log_y) == ("learner-all", True, False)
    policy, model = chart.series
    assert (policy.label, policy.x, policy.y) == ("policy", (25.0, 50.0), (100.0, 70.0))
    assert policy.low is not None
    assert policy.high is not None
    assert list(policy.low) == pytest.approx([100, 60])
    assert list(policy.high) == pytest.approx([100, 80])
    assert (model.label, model.x, model.y) == ("model", (50.0,), (95.0,))


def test_right_routes_by_the_flights_that_they_need() -> None:
    found = section(ROWS, "By number of flights")
    assert grid(found) == Grid(
        ("cities", "1 flight", "2 flights"),
        (
            ("25", "100.0 / –\n[60 %]", "100.0 / –\n[40 %]"),
            ("50", "100.0 / 100.0\n[60 %]", "25.0 / 87.5\n[40 %]"),
        ),
    )


def test_distances_that_hardly_occur() -> None:
    rare = row(50, "model", 0, 100, by_distance={"1": [999, 999], "3": [1, 0]})
    assert grid(section([rare, row(25, "model", 0, 100)], "By number of flights")).rows == (
        ("25", "– / 100.0\n[60 %]", "– / 100.0\n[40 %]", "–"),
        ("50", "– / 100.0\n[100 %]", "–", "– / 0.0\n[0.1 %]"),
    )


def test_what_was_learned_from() -> None:
    lines = grid(section(ROWS, "What was learned from")).rows
    assert [line[0] for line in lines] == ["25, policy", "50, policy", "50, model"]
    assert lines[1][1:] == ("100,000", "250", "1,234", "256,000", "1.000 ± 0.500", "10.0 ± 0.0")


def test_regimes_have_tables_of_their_own() -> None:
    titles = [section.title for section in build(lines([*ROWS, row(25, "model", 0, 7, "held-out")])).sections]
    assert titles == [
        ALL,
        "By number of flights",
        "What was learned from",
        HELD_OUT,
        "By number of flights",
        "What was learned from",
    ]


def test_a_network_without_anything_to_test_is_in_no_table() -> None:
    empty = row(3, "policy", 0, 0, "held-out", trials=0, accuracy=None, by_distance={})
    assert [s.title for s in build(lines([empty])).sections] == []
    assert len(grid(section([*ROWS, {**empty, "regime": "all"}])).rows) == 2


def test_the_command_stands_below() -> None:
    assert section(ROWS).parts[-1] == Commands((("", COMMAND),))
