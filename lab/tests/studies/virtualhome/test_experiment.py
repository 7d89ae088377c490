"""The household experiment: its episodes, and the results of a few."""

import weakref
from argparse import Namespace
from collections import Counter
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from commonsense_lab.studies import solve_study
from commonsense_lab.studies.solve_study import SolveEpisode
from commonsense_lab.studies.virtualhome import experiment
from commonsense_lab.studies.virtualhome.experiment import HouseholdSetup, household_episodes
from commonsense_planning.config import ModelConfig
from commonsense_planning.errors import Status
from commonsense_planning.methods.method import Solution
from tests.data import REPOSITORY, shared_data

PACK = REPOSITORY / "pddl" / "virtualhome"

SETUP = HouseholdSetup(pack=PACK)


def episodes(tables: list[str], tasks: list[str] | None = None, repeats: int = 1) -> list[SolveEpisode]:
    return household_episodes(SETUP, repeats, tables, tasks or [])


@pytest.mark.parametrize(("table", "tasks", "variants", "one"), [
    ("2", 10, 10, "make-toast"),  # eleven columns, of which two are one variant
    ("3", 8, 8, "watch-tv"),  # the originals too
    ("4", 8, 3, "throw-away-apple-no-drop"),
])  # fmt: skip
def test_a_table_is_of_each_task_with_each_variant(table: str, tasks: int, variants: int, one: str) -> None:
    cells = Counter(episode.name for episode in episodes([table]))
    assert (len(cells), {*cells.values()}, one in cells) == (tasks, {variants}, True)


def test_tables_share_their_episodes() -> None:
    wanted = episodes([], repeats=2)
    assert len({episode.key for episode in wanted}) == len(wanted)
    shared = next(episode for episode in wanted if (episode.name, episode.variant) == ("watch-tv", "low"))
    assert shared.tables == ("2", "3", "additions")


def test_repeats_are_seeds_and_every_cell_comes_before_any_comes_again() -> None:
    wanted = episodes(["4"], repeats=3)
    assert {episode.seed for episode in wanted[:24]} == {0}
    assert Counter(episode.seed for episode in wanted) == {0: 24, 1: 24, 2: 24}


def test_a_task_is_left_once_in_the_first_repeat_and_once_in_all_others() -> None:
    """A worker keeps few of them, and makes none a second time for a repeat."""
    wanted = episodes([], repeats=5)
    tasks = {episode.name for episode in wanted}
    assert len([task for task, _ in groupby(episode.name for episode in wanted)]) <= 2 * len(tasks)


def test_a_worker_keeps_few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and grounded, one has 30 MB; each of many workers meets all of them in the end."""
    kept: list[weakref.ref[Namespace]] = []

    def made(*_: object) -> Namespace:
        task = Namespace(all_seen=(), problem=None)
        kept.append(weakref.ref(task))
        return task

    monkeypatch.setattr(experiment, "read_task", made)
    monkeypatch.setattr(solve_study, "solution_of", lambda request: Solution(Status.UNSOLVED, None, ""))
    for episode in {episode.name: episode for episode in episodes([])}.values():
        episode.run()
    assert len(kept) > 10 and sum(task() is not None for task in kept) <= 3


@pytest.mark.usefixtures("own_methods")
def test_any_method_is_a_column_of_table_2_or_of_the_tables_that_are_named() -> None:
    tasks = ["watch-tv", "make-toast"]
    wanted = household_episodes(SETUP, 1, tasks=tasks, variants=["own", "low", "llm-guide"])
    assert Counter((e.variant, e.method.name) for e in wanted) == dict.fromkeys(
        [("own", "own"), ("low", "llm-hill-climb"), ("guide", "llm-guide")], 2
    )
    assert {e.tables for e in wanted if e.variant == "own"} == {("2",)}
    only = household_episodes(SETUP, 1, ["4"], variants=["own"])
    assert len(only) == 5 and {e.tables for e in only} == {("4",)}


def test_a_setup_names_what_results_depend_on() -> None:
    told = replace(SETUP, model=ModelConfig("openai:x", temperature=0.5), max_steps=9).text
    assert told == "model openai:x, temperature 0.5, the apartment that ships, at most 9 steps"


@pytest.mark.data
def test_a_scene_gives_the_problems(tmp_path: Path) -> None:
    scene = shared_data("virtualhome") / "TestScene1_graph.json"
    wanted = household_episodes(SETUP, 1, ["4"], ["brush-teeth"], scene, tmp_path)
    assert {episode.of.arguments[1] for episode in wanted} == {tmp_path / "TestScene1_graph" / "brush-teeth.pddl"}
    assert "toothpaste" in wanted[0].of.arguments[1].read_text()
    assert wanted[0].setup.text == "model embedded, scene TestScene1_graph, at most 20 steps"
