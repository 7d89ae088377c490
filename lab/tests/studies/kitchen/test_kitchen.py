"""Kitchens after Tru-POMDP's description, drawn by seed; cplan bench kitchen: its episodes and its table."""

from math import prod
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.runner.rows import read_lines
from commonsense_lab.studies.kitchen import experiment as kitchen
from commonsense_lab.studies.kitchen.experiment import KitchenRow, KitchenSetup, KitchenTask, Level
from commonsense_planning import __version__
from commonsense_planning.errors import InputError
from commonsense_planning.methods.method import Event, Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.support.reading import Text
from commonsense_planning.task import read_task
from lab.tests.report.lines import grids
from lab.tests.studies.conftest import Bench
from tests.data import REPOSITORY


def drawn(name: str, level: Level, seed: int) -> KitchenTask:
    return kitchen.draw_task(kitchen.kitchens()[name], level, seed, np.random.default_rng(seed))


@pytest.mark.parametrize(("name", "places", "closed"), [
    ("one-wall", 22, 14),
    ("one-wall-with-island", 26, 19),
    ("l-shaped", 31, 21),
    ("l-shaped-with-island", 30, 21),
    ("galley", 40, 29),
])  # fmt: skip
def test_kitchens_have_the_places_of_the_paper(name: str, places: int, closed: int) -> None:
    of = kitchen.kitchens()[name]
    assert (len(set(of.places)), len(of.closed)) == (places, closed)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", kitchen.kitchens())
def test_tasks_keep_to_their_level(name: str, level: Level) -> None:
    for seed in range(20):
        task = drawn(name, level, seed)
        assert len(task.placed) == kitchen.THINGS
        assert kitchen.WANTED[level][0] <= len(task.wanted) <= kitchen.WANTED[level][1]
        assert prod(len(places) for places in task.wanted.values()) <= kitchen.GOAL_STATES
        for thing, place in task.placed.items():
            assert place in kitchen.sensible_places(thing, task.kitchen)
        for thing, places in task.wanted.items():
            assert task.placed[thing] in task.kitchen.closed
            assert task.placed[thing] not in places
            assert len(places) < kitchen.SENSIBLE


def test_hard_tasks_want_four_to_eight_things() -> None:
    assert {len(drawn("galley", Level.HARD, seed).wanted) for seed in range(60)} == {4, 5, 6, 7, 8}


PACK = REPOSITORY / "pddl" / "kitchen"


def test_open_places_are_seen_at_first_and_closed_ones_are_not() -> None:
    (episode,) = kitchen.kitchen_episodes(KitchenSetup(pack=PACK), 1, 0, ["llm-replan"], [Level.HARD])
    task, events = kitchen.drawn(*episode.of.arguments[:3]), list[Event]()
    read = read_task(PACK / "domain.pddl", Text(task.problem))
    solve(Request(read, method_named("llm-replan"), emit=events.append))
    open_to_view = {task.kitchen.atom(*placed) for placed in task.placed.items() if placed[1] in task.kitchen.open}
    assert open_to_view
    assert set(events[0]["seen"]) == open_to_view
    actions = {event["action"].split()[0].strip("()") for event in events if event["event"] == "step"}
    pick_and_place = {"pick-from-container", "pick-from-surface", "place-in", "place-on"}
    assert actions <= {"open-container", *pick_and_place}


def test_the_problem_that_ships_is_a_drawn_one() -> None:
    (shipped,) = (PACK / "problems").glob("*.pddl")
    tasks = [kitchen.drawn(Level.HARD, index, 0) for index in range(5)]
    assert shipped.read_text(encoding="utf-8") == {task.name: task.problem for task in tasks}[shipped.stem]


def test_a_run_gives_a_table_by_numbers_of_things(bench: Bench, tmp_path: Path) -> None:
    bench("kitchen", "--tasks", "2", "--levels", "easy,hard", "--methods", "llm-replan", "--pack", PACK)
    rows = [line.row(KitchenRow) for line in read_lines(tmp_path / "results")]
    assert [(row.level, row.task) for row in rows] == [
        (level, f"{level}-{task}")
        for task in ("one-wall-0000", "one-wall-with-island-0001")
        for level in ("easy", "hard")
    ]
    assert all(row.steps is None or row.steps <= kitchen.MAX_STEPS[Level(row.level)] for row in rows)
    assert all(row.questions >= row.things for row in rows)
    made_with = {(row.version, row.seed, row.model, *row.validators.items()) for row in rows}
    assert made_with == {(__version__, 0, "embedded", ("replay", __version__))}
    told = f"Made with cplan {__version__}; seeds 0; judged by replay {__version__}."
    pages = [(tmp_path / "results" / f"report.{ending}").read_text() for ending in ("md", "html")]
    assert told in pages[0] and f"<p>{told}</p>" in pages[1]
    (table,) = grids(*kitchen.STUDY.sections("embedded", rows, "kitchen"))
    assert [cells[:3] for cells in table.rows] == [("2", "llm-replan", "2"), ("4 to 8", "llm-replan", "2")]


def test_a_folder_without_the_domain_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--pack names the folder"):
        kitchen.kitchen_episodes(KitchenSetup(pack=tmp_path), 1, 0, ["llm-replan"], [Level.EASY])
