"""The exploration forwards against the one that asks first what has a part."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.relaxation import compile_relaxation
from commonsense_planning.kernels import relaxed_forwards
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.kernels.relaxation import FAR
from commonsense_planning.kernels.relaxed import explore, scratch_for
from commonsense_planning.kernels.relaxed_forwards import explore_forwards, relaxed_plan_forwards, rows_for
from tests.kernels.test_relaxed import relaxed_goal
from tests.random_tasks import derived_tasks, task_of, tasks


@pytest.fixture(autouse=True, scope="module")
def small_tasks_whatever_has_a_part() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relaxed_forwards, "_LARGE", 0)
        patch.setattr(relaxed_forwards, "_PART", 10**6)
        yield


@given(
    tasks() | derived_tasks(), st.sampled_from((1, 5, 1500, 10**6)), st.lists(st.booleans(), min_size=12, max_size=12)
)
def test_costs_are_the_same_in_every_state(task: GroundTask, price: int, other: list[bool]) -> None:
    """Also where some or all costs are beyond those that have a list."""
    task = replace(task, operators=task.operators._replace(cost=task.operators.cost * price))
    compiled = compile_task(task)
    relaxation = compile_relaxation(compiled, unit_cost=False)
    scratch, plan = scratch_for(relaxation), np.empty(max(1, compiled.operator_count), np.int32)
    rows = rows_for(relaxation, make_state(compiled, task.init), scratch)
    assume(len(rows.first))
    for truths in (task.init, np.array(other[: task.fact_count], np.bool_), task.init):
        state = make_state(compiled, truths)
        cost = explore(relaxation, state, False, scratch)
        assert explore_forwards(relaxation, rows, state, scratch) == cost
        _, length = relaxed_plan_forwards(relaxation, rows, state, scratch, plan)
        if cost < FAR and not len(task.rules.head):
            assert relaxed_goal(task, None, state, plan[:length].tolist())


def test_where_little_has_a_part_there_are_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """One operator leads to the goal, eight others do not."""
    monkeypatch.setattr(relaxed_forwards, "_PART", 4)
    task = task_of(10, [([], [], [i], [], 1) for i in range(9)], [0])
    compiled = compile_task(task)
    relaxation = compile_relaxation(compiled)
    state = make_state(compiled, task.init)
    assert len(rows_for(relaxation, state, scratch_for(relaxation)).first) == 0
    monkeypatch.setattr(relaxed_forwards, "_PART", 10)
    assert len(rows_for(relaxation, state, scratch_for(relaxation)).first) > 0
    monkeypatch.setattr(relaxed_forwards, "_LARGE", 11)
    assert len(rows_for(relaxation, state, scratch_for(relaxation)).first) == 0
