"""Copies of a world, stepped together, against their obvious twin, on random tasks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.kernels.batched import (
    BatchedWorlds,
    Outcomes,
    Start,
    begin_batch,
    draw_operators,
    new_batch,
    start_of,
    step_batch,
)
from commonsense_planning.kernels.compiled import Compiled, compile_task
from commonsense_planning.kernels.engine import applicable
from tests.kernels.reference import Reference, ReferenceWorld
from tests.random_tasks import observed_tasks, task_of

WORLDS = 3
CHOICES = st.lists(st.binary(min_size=WORLDS, max_size=WORLDS), max_size=10)
STREAM = st.integers(0, 2**64 - 1 - WORLDS)
Case = tuple[GroundTask, GroundSensors]


def outcomes(count: int = WORLDS) -> Outcomes:
    return Outcomes(np.empty(count), np.empty(count, np.bool_), np.empty(count, np.bool_))


def choices_of(task: GroundTask, sensors: GroundSensors) -> list[list[int]]:
    """The groups of which one member is true, and whether each other hidden fact is."""
    groups = [sensors.groups.row(g).tolist() for g in range(len(sensors.groups))]
    placed = [group for group in groups if task.init[group].sum() == 1]
    return placed + [[f, -1] for f in np.flatnonzero(sensors.hidden).tolist() if not any(f in g for g in groups)]


def begun(case: Case, stream: int, drawn: bool, masked: bool = True) -> tuple[Compiled, Start, BatchedWorlds]:
    task, sensors = case
    compiled = compile_task(task, sensors)
    start = start_of(compiled, task.init, choices_of(*case) if drawn else [])
    batch = new_batch(compiled, task.fact_count, WORLDS, masked)
    batch.streams[:, 0] = np.arange(stream, stream + WORLDS, dtype=np.uint64)
    begin_batch(compiled.table, start, batch, 0, WORLDS)
    return compiled, start, batch


def twins_of(case: Case, stream: int, drawn: bool, cost: float, most: int) -> list[ReferenceWorld]:
    choices = choices_of(*case) if drawn else []
    true = frozenset(np.flatnonzero(case[0].init).tolist())
    return [ReferenceWorld(Reference(*case), true, choices, stream + i, cost, most) for i in range(WORLDS)]


def assert_alike(batch: BatchedWorlds, twins: list[ReferenceWorld]) -> None:
    for i, twin in enumerate(twins):
        seen = batch.observations[i]
        assert set(np.flatnonzero(seen[0]).tolist()) == twin.situation.true & twin.situation.known
        if len(seen) > 1:
            assert set(np.flatnonzero(seen[1]).tolist()) == twin.situation.known
        assert sorted(batch.applicable[i, : batch.counts[i]].tolist()) == twin.mask
        if batch.masks.shape[1]:
            assert np.flatnonzero(batch.masks[i]).tolist() == twin.mask
        assert batch.over[i] == twin.over


LIMITS = st.tuples(st.sampled_from([0.0, 0.5]), st.sampled_from([0, 1, 3]))


@given(observed_tasks(), CHOICES, STREAM, st.booleans(), st.booleans(), LIMITS)
def test_batch_and_twins_agree(
    case: Case, choices: list[bytes], stream: int, drawn: bool, masked: bool, limits: tuple[float, int]
) -> None:
    if not case[0].operator_count:
        return
    cost, most = limits
    compiled, start, batch = begun(case, stream, drawn, masked)
    twins = twins_of(case, stream, drawn, cost, most)
    assert_alike(batch, twins)
    came = outcomes()
    for choice in choices:  # applicable or not
        operators = np.array([byte % case[0].operator_count for byte in choice], np.int64)
        step_batch(compiled.table, start, batch, operators, cost, most, came, 0, WORLDS)
        expected = [twin.step(operator) for twin, operator in zip(twins, operators.tolist(), strict=True)]
        assert list(zip(*(column.tolist() for column in came), strict=True)) == expected
        assert_alike(batch, twins)


@given(observed_tasks(), CHOICES, STREAM)
def test_parts_in_any_order_make_the_whole(case: Case, choices: list[bytes], stream: int) -> None:
    if not case[0].operator_count:
        return
    compiled, start, whole = begun(case, stream, drawn=True)
    *_, parts = begun(case, stream, drawn=True)
    at_once, apart = outcomes(), outcomes()
    for choice in choices:
        operators = np.array([byte % case[0].operator_count for byte in choice], np.int64)
        step_batch(compiled.table, start, whole, operators, 0.0, 4, at_once, 0, WORLDS)
        for first, last in ((2, 3), (0, 2)):
            step_batch(compiled.table, start, parts, operators, 0.0, 4, apart, first, last)
        assert [a.tobytes() for a in (*whole, *at_once)] == [a.tobytes() for a in (*parts, *apart)]


@given(observed_tasks(), CHOICES, STREAM)
def test_what_is_unseen_leaves_no_mark(case: Case, choices: list[bytes], stream: int) -> None:
    """Where everything that the agent does not know is the other way round, it sees the same and may do the same."""
    task, _ = case
    compiled, start, batch = begun(case, stream, drawn=True)
    if not task.operator_count or compiled.words == compiled.half:
        return
    buffer = np.empty(task.operator_count, np.int32)
    for choice in choices:
        operators = np.array([byte % task.operator_count for byte in choice], np.int64)
        step_batch(compiled.table, start, batch, operators, 0.0, 4, outcomes(), 0, WORLDS)
        for i, state in enumerate(batch.states.copy()):
            told, known = batch.observations[i]
            assert not told[known == 0].any()
            state[: compiled.half] ^= ~state[compiled.half :]
            may = buffer[: applicable(compiled.table, state, buffer)]
            assert sorted(may.tolist()) == np.flatnonzero(batch.masks[i]).tolist()


@given(observed_tasks(), STREAM, st.lists(st.floats(0, 1, exclude_max=True), min_size=WORLDS, max_size=WORLDS))
def test_operators_are_drawn_from_the_applicable_ones(case: Case, stream: int, numbers: list[float]) -> None:
    *_, batch = begun(case, stream, drawn=True, masked=False)
    out = np.empty(WORLDS, np.int64)
    draw_operators(batch, np.array(numbers), out)
    for i, count in enumerate(batch.counts.tolist()):
        assert out[i] == (batch.applicable[i, int(numbers[i] * count)] if count else 0)


def test_a_world_that_is_solved_from_the_start_is_drawn_again() -> None:
    """One of three places is the goal's, one is forbidden; the fourth possibility is to be nowhere."""
    task = task_of(3, [([], [], [], [], 1)], [0], [2], failure=[1])
    compiled = compile_task(task)
    batch = new_batch(compiled, 3, 50, False)
    batch.streams[:, 0] = np.arange(50)
    begin_batch(compiled.table, start_of(compiled, task.init, [[0, 1, 2, -1]]), batch, 0, 50)
    begun = batch.observations[:, 0].tolist()
    assert begun.count([0, 0, 1]) > 10 < begun.count([0, 0, 0])
    assert begun.count([0, 0, 1]) + begun.count([0, 0, 0]) == 50
