"""Reasonable orders against the slow twin, and on a tower that has to be built anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics import landmarks
from commonsense_planning.heuristics.landmarks import with_reasonable_orders
from commonsense_planning.kernels.compiled import make_state
from commonsense_planning.kernels.landmarks import count_missing
from tests.heuristics.test_landmarks import assert_same, compiled_at, found, members, nodes_of, truth
from tests.kernels import reference_landmarks as slow
from tests.kernels.reference import Reference
from tests.random_tasks import derived_tasks, moving_task, task_of, tasks


@given(tasks() | derived_tasks())
def test_orders_are_the_twins(task: GroundTask) -> None:
    compiled, state, relaxation = compiled_at(task)
    marks = with_reasonable_orders(compiled, relaxation, state, found(compiled, state, relaxation)[0])
    true = truth(state, task.fact_count)
    expected = slow.with_reasonable_orders(Reference(task), true, slow.landmarks(Reference(task), true))
    assert_same(marks, nodes_of(compiled, relaxation, marks), expected)


def test_orders_are_the_twins_where_things_stand_in_each_others_way() -> None:
    some = 0
    for seed in range(30):
        task = moving_task(np.random.default_rng(seed))
        compiled, state, relaxation = compiled_at(task)
        natural, _ = found(compiled, state, relaxation)
        marks = with_reasonable_orders(compiled, relaxation, state, natural)
        true = truth(state, task.fact_count)
        expected = slow.with_reasonable_orders(Reference(task), true, slow.landmarks(Reference(task), true))
        assert_same(marks, nodes_of(compiled, relaxation, marks), expected)
        some += marks is not natural
    assert some > 25


def test_a_block_is_not_at_its_place_while_the_one_below_has_to_move() -> None:
    """a stands on b (0) and is to do so; b is to move (2), for which it has to be clear (1)."""
    task = task_of(3, [([0], [], [1], [0], 1), ([1], [], [0], [1], 1), ([1], [], [2], [], 1)], [0, 2], true=[0])
    compiled, state, relaxation = compiled_at(task)
    natural, _ = found(compiled, state, relaxation)
    marks = with_reasonable_orders(compiled, relaxation, state, natural)
    nodes = nodes_of(compiled, relaxation, marks)
    end = nodes.index((0, True, True))
    assert members(marks.before[end], nodes) == {(2, True)}
    counts = []
    for orders in (natural, marks):
        accepted = np.zeros(1, np.uint64)
        counts.append([])
        for true in ([0], [1], [0], [1], [1, 2], [0, 2]):
            truths = np.zeros(3, np.bool_)
            truths[true] = True
            counts[-1].append(count_missing(relaxation, orders, make_state(compiled, truths), accepted))
    assert counts == [[2, 2, 2, 2, 1, 0], [3, 2, 3, 2, 1, 0]]


def test_there_are_none_in_a_task_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(3, [([0], [], [1], [0], 1), ([1], [], [0], [1], 1), ([1], [], [2], [], 1)], [0, 2], true=[0])
    compiled, state, relaxation = compiled_at(task)
    natural, _ = found(compiled, state, relaxation)
    monkeypatch.setattr(landmarks, "MOST_WORDS", 0)
    assert with_reasonable_orders(compiled, relaxation, state, natural) is natural
