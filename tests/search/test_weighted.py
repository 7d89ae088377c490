"""Weighted A* with and without landmarks: below its bound there is a plan, or the proof that there is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.kernels.engine import failure_reached, goal_reached
from commonsense_planning.search.weighted import Weighted, WeightedByTurns
from tests.kernels.test_action_elimination import reaches
from tests.random_tasks import blocks, derived_tasks, task_of, tasks
from tests.search.test_best_first import least_cost

WEIGHTS = st.sampled_from([(1, 1), (1, 2), (1, 5)])


@given(tasks() | derived_tasks(), WEIGHTS, st.integers(-1, 3))
def test_plans_cost_less_than_the_bound_or_there_is_none(task: GroundTask, weights: tuple[int, int], ties: int) -> None:
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    if goal_reached(compiled.table, state) or failure_reached(compiled.table, state):
        return
    search = Weighted(compiled) if ties < 0 else WeightedByTurns(compiled, state)
    begin = (lambda: search.begin(state, *weights)) if ties < 0 else (lambda: search.begin(state, *weights, ties))
    least = least_cost(task)
    bound = 1000
    while least is not None and bound > least:
        begin()
        found = search.cheaper(bound, 10**6)
        assert found is not None
        assert reaches(compiled.table, state, list(found))
        bound, before = int(sum(task.operators.cost[o] for o in found)), bound
        assert bound < before
    begin()
    assert search.cheaper(bound, 10**6) is None
    assert search.exhausted


def test_a_state_that_is_reached_more_cheaply_is_opened_again() -> None:
    """The estimates like the shortcut to (3); only by the way round, in three steps, the goal is below the bound."""
    way = [([0], [], [1], [0], 0), ([1], [], [2], [1], 0), ([2], [], [3], [2], 0), ([3], [], [4], [3], 5)]
    task = task_of(5, [([0], [], [3], [0], 1), *way], [4], true=[0])
    compiled = compile_task(task)
    state = make_state(compiled, task.init)
    for search in (Weighted(compiled), WeightedByTurns(compiled, state)):
        search.begin(state, 1, 1)
        assert search.cheaper(6, 1000) == (1, 2, 3, 4)


@pytest.mark.parametrize("ties", [0, 1, 2])
def test_a_search_goes_on_where_it_stopped(ties: int) -> None:
    """Twelve switches have to be on, and any may be switched: in small parts as in one go."""
    switches = [([], [f], [f], [], 1) for f in range(12)] + [([f], [], [], [f], 1) for f in range(12)]
    task = task_of(12, switches, list(range(12)))
    compiled = compile_task(task)
    state, plans = make_state(compiled, task.init), []
    for part in (3, 10**6):
        search = WeightedByTurns(compiled, state)
        search.begin(state, 1, 1, ties)
        found, evaluated = None, 0
        while found is None:
            found = search.cheaper(100, part)
            evaluated += search.take_evaluated()
        plans.append((found, evaluated))
    assert plans[0] == plans[1]


def test_a_landmark_counts_what_its_cheapest_achiever_does() -> None:
    """By either of two doors (3 or 7 to open) and a corridor (5)."""
    task = task_of(2, [([], [], [0], [], 3), ([], [], [0], [], 7), ([0], [], [1], [], 5)], [1])
    compiled = compile_task(task)
    search = WeightedByTurns(compiled, make_state(compiled, task.init))
    marks = search.landmarks
    assert dict(zip(marks.propositions.tolist(), marks.price.tolist(), strict=True)) == {0: 4, 1: 6}


def test_what_is_at_its_place_but_in_the_way_is_taken_off_at_once() -> None:
    """1 stands on 2, as is wanted; 2 has to be put on 0. With natural orders alone, five states are evaluated."""
    compiled = compile_task(task := blocks([3, 2, 3], [3, 2, 0]))
    search = WeightedByTurns(compiled, state := make_state(compiled, task.init))
    search.begin(state, 1, 5)
    assert search.cheaper(100, 1000) is not None
    assert search.take_evaluated() == 3
