"""Worlds drawn from contingent problems."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_planning.errors import Status, UsageError
from commonsense_planning.methods.method import Request
from commonsense_planning.methods.registry import method_named, solve
from commonsense_planning.pddl.reader import read_problem
from commonsense_planning.pddl.variants import draw_world, with_world
from commonsense_planning.task import read_task
from commonsense_planning.validation.replay import replay
from commonsense_planning.validation.verdict import Verdict
from tests.data import REPOSITORY

DOMAIN = REPOSITORY / "pddl" / "household" / "domain.pddl"
SMALL = REPOSITORY / "pddl" / "household" / "problems" / "small-apple.pddl"
CHOICES = ("(inside apple_1 fridge)", "(inside apple_1 kitchencabinet)", "(on apple_1 kitchentable)")


@pytest.fixture
def contingent(tmp_path: Path) -> Path:
    """small-apple with the apple at one of three places; the goal is none of them."""
    text = SMALL.read_text().replace(CHOICES[0], f"(oneof {' '.join(CHOICES)})\n    (unknown (opened fridge))")
    path = tmp_path / "contingent.pddl"
    path.write_text(text.replace("(:goal (on apple_1 kitchentable))", "(:goal (on apple_1 bathroomcounter))"))
    return path


def test_one_of_each_oneof_is_true_and_the_rest_of_the_file_stays(contingent: Path) -> None:
    problem = read_problem(DOMAIN, contingent)
    seen = set()
    for seed in range(30):
        world = with_world(problem, draw_world(problem, np.random.default_rng(seed)))
        held = [choice for choice in CHOICES if choice in world]
        assert len(held) == 1
        seen.add((held[0], "(opened fridge)" in world))
        assert "(inside plate_1 kitchencabinet) (on toothbrush_1 bathroomcounter))" in world
    assert len(seen) == 6


@pytest.mark.parametrize("seed", range(3))
def test_an_agent_acts_in_the_drawn_world(contingent: Path, tmp_path: Path, seed: int) -> None:
    world = tmp_path / "world.pddl"
    task = read_task(DOMAIN, contingent, world=world, seed=seed)
    again = read_task(DOMAIN, contingent, world=world, seed=seed + 1)  # the file is there: it is the world
    assert [str(a) for a in again.problem.tarski.init.as_atoms()] == [
        str(a) for a in task.problem.tarski.init.as_atoms()
    ]
    solution = solve(Request(task, method_named("llm-replan"), seed=seed))
    assert solution.status == Status.SOLVED
    assert solution.plan is not None
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID


def test_without_a_file_the_world_is_drawn_by_the_seed(contingent: Path, tmp_path: Path) -> None:
    drawn = {seed: read_task(DOMAIN, contingent, seed=seed) for seed in range(6)}
    assert len({task.drawn for task in drawn.values()}) > 1
    task = read_task(DOMAIN, contingent, world=tmp_path / "world.pddl", seed=1)
    assert task.drawn == drawn[1].drawn
    solution = solve(Request(drawn[1], method_named("llm-mcts"), seed=1))
    assert solution.plan is not None
    assert replay(task.problem, solution.plan).verdict == Verdict.VALID


def test_a_world_for_a_problem_that_is_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this is the true world"):
        read_task(DOMAIN, SMALL, world=tmp_path / "world.pddl")


def test_a_world_leaves_nothing_open(contingent: Path) -> None:
    with pytest.raises(UsageError, match="a world leaves nothing open"):
        read_task(DOMAIN, contingent, world=contingent)
