"""Tables by method from rows: numbers worked out by hand."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest

from commonsense_lab.report.document import Chart, Commands, Section
from commonsense_lab.report.method_layout import Cell
from commonsense_lab.report.method_tables import (
    STEPS,
    count_causes,
    curve_section,
    failure_section,
    rate_over_seeds,
    round_budgets,
    share_within,
    shared_episodes,
    success_curve,
)
from commonsense_lab.report.plots import draw
from commonsense_lab.report.study import build
from commonsense_lab.runner.rows import DecisionRow, PlanRow
from commonsense_lab.studies.rearrangement.experiment import layout
from lab.tests.report.lines import Row, grids, line, lines
from lab.tests.studies.rearrangement.rows import row


def episodes(variant: str, seed: int, solved: int, of: int, **others: object) -> list[Row]:
    """Simple tasks in the seen home, asked as in the papers; the first ``solved`` are solved."""
    others = {"as_in_papers": True, **others}
    status = ["solved" if task < solved else "unsolved" for task in range(of)]
    cause = ["" if task < solved else "policy" for task in range(of)]
    return [
        row(variant, "seen", "simple", task, seed, **{"status": status[task], "cause": cause[task], **others})
        for task in range(of)
    ]


def section(rows: Iterable[Row], title: str = "Table 1. Main results") -> Section:
    return next(section for section in build(lines(list(rows))).sections if section.title == title)


def cell(found: Section, label: str, column: str = "Simple", block: int = 0) -> list[str]:
    """The lines at a place of a block: the seen home is the first."""
    grid = grids(found)[block]
    return next(cells[grid.head.index(column)] for cells in grid.rows if cells[0] == label).split("\n")


def axes_of(found: Section) -> list[Any]:
    """The panels of its chart, drawn."""
    (chart,) = (part for part in found.parts if isinstance(part, Chart))
    return draw(chart).axes


def test_a_cell_has_mean_over_seeds_interval_and_published_rate() -> None:
    rows = [*episodes("mcts", 0, 4, 4), *episodes("mcts", 1, 2, 4), *episodes("policy", 0, 2, 2)]
    rows += episodes("policy", 1, 2, 2)
    found = section(rows)
    assert cell(found, "embedded policy") == ["100.0 ± 0.0", "[51.0, 100.0]", "/ 83.4 ± 6.8"]
    assert "4 to 8 tasks a cell." in str(found.parts[0])
    # 6 of 8: Wilson's interval by hand is 0.409 to 0.929
    assert cell(found, "embedded-MCTS") == ["75.0 ± 25.0", "[40.9, 92.9]"]
    assert "its standard error over 2 seeds" in str(found.parts[0])


def test_published_numbers_are_apart_from_rows_with_cplans_prompts() -> None:
    ours = [*episodes("policy", 0, 2, 2, as_in_papers=False), *episodes("mcts", 0, 2, 2, as_in_papers=False)]
    nobody_asked = episodes("uct-20000", 0, 0, 2, as_in_papers=False, questions=0)
    found = section([*ours, *nobody_asked])
    assert cell(found, "embedded policy, our prompts") == ["100.0 ± 0.0", "[34.2, 100.0]"]
    assert cell(found, "embedded-MCTS, our prompts") == ["100.0 ± 0.0", "[34.2, 100.0]"]
    assert cell(found, "GPT3.5 Policy, published") == ["83.4 ± 6.8"]
    assert cell(found, "GPT3.5 Policy, published", block=1) == ["74.3 ± 5.0"]
    assert cell(found, "UCT, 20,000 simulations")[-1] == "/ 0.0 ± 0.0"
    (_, _, _, diamonds), _ = (axis.containers for axis in axes_of(found))
    assert list(diamonds[0].get_ydata()) == [0.0] * 5, "those of UCT alone"


def test_one_seed_has_the_binomial_error_which_the_legend_names() -> None:
    found = section(episodes("replan", 0, 3, 4))
    assert cell(found, "embedded replanning")[0] == "75.0 ± 21.7"
    assert "binomial standard error over the episodes of the one seed" in str(found.parts[0])
    rows = [*episodes("mcts", 0, 4, 4), *episodes("mcts", 1, 2, 4), *episodes("uct", 0, 0, 4)]
    assert "or with one seed the binomial one" in str(section(rows).parts[0])


def test_the_share_of_the_expert_is_over_tasks_that_both_have_run() -> None:
    rows = [*episodes("mcts", 0, 3, 4), *episodes("mcts", 1, 2, 2), *episodes("expert", 0, 4, 5)]
    assert cell(section(rows), "embedded-MCTS / expert") == ["75.0 %"]
    assert [one[0] for one in grids(section(episodes("mcts", 0, 3, 9)))[0].rows][:1] == [
        "embedded-MCTS"
    ]  # no other was run


def test_seconds_per_decision_are_means_over_simple_episodes() -> None:
    rows = [
        *episodes("mcts", 0, 1, 1, decision_seconds=2.0, decisions=10),
        *episodes("mcts", 1, 1, 1, decision_seconds=4.0, decisions=10),
        *episodes("mcts", 2, 0, 1, decision_seconds=0.0, decisions=0),
        row("mcts", "seen", "comp", 0, 0, decision_seconds=90.0, decisions=1),
    ]
    found = section(rows, "Table 3. Seconds per decision on simple tasks")
    assert cell(found, "embedded-MCTS", "seconds per decision") == ["0.300 ± 0.100"]
    assert cell(found, "embedded-MCTS", "episodes") == ["2"]
    assert "embedded replanning" not in {one[0] for one in grids(found)[0].rows}  # it was not run


def test_published_seconds_are_shown_only_for_models_that_were_called() -> None:
    found = section(episodes("policy", 0, 1, 1, calls=3), "Table 3. Seconds per decision on simple tasks")
    assert cell(found, "embedded policy", "published") == ["1.19 ± 0.81"]
    found = section(episodes("policy", 0, 1, 1, calls=0), "Table 3. Seconds per decision on simple tasks")
    assert cell(found, "embedded policy", "published") == ["–"]


def test_methods_are_compared_on_the_tasks_that_both_have_run() -> None:
    longer = [{**one, "steps": 11 + n % 2} for n, one in enumerate(episodes("replan", 0, 9, 12))]
    rows = [*episodes("mcts", 0, 6, 10, steps=10), *longer, *episodes("policy", 1, 3, 4)]
    found = section(rows, "Table 1: against embedded-MCTS, task by task")
    (grid,) = grids(found)
    # 3 of 10 by hand: the middle is 3 / 12, the reach 1.96 * sqrt((4 / 12 - 1 / 16) / 12) = 0.2945
    # steps, 1 2 1 2 1 2 more where both solved: their deviation is 0.5477, Student's t of 5 degrees 2.571
    assert grid.rows == (("embedded replanning", "10", "3", "0", "+30.0 [-4.4, +54.4]", "6", "+1.5 [+0.9, +2.1]"),)


def test_each_row_has_its_command_and_equal_commands_are_listed_once() -> None:
    rows = [
        *episodes("mcts", 0, 1, 1, command="cplan one"),
        *episodes("uct", 0, 1, 1, command="cplan one"),
        *episodes("policy", 0, 1, 1, command="cplan two"),
        *episodes("policy", 1, 1, 1, command="cplan three"),
    ]
    (commands,) = (part for part in section(rows).parts if isinstance(part, Commands))
    assert commands.lines == (
        ("UCT, 100 simulations; embedded-MCTS", "cplan one"),
        ("embedded policy", "cplan two"),
        ("embedded policy", "cplan three"),
    )


def test_rows_that_were_run_for_one_table_count_in_another() -> None:
    rows = [*episodes("mcts", 0, 1, 1), *episodes("parallel", 0, 1, 1, tables=["ours"])]
    assert cell(section(rows, "Ours. What our additions give"), "embedded-MCTS")[0] == "100.0 ± 0.0"


def test_two_setups_have_separate_tables_and_charts() -> None:
    other = [{**found, "key": found["key"] + "x", "setup": "model x"} for found in episodes("mcts", 0, 0, 1)]
    report = build(lines([*episodes("mcts", 0, 1, 1), *other]))
    first, second = (found for found in report.sections if found.title.startswith("Table 1. "))
    assert (cell(first, "embedded-MCTS")[0], cell(second, "embedded-MCTS")[0]) == ("100.0 ± 0.0", "0.0 ± 0.0")
    names = [chart.name for chart in report.charts]
    assert len(set(names)) == len(names) == 6


def test_bars_are_rates_with_intervals_of_the_episodes_that_were_run() -> None:
    seen, unseen = axes_of(section(episodes("mcts", 0, 3, 4)))
    (bars,), (ends,) = seen.containers, seen.collections
    assert (bars.get_label(), [bar.get_height() for bar in bars]) == ("embedded-MCTS", [75.0])
    assert ends.get_segments()[0][:, 1] == pytest.approx([30.06, 95.44], abs=0.01)
    assert not unseen.containers[0].patches and not unseen.collections[0].get_segments()


TABLE = layout().spoken_by("embedded").tables["1"]
CAUSES = TABLE.causes
ROWS = [
    line(row("mcts", "unseen", "comp", task, 0, status=status, cause=cause)).row(DecisionRow)
    for task, (status, cause) in enumerate(
        [("solved", ""), ("unsolved", "model"), ("invalid", "policy"), ("budget", "budget"), ("unsolved", "policy")]
    )
]


def test_causes_are_counted_in_their_order_and_one_without_a_meaning_is_not_lost() -> None:
    assert list(count_causes(ROWS, CAUSES).items()) == [("policy", 2), ("model", 1), ("translation", 0), ("budget", 1)]
    assert list(count_causes([*ROWS, replace(ROWS[1], cause="rain")], CAUSES))[-1] == "rain"


def test_a_section_has_numbers_and_shares() -> None:
    cells: defaultdict[Cell, list[DecisionRow]] = defaultdict(list, {("unseen", "comp", "mcts"): ROWS})
    lines = [line for line in TABLE.lines if line.variant == "mcts"]
    section = failure_section(TABLE, "title", "name", lines, cells)
    assert grids(section)[0].rows == (("embedded-MCTS", "–", "–", "–", "–", "–"),)
    stacks = axes_of(section)[0].containers
    assert [stack.get_label() for stack in stacks] == [*CAUSES]
    comp = [stack.patches[3] for stack in stacks]  # of comp, in the unseen home
    assert [bar.get_height() for bar in comp] == [40.0, 20.0, 0.0, 20.0]
    assert [bar.get_y() for bar in comp] == [0.0, 40.0, 60.0, 60.0]
    assert not any(bar.get_height() for bar in stacks[0].patches[:2])


def episode(seconds: float, status: str = "solved", task: int = 0, calls: int = 0) -> PlanRow:
    told = {"seconds": seconds, "calls": calls, "status": status, "task": str(task)}
    return line({**row("mcts", "seen", "simple", 0, 0), **told}).row(PlanRow)


SPENT = [episode(2.0), episode(0.5), episode(2.0), episode(1.0, "unsolved")]


def test_a_curve_steps_where_an_episode_is_solved() -> None:
    seconds = attrgetter("seconds")
    assert success_curve(SPENT, seconds, 9.0) == ([0.0, 0.5, 2.0, 9.0], [0.0, 25.0, 75.0, 75.0])
    assert [share_within(SPENT, seconds, limit) for limit in (0.4, 0.5, 1.9, 2.0, 100.0)] == [0, 25, 25, 75, 75]
    free = success_curve([episode(1.0), episode(1.0, "unsolved")], attrgetter("calls"), 5)
    assert free == ([0.0, 5], [50.0, 50.0]), "what costs nothing is solved from the start"


@pytest.mark.parametrize(("costs", "budgets"), [
    ([3.0, 30.0], (2.0, 5.0, 10.0, 20.0, 50.0)),
    ([10.0, 100.0], (10.0, 20.0, 50.0, 100.0)),
    ([0.0, 7.0], (5.0, 10.0)),
    ([0.0], ()),
    ([0.02, 45.0], (0.02, 0.1, 0.5, 2.0, 10.0, 50.0)),
])  # fmt: skip
def test_round_budgets(costs: list[float], budgets: tuple[float, ...]) -> None:
    assert round_budgets(costs) == budgets
    assert len(budgets) <= STEPS


def test_a_section_has_seconds_and_calls() -> None:
    lines = [("a", 0, [episode(0.5, calls=3)]), ("b", 1, [episode(200.0, "unsolved", calls=4)])]
    section = curve_section("title", "name", lines, lambda row: row.task)
    assert section is not None
    log, linear = axes_of(section)
    assert (log.get_xlabel(), log.get_xscale()) == ("seconds per episode", "log")
    assert (linear.get_xlabel(), linear.get_xscale()) == ("calls per episode", "linear")
    # what costs nothing is solved from the left edge of a logarithmic axis on
    assert list(log.get_lines()[0].get_xdata()) == [pytest.approx(0.4), 0.5, 200.0]
    assert log.get_xlim()[0] == pytest.approx(0.4)
    _, calls = grids(section)
    assert calls.head == ("method", "2 calls", "5 calls")
    assert calls.rows == (("a", "0.0", "100.0"), ("b", "0.0", "0.0"))


def test_only_shared_episodes_are_compared() -> None:
    lines = [("a", 0, [episode(1.0, task=1), episode(1.0, task=2)]), ("b", 1, [episode(3.0, task=2)])]
    assert [[row.task for row in rows] for _, _, rows in shared_episodes(lines, lambda row: row.task)] == [["2"], ["2"]]
    assert curve_section("title", "name", [lines[1], ("c", 0, [episode(0.5, task=1)])], lambda row: row.task) is None


def test_standard_error_over_seeds() -> None:
    found = rate_over_seeds([[True, True, False, False], [True], [False, True, True, True]])
    assert found.value == pytest.approx(0.75)  # of 1/2, 1 and 3/4, each seed counting once
    assert found.error == pytest.approx(0.25 / math.sqrt(3))
    found = rate_over_seeds([[True, True, True, False]])  # of one seed it is binomial
    assert (found.value, found.error) == (0.75, pytest.approx(math.sqrt(0.75 * 0.25 / 4)))
