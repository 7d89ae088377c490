"""Landmarks, their orders and their count against the slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state
from commonsense_planning.kernels.landmarks import Landmarks, count_missing, find_landmarks
from commonsense_planning.kernels.reference import Reference
from commonsense_planning.kernels.relaxation import NEGATED, compile_relaxation
from commonsense_planning.kernels.relaxed import scratch_for
from tests.random_tasks import derived_tasks, task_of, tasks

Key = tuple[int, bool | None]


def found(compiled: Compiled, state: State) -> tuple[np.ndarray, Landmarks, list[Key]]:
    relaxation = compile_relaxation(compiled)
    marks = find_landmarks(relaxation, state, scratch_for(relaxation))
    facts, negated = 64 * compiled.half, int(relaxation[NEGATED])
    keys: list[Key] = [
        (p, True) if p < facts else (int(relaxation[negated + p - facts]), False) for p in marks.propositions.tolist()
    ]
    return relaxation, marks, keys


def members(row: np.ndarray, keys: list[Key]) -> set[Key]:
    return {key for i, key in enumerate(keys) if row[i >> 6] >> np.uint64(i & 63) & np.uint64(1)}


def truth(state: State, count: int) -> frozenset[int]:
    return frozenset(f for f in range(count) if state[f >> 6] >> np.uint64(f & 63) & np.uint64(1))


@settings(max_examples=200)
@given(tasks() | derived_tasks())
def test_landmarks_and_orders_are_the_twins(task: GroundTask) -> None:
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    _, marks, keys = found(compiled, state)
    expected = Reference(task).landmarks(truth(state, task.fact_count))
    assert set(keys) == set(expected)
    assert len(keys) == len(set(keys))
    for i, key in enumerate(keys):
        assert members(marks.before[i], keys) == expected[key].before
        assert members(marks.then[i], keys) == expected[key].then
        assert bool(marks.final[i]) == expected[key].final


@settings(max_examples=100)
@given(tasks() | derived_tasks(), st.lists(st.integers(0, 7), max_size=8))
def test_the_landmark_count_along_a_way_is_the_twins(task: GroundTask, choices: list[int]) -> None:
    compiled, twin = compile_task(task), Reference(task)
    state = make_state(compiled, task.init)
    relaxation, marks, keys = found(compiled, state)
    orders = twin.landmarks(truth(state, task.fact_count))
    accepted, slow = np.zeros(marks.before.shape[1], np.uint64), frozenset[Key]()
    situation = twin.start(truth(state, task.fact_count))
    for choice in (*choices, None):
        missing, slow = twin.count_missing(orders, slow, situation.true)
        truths = np.zeros(task.fact_count, np.bool_)
        truths[list(situation.true)] = True
        assert count_missing(relaxation, marks, make_state(compiled, truths), accepted) == missing
        assert members(accepted, keys) == slow
        operators = twin.applicable(situation)
        if choice is None or not operators:
            break
        situation = twin.progress(situation, operators[choice % len(operators)])


def test_a_landmark_that_was_lost_is_wanted_again() -> None:
    """The key (0) opens the door (1); the goal wants the door open and the key back."""
    task = task_of(3, [([], [0], [0], [], 1), ([0], [], [1], [0], 1)], [0, 1])
    compiled = compile_task(task)
    relaxation, marks, keys = found(compiled, make_state(compiled, task.init))
    assert {(0, True), (1, True)} <= set(keys)
    accepted = np.zeros(1, np.uint64)
    counts = []
    for true in ([], [0], [1], [0, 1]):
        truths = np.zeros(3, np.bool_)
        truths[true] = True
        counts.append(count_missing(relaxation, marks, make_state(compiled, truths), accepted))
    assert counts == [2, 1, 1, 0]


def test_many_landmarks_take_several_words() -> None:
    """A chain of 150 steps: every fact is a landmark, and each comes before all later ones."""
    steps = [([i] if i >= 0 else [], [], [i + 1], [], 1) for i in range(-1, 149)]
    task = task_of(150, steps, [149])
    compiled = compile_task(task)
    _, marks, keys = found(compiled, make_state(compiled, task.init))
    assert sorted(keys) == [(f, True) for f in range(150)]
    for i, (fact, _) in enumerate(keys):
        assert members(marks.before[i], keys) == {(f, True) for f in range(fact)}
