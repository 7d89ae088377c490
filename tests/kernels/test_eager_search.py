"""A* with LM-cut finds a cheapest plan, evaluates no state twice, and keeps what the operators meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonsense_planning.grounding.ground_task import GroundTask
from commonsense_planning.heuristics.heuristic import Blind
from commonsense_planning.heuristics.lm_cut import LMCut
from commonsense_planning.kernels.compiled import compile_task, make_state
from commonsense_planning.kernels.eager_search import KEPT, UNKNOWN, restore, save
from commonsense_planning.kernels.lm_cut import spent
from commonsense_planning.kernels.search_memory import COUNTS, SIZES
from commonsense_planning.pomdp.transition_model import TransitionModel
from commonsense_planning.search.classical.best_first import BestFirst
from tests.random_tasks import task_of, tasks
from tests.search.classical.test_best_first import carried_out


@given(tasks())
def test_what_an_operator_does_not_meet_is_still_to_be_met_after_it(task: GroundTask) -> None:
    compiled = compile_task(task)
    heuristic, blind = LMCut(compiled), BestFirst(compiled, Blind(compiled))
    state = make_state(compiled, task.init)
    cost = heuristic(state)
    bounds = [cost - spent(heuristic.scratch, o) for o in range(task.operator_count)]
    for operator, after in TransitionModel(compiled).successors(state):
        operators = blind.astar(after).operators
        if operators is not None:
            assert bounds[operator] <= sum(task.operators.cost[o] for o in operators)


@pytest.mark.parametrize("dear", [1, UNKNOWN - 1, UNKNOWN, 10 * UNKNOWN])
def test_dear_operators_are_no_trouble(dear: int) -> None:
    """Two ways; the one that seems cheaper takes its first step twice."""
    twice = [([], [], [0], [], dear), ([0], [], [1], [0], dear), ([0], [], [2], [0], 1), ([1, 2], [], [3], [], dear)]
    once = [([], [], [4], [], 3 * dear), ([4], [], [3], [], dear)]
    task = task_of(5, [*twice, *once], [3])
    compiled = compile_task(task)
    result = BestFirst(compiled, LMCut(compiled)).astar(make_state(compiled, task.init))
    assert carried_out(task, result) == 4 * dear


@given(tasks())
def test_one_search_leaves_nothing_to_the_next(task: GroundTask) -> None:
    compiled = compile_task(task)
    planner, state = BestFirst(compiled, LMCut(compiled)), make_state(compiled, task.init)
    states = [state, *(after for _, after in TransitionModel(compiled).successors(state)), state]
    again = [replace(planner.astar(one), seconds=0.0) for one in states]
    assert again == [replace(BestFirst(compiled, LMCut(compiled)).astar(one), seconds=0.0) for one in states]


@given(st.lists(st.lists(st.integers(0, UNKNOWN), max_size=20), min_size=1, max_size=5))
def test_what_is_kept_comes_back(rows: list[list[int]]) -> None:
    second, counts = np.zeros((64, 4), np.int64), np.zeros(COUNTS, np.int64)
    kept = [save(second, counts, 7 + i, np.array(met, np.int64), len(met)) for i, met in enumerate(rows)]
    assert counts[SIZES + KEPT] <= len(second)
    for i, (row, met) in enumerate(zip(kept, rows, strict=True)):
        back = np.zeros(len(met), np.int64)
        assert restore(second, counts, row, back, len(met)) == 7 + i
        assert back.tolist() == met
