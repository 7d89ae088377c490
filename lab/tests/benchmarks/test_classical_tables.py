"""The tables of lab/docs/classical.md, from rows alone."""

import dataclasses
from pathlib import Path

import pytest

from lab.benchmarks.classical.planners import PLANNERS
from lab.benchmarks.classical.rows import Conditions, Row, Unfit
from lab.benchmarks.classical.tables import TABLES, page
from lab.benchmarks.classical.together import large_ones

REPOSITORY = Path(__file__).parents[3]
CONDITIONS = Conditions(limit=20, memory=8192, machine="a machine", jobs=1, load=0.5, date="2026-01-01T00:00+00:00")


def row(table: str, planner: str, problem: str, seconds: float, outcome: str = "solved", **rest: object) -> Row:
    files = ("domain.pddl", problem)
    return Row(
        table=table,
        planner=planner,
        version=f"{planner} 1",
        problem=problem,
        files=files,
        conditions=CONDITIONS,
        outcome=outcome,
        seconds=seconds,
        **rest,  # type: ignore[arg-type]
    )


def golden(name: str) -> list[str]:
    return [line for line in page(ROWS)[name].splitlines() if line]


ROWS = [
    row("read", "ground", "a/1", 1.0, peak=2**20),
    row("read", "translate", "a/1", 3.0, peak=2**21),
    row("read", "ground", "a/2", 0.1, "none", said="no such word"),
    row("read", "translate", "a/2", 1.0),
    row("solved", "gbfs", "a/1", 2.0, cost=4.0),
    row("solved", "lama-first", "a/1", 4.0, cost=2.0),
    row("solved", "pyperplan", "a/1", 8.0, "wrong", said="goal"),
    row("solved", "gbfs", "a/2", 30.0, "time"),
    row("solved", "lama-first", "a/2", 6.0, cost=2.0),
    row("solved", "gbfs", "a/3", 1.0, cost=3.0),
    row("solved", "lama-first", "a/3", 1.5, "none", said="refused"),
    row("sample", "gbfs", "b/1", 1.0, cost=3.0),
    row("sample", "lama-first", "b/1", 0.5, cost=3.0),
    row("together", "gbfs-together", "a/1", 1.0, cost=4.0),
    row("together", "gbfs-together", "a/2", 60.0, "time"),
    row("optimal", "astar", "a/1", 5.0, cost=2.0, expanded=500),
    row("optimal", "fd-lmcut", "a/1", 2.0, cost=2.0, expanded=1000, searched=1.0),
    row("anytime", "gbfs-anytime", "a/1", 30.0, cost=8.0),
    row("anytime", "lama", "a/1", 30.0, cost=4.0),
]
HEAD = (
    "a machine; one problem at a time; 20 s and 8,192 MB for each process; load average at the start 0.5; 2026-01-01."
)


def test_table_of_what_is_read() -> None:
    assert golden("read") == [
        f"{HEAD} ground 1; translate 1.",
        "|  | taken | median s of the 1 taken by all | total s | most MiB |",
        "|---|---|---|---|---|",
        "| cplan ground | 1 of 2 | 1 | 1 | 1 |",
        "| Fast Downward's translator | 2 of 2 | 3 | 3 | 2 |",
        "Wanted: all are taken. Reached: no.",
        "Solved by Fast Downward's translator and not by cplan ground (1): a/2.",
        "Cplan ground: ended with nothing before the time was up (1): a/2 (no such word).",
    ]


def test_table_of_what_is_solved() -> None:
    assert golden("solved")[3:] == [
        "| ours | 2 of 3 | 0 | – | – | 1.5 | 3 | 3 | 1.000 |",
        "| Fast Downward, lama-first | 2 of 3 | 1 | 1 | 1 | 5 | 4 | 2 | 0.500 |",
        "| pyperplan, gbf, hff | 0 of 1 | 0 | 0 | 1 | – | 0 | 0 | – |",
        "Wanted: as many solved as by Fast Downward, lama-first. Reached: yes.",
        "Solved by ours and not by Fast Downward, lama-first (1): a/3.",
        "Solved by Fast Downward, lama-first and not by ours (1): a/2.",
        "Fast Downward, lama-first: ended with nothing before the time was up (1): a/3 (refused).",
        "Pyperplan, gbf, hff: wrong plans (1): a/1 (goal).",
    ]


def test_table_of_the_sample() -> None:
    assert golden("sample")[1:] == [
        "| domain | ours | Fast Downward, lama-first |",
        "|---|---|---|",
        "| b | 1 of 1 | 1 of 1 |",
        "| **all** | **1 of 1** | **1 of 1** |",
        "| total s of the 1 solved by all | 1 | 0.5 |",
        "Wanted: as many solved as by Fast Downward, lama-first. Reached: yes.",
    ]


def test_table_of_many_in_one_process() -> None:
    assert [task.name for task in large_ones(ROWS)] == ["a/1", "a/2"]
    with pytest.raises(Unfit, match="measure solved and sample first"):
        large_ones(ROWS[:4])
    assert golden("together")[3:] == [
        "| ours, many problems in one process | 1 of 2 | 1 | 0.25 |",
        "| ours, a process for each | 1 of 2 | 2 | 0.5 |",
        "| Fast Downward, lama-first | 2 of 2 | 4 | 1 |",
        "Wanted: at most 0.5 of Fast Downward's time, in one process. Reached: yes.",
        "Solved by Fast Downward, lama-first and not by ours, many problems in one process (1): a/2.",
    ]


def test_tables_of_cheap_plans() -> None:
    assert golden("optimal")[3:] == [
        "| ours, A* with LM-cut | 1 of 1 | 5 | 500 | 100 | – |",
        "| Fast Downward, astar(lmcut()) | 1 of 1 | 2 | 1,000 | 500 | 1,000 |",
        "All 1 costs are equal.",
        "Wanted: as many solved as by Fast Downward, astar(lmcut()). Reached: yes.",
        "Wanted: equal costs. Reached: yes.",
        "Wanted: a third of Fast Downward's expansions a second. Reached: no.",
    ]
    assert golden("anytime")[3:] == [
        "| ours, --anytime | 1 of 1 | 0 | 2.000 |",
        "| Fast Downward, lama | 1 of 1 | 1 | 0.500 |",
        "Wanted: as many solved as by Fast Downward, lama. Reached: yes.",
        "Wanted: never a higher cost. Reached: no.",
        "Ours costs more (1): a/1 (8, 4).",
    ]


def test_a_line_for_each_problem() -> None:
    conditions = dataclasses.replace(CONDITIONS, processor=True)
    rows = [
        dataclasses.replace(row("lifted", "gbfs-lifted", "a/1", 2.0), processor=0.5, conditions=conditions),
        row("lifted", "gbfs-lifted", "a/2", 3.0, "time"),
        row("lifted", "powerlifted", "a/2", 1.0, "none", said="no axioms"),
    ]
    lines = page(rows)["lifted"].splitlines()
    assert "20 s of a processor and 8,192 MB" in lines[0]
    assert lines[4:7] == ["| a/1 | 0.5 s | – |", "| a/2 | time | none |", "| **solved** | **1 of 2** | **0 of 1** |"]
    assert lines[-1] == "Powerlifted, alt-bfws1, h_FF (1): a/2 (no axioms)."


def test_the_page_has_a_place_for_every_table() -> None:
    text = (REPOSITORY / "lab" / "docs" / "classical.md").read_text()
    for name in TABLES:
        assert f"<!-- table {name} -->" in text and f"<!-- end of table {name} -->" in text
        assert all(name in PLANNERS or name == "gbfs-together" for name in TABLES[name].planners)
