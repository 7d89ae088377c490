"""Rearrangement tasks: the split into training and novel, what is the same in a home, and what a seed settles."""

from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from commonsense_lab.studies.homes.home_task import HomeTask
from commonsense_lab.studies.homes.scene_import import SceneNames
from commonsense_lab.studies.homes.task_homes import MOST_WAYS, Homes, TaskSetting, table
from commonsense_lab.studies.rearrangement.tasks import evaluation_task, evaluation_tasks, training_task, write_tasks
from commonsense_planning.errors import InputError
from commonsense_planning.pddl.reader import read_problem
from lab.tests.studies.rearrangement.homes import KINDS, homes_of
from tests.scripted import HOUSEHOLD

SIZES = {
    TaskSetting.SIMPLE: 1,
    TaskSetting.COMP: 2,
    TaskSetting.NOVEL_SIMPLE: 1,
    TaskSetting.NOVEL_COMP_2: 2,
    TaskSetting.NOVEL_COMP_3: 3,
}


@pytest.fixture(params=KINDS)
def homes(request: pytest.FixtureRequest) -> Homes:
    return homes_of(request.param)


def general(task: HomeTask) -> frozenset[tuple[str, str, str]]:
    """The wishes of a task in the words of the table, so that tasks of both homes compare."""
    alike = table().alike
    return frozenset((str(w.relation), w.thing, alike.get(w.place, w.place)) for w in task.wishes)


def training_tasks(homes: Homes, number: int, seed: int) -> list[HomeTask]:
    """The first ``number`` training tasks."""
    return [training_task(homes, index, seed) for index in range(number)]


@cache
def many_training_tasks(kind: str) -> list[HomeTask]:
    return training_tasks(homes_of(kind), 2_000, seed=3)


@pytest.mark.parametrize("number", [1_000, 2_000])
@pytest.mark.parametrize("kind", KINDS)
def test_novel_is_what_no_training_task_asks_for(kind: str, number: int) -> None:
    homes = homes_of(kind)
    training = many_training_tasks(kind)[:number]
    asked = {general(task) for task in training}
    pairs = frozenset(chain.from_iterable(asked))
    assert {task.setting for task in training} == {TaskSetting.SIMPLE, TaskSetting.COMP}
    assert all(len(task.wishes) == SIZES[task.setting] for task in training)
    for task in evaluation_tasks(homes, 400, seed=4):
        wanted = general(task)
        if task.setting in (TaskSetting.SIMPLE, TaskSetting.COMP):
            assert wanted in asked, task.instruction
        else:
            assert wanted not in asked, task.instruction
        if task.setting is TaskSetting.NOVEL_SIMPLE:
            ((_, thing, place),) = wanted
            assert thing in {other for _, other, _ in pairs}
            assert place in {other for _, _, other in pairs}
        else:
            assert all(frozenset([pair]) in asked for pair in wanted), task.instruction


def test_evaluation_tasks_are_spread_over_the_ten_cells(homes: Homes) -> None:
    tasks = evaluation_tasks(homes, 23, seed=0)
    counts = Counter((task.home, task.setting) for task in tasks)
    assert list(counts.values()) == [3, 3, 3, 2, 2, 2, 2, 2, 2, 2]
    assert {home for home, _ in counts} == {"seen", "unseen"}
    assert len({task.name for task in tasks}) == 23
    assert all(len(task.wishes) == SIZES[task.setting] for task in tasks)


def test_no_wish_is_true_at_first_and_each_can_come_true(homes: Homes) -> None:
    for task in [*evaluation_tasks(homes, 200, seed=1), *training_tasks(homes, 200, seed=1)]:
        names = SceneNames.of(task.apartment, ())
        assert len({wish.thing for wish in task.wishes}) == len(task.wishes)
        lies = {movable.name: movable.place for movable in task.apartment.movables}
        ways = 1
        for wish in task.wishes:
            places = names.places[wish.relation][wish.place]
            things = names.things[wish.thing]
            assert not {lies[thing] for thing in things} & set(places), task.name
            ways *= len(things) * len(places)
        assert 1 <= ways <= MOST_WAYS


def test_tasks_of_a_home_differ_in_places_alone(homes: Homes) -> None:
    for name in ("seen", "unseen"):
        tasks = [evaluation_task(homes, name, setting, i, 0) for setting in TaskSetting for i in range(3)]
        tasks += training_tasks(homes, 5, 0) if name == "seen" else []
        same = {
            (t.apartment.rooms, t.apartment.furniture, tuple((m.name, m.kind) for m in t.apartment.movables))
            for t in tasks
        }
        assert len(same) == 1
        assert len({tuple(m.place for m in t.apartment.movables) for t in tasks}) == len(tasks)
        assert len({t.apartment.robot_room for t in tasks}) > 1
        assert not any(piece.opened for piece in tasks[0].apartment.furniture)
        assert all(m.place is not None for t in tasks for m in t.apartment.movables)


def test_a_task_depends_on_its_arguments_alone(homes: Homes) -> None:
    tasks = {task.name: task for task in evaluation_tasks(homes, 50, seed=5)}
    alone = evaluation_task(homes, "unseen", TaskSetting.NOVEL_COMP_3, 2, 5)
    assert tasks[alone.name].problem == alone.problem
    assert evaluation_task(homes, "unseen", TaskSetting.NOVEL_COMP_3, 2, 6).problem != alone.problem
    assert training_task(homes, 17, 5).problem == training_tasks(homes, 30, 5)[17].problem


def test_an_unknown_home_is_refused() -> None:
    with pytest.raises(InputError, match="no home 'cellar'; there are seen and unseen"):
        evaluation_task(homes_of("own"), "cellar", TaskSetting.SIMPLE, 0, 0)


def test_files_are_counted_as_they_are_written(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    counts = write_tasks(homes_of("own"), 12, 3, 5, tmp_path, lambda done, total: seen.append((done, total)))
    assert sum(counts.values()) == 15 and seen == [(done, 15) for done in range(1, 16)]
    file = tmp_path / "unseen-novel-comp-3-0000.pddl"
    problem, task = read_problem(HOUSEHOLD / "domain.pddl", file), evaluation_tasks(homes_of("own"), 12, 5)[-1]
    assert (problem.problem_name, problem.description) == (task.name, task.instruction)
    write_tasks(homes_of("own"), 2, 0, 0, tmp_path / "no-training")
    assert not (tmp_path / "no-training" / "training").exists()
