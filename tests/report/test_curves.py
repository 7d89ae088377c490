"""Success against budget."""

from __future__ import annotations

import pytest

from commonsense_planning.report.curves import (
    STEPS,
    curve_section,
    round_budgets,
    share_within,
    shared_episodes,
    success_curve,
)
from commonsense_planning.report.document import Curve, Curves, Grid
from commonsense_planning.runner.rows import PlanRow
from tests.report.lines import line
from tests.studies.rearrangement.rows import row


def episode(seconds: float, status: str = "solved", task: int = 0, calls: int = 0, questions: int = 0) -> PlanRow:
    numbers = {"seconds": seconds, "calls": calls, "questions": questions}
    return line({**row("mcts", "seen", "simple", 0, 0), **numbers, "status": status, "task": str(task)}).row(PlanRow)


def seconds(row: PlanRow) -> float:
    return row.seconds


def calls(row: PlanRow) -> float:
    return row.calls


ROWS = [episode(2.0), episode(0.5), episode(2.0), episode(1.0, "unsolved")]


def test_a_curve_steps_where_an_episode_is_solved() -> None:
    assert success_curve(ROWS, seconds, 9.0) == Curve((0.0, 0.5, 2.0, 9.0), (0.0, 25.0, 75.0, 75.0))


def test_what_costs_nothing_is_solved_from_the_start() -> None:
    assert success_curve([episode(1.0), episode(1.0, "unsolved")], calls, 5) == Curve((0.0, 5), (50.0, 50.0))


@pytest.mark.parametrize(("limit", "share"), [(0.4, 0.0), (0.5, 25.0), (1.9, 25.0), (2.0, 75.0), (100.0, 75.0)])
def test_share_within_a_budget(limit: float, share: float) -> None:
    assert share_within(ROWS, seconds, limit) == share


@pytest.mark.parametrize(
    ("costs", "budgets"),
    [
        ([3.0, 30.0], (2.0, 5.0, 10.0, 20.0, 50.0)),
        ([10.0, 100.0], (10.0, 20.0, 50.0, 100.0)),
        ([0.0, 7.0], (5.0, 10.0)),
        ([0.0], ()),
        ([0.02, 45.0], (0.02, 0.1, 0.5, 2.0, 10.0, 50.0)),
    ],
)
def test_round_budgets(costs: list[float], budgets: tuple[float, ...]) -> None:
    assert round_budgets(costs) == budgets
    assert len(budgets) <= STEPS


def test_only_shared_episodes_are_compared() -> None:
    lines = [("a", 0, [episode(1.0, task=1), episode(1.0, task=2)]), ("b", 1, [episode(3.0, task=2)])]
    (_, _, first), (_, _, second) = shared_episodes(lines, lambda row: row.task)
    assert [row.task for row in first] == [row.task for row in second] == ["2"]


def test_a_section_has_seconds_and_calls() -> None:
    lines = [("a", 0, [episode(0.5, calls=3)]), ("b", 1, [episode(200.0, "unsolved", calls=4)])]
    section = curve_section("title", "name", lines, lambda row: row.task)
    assert section is not None
    (chart,) = (part for part in section.parts if isinstance(part, Curves))
    assert [(panel.budget, panel.log) for panel in chart.panels] == [
        ("seconds per episode", True),
        ("calls per episode", False),
    ]
    _, calls = (part for part in section.parts if isinstance(part, Grid))
    assert calls.head == ("method", "2 calls", "5 calls")
    assert calls.rows == (("a", "0.0", "100.0"), ("b", "0.0", "0.0"))


def test_without_calls_questions_count() -> None:
    section = curve_section("title", "name", [("a", 0, [episode(0.5, questions=7)])], lambda row: row.task)
    assert section is not None
    _, questions = (part for part in section.parts if isinstance(part, Grid))
    assert questions.head == ("method", "5 questions", "10 questions")


def test_nothing_in_common_is_no_section() -> None:
    lines = [("a", 0, [episode(0.5, task=1)]), ("b", 1, [episode(0.5, task=2)])]
    assert curve_section("title", "name", lines, lambda row: row.task) is None
