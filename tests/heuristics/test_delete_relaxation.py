"""The successor generator and the heuristics as objects: they say what their slow twins say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.derived import closed
from commonsense_planning.grounding.ground_task import GroundSensors, GroundTask
from commonsense_planning.heuristics.delete_relaxation import FF, HAdd, HMax
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.heuristics.successor_generator import SuccessorGenerator
from commonsense_planning.kernels.compiled import Compiled, State, compile_task, make_state, unpack
from commonsense_planning.kernels.engine import sense_all
from tests.kernels.reference import Reference, ReferenceState
from tests.random_tasks import MOST_FACTS, derived_tasks, observed_tasks, task_of, tasks


def situation(compiled: Compiled, state: State, facts: int) -> ReferenceState:
    """A state as sets of facts."""
    known = np.ones(facts, np.bool_)
    if compiled.words > compiled.half:
        known = unpack(state[compiled.half :], facts)
    true = unpack(state[: compiled.half], facts)
    return ReferenceState(frozenset(np.flatnonzero(true).tolist()), frozenset(np.flatnonzero(known).tolist()))


@given(observed_tasks())
def test_successors_are_the_twins(case: tuple[GroundTask, GroundSensors]) -> None:
    task, sensors = case
    twin, compiled = Reference(task, sensors), compile_task(task, sensors)
    generator, state = SuccessorGenerator(compiled), make_state(compiled, task.init)
    sense_all(compiled.table, state)
    before = state.copy()
    here = situation(compiled, state, task.fact_count)
    assert generator.applicable(state).tolist() == twin.applicable(here)
    for operator, after in generator.successors(state):
        assert situation(compiled, after, task.fact_count) == twin.progress(here, operator)
    assert state.tolist() == before.tolist()


def test_what_is_not_applicable_has_no_successor() -> None:
    task = task_of(2, [([0], [], [1], [], 1)], [1])
    compiled = compile_task(task)
    with pytest.raises(ValueError, match="operator 0 is not applicable"):
        SuccessorGenerator(compiled).successor(make_state(compiled, task.init), 0)


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
