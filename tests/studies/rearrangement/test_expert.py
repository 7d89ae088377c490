"""The expert: it does its tasks in few steps, and sees and says what an agent would."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import InputError
from commonsense_planning.grounding.ground_like import ground_like
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.llm.prompts import Prompts
from commonsense_planning.llm.questions import NextAction, Scene, Statement
from commonsense_planning.pddl.plan import parse_plan
from commonsense_planning.pddl.problem import Problem
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.studies.rearrangement.draw import (
    RearrangementTask,
    Setting,
    evaluation_task,
    evaluation_tasks,
)
from commonsense_planning.studies.rearrangement.expert import Expert, in_sight
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from commonsense_planning.wording.formal_goal import parse_formal_goal
from tests.scripted import HOUSEHOLD
from tests.studies.rearrangement.homes import KINDS, homes_of

MAX_STEPS = 30  # the paper's limit


@cache
def expert(kind: str, home: str) -> Expert:
    return Expert(HOUSEHOLD, a_task(Setting.SIMPLE, kind, home))


def a_task(setting: Setting, kind: str = "own", home: str = "seen") -> RearrangementTask:
    return evaluation_task(homes_of(kind), home, setting, 0, 1)


def read(task: RearrangementTask, folder: Path) -> Problem:
    file = folder / f"{task.name}.pddl"
    file.write_text(task.problem, encoding="utf-8")
    return read_problem(HOUSEHOLD / "domain.pddl", file)


@pytest.mark.parametrize("kind", KINDS)
def test_every_task_can_be_done_within_the_papers_limit(kind: str) -> None:
    for task in evaluation_tasks(homes_of(kind), 40, seed=2):
        assert 1 <= len(expert(kind, task.home).plan(task)) <= MAX_STEPS, task.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("setting", [Setting.COMP, Setting.NOVEL_COMP_3])
def test_a_home_grounded_once_is_each_of_its_tasks(kind: str, setting: Setting, tmp_path: Path) -> None:
    task = a_task(setting, kind, "unseen")
    own = expert(kind, "unseen")
    same = ground_like(own.grounded, read(task, tmp_path))
    assert np.array_equal(own.initial(task), same.init)
    goal = own.goal(task)
    assert {frozenset(goal.pos.row(d).tolist()) for d in range(len(goal.pos))} == disjuncts(same)
    assert len(goal.neg) == len(goal.pos) and len(goal.neg.items) == 0


def disjuncts(task: GroundTask) -> set[frozenset[int]]:
    return {frozenset(task.goal.pos.row(d).tolist()) for d in range(len(task.goal.pos))}


def test_a_trajectory_is_a_plan_with_what_is_seen_on_the_way(tmp_path: Path) -> None:
    task = a_task(Setting.NOVEL_COMP_2)
    done = expert("own", "seen").trajectory(task)
    assert replay(read(task, tmp_path), parse_plan("\n".join(done.plan), Path("plan"))).verdict is Verdict.VALID
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
    task = a_task(Setting.NOVEL_COMP_3)
    done = expert("own", "seen").trajectory(task)
    first_open = next(i for i, action in enumerate(done.actions) if action.startswith("open the "))
    container = done.actions[first_open].removeprefix("open the ")
    inside = f"is inside the {container}"
    assert not any(inside in sentence for said in done.in_sight[: first_open + 1] for sentence in said)


def test_what_is_in_sight_is_what_the_households_prompt_says() -> None:
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
    scene = Scene("household", {"room": ("kitchen", "bedroom")}, ())
    question = NextAction("tidy up", (), ("walk",), lambda: known, lambda n: [])
    (message,) = Prompts([HOUSEHOLD / "prompts"], scene).messages(question)
    said = message["content"].rpartition("Current observation: ")[2].partition(".\n")[0]
    assert said == ", ".join(in_sight(known))
    assert "pillow" not in said and "holding apple" in said


def test_a_pack_that_cannot_do_the_task_is_named(tmp_path: Path) -> None:
    for name in ("lexicon.toml", "sensors.pddl"):
        (tmp_path / name).write_text((HOUSEHOLD / name).read_text())
    domain = (HOUSEHOLD / "domain.pddl").read_text()
    (tmp_path / "domain.pddl").write_text(domain.replace("(hand-empty) (on ?m ?s)", "(hand-empty)"))
    task = next(t for t in evaluation_tasks(homes_of("own"), 10, 0) if t.wishes[0].relation == "on")
    with pytest.raises(InputError, match=rf"{task.name}: no plan does '{task.instruction}'"):
        Expert(tmp_path, task).plan(task)
