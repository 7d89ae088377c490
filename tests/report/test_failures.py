"""Failures by cause."""

from __future__ import annotations

from collections import defaultdict

from commonsense_planning.report.charts import Stacks
from commonsense_planning.report.document import Grid
from commonsense_planning.report.failures import cause_section, count_causes, failure_section
from commonsense_planning.report.method_layout import Cell, read_method_suite
from commonsense_planning.runner.rows import Row

TABLE = read_method_suite("rearrangement").tables["1"]
CAUSES = TABLE.causes
ROWS: list[Row] = [
    {"status": "solved", "cause": ""},
    {"status": "unsolved", "cause": "model"},
    {"status": "invalid", "cause": "policy"},
    {"status": "budget", "cause": "budget"},
    {"status": "unsolved", "cause": "policy"},
]


def test_causes_are_counted_in_their_order() -> None:
    assert list(count_causes(ROWS, CAUSES).items()) == [("policy", 2), ("model", 1), ("translation", 0), ("budget", 1)]


def test_a_cause_without_a_meaning_is_not_lost() -> None:
    assert list(count_causes([*ROWS, {"status": "unsolved", "cause": "rain"}], CAUSES))[-1] == "rain"


def test_a_section_has_numbers_and_shares() -> None:
    cells: defaultdict[Cell, list[Row]] = defaultdict(list, {("unseen", "comp", "mcts"): ROWS})
    lines = [line for line in TABLE.lines if line.variant == "mcts"]
    section = failure_section(TABLE, "title", "name", lines, cells)
    seen, unseen = (part for part in section.parts if isinstance(part, Grid))
    assert seen.rows == (("LLM-MCTS", "–", "–", "–", "–", "–"),)
    assert unseen.rows[0][2] == "4 of 5\npolicy 2\nmodel 1\nbudget 1"
    (chart,) = (part for part in section.parts if isinstance(part, Stacks))
    assert chart.parts == tuple(CAUSES)
    assert [part[1][1] for part in chart.panels[0].shares] == [40.0, 20.0, 0.0, 20.0]
    assert chart.panels[0].shares[0][0] == (None, None)


def test_every_cause_is_explained() -> None:
    text = " ".join(str(part) for part in cause_section(CAUSES).parts)
    assert all(f"{cause}: {meaning}" in text for cause, meaning in CAUSES.items())
