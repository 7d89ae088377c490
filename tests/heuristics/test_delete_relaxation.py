"""The heuristics as objects: they say what their slow twins say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.derived import closed
from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.delete_relaxation import FF, HAdd, HMax
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.kernels.compiled import compile_task, make_state
from tests.kernels.reference import Reference
from tests.random_tasks import MOST_FACTS, derived_tasks, tasks


@pytest.mark.parametrize("unit_cost", [True, False])
def test_heuristics_are_the_twins(unit_cost: bool) -> None:
    many = st.lists(st.lists(st.booleans(), min_size=MOST_FACTS, max_size=MOST_FACTS), max_size=4)

    @given(tasks() | derived_tasks(), many)
    def same(task: GroundTask, others: list[list[bool]]) -> None:
        if unit_cost:
            task.operators.cost[:] = 1
        twin, compiled = Reference(task), compile_task(task)
        ff, h_add, h_max = FF(compiled, unit_cost), HAdd(compiled, unit_cost), HMax(compiled, unit_cost)
        for truth in (task.init, *(closed(task.rules, np.resize(other, task.fact_count)) for other in others)):
            state, true = make_state(compiled, truth), frozenset(np.flatnonzero(truth).tolist())
            assert (h_add(state), h_max(state)) == (twin.h_add(true), twin.h_max(true))
            assert Blind(compiled)(state) == 0.0
            plan = ff.relaxed_plan(state)
            assert ff(state) == (math.inf if math.isinf(h_max(state)) else task.operators.cost[list(plan)].sum())
            assert h_max(state) <= ff(state) or not math.isfinite(ff(state))

    same()
