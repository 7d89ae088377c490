"""Landmarks, their orders and their count against the slow twin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import Compiled, GroundTask, HMax, make_state
from commonsense_planning.heuristics import landmarks
from commonsense_planning.heuristics.landmarks import LandmarkCount, find_landmarks, with_reasonable_orders
from commonsense_planning.heuristics.relaxation import compile_relaxation
from commonsense_planning.kernels.compiled import State
from commonsense_planning.kernels.landmarks import Landmarks, count_missing
from commonsense_planning.kernels.relaxation import NEGATED
from commonsense_planning.kernels.relaxed import scratch_for
from tests.kernels import reference_landmarks as slow
from tests.kernels.reference import Reference
from tests.kernels.reference_landmarks import Node
from tests.random_tasks import compiled_at, derived_tasks, moving_task, task_of, tasks


def relaxed_at(task: GroundTask) -> tuple[Compiled, State, np.ndarray]:
    compiled, state = compiled_at(task)
    return compiled, state, compile_relaxation(compiled)


def found(compiled: Compiled, state: State, relaxation: np.ndarray) -> tuple[Landmarks, list[Node]]:
    marks = find_landmarks(relaxation, state, scratch_for(relaxation))
    return marks, nodes_of(compiled, relaxation, marks)


def nodes_of(compiled: Compiled, relaxation: np.ndarray, marks: Landmarks) -> list[Node]:
    facts, negated = 64 * compiled.half, int(relaxation[NEGATED])
    nodes: list[Node] = []
    for p in marks.propositions.tolist():
        key = (p, True) if p < facts else (int(relaxation[negated + p - facts]), False)
        nodes.append((*key, True) if key in nodes else key)
    return nodes


def members(row: np.ndarray, nodes: list[Node]) -> set[Node]:
    return {node for i, node in enumerate(nodes) if row[i >> 6] >> np.uint64(i & 63) & np.uint64(1)}


def truth(state: State, count: int) -> frozenset[int]:
    return frozenset(f for f in range(count) if state[f >> 6] >> np.uint64(f & 63) & np.uint64(1))


def assert_same(marks: Landmarks, nodes: list[Node], expected: dict[Node, slow.Mark]) -> None:
    assert set(nodes) == set(expected)
    assert len(nodes) == len(set(nodes))
    for i, node in enumerate(nodes):
        assert members(marks.before[i], nodes) == expected[node].before
        assert members(marks.then[i], nodes) == expected[node].then
        assert bool(marks.final[i]) == expected[node].final


@given(tasks() | derived_tasks())
def test_landmarks_and_orders_are_the_twins(task: GroundTask) -> None:
    compiled, state, relaxation = relaxed_at(task)
    marks, nodes = found(compiled, state, relaxation)
    expected = slow.landmarks(Reference(task), truth(state, task.fact_count))
    assert_same(marks, nodes, expected)


@given(tasks() | derived_tasks(), st.booleans(), st.lists(st.integers(0, 7), max_size=8))
def test_the_landmark_count_along_a_way_is_the_twins(task: GroundTask, reasonable: bool, choices: list[int]) -> None:
    assert_same_counts(task, reasonable, choices)


def test_the_landmark_count_in_reasonable_orders_is_the_twins() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert_same_counts(moving_task(rng), True, rng.integers(100, size=8).tolist())


def assert_same_counts(task: GroundTask, reasonable: bool, choices: list[int]) -> None:
    twin = Reference(task)
    compiled, state, relaxation = relaxed_at(task)
    marks, nodes = found(compiled, state, relaxation)
    first = truth(state, task.fact_count)
    orders = slow.landmarks(twin, first)
    if reasonable:
        marks = with_reasonable_orders(compiled, relaxation, state, marks)
        nodes = nodes_of(compiled, relaxation, marks)
        orders = slow.with_reasonable_orders(twin, first, orders)
    accepted, accepted_by_twin = np.zeros(marks.before.shape[1], np.uint64), frozenset[Node]()
    situation = twin.start(first)
    for choice in (*choices, None):
        missing, accepted_by_twin = slow.count_missing(twin, orders, accepted_by_twin, situation.true)
        truths = np.zeros(task.fact_count, np.bool_)
        truths[list(situation.true)] = True
        assert count_missing(relaxation, marks, make_state(compiled, truths), accepted) == missing
        assert members(accepted, nodes) == accepted_by_twin
        operators = twin.applicable(situation)
        if choice is None or not operators:
            break
        situation = twin.progress(situation, operators[choice % len(operators)])


def test_many_landmarks_take_several_words() -> None:
    """A chain of 150 steps: every fact is a landmark, and each comes before all later ones."""
    steps = [([i] if i >= 0 else [], [], [i + 1], [], 1) for i in range(-1, 149)]
    task = task_of(150, steps, [149])
    marks, nodes = found(*relaxed_at(task))
    assert sorted(nodes) == [(f, True) for f in range(150)]
    for i, node in enumerate(nodes):
        assert members(marks.before[i], nodes) == {(f, True) for f in range(node[0])}


@given(tasks() | derived_tasks())
def test_as_a_heuristic_it_counts_the_landmarks_that_are_not_true(task: GroundTask) -> None:
    compiled, state = compiled_at(task)
    true = truth(state, task.fact_count)
    given = Reference(task).given(true)
    expected = slow.landmarks(Reference(task), true)
    h = LandmarkCount(compiled)(state)
    if math.isinf(h):
        assert math.isinf(HMax(compiled)(state))
    else:
        assert h == len(expected.keys() - given)


@given(tasks() | derived_tasks())
def test_orders_are_the_twins(task: GroundTask) -> None:
    compiled, state, relaxation = relaxed_at(task)
    marks = with_reasonable_orders(compiled, relaxation, state, found(compiled, state, relaxation)[0])
    true = truth(state, task.fact_count)
    expected = slow.with_reasonable_orders(Reference(task), true, slow.landmarks(Reference(task), true))
    assert_same(marks, nodes_of(compiled, relaxation, marks), expected)


def test_orders_are_the_twins_where_things_stand_in_each_others_way() -> None:
    some = 0
    for seed in range(30):
        task = moving_task(np.random.default_rng(seed))
        compiled, state, relaxation = relaxed_at(task)
        natural, _ = found(compiled, state, relaxation)
        marks = with_reasonable_orders(compiled, relaxation, state, natural)
        true = truth(state, task.fact_count)
        expected = slow.with_reasonable_orders(Reference(task), true, slow.landmarks(Reference(task), true))
        assert_same(marks, nodes_of(compiled, relaxation, marks), expected)
        some += marks is not natural
    assert some > 25


def test_a_task_that_is_too_large_has_no_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(3, [([0], [], [1], [0], 1), ([1], [], [0], [1], 1), ([1], [], [2], [], 1)], [0, 2], true=[0])
    compiled, state, relaxation = relaxed_at(task)
    natural, _ = found(compiled, state, relaxation)
    monkeypatch.setattr(landmarks, "MOST_WORDS", 0)
    assert with_reasonable_orders(compiled, relaxation, state, natural) is natural
