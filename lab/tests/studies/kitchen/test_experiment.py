"""``cplan bench kitchen``: its episodes, its table, what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonsense_lab.report.document import Grid
from commonsense_lab.runner.rows import read_lines
from commonsense_lab.studies.kitchen.experiment import (
    MAX_STEPS,
    STUDY,
    KitchenRow,
    KitchenSetup,
    Level,
    drawn,
    kitchen_episodes,
)
from commonsense_planning.cli.main import main
from commonsense_planning.errors import InputError, UsageError
from commonsense_planning.methods.method import Event, Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.task import read_task
from tests.data import REPOSITORY

PACK = REPOSITORY / "pddl" / "kitchen"


def test_open_places_are_seen_at_first_and_what_is_behind_doors_is_not(tmp_path: Path) -> None:
    (episode,) = kitchen_episodes(KitchenSetup(pack=PACK), 1, 0, ["llm-replan"], [Level.HARD])
    task, path, events = drawn(*episode.of.arguments[:3]), tmp_path / "problem.pddl", list[Event]()
    path.write_text(task.problem, encoding="utf-8")
    solve(Request(read_task(PACK / "domain.pddl", path), method_named("llm-replan"), emit=events.append))
    open_to_view = {task.kitchen.atom(*placed) for placed in task.placed.items() if placed[1] in task.kitchen.open}
    assert open_to_view
    assert set(events[0]["seen"]) == open_to_view
    assert {event["action"].split()[0].strip("()") for event in events if event["event"] == "step"} <= {
        "open-container",
        "pick-from-container",
        "pick-from-surface",
        "place-in",
        "place-on",
    }


def test_the_problem_that_ships_is_a_drawn_one() -> None:
    (shipped,) = (PACK / "problems").glob("*.pddl")
    tasks = [drawn(Level.HARD, index, 0) for index in range(5)]
    assert shipped.read_text(encoding="utf-8") == {task.name: task.problem for task in tasks}[shipped.stem]


def test_a_run_gives_a_table_by_numbers_of_things(tmp_path: Path) -> None:
    command = ["bench", "kitchen", "--tasks", "2", "--levels", "easy,hard", "--methods", "llm-replan"]
    code = main([*command, "--pack", str(PACK), "--workers", "1", "-o", str(tmp_path)])
    assert code == 0
    rows = [line.row(KitchenRow) for line in read_lines(tmp_path)]
    assert [(row.level, row.task) for row in rows] == [
        ("easy", "easy-one-wall-0000"),
        ("hard", "hard-one-wall-0000"),
        ("easy", "easy-one-wall-with-island-0001"),
        ("hard", "hard-one-wall-with-island-0001"),
    ]
    assert all(row.steps is None or row.steps <= MAX_STEPS[Level(row.level)] for row in rows)
    assert all(row.questions >= row.things for row in rows)
    (section,) = STUDY.sections("embedded", rows, "kitchen")
    table = section.parts[1]
    assert isinstance(table, Grid)
    assert [cells[:3] for cells in table.rows] == [("2", "llm-replan", "2"), ("4 to 8", "llm-replan", "2")]


def test_what_there_is_not_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "kitchen", "--levels", "easy,silly", "-o", str(tmp_path)]) == 2
    assert "there is no level silly; there are easy, medium, hard" in capsys.readouterr().err
    with pytest.raises(InputError, match="--pack names the folder"):
        kitchen_episodes(KitchenSetup(pack=tmp_path), 1, 0, ["llm-replan"], [Level.EASY])


@pytest.mark.usefixtures("own_methods")
def test_a_method_that_cannot_take_the_tasks_is_refused() -> None:
    with pytest.raises(UsageError, match="picky cannot solve this task: there is a home in it"):
        kitchen_episodes(KitchenSetup(pack=PACK), 1, 0, ["own", "picky"], [Level.EASY])
