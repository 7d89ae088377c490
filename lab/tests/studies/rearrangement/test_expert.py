"""The expert: it does its tasks in few steps, and sees and says what an agent would."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from commonsense_lab.studies.homes.home_task import HomeTask
from commonsense_lab.studies.homes.task_homes import TaskSetting
from commonsense_lab.studies.rearrangement import expert as expert_module
from commonsense_lab.studies.rearrangement.expert import Expert, TrajectorySource, in_sight, write_trajectories
from commonsense_lab.studies.rearrangement.goal_reader import parse_formal_goal
from commonsense_lab.studies.rearrangement.tasks import evaluation_task, evaluation_tasks, training_task
from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_like import ground_like
from commonsense_planning.llm.prompts import Prompts, read_examples
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.support.reading import Text
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.questions import NextAction, Scene, Statement
from lab.tests.report.lines import records
from lab.tests.studies.rearrangement.homes import KINDS, homes_of
from tests.scripted import HOUSEHOLD

MAX_STEPS = 30  # the paper's limit


@cache
def expert(kind: str, home: str) -> Expert:
    return Expert(HOUSEHOLD, a_task(TaskSetting.SIMPLE, kind, home))


def a_task(setting: TaskSetting, kind: str = "own", home: str = "seen") -> HomeTask:
    return evaluation_task(homes_of(kind), home, setting, 0, 1)


def read(task: HomeTask) -> Problem:
    return read_problem(HOUSEHOLD / "domain.pddl", Text(task.problem))


@pytest.mark.parametrize("kind", KINDS)
def test_every_task_can_be_done_within_the_papers_limit(kind: str) -> None:
    for task in evaluation_tasks(homes_of(kind), 6, seed=2):
        assert 1 <= len(expert(kind, task.home).plan(task)) <= MAX_STEPS, task.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("setting", [TaskSetting.COMP, TaskSetting.NOVEL_COMP_3])
def test_a_home_grounded_once_is_each_of_its_tasks(kind: str, setting: TaskSetting) -> None:
    task = a_task(setting, kind, "unseen")
    own = expert(kind, "unseen")
    same = ground_like(own.grounded, read(task))
    assert np.array_equal(own.initial(task), same.init)
    goal = own.goal(task)
    rows = [{frozenset(pos.row(d).tolist()) for d in range(len(pos))} for pos in (goal.pos, same.goal.pos)]
    assert rows[0] == rows[1]
    assert len(goal.neg) == len(goal.pos) and len(goal.neg.items) == 0


def test_a_trajectory_is_a_plan_with_what_is_seen_on_the_way() -> None:
    task = a_task(TaskSetting.NOVEL_COMP_2)
    done = expert("own", "seen").trajectory(task)
    assert replay(read(task), parse_plan("\n".join(done.plan), Path("plan"))).verdict is Verdict.VALID
    assert len(done.observations) == len(done.in_sight) == len(done.actions) == len(done.plan)
    assert (done.instruction, done.home, done.task) == (task.instruction, "seen", task.name)
    assert [term.relation for term in parse_formal_goal(done.goal)] == [w.relation.upper() for w in task.wishes]
    for step, action in enumerate(done.actions):
        if action.startswith("open the "):
            assert f"{action.removeprefix('open ')} is open" in done.observations[step + 1]
            assert f"{action.removeprefix('open ')} is closed" in done.in_sight[step]
        if action.startswith("grab the "):
            thing = action.removeprefix("grab the ")
            assert any(f"{thing} is " in sentence for sentence in done.in_sight[step]), action
    furniture = [[s for s in said if s.endswith("is inside the bathroom")] for said in done.observations]
    assert furniture[0] and not any(furniture[1:])  # known from the start, so told once


def test_the_expert_sees_no_more_than_an_agent() -> None:
    task = a_task(TaskSetting.NOVEL_COMP_3)
    done = expert("own", "seen").trajectory(task)
    first_open = next(i for i, action in enumerate(done.actions) if action.startswith("open the "))
    container = done.actions[first_open].removeprefix("open the ")
    inside = f"is inside the {container}"
    assert not any(inside in sentence for said in done.in_sight[: first_open + 1] for sentence in said)


def test_facts_in_sight_are_those_of_the_papers_prompt() -> None:
    def say(predicate: str, *names: str, holds: bool = True) -> Statement:
        return Statement(predicate, names, holds, f"{predicate} {' '.join(names)} {holds}")

    known = [
        say("located", "fridge", "kitchen"),
        say("located", "table", "kitchen"),
        say("located", "bed", "bedroom"),
        say("in-room", "kitchen"),
        say("in-room", "bedroom", holds=False),
        say("near", "fridge", holds=False),
        say("near", "table"),
        say("holding", "apple"),
        say("inside", "milk", "fridge"),
        say("on", "plate", "table"),
        say("on", "pillow", "bed"),
        say("opened", "fridge", holds=False),
        say("instance-of", "apple", "fruit"),
    ]
    scene = Scene("household", {"room": ("kitchen", "bedroom"), "container": ("fridge",), "surface": ("table",)}, ())
    question = NextAction("tidy up", (), ("walk",), tuple(known))
    (message,) = Prompts([Path("paper")], scene).messages(question)
    said = message["content"].rpartition("Current observation: ")[2].partition(".\n")[0]
    assert sorted(said.replace(" and ", ", ").split(", ")) == sorted(in_sight(known))
    assert "pillow" not in said and "holding apple" in said


def test_a_pack_that_cannot_do_the_task_is_named(tmp_path: Path) -> None:
    for name in ("lexicon.toml", "sensors.pddl"):
        (tmp_path / name).write_text((HOUSEHOLD / name).read_text())
    domain = (HOUSEHOLD / "domain.pddl").read_text()
    (tmp_path / "domain.pddl").write_text(domain.replace("(hand-empty) (on ?m ?s)", "(hand-empty)"))
    task = next(t for t in evaluation_tasks(homes_of("own"), 10, 0) if t.wishes[0].relation == "on")
    with pytest.raises(InputError, match=rf"{task.name}: no plan does '{task.instruction}'"):
        Expert(tmp_path, task).plan(task)


SOURCE = TrajectorySource(seed=7, pack=HOUSEHOLD)


def test_all_trajectories_and_a_pool_of_them(tmp_path: Path) -> None:
    out, pool = tmp_path / "D.jsonl", tmp_path / "pool.jsonl"
    seen: list[tuple[int, int]] = []
    found = write_trajectories(SOURCE, 12, out, (pool, 5), 1, lambda done, total: seen.append((done, total)))
    lines = records(out)
    tasks = [training_task(homes_of("own"), index, 7) for index in range(12)]
    assert [(line["task"], line["instruction"]) for line in lines] == [(t.name, t.instruction) for t in tasks]
    lengths = [len(line["actions"]) for line in lines]
    assert found == lengths
    assert seen == [(done, 12) for done in range(13)]
    chosen = records(pool)
    assert len({line["task"] for line in chosen}) == 5
    by_task = {line["task"]: line for line in lines}
    for line in chosen:
        whole = by_task[line["task"]]
        assert {**line, "observations": 0} == {**whole, "observations": 0}
        assert set(line["observations"][0]) < set(whole["observations"][0])
    examples = read_examples(pool)
    assert [example.actions for example in examples] == [tuple(line["actions"]) for line in chosen]
    assert {path.name for path in tmp_path.iterdir()} == {"D.jsonl", "pool.jsonl"}


@pytest.mark.processes
def test_equal_sources_give_equal_bytes_with_any_number_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expert_module, "CHUNK", 2)
    files = []
    for workers in (1, 2):
        out, pool = tmp_path / f"D{workers}.jsonl", tmp_path / f"pool{workers}.jsonl"
        write_trajectories(SOURCE, 5, out, (pool, 3), workers)
        files.append((out.read_bytes(), pool.read_bytes()))
    assert files[0] == files[1]
    write_trajectories(TrajectorySource(8, None, HOUSEHOLD), 5, out, None, 1)
    assert out.read_bytes() != files[0][0]


def test_an_incomplete_file_is_not_kept(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    out = tmp_path / "D.jsonl"
    out.write_text("before\n")
    with pytest.raises(KeyboardInterrupt):
        write_trajectories(SOURCE, 3, out, (tmp_path / "pool.jsonl", 1), 1, stop)
    assert out.read_text() == "before\n"
    assert [path.name for path in tmp_path.iterdir()] == ["D.jsonl"]
