"""Kitchens after Tru-POMDP's description: as many places, doors and things as the paper says, and drawn by seed."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from commonsense_lab.studies.kitchen.experiment import (
    GOAL_STATES,
    SENSIBLE,
    THINGS,
    WANTED,
    KitchenTask,
    Level,
    draw_task,
    kitchens,
    sensible_places,
)


def drawn(name: str, level: Level, seed: int) -> KitchenTask:
    return draw_task(kitchens()[name], level, seed, np.random.default_rng(seed))


@pytest.mark.parametrize(("name", "places", "closed"), [
    ("one-wall", 22, 14),
    ("one-wall-with-island", 26, 19),
    ("l-shaped", 31, 21),
    ("l-shaped-with-island", 30, 21),
    ("galley", 40, 29),
])  # fmt: skip
def test_kitchens_have_the_places_of_the_paper(name: str, places: int, closed: int) -> None:
    kitchen = kitchens()[name]
    assert (len(set(kitchen.places)), len(kitchen.closed)) == (places, closed)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", kitchens())
def test_tasks_are_what_they_are_said_to_be(name: str, level: Level) -> None:
    for seed in range(20):
        task = drawn(name, level, seed)
        assert len(task.placed) == THINGS
        assert WANTED[level][0] <= len(task.wanted) <= WANTED[level][1]
        assert prod(len(places) for places in task.wanted.values()) <= GOAL_STATES
        for thing, place in task.placed.items():
            assert place in sensible_places(thing, task.kitchen)
        for thing, places in task.wanted.items():
            assert task.placed[thing] in task.kitchen.closed
            assert task.placed[thing] not in places
            assert len(places) < SENSIBLE


def test_hard_tasks_want_four_to_eight_things() -> None:
    assert {len(drawn("galley", Level.HARD, seed).wanted) for seed in range(60)} == {4, 5, 6, 7, 8}


def test_equal_seeds_give_equal_tasks_and_others_other_ones() -> None:
    one, again, other = (drawn("l-shaped", Level.HARD, seed).problem for seed in (1, 1, 2))
    assert one == again
    assert one != other.replace("-0002", "-0001")


def test_the_problem_says_where_things_are_and_are_wanted() -> None:
    task = drawn("one-wall", Level.EASY, 0)
    text = task.problem
    assert "(problem easy-one-wall-0000)" in text
    for thing, place in task.placed.items():
        assert task.kitchen.atom(thing, place) in text
    goal = text[text.index("(:goal") :]
    for thing, places in task.wanted.items():
        assert all(task.kitchen.atom(thing, place) in goal for place in places)
