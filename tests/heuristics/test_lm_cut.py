"""LM-cut lies between h_max and the cheapest plan's cost (conditional effects aside); h_FF and others have twins."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning import FF, BestFirst, Blind, GroundTask, HAdd, HMax, Status, TransitionModel, make_state
from commonsense_planning.grounding.ground_task import Goal, Rules, closed, fully_observable, lists_of
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import compile_task, unpack
from commonsense_planning.kernels.lm_cut import spent
from tests.kernels.reference import Reference
from tests.random_tasks import MOST_FACTS, compiled_at, derived_tasks, task_of, tasks


@given(tasks() | derived_tasks())
def test_it_is_at_most_the_cost_of_a_cheapest_plan(task: GroundTask) -> None:
    compiled, state = compiled_at(task)
    low, found = HMax(compiled)(state), LMCut(compiled)(state)
    assert low <= found or len(task.operators.cond_pre)
    assert math.isinf(low) == math.isinf(found)
    result = BestFirst(compiled, Blind(compiled)).astar(state)
    if result.status is Status.SOLVED and result.operators is not None:
        assert not math.isinf(FF(compiled)(state))
        assert found <= sum(task.operators.cost[o] for o in result.operators)


@given(tasks())
def test_the_slow_twin_finds_the_same(task: GroundTask) -> None:
    compiled, twin = compile_task(task), Reference(task)
    heuristic, state = LMCut(compiled), make_state(compiled, task.init)
    for here in (state, *(after for _, after in TransitionModel(compiled).successors(state))):
        true = frozenset(np.flatnonzero(unpack(here, task.fact_count)).tolist())
        assert heuristic(here) == twin.lm_cut(true)


def test_an_operator_that_is_in_a_cut_by_both_of_its_effects_pays_once() -> None:
    """Both achieve the goal (1), one of them because of what is true (0)."""
    task = task_of(2, [([], [], [1], [], 5), ([], [], [1], [], 2)], [1], [0], effects={0: ([0], [], [1], [])})
    compiled = compile_task(task)
    heuristic = LMCut(compiled)
    assert heuristic(make_state(compiled, task.init)) == 2
    assert [spent(heuristic.costs, o) for o in range(2)] == [2, 2]


def test_nothing_may_be_hidden() -> None:
    task = task_of(2, [([], [], [0], [], 1)], [0])
    compiled = compile_task(task, replace(fully_observable(2), hidden=np.array([True, False])))
    with pytest.raises(ValueError, match="hidden"):
        LMCut(compiled)


def test_facts_that_hold_by_each_other_become_false_together() -> None:
    task = task_of(3, [([0], [], [], [0], 2)], [], [0])
    rules = Rules(
        np.array([1, 1, 2], np.int32), lists_of([[0], [2], [1]]), lists_of([[], [], []]), np.zeros(3, np.int32)
    )
    task = replace(task, rules=rules, init=closed(rules, task.init), goal=Goal(lists_of([[]]), lists_of([[1]])))
    compiled, state = compiled_at(task)
    assert FF(compiled)(state) == HMax(compiled)(state) == LMCut(compiled)(state) == 2


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
